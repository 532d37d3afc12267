"""MCP-Mod as a benchmark: the analysis at the end of a fixed equal trial, on the same patients.

Every arm gets n_max / arms patients (rounded down), those that are the first on it under every
design. A truth with a trend over time is left out: it needs a calendar, which this trial has not.
Found is the lowest dose arm whose mean, by the chosen curve, meets the target of the study: it is
at least the threshold, or above the control's fitted mean by more than the margin. It is right, too
low or too high against the doses that are good under the truth, as the lowest declared dose of a
design is.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gai_core.basics import finished, own_threads
from gai_core.engine import HERE, Work, equal_samples
from gai_core.mcp_mod.asking import in_order, method_for, per_arm
from gai_core.mcp_mod.curve_shapes import Numbers
from gai_core.mcp_mod.estimates import Estimates, Totals, of_rates, of_scores, rate
from gai_core.mcp_mod.one_analysis import Analysed, Method, analyse_trials
from gai_core.results import COLUMNS, low_right_high, share
from gai_core.study import Study, Truth

if TYPE_CHECKING:
    import pandas as pd

NAME = "MCP-Mod"
"""What it is called where designs have their names."""
AT_ONCE = 2_000
"""Trials that are analysed at a time."""

Happened = NDArray[np.bool_]


@dataclass(frozen=True)
class OfTruth:
    """What MCP-Mod said in every trial under one truth."""

    signal: Happened
    """Whether any contrast was significant."""
    chosen: NDArray[np.int64]
    """The position of the chosen shape, -1 without a signal."""
    lowest: NDArray[np.int64]
    """The lowest dose that meets the target by the curve: its place among the doses, or -1."""


@dataclass(frozen=True)
class McpMod:
    """MCP-Mod on the patients of a study."""

    study: Study
    method: Method
    trials: Mapping[str, OfTruth]
    """By truth; those with a trend are not there."""

    @property
    def patients(self) -> int:
        """Patients of every trial."""
        return per_arm(self.study) * len(self.study.arms)

    @property
    def left_out(self) -> list[str]:
        """Truths with a trend over time."""
        return [truth.name for truth in self.study.truths if truth.trend]

    def chances(self, truth: str) -> dict[str, Happened]:
        """What happened or not, trial by trial."""
        found, study = self.trials[truth], self.study
        doses = in_order(study)[1:]
        good = np.array(study.good(study.truth(truth)))[doses]
        low, right, high = low_right_high(found.lowest, good)
        return {
            "signal": found.signal,
            "med_right": right,
            "med_too_low": low,
            "med_too_high": high,
        }

    def flat(self, truth: str) -> bool:
        """Whether every dose does what the control does under a truth: a signal is false then."""
        return len(set(self.study.expected(self.study.truth(truth)))) == 1


def mcp_mod(study: Study, shapes: Sequence[str] = (), *, work: Work = HERE) -> McpMod:
    """MCP-Mod of every simulated trial under every truth without a trend.

    `shapes` are texts such as `emax` or `emax=0.2`; without any all usual ones are candidates.
    """
    method = method_for(study, shapes)
    truths = [truth for truth in study.truths if not truth.trend]
    runs = study.simulation.runs
    equal_samples(study, truths[0], 1, 0, 0)  # compiles, before there are several threads
    parts: dict[str, dict[int, OfTruth]] = {truth.name: {} for truth in truths}
    done, total = 0, runs * len(truths)
    with (
        own_threads(work.threads) as crew,
        closing(finished(_calls(study, method, truths), crew, work.cancel)) as chunks,
    ):
        for name, first, found in chunks:
            parts[name][first] = found
            done += found.signal.size
            if work.progress is not None:
                work.progress(done, total)
    return McpMod(study, method, {name: _joined(found) for name, found in parts.items()})


Call = Callable[[], tuple[str, int, OfTruth]]


def _calls(study: Study, method: Method, truths: Sequence[Truth]) -> Iterator[Call]:
    for truth in truths:
        for first in range(0, study.simulation.runs, AT_ONCE):
            count = min(AT_ONCE, study.simulation.runs - first)
            yield partial(_chunk, study, method, truth, first, count)


def _chunk(
    study: Study, method: Method, truth: Truth, first: int, count: int
) -> tuple[str, int, OfTruth]:
    found = analyse_trials(method, estimates_of(study, truth, first, count))
    return truth.name, first, OfTruth(found.signal, found.chosen, _lowest(study, found))


def _joined(parts: Mapping[int, OfTruth]) -> OfTruth:
    ordered = [parts[first] for first in sorted(parts)]
    return OfTruth(
        np.concatenate([part.signal for part in ordered]),
        np.concatenate([part.chosen for part in ordered]),
        np.concatenate([part.lowest for part in ordered]),
    )


def estimates_of(study: Study, truth: Truth, first: int, count: int) -> Estimates:
    """What the data of some replicates say: the control first, then doses from low to high."""
    found = equal_samples(study, truth, per_arm(study), first, count)
    columns = in_order(study)
    totals = Totals(*(array[:, columns] for array in found))
    return of_rates(totals) if study.outcome.all_or_nothing else of_scores(totals)


def _lowest(study: Study, found: Analysed) -> NDArray[np.int64]:
    means: Numbers = rate(found.fitted) if study.outcome.all_or_nothing else found.fitted
    doses = means[:, 1:]
    if study.target is None:
        meets = doses >= study.stream.target
    else:
        meets = doses > means[:, :1] + study.target.margin
    return np.where(meets.any(axis=1), meets.argmax(axis=1), -1)  # NaN meets nothing


def mcp_mod_table(found: McpMod) -> "pd.DataFrame":
    """The tidy table, with the columns that designs have."""
    import pandas as pd

    rows: list[tuple[str, str, str, str, str, float, float]] = []
    doses = in_order(found.study)[1:]
    for truth, trials in found.trials.items():
        for key, happened in found.chances(truth).items():
            rows.append((truth, NAME, key, "", "probability", *share(happened)))
        for place, dose in enumerate(doses):
            label = found.study.arms[dose].label
            chance = share(trials.lowest == place)
            rows.append((truth, NAME, "lowest_found", label, "probability", *chance))
        for place, candidate in enumerate(found.method.candidates):
            chance = share(trials.chosen == place)
            key = f"chosen_{candidate.shape.key}"
            rows.append((truth, NAME, key, "", "probability", *chance))
        rows.append((truth, NAME, "enrolled", "", "mean", float(found.patients), 0.0))
    return pd.DataFrame(rows, columns=COLUMNS)
