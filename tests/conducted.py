"""One small study with a conduct that many tests share; any part can be replaced."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from conftest import make_study

from gai_core import Study, load_study, scenario_names
from gai_core.engine import Trials
from gai_core.evidence import BAD, GOOD

RATE: dict[str, Any] = {"kind": "bernoulli"}
SCORE: dict[str, Any] = {"kind": "gaussian", "variance": 0.25}
FIXED: dict[str, Any] = {
    "name": "Fixed", "rule": "equal", "criterion": "exact", "burn_in": 1,
    "criterion_parameters": {"looks": "end"},
}  # fmt: skip
HDOC: dict[str, Any] = {"name": "HDoC", "rule": "hdoc", "criterion": "mixture", "burn_in": 3}
APART: dict[str, Any] = {"control_share": 0.25}
USUAL: dict[str, Any] = {
    "accrual": {"per_month": 10.0},
    "delay": {"weeks": 8.0},
    "cohort": 4,
    "dropout": {"probability": 0.1, "counted": "non-response", "in_means": False},
} | APART


def conducted_study(conduct: dict[str, Any] | None = None, **changes: Any) -> Study:
    """A placebo set apart and three doses: under one truth most trials decide, under one few."""
    data: dict[str, Any] = {
        "delta": 0.3,
        "threshold": 0.4,
        "simulation": {"runs": 40, "n_max": 120, "seed": 5},
        "arms": [
            {"label": "placebo", "control": True},
            {"label": "low"}, {"label": "middle"}, {"label": "high"},
        ],
        "truths": [
            {"name": "clear", "means": [0.2, 0.1, 0.75, 0.95]},
            {"name": "near", "means": [0.2, 0.4, 0.45, 0.5]},
        ],
        "designs": [HDOC, FIXED],
        "conduct": USUAL if conduct is None else conduct,
    }  # fmt: skip
    return make_study(**(data | changes))


def never_deciding(**changes: Any) -> Study:
    """The same with an error rate that no trial of its size can keep: everything is censored."""
    data: dict[str, Any] = {"delta": 1e-30, "designs": [HDOC]}
    return conducted_study(**(data | changes))


def without_conduct(study: Study) -> Study:
    """The same study, one patient at a time."""
    return Study.model_validate(study.model_dump() | {"conduct": None})


def when_known(trials: Trials) -> Trials:
    """Trials with one look at the end: every verdict is there when all patients are, trial by
    trial and arm by arm."""
    decided, calendar = trials.decided.copy(), trials.calendar
    if calendar is not None:
        calendar = replace(calendar, month=calendar.month.copy(), waiting=calendar.waiting.copy())
    for trial, verdicts in enumerate(trials.verdict.tolist()):
        for arm, verdict in enumerate(verdicts):
            if verdict in (GOOD, BAD):
                decided[trial, arm] = sum(trials.assigned[trial].tolist())
                if calendar is not None:
                    calendar.month[trial, arm] = calendar.end[trial]
                    calendar.waiting[trial, arm] = 0
    return replace(trials, decided=decided, calendar=calendar)


def of_every_sort() -> list[str]:
    """Some shipped studies for tests that take seconds a study.

    Together they have every kind of evidence, every field and every choice that any of them has.
    """
    waiting = {name: _parts(load_study(name)) for name in scenario_names()}
    lacking, found = set[object]().union(*waiting.values()), list[str]()
    while lacking:
        name = max(waiting, key=lambda name: len(waiting[name] & lacking))
        lacking -= waiting.pop(name)
        found.append(name)
    return sorted(found)


IN_WORDS = {"title", "notes", "note", "name", "label", "unit", "endpoint", "source"}
"""Fields whose words are a study's own, and no choice."""


def _parts(study: Study) -> set[object]:
    """What is special about a study: its fields other than as usual, and what is chosen there."""
    return {type(study.stream.outcome), *_fields(study.model_dump(exclude_defaults=True))}


def _fields(part: object, place: tuple[str, ...] = ()) -> Iterator[object]:
    match part:
        case dict():
            for key, inner in part.items():
                yield from _fields(inner, (*place, key))
        case list() | tuple():
            for inner in part:
                yield from _fields(inner, place)
        case str() | bool() if not IN_WORDS & set(place):
            yield place, part
        case _:
            yield place
