"""The validation file: complete, whole, and it names the requirement that a fault breaks."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from gai_core import InputError, Runs
from gai_core.cli import program
from gai_core.criteria import sequences
from gai_core.criteria.exact import schedule
from gai_core.criteria.looks import equal_counts
from gai_core.engine import prepared, simulation
from gai_core.evidence import BAD, Bernoulli, truth_key
from gai_core.evidence import dunnett as dunnett_law
from gai_core.mcp_mod import check_biom
from gai_core.results import monte_carlo, storage
from gai_core.results.quantities import judging
from gai_core.results.timing import Time, times
from gai_core.theory import lower_bounds
from gai_core.validation import (
    CHECKS,
    Effort,
    Found,
    Validation,
    outcome_in_words,
    requirements,
    run_check,
    validate,
    write_validation,
)
from gai_core.validation.checks import simulation as simulation_checks

Patch = pytest.MonkeyPatch


def test_every_requirement_has_a_check_and_every_check_a_requirement() -> None:
    asked = [key for one in requirements() for key in one.checks]
    assert sorted(asked) == sorted(CHECKS)
    assert all(one.checks for one in requirements())
    assert len({one.id for one in requirements()}) == len(requirements())
    assert {one.part for one in requirements()} == {"installation", "operation", "performance"}


SLOW = {"INST-1", "PERF-1", "PERF-2", "OP-6", "OP-13"}
"""Checks that take longer, or depend on the machine: they are run by `gai validate`."""


@pytest.fixture(scope="module")
def validation() -> Validation:
    return validate(quick=True, only=[one.id for one in requirements() if one.id not in SLOW])


def test_this_installation_passes(validation: Validation) -> None:
    assert outcome_in_words(validation) == "All 12 requirements are met."
    assert not validation.failed
    assert {len(value) for value in validation.hashes.values()} == {64}


def moved_limit(patch: Patch) -> None:
    """Every limit of a count is one too low."""
    least = Bernoulli.least_sum
    patch.setattr(Bernoulli, "least_sum", lambda self, n, sums: least(self, n, sums) - 1)


def moved_limit_of_the_paper(patch: Patch) -> None:
    """The same for limits that are found by trying counts."""
    least = Bernoulli.least_that
    patch.setattr(Bernoulli, "least_that", lambda *given: least(*given) + 1)


def reused_seed(patch: Patch) -> None:
    """All assumptions have the same patients."""
    patch.setattr(prepared, "truth_key", lambda _name: np.uint64(7))


def changed_stream(patch: Patch) -> None:
    """Patients come from another stream."""
    key = truth_key
    patch.setattr(prepared, "truth_key", lambda name: key(name) + np.uint64(1))


def wrong_divergence(patch: Patch) -> None:
    """d(y, x) in the place of d(x, y)."""
    right = Bernoulli.divergence
    patch.setattr(Bernoulli, "divergence", lambda self, x, y: right(self, y, x))


def wrong_bound(patch: Patch) -> None:
    """log(1/delta) where the sharper bound has d(1 - delta, delta)."""
    patch.setattr(lower_bounds, "kappa", lambda alpha, _beta=None: float(-np.log(alpha)))


def swapped_verdict(patch: Patch) -> None:
    """A dropped dose counts as declared."""
    patch.setattr(judging.Judged, "declared", property(lambda self: self.trials.verdict == BAD))


def averaged_censored_time(patch: Patch) -> None:
    """A time that was not reached counts as if it had been."""
    right = times
    patch.setattr(
        judging,
        "times",
        lambda *given: {
            name: Time(time.values, np.ones_like(time.reached))
            for name, time in right(*given).items()
        },
    )


def wrong_monte_carlo_error(patch: Patch) -> None:
    """Off by sqrt 2."""
    right = monte_carlo.mean

    def wrong(values: Any) -> tuple[float, float]:
        value, error = right(values)
        return value, error / 2**0.5

    patch.setattr(monte_carlo, "mean", wrong)


def left_out_look(patch: Patch) -> None:
    """The first look is not there."""
    right = equal_counts
    patch.setattr(schedule, "equal_counts", lambda *given: np.delete(right(*given), 0))


def other_bits_on_threads(patch: Patch) -> None:
    """A patient more in the first trial for every thread more."""
    right = simulation.simulate

    def wrong(study: Any, *, threads: int = 1, **others: Any) -> Runs:
        runs = right(study, threads=threads, **others)
        for trials in runs.trials.values():
            trials.assigned[0, 0] += threads - 1
        return runs

    patch.setattr(simulation_checks, "simulate", wrong)


def wrong_file(patch: Patch) -> None:
    """Numbers are written in another order than they are read."""
    right = storage._lines
    patch.setattr(storage, "_lines", lambda array, arms: right(array, arms)[::-1])


def wrong_critical_value(patch: Patch) -> None:
    """It is too large by 0.05."""
    patch.setattr(
        "gai_core.validation.checks.exact.dunnett_critical",
        lambda doses, alpha: dunnett_law.dunnett_critical(doses, alpha) + 0.05,
    )


def wrong_fit(patch: Patch) -> None:
    """A figure of the public example is off in its last digit."""
    right = check_biom
    patch.setattr(
        "gai_core.validation.checks.published.check_biom",
        lambda: [one._replace(computed=one.computed + 10**-one.places) for one in right()],
    )


def narrow_sequence(patch: Patch) -> None:
    """The confidence sequence asks for a quarter of its evidence."""
    patch.setattr(sequences, "TARGET", sequences.TARGET / 4)


FAULTS: list[tuple[Callable[[Patch], None], str]] = [
    (moved_limit, "OP-1"),
    (moved_limit_of_the_paper, "OP-1"),
    (reused_seed, "OP-8"),
    (changed_stream, "OP-8"),
    (wrong_divergence, "OP-5"),
    (wrong_bound, "OP-5"),
    (swapped_verdict, "OP-7"),
    (averaged_censored_time, "OP-11"),
    (wrong_monte_carlo_error, "OP-12"),
    (left_out_look, "OP-3"),
    (other_bits_on_threads, "OP-9"),
    (wrong_file, "OP-10"),
    (wrong_critical_value, "OP-4"),
    (wrong_fit, "OP-14"),
    (narrow_sequence, "OP-13"),
]


@pytest.mark.parametrize(
    ("inject", "broken"), FAULTS, ids=lambda value: getattr(value, "__name__", value)
)
def test_an_injected_fault_is_named(
    monkeypatch: Patch, inject: Callable[[Patch], None], broken: str
) -> None:
    inject(monkeypatch)
    found = validate(quick=True, only=[broken])
    title = next(one.title for one in requirements() if one.id == broken)
    assert [one.id for one in found.failed] == [broken]
    assert f"{broken} {title}" in outcome_in_words(found)


def test_a_check_that_breaks_down_has_failed(tmp_path: Path) -> None:
    def broken(_effort: Effort) -> Found:
        raise ZeroDivisionError("by nothing")

    found = run_check(replace(CHECKS["dunnett"], run=broken), Effort(True, tmp_path))
    assert not found.found.passed
    assert found.found.words == "could not be run: ZeroDivisionError: by nothing"


def test_the_files_are_whole_and_say_the_same(validation: Validation, tmp_path: Path) -> None:
    folder = tmp_path / "file"
    write_validation(validation, folder)
    assert {path.name for path in folder.iterdir()} == {
        "validation.html",
        "validation.pdf",
        "validation.json",
    }
    data = json.loads((folder / "validation.json").read_text(encoding="utf-8"))
    page = (folder / "validation.html").read_text(encoding="utf-8")
    assert data["passed"]
    for one in data["requirements"]:
        assert one["id"] in page
        assert one["risk"] in page.replace("&#39;", "'")
        assert all(check["seconds"] >= 0 and check["found"] for check in one["checks"])
    assert (folder / "validation.pdf").read_bytes().startswith(b"%PDF")
    with pytest.raises(InputError, match="exists already"):
        write_validation(validation, folder)


def test_the_command_fails_and_names_the_requirement(monkeypatch: Patch, tmp_path: Path) -> None:
    def short(*, quick: bool, progress: Any) -> Validation:
        return validate(quick=quick, only=["OP-4"], progress=progress)

    monkeypatch.setattr("gai_core.validation.validate", short)
    wrong_critical_value(monkeypatch)
    called = ["validate", "--quick", "-o", str(tmp_path / "file")]
    result = CliRunner().invoke(program.app, called)
    assert result.exit_code == 1
    assert "OP-4 Comparisons with a shared control" in result.output
    assert not json.loads((tmp_path / "file" / "validation.json").read_text(encoding="utf-8"))[
        "passed"
    ]
    again = CliRunner().invoke(program.app, called)
    assert again.exit_code != 0
