"""The answer in a sentence: which design to use, the patients it takes, and the study's own chance.

The app has it above everything else, the report on its first page. A design is named only by the
comparison at equal error and power (`questions/advice.py`); before that was made, the answer says
what the study's designs do with its own largest sample size, which ranks none of them: their power
differs. All this is under the first assumed dose-response with a dose above the target, the one
that is hoped for.
"""

from collections.abc import Iterator

from gai_core.basics import in_a_row, percent
from gai_core.questions.advice import Advice
from gai_core.questions.truth_weights import any_found, judged_truths
from gai_core.results import Analysis, benchmark_of, quantities_of
from gai_core.study import Study

NOT_COMPARED = "The design to use is named when all have been compared at equal error and power."
NO_PROMISE = "No design of the study promises anything about errors."
NO_PROOF = "No design of the study has a proven bound on errors; that of {} was simulated."


def answer_sentences(analysis: Analysis, advice: Advice | None = None) -> Iterator[str]:
    """The answer in words; `advice` is the comparison at equal power, where it was made."""
    study = analysis.study
    if not judged_truths(study):
        yield (
            "Under no assumed dose-response is a dose above the target, so no design can be "
            "recommended: add what you hope for."
        )
        return
    if advice is not None:
        yield from advice.answer
    yield from _at_own_size(analysis, advice)
    if advice is None:
        yield NOT_COMPARED


def _at_own_size(analysis: Analysis, advice: Advice | None) -> Iterator[str]:
    """With the study's own largest sample size: the design to use, or all designs."""
    study = analysis.study
    if not any_found(analysis.runs):
        yield (
            f"No design of the study declares a good dose within {study.simulation.n_max:,} "
            "patients in any simulated trial: allow more patients, a lower target or a larger "
            "error rate."
        )
    elif advice is None or not advice.recommended:
        yield from _range(analysis)
    elif advice.recommended not in names(study):
        yield f"{advice.recommended} is not among the study's designs."
    else:
        place = advice.found.under, advice.recommended, advice.found.wish.quantity
        yield (
            f"With the study's own limit of {study.simulation.n_max:,} patients that chance is "
            f"{percent(*analysis.values(*place, 'probability'), study.simulation.runs)}."
        )


def _range(analysis: Analysis) -> Iterator[str]:
    """Between which designs chances and patients lie; of those with a proof, if any has one."""
    study = analysis.study
    truth = judged_truths(study)[0]
    declared = between(analysis, truth, "good_declared")
    enrolled = between(analysis, truth, "enrolled")
    yield (
        f"With at most {study.simulation.n_max:,} patients, assuming “{truth}”, a good dose is "
        f"declared in {declared} of the trials, and {enrolled} patients are enrolled on average."
    )
    if not promised(study):
        simulated = [design.name for design in study.designs if design.guarantee == "simulated"]
        yield NO_PROOF.format(in_a_row(simulated)) if simulated else NO_PROMISE


def between(analysis: Analysis, truth: str, quantity: str) -> str:
    """The least and the most of a quantity over designs, each with whose it is.

    Of those whose bound on errors is proven, if any is. A value without a name is that of all
    designs of the study.
    """
    study = analysis.study
    known, runs = quantities_of(study)[quantity], study.simulation.runs
    values = {
        name: analysis.values(truth, name, quantity, known.kind.compared_by)
        for name in promised(study) or names(study)
    }
    least, most = (choose(values, key=lambda name: values[name][0]) for choose in (min, max))
    if values[least][0] == values[most][0]:
        whose = f" ({in_a_row(values)})" if len(values) < len(study.designs) else ""
        return f"{known.in_words(*values[least], runs)}{whose}"
    return " to ".join(f"{known.in_words(*values[name], runs)} ({name})" for name in (least, most))


def names(study: Study) -> list[str]:
    """The study's designs."""
    return [design.name for design in study.designs]


def promised(study: Study) -> list[str]:
    """Those whose error is proven to be bounded."""
    return [design.name for design in study.designs if design.proven]


def shown_design(study: Study) -> str:
    """The design that examples are shown of where none is recommended, which says nothing of it.

    The first with a proven guarantee that is not the benchmark, if there is one.
    """
    able = promised(study) or names(study)
    return next((name for name in able if name != benchmark_of(study)), able[0])
