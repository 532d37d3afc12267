"""How reliable a trial's estimates are, as tables of words and in a sentence."""

import math
from typing import NamedTuple

from gai_core.basics import in_a_row, measured, percent, whole_percent
from gai_core.results.among import COUNTED
from gai_core.results.analysis import Analysis
from gai_core.results.quantities import Quantity, quantities_of
from gai_core.results.quantities.estimation import SUBJECTS
from gai_core.results.summary import WordTable
from gai_core.study import Study, Truth

HEADS = [subject.head for subject in SUBJECTS]
ALL_DECLARED = "all declared doses"
LEAST_TRIALS = 59
"""That declare a dose, to say what its intervals are worth: of 59 independent 95% intervals one
misses with a chance of 95% (0.95^59 < 0.05), so that "in all of them" begins to mean something."""


def estimation_tables(analysis: Analysis, truth: Truth) -> list[WordTable]:
    """Estimates of every dose when the trial ends, and of those that were declared."""
    study, tables = analysis.study, []
    name = study.stream.outcome.mean_name
    rows = [
        [design.name, *row]
        for design in study.designs
        for row in _rows_of_doses(analysis, truth, design.name)
    ]
    columns = ["design", "dose", f"true {name}", *HEADS]
    tables.append(WordTable(f"{truth.name}: estimates at the end of the trial", columns, rows))
    declared = [
        [design.name, *row]
        for design in study.designs
        for row in _rows_if_declared(analysis, truth, design.name)
    ]
    if declared:
        columns = ["design", "dose", f"true {name}", "trials that declare it", *HEADS]
        title = f"{truth.name}: estimates of a dose in the trials that declare it"
        tables.append(WordTable(title, columns, declared))
    return tables


def _true(study: Study, truth: Truth, arm: int) -> str:
    return f"{study.stream_mean(truth, arm):.4g}"


def _rows_of_doses(analysis: Analysis, truth: Truth, design: str) -> list[list[str]]:
    study, keys = analysis.study, [subject.key for subject in SUBJECTS]
    return [
        [
            study.arms[arm].label,
            _true(study, truth, arm),
            *_cells(analysis, truth, design, keys, study.arms[arm].label),
        ]
        for arm in study.candidates
    ]


def _rows_if_declared(analysis: Analysis, truth: Truth, design: str) -> list[list[str]]:
    """Doses that no trial declares have no row; several doses get a row together."""
    study, rows = analysis.study, []
    keys = [subject.if_declared_key for subject in SUBJECTS]
    for arm in study.candidates:
        label = study.arms[arm].label
        trials = _trials(analysis, truth, design, keys[0], label)
        if trials:
            cells = _cells(analysis, truth, design, keys, label)
            rows.append([label, _true(study, truth, arm), f"{trials:,}", *cells])
    if len(rows) > 1:
        keys = [subject.declared_key for subject in SUBJECTS]
        trials = _trials(analysis, truth, design, keys[0])
        rows.append([ALL_DECLARED, "", f"{trials:,}", *_cells(analysis, truth, design, keys)])
    return rows


def _trials(analysis: Analysis, truth: Truth, design: str, key: str, arm: str = "") -> int:
    """How many trials a statistic is over."""
    counted = analysis.values(truth.name, design, key, COUNTED, arm)[0]
    return round(counted * analysis.study.simulation.runs)


def _cells(
    analysis: Analysis, truth: Truth, design: str, keys: list[str], arm: str = ""
) -> list[str]:
    known = quantities_of(analysis.study)
    return [_cell(analysis, truth, design, known[key], arm) for key in keys]


def _cell(analysis: Analysis, truth: Truth, design: str, quantity: Quantity, arm: str) -> str:
    value, mcse = analysis.values(truth.name, design, quantity.key, quantity.kind.compared_by, arm)
    trials = _trials(analysis, truth, design, quantity.key, arm)
    if quantity.signed and not math.isnan(value):
        return measured(value, mcse, "+")
    if quantity.unit == "share" and value in (0.0, 1.0):
        return percent(value, mcse, trials)  # a mean of shares that is 0 has none that is not
    return quantity.in_words(value, mcse, trials)


class Overestimated(NamedTuple):
    """How much a design overestimates the doses that it declares, and what intervals cover."""

    design: str
    trials: int
    bias: tuple[float, float]
    """With its Monte Carlo standard error."""
    usual: float
    sequence: float


