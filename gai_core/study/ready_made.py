"""Ready-made designs: the paper's, the fixed benchmark, and the tight ones."""

from typing import NamedTuple

from gai_core.criteria import CRITERIA
from gai_core.study.study import Design, Study


class Ready(NamedTuple):
    """A ready-made design: its name, its parts, and a sentence on what it is and whose."""

    name: str
    rule: str
    criterion: str
    about: str


FIXED = Ready(
    "Fixed",
    "equal",
    "exact",
    "The same number of patients on every dose and one exact test of each at the end: how most "
    "dose-ranging trials are run, and the benchmark.",
)
READY_MADE = (
    Ready(
        "HDoC, the paper's",
        "hdoc",
        "union",
        "Patients go to the doses that look best, verdicts come from a cautious confidence bound: "
        "the paper's own design, for comparison with its figures.",
    ),
    FIXED,
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
        "Thompson, exact",
        "thompson",
        "exact",
        "A dose gets patients as often as it may be the best, as in many Bayesian adaptive trials, "
        "with limits calibrated for the largest sample size.",
    ),
)
ABOUT = {ready.name: ready.about for ready in READY_MADE}
"""What each ready-made design is, and who uses it."""


def fixed(study: Study) -> Design:
    """Equal allocation, and one exact test of every arm when all patients are in."""
    per_arm = study.most_on_candidates // len(study.candidates)
    limit = study.outcome.largest_calibration
    return Design(
        name=FIXED.name,
        rule=FIXED.rule,
        criterion=FIXED.criterion,
        criterion_parameters={"looks": "end"} | ({"largest": limit} if per_arm > limit else {}),
        burn_in=1,
    )


def sensible(study: Study) -> list[Design]:
    """A short list worth simulating: the paper's, the benchmark, and what needs fewer patients."""
    fitting = (ready for ready in READY_MADE if CRITERIA[ready.criterion].works_for(study.outcome))
    return [fixed(study) if ready is FIXED else _adaptive(study, ready) for ready in fitting]


def _adaptive(study: Study, ready: Ready) -> Design:
    limit = study.outcome.largest_calibration
    too_many = ready.criterion == "exact" and study.most_on_candidates > limit
    return Design(
        name=ready.name,
        rule=ready.rule,
        criterion=ready.criterion,
        criterion_parameters={"largest": limit} if too_many else {},
        burn_in=max(1, min(5, study.most_on_candidates // len(study.candidates))),
    )
