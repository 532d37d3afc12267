"""The loops end, and keep to their arrays, whatever a conduct holds; and they can be stopped.

Numbers that no study may hold are put past the validation: the loops do not rely on it.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from conducted import (
    APART,
    FIXED,
    HDOC,
    USUAL,
    conducted_study,
    never_deciding,
    without_conduct,
)
from hypothesis import given
from hypothesis import strategies as st

from gai_core import Study, simulate
from gai_core.basics import Cancelled, InputError
from gai_core.engine import Trials, conducted_loop, empty_trials, runner, simulation
from gai_core.engine.conduct_verdicts import look_from
from gai_core.engine.loop_parts import StopFlag
from gai_core.engine.prepared import prepare
from gai_core.rules import RULES, Tables

AT_RANDOM: dict[str, Any] = {
    "accrual": {"per_month": 10.0, "pattern": "poisson"},
    "delay": {"weeks": 8.0, "pattern": "lognormal", "spread": 6.0},
}
UNTOUCHED = -9


def unchecked(study: Study, part: str, **values: Any) -> Study:
    """The study with other numbers in a part of its conduct, whatever validation says."""
    assert study.conduct is not None
    changed = getattr(study.conduct, part).model_copy(update=values)
    conduct = study.conduct.model_copy(update={part: changed})
    return study.model_copy(update={"conduct": conduct})


def same(one: Trials, other: Trials) -> bool:
    return all(
        np.array_equal(array, other.named_arrays[name], equal_nan=True)
        for name, array in one.named_arrays.items()
    )


def marked(study: Study) -> Trials:
    """Room for the trials of a study, in which what is not written can be seen."""
    trials = empty_trials(study)
    for array in trials.arrays:
        array[...] = UNTOUCHED
    return trials


@pytest.mark.parametrize("pattern", ["constant", "poisson"])
def test_patients_who_never_come_end_a_trial_all_the_same(pattern: str) -> None:
    """At 5e-324 patients a month all of them come in month infinity, with their outcomes."""
    study = conducted_study()
    never = unchecked(study, "accrual", per_month=5e-324, pattern=pattern)
    for block in simulate(never).trials.values():
        assert block.calendar is not None
        assert np.isinf(block.calendar.enrolment).all()
        assert (block.assigned.sum(axis=1) <= study.simulation.n_max).all()
        assert np.array_equal(block.calendar.seen, block.assigned)


def test_an_endless_delay_ends_a_trial_all_the_same() -> None:
    study = conducted_study({"delay": {"weeks": 8.0, "pattern": "exponential"}} | APART)
    endless = unchecked(study, "delay", weeks=1.7e308)
    for block in simulate(endless).trials.values():
        assert block.calendar is not None
        assert np.array_equal(block.calendar.seen, block.assigned)


@pytest.mark.parametrize("weeks", [1e-300, 5e-324, 1e-15])
def test_looks_as_close_as_can_be_are_looks_after_every_outcome(weeks: float) -> None:
    """Outcomes at random times never come together, so each has a look of its own."""
    every = conducted_study(AT_RANDOM | {"looks": {"outcomes": 1}})
    weekly = conducted_study(AT_RANDOM | {"looks": {"weeks": 1.0}})
    closest = simulate(unchecked(weekly, "looks", weeks=weeks))
    for key, block in simulate(every).trials.items():
        if weeks < 1e-200:
            assert same(block, closest[key])
        else:  # the month of a verdict may be that of the look just after the outcome
            assert np.array_equal(block.decided, closest[key].decided)


@given(
    st.floats(0, 1e4, allow_subnormal=False), st.sampled_from([0.1, 7 / 30.4375, 1 / 3, 1.6, 12.0])
)
def test_the_next_look_is_the_first_one_from_a_month_on(month: float, every: float) -> None:
    """Also for months that are looks themselves, where quotients are rounded."""
    k = max(1, int(month / every) - 2)
    while k * every < month:
        k += 1
    while k > 1 and (k - 1) * every >= month:
        k -= 1
    assert look_from(month, every) == k * every
    assert look_from(k * every, every) == k * every


FULL: dict[str, Any] = {
    "name": "Full", "rule": "hdoc", "criterion": "exact", "burn_in": 3,
    "criterion_parameters": {"looks": 1, "largest": 20},
}  # fmt: skip
CLOSING: dict[str, dict[str, Any]] = {
    "doses that fill up": {"designs": [FULL, FIXED]},
    "verdicts within a cohort": {
        "conduct": USUAL | {"cohort": 12, "looks": {"outcomes": 1}},
        "designs": [HDOC, FULL],
    },
    "dropouts that make room": {
        "conduct": APART | {
            "cohort": 5, "delay": {"weeks": 8.0},
            "dropout": {"probability": 0.2, "counted": "left out", "in_means": False},
        },
        "designs": [FULL, FIXED],
    },
}  # fmt: skip
"""Trials in which enrolment ends because no dose has room, or doses leave a block."""


@pytest.mark.parametrize("name", CLOSING)
def test_the_loop_keeps_to_its_arrays(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run as plain Python, where an index beyond an array is an error, it gives the same trials."""
    study = conducted_study(**CLOSING[name], simulation={"runs": 6, "n_max": 120, "seed": 5})
    plain = {
        (truth.name, design.name): empty_trials(study)
        for truth in study.truths
        for design in study.designs
    }
    with monkeypatch.context() as patch:
        patch.setattr(conducted_loop, "_kernel", conducted_loop._kernel.__wrapped__)
        patch.setattr(conducted_loop, "compile_loop", lambda loop, **_: loop)
        # 64-bit words that wrap around are meant, and a mean of no outcomes is nan.
        with np.errstate(over="ignore", invalid="ignore"):
            for (truth, design), trials in plain.items():
                runner(study, study.design(design))(study.truth(truth), 0, trials)
    compiled = simulate(study)
    assert all(same(trials, compiled[key]) for key, trials in plain.items())


