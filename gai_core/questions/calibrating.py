"""The rate for which simulated trials of a design err within alpha, over the worst corners.

A corner has some doses a hair below the target, and every other one far below or far above it. The
rate is searched for on one set of simulated patients and judged on others, which the search has not
seen: there, for every corner, the upper Clopper-Pearson limit of the share of trials with a false
declaration must be within alpha. The corners share a chance of 0.1% that any of these limits is too
low (Bonferroni). Where one is not within alpha, a lower rate is judged on fresh patients, and every
attempt has half the chance of the one before. So the whole is right with 99.9%, for these corners:
that no other truth is worse is not proven.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gai_core.basics import InputError
from gai_core.criteria import LARGEST_NOMINAL
from gai_core.engine import HERE, Work
from gai_core.results import events
from gai_core.study import (
    SIMULATED,
    Design,
    Study,
    Truth,
    calibration_stamp,
    cannot_calibrate,
    changed,
)

if TYPE_CHECKING:
    import pandas as pd

DOUBT = 0.001
"""The chance that an upper limit of any corner is too low."""
USUAL_RUNS = 100_000
SEARCHING = 5
"""The search has so many times fewer trials than what is judged."""
WORST = 3
"""Corners that the search looks at, after all were seen once."""
HALVINGS = 7
LOWER = 0.97
"""A rate that did not pass is lowered by this factor at least."""
ATTEMPTS = 8
HAIR = 1e-9
FAR = 3.0
"""Far from the target, in standard deviations, as far as a mean can be."""
NEARLY = 0.98
"""Of the way to the end of the range, where a mean has one."""


@dataclass(frozen=True)
class Calibrated:
    """A design with the rate that was found, in its study, and the errors it was judged by."""

    study: Study
    design: Design
    corners: "pd.DataFrame"
    """By corner: doses at the target, far above and far below; trials, errors and their limit."""
    nominal: float
    runs: int


def corners(study: Study) -> list[Truth]:
    """Every number of doses a hair below the target, the others far below or far above."""
    spread = study.outcome.variance_at(study.stream.target) ** 0.5
    target, (low, high) = study.stream.target, study.outcome.mean_range
    below = max(target - FAR * spread, target + NEARLY * (low - target))
    above = min(target + FAR * spread, target + NEARLY * (high - target))
    doses, found = len(study.candidates), []
    for at_target in range(1, doses + 1):
        for higher in range(doses - at_target + 1):
            lower = doses - at_target - higher
            means = [below] * lower + [target - HAIR * spread] * at_target + [above] * higher
            of_arm = dict(zip(study.candidates, means, strict=True))
            all_means = tuple(of_arm.get(arm, below) for arm in range(len(study.arms)))
            name = f"{at_target} at the target, {higher} far above, {lower} far below"
            found.append(Truth(name=name, means=all_means))
    return found


def calibrate(
    study: Study,
    name: str,
    *,
    runs: int = USUAL_RUNS,
    seed: int = 1,
    work: Work = HERE,
) -> Calibrated:
    """The design with the largest rate found for which simulated trials err within alpha."""
    design = study.design(name)
    refused = cannot_calibrate(study, design)
    if refused is not None:
        raise InputError(refused)
    search = _Search(study, design, runs, seed, work)
    nominal = search.nominal()
    for attempt in range(ATTEMPTS):
        if nominal <= study.error_rates.declare:
            break  # what `exact` keeps with proof
        table = search.judged(nominal, attempt)
        if (table.upper <= study.error_rates.declare).all():
            found = search.design_at(nominal)
            designs = tuple(found if one.name == name else one for one in study.designs)
            with_it = changed(study.model_copy(update={"designs": designs}))
            return Calibrated(with_it, found, table, nominal, runs)
        nominal *= min(LOWER, study.error_rates.declare / table.upper.max())
    raise InputError(
        f"no rate above {study.error_rates.declare:g} was found for {name} for which {runs:,} "
        "simulated trials surely err within that; give more trials, or choose the criterion exact, "
        "which keeps it with proof"
    )


class _Search:
    """Simulates a design at several rates."""

    def __init__(self, study: Study, design: Design, runs: int, seed: int, work: Work) -> None:
        self._study, self._design, self._runs = study, design, runs
        self._seed, self._work = seed, work

    def design_at(self, nominal: float) -> Design:
        """The design with a rate, and the stamp of what it holds for."""
        own = self._design.criterion_parameters | {"nominal": nominal}
        plain = self._design.model_copy(
            update={"criterion": SIMULATED, "criterion_parameters": own}
        )
        stamp = calibration_stamp(self._study, plain)
        return plain.model_copy(update={"criterion_parameters": own | {"calibrated_for": stamp}})

    def _errors(self, nominal: float, truths: Sequence[Truth], runs: int, seed: int) -> list[int]:
        """How many trials have a false declaration, corner by corner."""
        simulation = self._study.simulation.model_copy(update={"runs": runs, "seed": seed})
        design = self.design_at(nominal)
        study = self._study.model_copy(
            update={"truths": tuple(truths), "designs": (design,), "simulation": simulation}
        )
        simulated = self._work.simulate(study)
        return [
            int(events(simulated, truth.name, design.name)["false_declaration"].sum())
            for truth in truths
        ]

    def nominal(self) -> float:
        """The largest rate for which the estimate at the worst corners is within alpha."""
        alpha, runs = self._study.error_rates.declare, max(1, self._runs // SEARCHING)
        every = corners(self._study)
        seen = self._errors(alpha, every, runs, self._seed)
        order = sorted(range(len(every)), key=lambda i: -seen[i])[:WORST]
        worst = [every[i] for i in order]
        # What is judged needs room for its own upper limit.
        most = alpha - (upper_limit(round(alpha * self._runs), self._runs, self._doubt(0)) - alpha)
        low, high = alpha, min(alpha * len(self._study.candidates), LARGEST_NOMINAL)
        for _ in range(HALVINGS):
            middle = (low * high) ** 0.5
            within = max(self._errors(middle, worst, runs, self._seed)) <= most * runs
            low, high = (middle, high) if within else (low, middle)
        return low

    def judged(self, nominal: float, attempt: int) -> "pd.DataFrame":
        """Every corner on patients that the search has not seen."""
        import pandas as pd

        every, doubt = corners(self._study), self._doubt(attempt)
        seen = self._errors(nominal, every, self._runs, self._seed + 1 + attempt)
        rows = [
            (
                truth.name,
                self._runs,
                errors,
                errors / self._runs,
                upper_limit(errors, self._runs, doubt),
            )
            for truth, errors in zip(every, seen, strict=True)
        ]
        return pd.DataFrame(rows, columns=["corner", "trials", "errors", "share", "upper"])

    def _doubt(self, attempt: int) -> float:
        return float(DOUBT / 2 ** (attempt + 1) / len(corners(self._study)))


def upper_limit(errors: int, runs: int, doubt: float) -> float:
    """The upper Clopper-Pearson limit of a share: too low with at most this chance."""
    from scipy.special import betaincinv

    return 1.0 if errors >= runs else float(betaincinv(errors + 1, runs - errors, 1 - doubt))


def calibrated_in_words(found: Calibrated) -> Iterator[str]:
    """What was found, and what it is worth."""
    alpha = found.study.error_rates.declare
    worst = found.corners.loc[found.corners.upper.idxmax()]
    yield (
        f"{found.design.name}: limits for a rate of {100 * found.nominal:.3g}% instead of "
        f"{100 * alpha:g}%. In {found.runs:,} simulated trials at each of {len(found.corners)} "
        f"corners any false declaration came in at most {100 * found.corners.share.max():.3g}%, "
        f"with an upper 99.9% limit of {100 * worst.upper:.3g}% over all corners ({worst.corner})."
    )
    yield found.design.identification[0].guarantee_text
