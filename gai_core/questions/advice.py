"""A recommendation: which ready-made design enrols the fewest patients at equal error and power.

Every design gets its own smallest n_max at which a good dose is declared with the wished chance
under the hoped-for truth (`questions/comparing.py`), and is judged by the patients that it enrols
relative to the benchmark: a group-sequential trial, or the fixed design where that is out of
reach. Truths with a dose above the target count one half and those without the other, for inert
drugs are most of what is tested. Where no design surely saves anything, the benchmark is
recommended. A false declaration is no success, and only designs with a guarantee are recommended.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gai_core.basics import InputError
from gai_core.engine import HERE, Work
from gai_core.questions import advice_words
from gai_core.questions.comparing import SURE, EqualPower, equal_power, equal_power_table
from gai_core.questions.plan_search import Wish
from gai_core.questions.ranking import judged_truths, truth_weights
from gai_core.study import Study, sensible

if TYPE_CHECKING:
    import pandas as pd

ADVISED_POWER = Wish("good_declared", 0.9)


@dataclass(frozen=True)
class Advice:
    """The recommended design, what speaks for it in words, and the comparison behind it."""

    recommended: str
    """Empty where no design with a guarantee reaches the power."""
    sentences: tuple[str, ...]
    found: EqualPower

    @property
    def table(self) -> "pd.DataFrame":
        """The comparison: a row per truth and design."""
        return equal_power_table(self.found)


def advise(
    study: Study, wish: Wish = ADVISED_POWER, *, under: str | None = None, work: Work = HERE
) -> Advice:
    """Compare the ready-made designs at equal error and power, and recommend one."""
    if not judged_truths(study):
        raise InputError("advise needs a truth in which at least one arm is above the threshold")
    if study.simulation.runs < 2:
        raise InputError("advise needs at least 2 runs, to know how sure it is")
    ready = sensible(study)
    if not ready:
        raise InputError(f"no ready-made design fits {study.outcome.kind} outcomes")
    candidates = study.model_copy(update={"designs": tuple(ready)})
    return advice_on(equal_power(candidates, wish, under=under, work=work))


def advice_on(found: EqualPower) -> Advice:
    """The recommendation that follows from a comparison at equal power."""
    able = [name for name in found.reached if found.promised(name)]
    if not able:
        return Advice("", tuple(advice_words.nothing_reached(found)), found)
    by_patients = sorted(able, key=lambda name: average_ratio(found, name)[0])
    best, benchmark = by_patients[0], found.benchmark
    if benchmark is None:
        return Advice(best, tuple(advice_words.sentences(found, best)), found)
    average, error = average_ratio(found, best)
    chosen = best if average + SURE * error < 1 else benchmark
    others = [name for name in by_patients if name != benchmark]
    beside = (others[0], *average_ratio(found, others[0])) if others else None
    return Advice(chosen, tuple(advice_words.sentences(found, chosen, beside)), found)


def average_ratio(found: EqualPower, design: str) -> tuple[float, float]:
    """Patients enrolled relative to the benchmark, averaged over the truths, and its error.

    Without a benchmark these are patients. Truths have patients of their own, so their errors are
    independent; that of the two searches is common to all.
    """
    shares = truth_weights(found.study)
    one = found.value if found.benchmark is None else None
    parts = {
        truth: one(truth, design, "enrolled") if one else found.ratio(truth, design)
        for truth in shares
    }
    average = sum(shares[truth] * value for truth, (value, _) in parts.items())
    simulated = math.hypot(*(shares[truth] * error for truth, (_, error) in parts.items()))
    return average, math.hypot(simulated, average * found.search_error(design))