def overestimated(analysis: Analysis, truth: Truth) -> list[Overestimated]:
    """Of every design that declares a dose in enough trials."""
    found = []
    for design in analysis.study.designs:
        trials = _trials(analysis, truth, design.name, "declared_bias")
        if trials >= LEAST_TRIALS:
            bias, usual, sequence = (
                analysis.values(truth.name, design.name, f"declared_{key}", "mean")
                for key in ("bias", "usual_covered", "covered")
            )
            found.append(Overestimated(design.name, trials, bias, usual[0], sequence[0]))
    return found


def overestimation_in_words(analysis: Analysis, truth: Truth) -> str:
    """How far off declared doses are and what intervals are worth, over all designs: a sentence."""
    found = overestimated(analysis, truth)
    name = analysis.study.stream.outcome.mean_name
    if not found:
        return f"Under “{truth.name}” {_too_few(analysis, truth)}."
    sentence = f"Under “{truth.name}”, the {name} of a declared dose is {_off(found)}"
    usual, sequence = (
        _shares([(getattr(one, which), one.trials) for one in found])
        for which in ("usual", "sequence")
    )
    if usual and sequence:
        sentence = (
            f"{sentence}; in the trials that declare one, its usual 95% interval covers the truth "
            f"in {usual}, and the 95% confidence sequence in {sequence}"
        )
    named = {one.design for one in found}
    others = [design.name for design in analysis.study.designs if design.name not in named]
    if others:
        return (
            f"{sentence}. Of {in_a_row(others)} fewer than {LEAST_TRIALS} trials declare a dose, "
            "too few to say."
        )
    return f"{sentence}."


def _too_few(analysis: Analysis, truth: Truth) -> str:
    """That no design declares a dose often enough, with the one that does most often."""
    trials = {
        design.name: _trials(analysis, truth, design.name, "declared_bias")
        for design in analysis.study.designs
    }
    design = max(trials, key=trials.__getitem__)
    if not trials[design]:
        return "no trial declares a dose, so nothing is known of their estimates"
    most = "at most " if len(trials) > 1 else ""
    return (
        f"{most}{trials[design]:,} of {analysis.study.simulation.runs:,} trials declare a dose "
        f"({design}), too few to say how well it is estimated"
    )


def _off(found: list[Overestimated]) -> str:
    """The least and the greatest bias, and whose they are."""
    ordered = sorted(found, key=lambda one: one.bias[0])
    least, most = ordered[0], ordered[-1]
    if least.bias[0] > 0:
        words = "overestimated by", ""
    elif most.bias[0] < 0:
        least, most = most, least
        words = "underestimated by", ""
    else:
        words = "estimated with a bias of", "+"
    direction, sign = words

    def one(of: Overestimated) -> str:
        bias = of.bias[0] if sign else abs(of.bias[0])
        return f"{measured(bias, of.bias[1], sign)} ({of.design}, {of.trials:,} trials)"

    ends = one(least) if least is most else f"{one(least)} to {one(most)}"
    return f"{direction} {ends} on average"


def _shares(found: list[tuple[float, int]]) -> str:
    """From the least to the largest, in per cent; nothing where one is not known.

    Each is over so many trials: where none or all of them count, how sure that is.
    """
    if any(math.isnan(value) for value, _ in found):
        return ""

    def one(value: float, trials: int) -> str:
        return percent(value, 0, trials) if value in (0.0, 1.0) else whole_percent(value)

    least, most = (one(*pick(found)) for pick in (min, max))
    return least if least == most else f"{least} to {most}"


def estimation_note(study: Study) -> str:
    """What the columns are."""
    outcome = study.stream.outcome
    odds = (
        " Of a share p in favour, p/(1-p) is the odds ratio of the dose against the control."
        if outcome.some_count
        else ""
    )
    return (
        f"What is estimated is the {outcome.mean_name}: the observed one when the trial ends, with "
        f"all outcomes that came in.{odds} Bias is its mean distance from the true one. The usual "
        f"95% interval is {outcome.usual_interval_name}, made for a fixed number of patients. The "
        "95% confidence sequence has all values that the decision rule mixture, with half of 5% "
        "for either side, neither accepts nor rejects as a target: it covers the truth in at "
        "least 95% of all trials at any end, if outcomes are as assumed. It is no promise about "
        "declared doses alone. Widths are means of the intervals with two limits. ± is the Monte "
        "Carlo standard error over the trials that a number is about."
    )
