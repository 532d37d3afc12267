"""How well means are estimated when a trial ends, and how well those of declared doses.

A dose is declared when it looks good, so that its estimate is too large on average. Nothing is
averaged silently: every statistic says which share of the trials it is over.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gai_core.results.among import Among
from gai_core.results.estimates import Intervals
from gai_core.results.quantities.judging import Judged
from gai_core.results.quantities.quantity import (
    CHANCE_AMONG,
    MEAN_AMONG,
    ROOT_AMONG,
    Direction,
    Kind,
    Quantity,
    Unit,
)

Per = Callable[[Judged], Among]
"""A value per trial and arm, where there is one."""


def _errors(trials: Judged) -> Among:
    return Among(trials.estimates.errors, trials.estimates.known)


def _covered(which: Callable[[Judged], Intervals]) -> Per:
    def per(trials: Judged) -> Among:
        intervals = which(trials)
        return Among(intervals.covered, intervals.there)

    return per


def _width(which: Callable[[Judged], Intervals]) -> Per:
    def per(trials: Judged) -> Among:
        intervals = which(trials)
        return Among(intervals.width, intervals.bounded)

    return per


def _if_declared(per: Per) -> Per:
    def declared(trials: Judged) -> Among:
        found = per(trials)
        return Among(found.values, found.counted & trials.declared)

    return declared


def _over_declared(per: Per, power: int = 1) -> Per:
    """Per trial the mean over its declared doses, or the root of the mean of squares."""

    def whole(trials: Judged) -> Among:
        found = _if_declared(per)(trials)
        some: NDArray[Any] = found.counted.sum(axis=1)
        values = np.zeros(some.shape)
        for arm in range(found.counted.shape[1]):  # one at a time: a million trials fit so
            values += np.where(found.counted[:, arm], found.values[:, arm], 0.0) ** power
        means = values / np.maximum(some, 1)
        return Among(means ** (1 / power) if power > 1 else means, some > 0)

    return whole


def _of_sequence(trials: Judged) -> Intervals:
    return trials.estimates.sequence


def _of_usual(trials: Judged) -> Intervals:
    return trials.estimates.usual


class Subject(NamedTuple):
    """What is said of estimates: of every dose, given its declaration, and of declared doses."""

    key: str
    label: str
    of: str
    """The end of the sentence that says what it is."""
    per: Per
    kind: Kind
    unit: Unit
    better: Direction | None
    head: str
    """The head of its column in a table of estimates."""
    of_declared: str = ""
    """The label of declared doses together, where it is another one."""
    signed: bool = False
    """As of a quantity."""

    @property
    def if_declared_key(self) -> str:
        """Of a dose in the trials that declare it."""
        return f"{self.key}_if_declared"

    @property
    def declared_key(self) -> str:
        """Of all doses that a trial declares."""
        return f"declared_{self.key}"


SEQUENCE = (
    "the 95% confidence sequence, which is valid at the end of every design (Robbins 1970; the "
    "means that the decision rule mixture neither accepts nor rejects)"
)
USUAL = (
    "the usual 95% interval, which is made for a fixed number of patients (rates: Wilson's; "
    "differences of rates: Wald's; scores: normal, or Student's where the variance is unknown)"
)
SUBJECTS = (
    Subject(
        "bias",
        "bias of the estimate",
        "the mean error of the estimate: observed mean minus true mean; the sd is the standard "
        "error of the estimate",
        _errors,
        MEAN_AMONG,
        "outcome",
        None,
        "bias",
        "overestimation of declared doses (bias)",
        signed=True,
    ),
    Subject(
        "rmse",
        "root mean squared error of the estimate",
        "the root of the mean squared error of the estimate",
        _errors,
        ROOT_AMONG,
        "outcome",
        "less",
        "root mean squared error",
    ),
    Subject(
        "covered",
        "coverage of the confidence sequence",
        f"the chance that the true mean is within {SEQUENCE}",
        _covered(_of_sequence),
        CHANCE_AMONG,
        "share",
        "more",
        "confidence sequence covers",
    ),
    Subject(
        "width",
        "width of the confidence sequence",
        f"upper minus lower limit of {SEQUENCE}, where both are finite",
        _width(_of_sequence),
        MEAN_AMONG,
        "outcome",
        "less",
        "its width",
    ),
    Subject(
        "usual_covered",
        "coverage of the usual interval",
        f"the chance that the true mean is within {USUAL}",
        _covered(_of_usual),
        CHANCE_AMONG,
        "share",
        "more",
        "usual interval covers",
    ),
    Subject(
        "usual_width",
        "width of the usual interval",
        f"upper minus lower limit of {USUAL}",
        _width(_of_usual),
        MEAN_AMONG,
        "outcome",
        "less",
        "its width",
    ),
)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _of_dose(subject: Subject) -> Quantity:
    return Quantity(
        key=subject.key,
        label=subject.label,
        meaning=_sentence(f"per dose, over the trials with an outcome of it, {subject.of}"),
        kind=subject.kind,
        unit=subject.unit,
        value=subject.per,
        better=subject.better,
        signed=subject.signed,
        arms="candidates",
        shown=False,
    )


def _of_dose_if_declared(subject: Subject) -> Quantity:
    return Quantity(
        key=subject.if_declared_key,
        label=f"{subject.label}, given its declaration",
        meaning=_sentence(f"per dose, over the trials that declare it, {subject.of}"),
        kind=subject.kind,
        unit=subject.unit,
        value=_if_declared(subject.per),
        better=subject.better,
        signed=subject.signed,
        arms="candidates",
        shown=False,
    )


def _of_declared(subject: Subject) -> Quantity:
    """Of a trial's declared doses together: shares of several doses are a mean, not a chance."""
    return Quantity(
        key=subject.declared_key,
        label=subject.of_declared or f"{subject.label}, declared doses",
        meaning=_sentence(
            f"over the trials that declare a dose, the mean over their declared doses of this: "
            f"{subject.of}"
        ),
        kind=MEAN_AMONG if subject.kind is CHANCE_AMONG else subject.kind,
        unit=subject.unit,
        value=_over_declared(subject.per, 2 if subject.kind is ROOT_AMONG else 1),
        better=subject.better or "less",
        signed=subject.signed,
        compared=True,
        shown=False,
    )


def _all() -> Iterator[Quantity]:
    for make in (_of_declared, _of_dose, _of_dose_if_declared):
        yield from map(make, SUBJECTS)


ESTIMATION = tuple(_all())
