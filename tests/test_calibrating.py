"""Calibration by simulation: what it finds, that it keeps alpha, and that it says what it is."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import fails, gai
from conducted import conducted_study
from scipy.stats import binomtest
from test_step_down import RATE_APART, stepping
from test_step_down import design as stepping_design

from gai_core import InputError, Study, load_study, simulate
from gai_core.criteria.simulated import SimulatedParameters
from gai_core.evidence import GOOD
from gai_core.questions.calibrating import (
    calibrate,
    calibrated_in_words,
    corners,
    upper_limit,
)
from gai_core.questions.design_space import Space
from gai_core.results import designs_table, exact_errors_table
from gai_core.study import calibration_stamp, changed, dump_study
from gai_core.study.calibrated import calibration_problems, stamps_that_hold
from gai_core.theory import worst_cases

RUNS = 8000


def design(rule: str = "hdoc", criterion: str = "exact", **changes: Any) -> dict[str, Any]:
    return stepping_design(rule, criterion, **({"criterion_parameters": {}} | changes))


@pytest.fixture(scope="module")
def study() -> Study:
    return stepping(design("equal"), simulation={"runs": 10, "n_max": 120, "seed": 3})


@pytest.fixture(scope="module")
def found(study: Study) -> Any:
    return calibrate(study, "0", runs=RUNS, seed=4)


def test_corners_have_every_number_at_the_target(study: Study) -> None:
    found = [truth.means for truth in corners(study)]
    assert len(found) == 15
    assert (0.5 - 5e-10,) * 5 in found
    assert all(mean < 0.5 for mean in found[0][:-1])
    assert {sum(mean > 0.5 for mean in means) for means in found} == {0, 1, 2, 3, 4}


def test_the_rate_found_is_larger_and_every_corner_keeps_alpha(study: Study, found: Any) -> None:
    assert 0.15 < found.nominal < 0.5
    assert (found.corners.upper <= 0.1).all()
    assert found.corners.share.max() > 0.07
    fresh = changed(found.study, runs=RUNS, seed=99)
    fresh = fresh.model_copy(update={"truths": tuple(corners(study))})
    runs = simulate(fresh)
    for truth in fresh.truths:
        bad = ~np.array(fresh.good(truth))
        wrong = ((runs[truth.name, "0"].verdict == GOOD) & bad).any(axis=1).mean()
        assert wrong <= 0.1 + 4 * np.sqrt(0.09 / RUNS)


def test_it_repeats_itself_and_upper_limits_are_those_of_clopper_and_pearson(
    study: Study, found: Any
) -> None:
    assert calibrate(study, "0", runs=RUNS, seed=4).design == found.design
    for errors in (0, 7, 300):
        interval = binomtest(errors, RUNS).proportion_ci(0.998, method="exact")
        assert upper_limit(errors, RUNS, 0.001) == pytest.approx(interval.high)
    assert upper_limit(RUNS, RUNS, 0.001) == 1


def test_it_is_tied_to_its_study(found: Any) -> None:
    text = dump_study(found.study)
    assert "calibrated_for" in text
    with pytest.raises(InputError, match="must have been found by simulation for this very study"):
        changed(found.study, n_max=121)
    other = found.design.model_copy(update={"rule": "hdoc"})
    with pytest.raises(InputError, match="it was found for another one"):
        changed(found.study.model_copy(update={"designs": (other,)}))
    assert changed(found.study, runs=77, seed=5).designs == found.study.designs


def test_how_a_study_is_written_leaves_the_rate_valid(found: Any) -> None:
    """Another name of the endpoint, and the doses wanted in the conduct instead of at the top."""
    study = found.study
    outcome = study.outcome.model_copy(update={"endpoint": "ACR20 at week 12"})
    renamed = changed(study.model_copy(update={"outcome": outcome}))
    assert renamed.designs == study.designs
    of_old = stamps_that_hold(renamed, found.design)
    assert of_old[0] != of_old[1]
    for stamp in of_old:  # also of a file that 0.7.0 has written
        parameters = found.design.criterion_parameters | {"calibrated_for": stamp}
        design = found.design.model_copy(update={"criterion_parameters": parameters})
        assert not list(calibration_problems(renamed, (), design))
    inside = conducted_study({"wanted": 1})
    on_top = changed(inside, wanted=1)
    assert on_top.conduct is not None
    assert on_top.conduct.wanted is None
    design = inside.designs[0]
    assert calibration_stamp(inside, design) == calibration_stamp(on_top, design)
    assert calibration_stamp(changed(on_top, wanted=2), design) != calibration_stamp(on_top, design)


def test_limits_are_those_of_exact_at_the_rate_found(study: Study, found: Any) -> None:
    exact = changed(study, declare=found.nominal)
    assert np.array_equal(
        found.study.curves(found.design).accept, exact.curves(exact.designs[0]).accept
    )
    assert np.array_equal(
        found.study.curves(found.design).reject, study.curves(study.designs[0]).reject
    )


def test_it_is_marked_as_simulated_everywhere(found: Any) -> None:
    assert designs_table(found.study).rows[0][-1] == "simulated"
    worst = worst_cases(found.study)
    assert worst.guarantee.tolist() == ["simulated"]
    shares = [row[-2] for row in exact_errors_table(found.study, worst).rows]
    assert worst.share_of_delta[0] > 1
    assert shares[0].endswith("% bound, kept in simulation")
    words = " ".join(calibrated_in_words(found))
    assert f"{100 * found.nominal:.3g}% instead of 10%" in words
    assert "It is not proven" in words
    assert "simulated" not in {one.data["criterion"] for one in Space(found.study).starts()}
    assert SimulatedParameters().nominal is None


REFUSED = {
    "depends on the control's unknown mean": (load_study, "tofacitinib-placebo"),
    "with one rate for both errors": (load_study, "tofacitinib"),
}


@pytest.mark.parametrize("message", REFUSED)
def test_it_is_refused_where_it_cannot_be_done(message: str) -> None:
    make, name = REFUSED[message]
    study = make(name)
    with pytest.raises(InputError, match=message):
        calibrate(study, study.designs[-1].name, runs=1000)


def test_what_does_not_share_the_error_in_equal_parts_is_refused() -> None:
    for plan, message in (
        (design(order="increasing"), "do not share the error in equal parts"),
        (design(criterion="mixture"), "its criterion is 'mixture'"),
    ):
        with pytest.raises(InputError, match=message):
            calibrate(stepping(plan, errors=RATE_APART), "0", runs=1000)


def test_no_rate_is_given_that_is_proven_anyway() -> None:
    """With so few trials nothing above alpha is sure."""
    few = stepping(design("hdoc"), simulation={"runs": 10, "n_max": 120, "seed": 3})
    with pytest.raises(InputError, match=r"no rate above 0\.1 was found for 0 for which 1,000"):
        calibrate(few, "0", runs=1000)


def test_the_command_writes_the_study(study: Study, tmp_path: Path) -> None:
    given, written = tmp_path / "study.toml", tmp_path / "calibrated.toml"
    given.write_text(dump_study(study), encoding="utf-8")
    shown = gai("calibrate", str(given), "--design", "0", "--runs", "2000", "-o", str(written))
    assert shown.returncode == 0
    assert "It is not proven" in " ".join(shown.stdout.split())
    again = load_study(str(written))
    assert again.designs[0].criterion == "simulated"


def test_the_command_replaces_a_file_whole_and_only_if_told_to(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, written, linked = (tmp_path / name for name in ("study.toml", "new.toml", "linked"))
    given.write_text(dump_study(study), encoding="utf-8")
    written.write_text("mine", encoding="utf-8")
    linked.hardlink_to(written)
    words = ["calibrate", str(given), "--design", "0", "--runs", "2000", "-o", str(written)]
    with monkeypatch.context() as patch:
        patch.setattr("gai_core.questions.calibrate", None)  # refused before any work
        assert "exists already; --force replaces it" in " ".join(fails(*words).split())
    assert written.read_text(encoding="utf-8") == "mine"
    assert gai(*words, "--force").returncode == 0
    assert load_study(str(written)).designs[0].criterion == "simulated"
    assert linked.read_text(encoding="utf-8") == "mine"  # another file has come in its place
