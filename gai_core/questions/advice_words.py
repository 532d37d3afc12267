"""The sentences of `gai advise`: every number comes from its table."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gai_core.basics import number, percent, with_error
from gai_core.study import Study, Truth

if TYPE_CHECKING:
    import pandas as pd

NOT_COVERED = "the guarantee does not cover this assumption."
SURE = 2.0
"""Standard errors from which on a difference is called one."""


def nothing_found(study: Study) -> str:
    """What to say where no simulated trial of any design declares a good dose."""
    return (
        f"No design declares a good dose within {study.simulation.n_max:,} patients in any "
        "simulated trial: enlarge n_max, or lower the threshold or the demands on the error rates."
    )


def against(other: str, value: float, error: float) -> str:
    """The runner-up, and how far it is behind; `value` is recommended minus runner-up."""
    sure = "" if abs(value) > SURE * error else ", which these trials cannot tell from zero"
    return (
        f"Runner-up: {other}. On average over the truths with a good dose, one is declared "
        f"{abs(value):,.1f} ± {error:,.1f} patients {'later' if value < 0 else 'sooner'} with "
        f"it{sure}."
    )


def sentences(
    study: Study, table: "pd.DataFrame", recommended: str, reference: str
) -> Iterator[str]:
    """The recommendation, then what it does under every truth."""
    chosen = study.design(recommended)
    yield (
        f"Recommended: {recommended} (rule {chosen.rule}, criterion {chosen.criterion}). "
        f"{chosen.identification[0].promise(study.error_rates)}"
    )
    for truth in study.truths:
        here = table[table.truth == truth.name].set_index("design")
        parts = _with_a_dose if study.above(truth) else _without_a_dose
        yield f"{truth.name}: {' '.join(parts(study, truth, here, recommended, reference))}"


Words = Iterator[str]


def _chance(study: Study, row: Any, quantity: str) -> str:
    return percent(row[quantity], row[f"{quantity}_mcse"], study.simulation.runs)


def _without_a_dose(
    study: Study, truth: Truth, here: "pd.DataFrame", recommended: str, _reference: str
) -> Words:
    row = here.loc[recommended]
    yield f"no dose is above the target. {_size(here, recommended)}"
    yield from _errors(study, truth, row, " of the trials")


def _with_a_dose(
    study: Study, truth: Truth, here: "pd.DataFrame", recommended: str, reference: str
) -> Words:
    row, n_max = here.loc[recommended], study.simulation.n_max
    if row.found == 0:
        yield f"no trial declares a good dose within {n_max:,} patients."
    else:
        yield (
            f"a good dose is declared in {_chance(study, row, 'found')} of the trials of at most "
            f"{n_max:,} patients, after {_time(row, n_max)}."
        )
        if recommended != reference:
            yield _than(row, reference)
    yield from _more_often(study, here, recommended)
    if 0 < row.lower_bound < math.inf:
        yield (
            f"A design that always decides needs {number(row.lower_bound)} patients or more on "
            "average until its first declaration."
        )
    best = here.until_found.idxmin()
    if best != recommended:
        yield f"Soonest here is {best} with {with_error(*_pair(here.loc[best], 'until_found'))}."
    yield _size(here, recommended)
    yield from _errors(study, truth, row)


def _pair(row: Any, quantity: str) -> tuple[float, float]:
    return row[quantity], row[f"{quantity}_mcse"]


def _time(row: Any, n_max: int) -> str:
    """The mean where one is declared; beside it the one that counts n_max where none is."""
    where = with_error(*_pair(row, "until_found_if_any"))
    if row.found == 1:
        return f"{where} patients on average"
    counted = with_error(*_pair(row, "until_found"))
    return f"{where} patients on average where one is, {counted} counting {n_max:,} where none is"


def _than(row: Any, reference: str) -> str:
    value, error = _pair(row, "difference")
    that = "That" if row.found == 1 else "Counted so, that"
    if value == 0:
        return f"{that} is as soon as with {reference}."
    sooner = "sooner" if value < 0 else "later"
    return (
        f"{that} is {abs(value):,.0f} ± {error:,.1f} patients {sooner} than with {reference} on "
        "the same patients."
    )


def _more_often(study: Study, here: "pd.DataFrame", recommended: str) -> Words:
    """Power that the recommendation gives away, if another design has more."""
    best, row = here.found.idxmax(), here.loc[recommended]
    ahead = here.found[best] - row.found
    if ahead > SURE * math.hypot(here.found_mcse[best], row.found_mcse):
        others = _chance(study, here.loc[best], "found")
        yield f"{best} finds one more often, in {others} of the trials."


def _size(here: "pd.DataFrame", recommended: str) -> str:
    """Patients in the trial, and the design with the fewest where that is clearly another."""
    row, least = here.loc[recommended], here.n_patients.idxmin()
    text = f"The trial takes {with_error(*_pair(row, 'n_patients'))} patients on average"
    gap = row.n_patients - here.n_patients[least]
    if gap > SURE * math.hypot(row.n_patients_mcse, here.n_patients_mcse[least]):
        text += f"; least is {with_error(*_pair(here.loc[least], 'n_patients'))} with {least}"
    return f"{text}."


def _errors(study: Study, truth: Truth, row: Any, of_trials: str = "") -> Words:
    """How often verdicts are wrong, and how often they may be."""
    errors = study.error_rates
    kinds = {"any wrong verdict": ("any_error", errors.largest)}
    if not errors.same:
        kinds = {
            "any false declaration": ("false_declaration", errors.declare),
            "a good dose dropped": ("missed_dose", errors.drop),
        }
    for words, (quantity, rate) in kinds.items():
        yield f"{words.capitalize()}: {_chance(study, row, quantity)}{of_trials};"
        yield f"{100 * rate:g}% are allowed." if study.as_assumed(truth) else NOT_COVERED
