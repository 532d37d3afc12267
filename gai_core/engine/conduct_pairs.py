"""Steps of a trial against a concurrent control: who is whose partner, and what pairs show.

They are those under "Against a concurrent control" in docs/conduct.md. Controls are counted in the
order of their enrolment. A cohort begins with so many before it, `Block.controls`, and the k-th
patient of the cohort on a dose has its k-th control for a partner. The pairs of a dose count in the
order of enrolment: its stream is then the same whatever is known first.
"""

from typing import Any, NamedTuple

import numpy as np

from gai_core.basics import jitable, loop_step

ANY_NUMBER = 1_000_000_000
"""More patients of a dose than a cohort has."""


class Pairs(NamedTuple):
    """Who is whose partner in one trial; without entries where there are no pairs."""

    control: Any
    """Per control: the patient; `nobody` before the control is enrolled."""
    partner: Any
    """Per patient on a dose: which control is the partner."""
    later: Any
    """Per patient on a dose: the next one on it,"""
    next: Any
    """and per arm the first whose pair has not counted yet;"""
    last: Any
    """and the last one."""
    heard: Any
    """Per patient: whether the outcome, or the dropout, is known."""
    planned: Any
    """Per arm: patients of this cohort, with places that nobody has taken yet,"""
    taken: Any
    """and those who are enrolled."""
    complete: Any
    """Per arm: pairs of which both outcomes are known, those that say nothing among them."""


def room_for_pairs(patients: int, arms: int) -> Pairs:
    """Room for the pairs of one trial; none for 0 patients."""
    arms = arms if patients else 0
    return Pairs(
        control=np.empty(patients, np.uint32),
        partner=np.empty(patients, np.uint32),
        later=np.empty(patients, np.uint32),
        next=np.empty(arms, np.uint32),
        last=np.empty(arms, np.uint32),
        heard=np.empty(patients, np.bool_),
        planned=np.empty(arms, np.int64),
        taken=np.empty(arms, np.int64),
        complete=np.empty(arms, np.int64),
    )


@loop_step
def no_pairs(pairs: Pairs) -> None:
    """A trial begins."""
    for arm in range(pairs.next.size):
        pairs.next[arm] = pairs.partner.size  # nobody
        pairs.complete[arm] = 0


@loop_step
def begin_pairing(controls: int, size: int, pairs: Pairs) -> None:
    """A cohort of at most so many patients begins, after so many controls."""
    for arm in range(pairs.next.size):
        pairs.planned[arm], pairs.taken[arm] = 0, 0
    for k in range(controls, min(controls + size, pairs.control.size)):
        pairs.control[k] = pairs.control.size  # nobody


@loop_step
def most_planned(control: int, pairs: Pairs) -> int:
    """Patients of the cohort on its most frequent dose: as many controls are needed."""
    most = 0
    for arm in range(pairs.planned.size):
        if arm != control:
            most = max(most, pairs.planned[arm])
    return most


@loop_step
def ceiling(places: int, size: int, most: int) -> int:
    """A dose may have one more place if it has fewer than this.

    With `places` of doses and `most` on one of them, that place takes one patient; on the most
    frequent dose also another control.
    """
    left = size - places - most
    return ANY_NUMBER if left > 1 else (most if left == 1 else 0)


@loop_step
def pair_up(arm: Any, control: int, controls: int, patient: int, pairs: Pairs) -> None:
    """A patient takes a place: the k-th on an arm is partner of the k-th on the others."""
    nobody, slot = pairs.partner.size, controls + pairs.taken[arm]
    pairs.taken[arm] += 1
    pairs.heard[patient] = False
    if arm == control:
        pairs.control[slot] = patient
        return
    pairs.partner[patient], pairs.later[patient] = slot, nobody
    if pairs.next[arm] == nobody:
        pairs.next[arm] = patient
    else:
        pairs.later[pairs.last[arm]] = patient
    pairs.last[arm] = patient


@loop_step
def next_partner(arm: Any, pairs: Pairs) -> Any:
    """The control of the dose's next pair if both outcomes are known; else nobody."""
    nobody, patient = np.uint32(pairs.partner.size), pairs.next[arm]
    if patient == nobody or not pairs.heard[patient]:
        return nobody
    control = pairs.control[pairs.partner[patient]]
    return control if control != nobody and pairs.heard[control] else nobody


@jitable
def unpaired(x: Any, y: Any) -> tuple[bool, Any]:  # noqa: ARG001 (as `combine` takes them)
    """The place of `Outcome.combine` where there are no pairs; never called."""
    return True, x


@loop_step
def known_mean(n: Any, s: Any, xi: float) -> float:
    """The mean of a stream; of one without a number, as no pair has counted yet, its target."""
    return s / n if n > 0 else xi
