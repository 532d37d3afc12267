"""Several runs side by side: what the designs of each do, and which one it would use."""

from collections.abc import Iterable

from gai_core.questions.advice import Advice
from gai_core.questions.answering import between
from gai_core.questions.truth_weights import judged_truths
from gai_core.results import Analysis, WordTable, quantities_of
from gai_core.study import rates_in_words

COLUMNS = ["run", "assuming", "largest sample size", "error rates"]
ANSWERED = ["design to use, at equal power", "patients it needs"]
NONE = "–"


def side_by_side(runs: Iterable[tuple[str, Analysis, Advice | None]]) -> WordTable:
    """A row per named run, of this study or of others, and its recommendation."""
    columns, rows = COLUMNS, []
    for name, analysis, advice in runs:
        study = analysis.study
        known = quantities_of(study)
        quantities = known["good_declared"], known["enrolled"]
        columns = [*COLUMNS, *(quantity.label for quantity in quantities), *ANSWERED]
        truth = next(iter(judged_truths(study)), None)
        size = [f"{study.simulation.n_max:,}", rates_in_words(study.error_rates)]
        found = (
            [NONE] * 2
            if truth is None
            else [between(analysis, truth, quantity.key) for quantity in quantities]
        )
        rows.append([name, truth or NONE, *size, *found, *_answered(advice)])
    return WordTable("Runs side by side", columns, rows)


def _answered(advice: Advice | None) -> list[str]:
    """The design to use, and its patients for the chance that is wished for."""
    if advice is None:
        return ["not compared", NONE]
    if not advice.recommended:
        return ["none reaches it", NONE]
    return [
        advice.recommended,
        f"{advice.found.plan(advice.recommended).value:,} for {100 * advice.found.wish.chance:g}%",
    ]