def test_a_stop_ends_a_conducted_trial_before_its_end() -> None:
    study = never_deciding(simulation={"runs": 3, "n_max": 5000, "seed": 5})
    stop, trials = StopFlag(), marked(study)
    run = runner(study, study.designs[0], stop)
    with stop:
        pass
    run(study.truths[0], 0, trials)
    assert trials.calendar is not None
    assert (trials.calendar.end == UNTOUCHED).all()  # not even the first was brought to its end
    assert 0 < trials.patients[0] < 5000
    assert (trials.assigned[1:] == UNTOUCHED).all()


def test_a_stop_ends_the_plain_loop_before_the_next_trials() -> None:
    study = without_conduct(never_deciding())
    stop, trials = StopFlag(), marked(study)
    run = runner(study, study.designs[0], stop)
    with stop:
        pass
    run(study.truths[0], 0, trials)
    assert (trials.verdict == UNTOUCHED).all()


class SetOnceBegun:
    """A cancel flag that is set while the first chunk is under way."""

    def __init__(self, made: list[Trials]) -> None:
        self.made = made

    def is_set(self) -> bool:
        return bool((self.made[-1].assigned != UNTOUCHED).any())


def test_cancel_reaches_a_chunk_that_runs_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """One chunk of many long trials is not brought to its end.

    No dose is ever declared or dropped, so that the chunk would take hours: the flag comes in time
    on any machine.
    """
    study = never_deciding(
        simulation={"runs": 100_000, "n_max": 1_000_000, "seed": 5},
        truths=[{"name": "at the target", "means": [0.2, 0.4, 0.4, 0.4]}],
    )
    made: list[Trials] = []

    def room(study: Study, runs: int | None = None) -> Trials:
        made.append(marked(study) if runs is None else empty_trials(study, runs))
        return made[-1]

    monkeypatch.setattr(simulation, "empty_trials", room)
    monkeypatch.setattr(simulation, "PATIENTS_PER_CHUNK", 10**12)
    with pytest.raises(Cancelled):
        simulate(study, threads=1, cancel=SetOnceBegun(made))
    assert (made[-1].verdict[-1] == UNTOUCHED).all()


def test_tables_that_end_too_soon_are_refused() -> None:
    """The loops would read beyond their end."""
    study = without_conduct(conducted_study())
    short = Tables.only_n(np.zeros(study.simulation.n_max))
    design = study.designs[0].model_copy(update={"rule": "short"})
    with (
        RULES.extended(replace(RULES["hdoc"], key="short", tables=lambda *_: short)),
        pytest.raises(InputError, match="the tables of the rule 'short' must go up to 120"),
    ):
        prepare(study, design)
