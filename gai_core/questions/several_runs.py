"""Several runs side by side: what each would use, and what that does in its own study."""

from collections.abc import Iterable

from gai_core.basics import percent, with_error
from gai_core.questions.answering import answer
from gai_core.results import Analysis, WordTable, quantities_of
from gai_core.study import rates_in_words

COLUMNS = ["run", "design to use", "assuming", "largest sample size", "error rates"]
NONE = "–"


def side_by_side(runs: Iterable[tuple[str, Analysis]]) -> WordTable:
    """A row per named run, of this study or of others."""
    columns, rows = COLUMNS, []
    for name, analysis in runs:
        study = analysis.study
        known = quantities_of(study)
        declared, patients = known["any_declared"], known["n_patients"]
        columns = [*COLUMNS, declared.label, patients.label]
        found = answer(analysis)
        row = [f"{study.simulation.n_max:,}", rates_in_words(study.error_rates)]
        if found is None:
            rows.append([name, "none", NONE, *row, NONE, NONE])
            continue
        place = found.truth, found.design
        chance = analysis.values(*place, declared.key, "probability")
        size = analysis.values(*place, patients.key, "mean")
        rows.append(
            [
                name,
                found.design,
                found.truth,
                *row,
                percent(*chance, study.simulation.runs),
                with_error(*size),
            ]
        )
    return WordTable("Runs side by side", columns, rows)
