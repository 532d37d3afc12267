"""Ready-made designs: the paper's, the benchmarks that trialists use, and the tight ones."""

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from gai_core.criteria import CRITERIA, futilities
from gai_core.study.judged_in_order import order_problems
from gai_core.study.shared_control import DUNNETT, shared_control_problems
from gai_core.study.study import Design, Study

NOTHING: Mapping[str, Any] = MappingProxyType({})
USUAL_BURN_IN = 5
USUAL_LOOKS = 4
"""Looks of the group-sequential trial that designs are set against."""


class Ready(NamedTuple):
    """A ready-made design: its name, its parts, and a sentence on what it is and whose."""

    name: str
    rule: str
    criterion: str
    about: str
    parameters: Mapping[str, Any] = NOTHING
    """Of the criterion."""
    futility: str | None = None
    futility_parameters: Mapping[str, Any] = NOTHING
    burn_in: int = USUAL_BURN_IN
    order: Literal["increasing"] | None = None
    advised: bool = True
    """Whether advice considers it; what differs from another in a number alone is for the menu."""


FIXED = Ready(
    "Fixed",
    "equal",
    "exact",
    "The same number of patients on every dose and one exact test of each at the end: how most "
    "dose-ranging trials are run, and the simplest benchmark.",
    {"looks": "end"},
    burn_in=1,
)
FIXED_IN_ORDER = Ready(
    "Fixed, in order",
    "equal",
    "exact",
    "The fixed design with doses tested from the highest down, each at the full error rate, until "
    "one fails: the most powerful fixed test if responses do not fall with the dose, and no "
    "dose is declared unless the highest is.",
    {"looks": "end"},
    "none",
    burn_in=1,
    order="increasing",
    advised=False,
)
FIXED_DUNNETT = Ready(
    "Fixed, Dunnett",
    "equal",
    "exact",
    "The fixed design with Dunnett's limits, a little lower because all doses are compared with "
    "the same controls: the usual test of scores against one control.",
    {"looks": "end", "share": DUNNETT},
    burn_in=1,
)


def _group_sequential(looks: int, shape: str = "obrien-fleming", *, advised: bool = True) -> Ready:
    """Equal allocation over open doses, few looks, doses observed below the target dropped.

    A dose has at most n_max/K patients: what a dropped dose leaves over is not given to the
    others but saved, and the trial ends early. So the last look is at n_max/K.
    """
    words, early, end = {
        "obrien-fleming": ("O'Brien-Fleming", "very strict", ""),
        "pocock": ("Pocock", "as strict as late ones", ", Pocock"),
    }[shape]
    return Ready(
        f"Group sequential, {looks} looks{end}",
        "equal",
        "exact",
        f"{looks} looks at equal distances with {words} limits, calibrated exactly (early looks "
        f"are {early}); a dose observed below the target at a look is dropped, and open doses "
        "get equally many patients: the usual adaptive trial, and the benchmark to beat.",
        {"shape": shape, "looks": {"equal": looks}},
        "below",
        burn_in=1,
        advised=advised,
    )


FOUR_LOOKS = _group_sequential(USUAL_LOOKS)
BENCHMARKS = (
    FIXED,
    FIXED_IN_ORDER,
    FIXED_DUNNETT,
    FOUR_LOOKS,
    _group_sequential(2, advised=False),
    _group_sequential(3),
    _group_sequential(5, advised=False),
    _group_sequential(USUAL_LOOKS, "pocock"),
    _group_sequential(2, "pocock", advised=False),
    _group_sequential(3, "pocock", advised=False),
    _group_sequential(5, "pocock", advised=False),
    Ready(
        "Posterior rule",
        "equal",
        "posterior",
        "Undecided doses get equally many patients; a dose is declared when it meets the target "
        "with a chance of 97.5% given its data, and dropped at 10%: a usual Bayesian trial, which "
        "promises nothing about error rates.",
    ),
)
"""What trialists would run otherwise."""
READY_MADE = (
    Ready(
        "HDoC, the paper's",
        "hdoc",
        "union",
        "Patients go to the doses that look best, verdicts come from a cautious confidence bound: "
        "the paper's own design, for comparison with its figures.",
    ),
    *BENCHMARKS,
    Ready(
        "Equal, exact",
        "equal",
        "exact",
        "Undecided doses get equally many patients and each is judged after every outcome: a fully "
        "sequential trial that drops and declares doses on the way.",
    ),
    Ready(
        "HDoC, mixture",
        "hdoc",
        "mixture",
        "The paper's allocation with sharper limits that stay valid however long the trial goes "
        "on: for trials whose size is left open.",
    ),
    Ready(
        "Nearest finish, mixture",
        "nearest-finish",
        "mixture",
        "Patients go to the dose that could be declared soonest, with limits that stay valid "
        "however long the trial goes on: for one good dose soon, in a trial of open size.",
    ),
    Ready(
        "HDoC, exact",
        "hdoc",
        "exact",
        "The paper's allocation with limits calibrated for the largest sample size: for trials "
        "whose size is fixed beforehand.",
    ),
    Ready(
        "Nearest finish, exact",
        "nearest-finish",
        "exact",
        "Patients go to the dose that could be declared soonest, with limits calibrated for the "
        "largest sample size: for one good dose soon, in a trial of fixed size.",
    ),
    Ready(
        "Nearest finish, shared error",
        "nearest-finish",
        "exact",
        "The same with the whole error spent: doses keep it together because they share the "
        "patients, and early looks are a little stricter than late ones: for response rates, and "
        "good doses that are hard to tell from the target.",
        {"shape": "wang-tsiatis", "exponent": 0.35, "share": "budget", "up_to": "possible"},
    ),
    Ready(
        "Thompson, exact",
        "thompson",
        "exact",
        "A dose gets patients as often as it may be the best, as in many Bayesian adaptive trials, "
        "with limits calibrated for the largest sample size.",
    ),
    Ready(
        "HDoC, drops early",
        "hdoc",
        "exact",
        "The paper's allocation with limits calibrated for at most two equal shares of the "
        "patients on a dose; a dose is dropped as soon as it is unlikely to meet the target, and "
        "dropping is not binding: for few patients, also if the drug does nothing.",
        {"shape": "mixture", "largest_share": 2.0},
        "posterior",
        {"c_bad": 0.12},
        burn_in=1,
    ),
)
ABOUT = {ready.name: ready.about for ready in READY_MADE}
"""What each ready-made design is, and who uses it."""


def fixed(study: Study) -> Design:
    """Equal allocation, and one exact test of every arm when all patients are in."""
    return _made(study, FIXED)


def group_sequential(study: Study) -> Design:
    """The group-sequential trial that designs are set against."""
    return _made(study, FOUR_LOOKS)


def every_ready_made(study: Study) -> list[Design]:
    """All that fit the study: the paper's, the benchmarks, and what needs fewer patients."""
    return _fitting(study, READY_MADE)


def sensible(study: Study) -> list[Design]:
    """The short list of them that is worth simulating."""
    return _fitting(study, [ready for ready in READY_MADE if ready.advised])


def _fitting(study: Study, readies: Iterable[Ready]) -> list[Design]:
    made = (_made(study, ready) for ready in readies if _works_for(study, ready))
    return [design for design in made if fits(study, design)]


def _works_for(study: Study, ready: Ready) -> bool:
    """Whether what declares and what drops work for the kind of outcome."""
    parts = [CRITERIA[ready.criterion], *([futilities()[ready.futility]] if ready.futility else [])]
    return all(part.works_for(study.stream.outcome) for part in parts)


def fits(study: Study, design: Design) -> bool:
    """Whether the study is large enough for the design's looks, and shares controls if it must."""
    criterion, parameters = design.identification
    if any(shared_control_problems(study, (), design)) or any(order_problems(study, (), design)):
        return False
    return criterion.problem(study.setting(design), parameters) is None


def _made(study: Study, ready: Ready) -> Design:
    share = study.most_on_candidates // len(study.candidates)
    return Design(
        name=ready.name,
        rule=ready.rule,
        criterion=ready.criterion,
        criterion_parameters=_parameters(study, ready),
        futility=ready.futility,
        futility_parameters=dict(ready.futility_parameters),
        burn_in=max(1, min(ready.burn_in, share)),
        order=ready.order,
    )


def _parameters(study: Study, ready: Ready) -> dict[str, Any]:
    """Those of the criterion, with limits for no more patients than can be calibrated for.

    A benchmark compares two samples where it can: the best test that a trialist would use.
    """
    given, limit = dict(ready.parameters), study.stream.outcome.largest_calibration
    as_usual = ready in BENCHMARKS and ready.criterion == "exact"
    if as_usual and study.stream.outcome.by_controls:
        given["compared"] = "samples"
    most = study.most_on_candidates
    share = most // len(study.candidates)
    calibrated = CRITERIA[ready.criterion].guarantee == "up to n_max"
    open_ended = calibrated and not {"looks", "largest_share"} & given.keys()
    if open_ended and study.stream.outcome.some_count:
        # Of at most n_max/2 pairs hardly ever more than half count: limits for more cost patients.
        given["largest"] = max(1, study.simulation.n_max // 4)
    if "looks" in given:
        most = share
    elif "largest_share" in given:
        most = min(most, math.floor(given["largest_share"] * share))
    if most <= limit or not calibrated:
        return given
    given.pop("largest_share", None)
    return given | {"largest": limit}
