"""How a design declares and how it drops: two curves, of one criterion or of two."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gai_core.criteria.criterion import Criterion
from gai_core.evidence import Curves, Outcome, Setting, Stages


@dataclass(frozen=True)
class Decision:
    """The criterion that declares, and the one that drops if that is another.

    The limits for declaring are made as if no dose were ever dropped, so whatever drops doses
    leaves the guarantee on declarations as it is: dropping is not binding.
    """

    declaring: Criterion
    parameters: Any
    dropping: Criterion | None = None
    dropping_parameters: Any = None

    def curves(self, setting: Setting) -> Curves:
        """The two curves before any verdict."""
        return self.stages(setting).first

    def stages(self, setting: Setting) -> Stages:
        """The curves by the verdicts that were given."""
        declared, dropped = self.stage_counts(setting)
        accepting = [self._declaring_after(setting, j) for j in range(declared)]
        if self.dropping is None:
            return Stages.of(accepting, accepting)
        rejecting = [self._dropping_after(setting, j, accepting[0]) for j in range(dropped)]
        return Stages.of(accepting, rejecting)

    def stage_counts(self, setting: Setting) -> tuple[int, int]:
        """How many accept curves and how many reject curves there are."""
        declares, drops = self.steps_down
        return setting.sharing if declares else 1, setting.sharing if drops else 1

    def _declaring_after(self, setting: Setting, verdicts: int) -> Curves:
        return self.declaring.curves_of(setting.after(verdicts), self.parameters)

    def _dropping_after(self, setting: Setting, verdicts: int, declaring: Curves) -> Curves:
        """A dose is dropped only where the declaring criterion looks at it."""
        assert self.dropping is not None
        after = setting.after(verdicts)
        reject = self.dropping.curves_of(after, self.dropping_parameters).reject
        size, looks = len(declaring.accept), self.declaring.looks(setting, self.parameters)
        never = setting.outcome.never(np.arange(size, dtype=float))[1].astype(reject.dtype)
        joined = np.broadcast_to(never, declaring.accept.shape).copy()
        at = looks[looks < min(size, len(reject))].astype(int)
        found = reject[at]
        if setting.outcome.by_controls and found.shape[1] > 1:
            # Each criterion has rows as long as it has pairs; of a row those up to n are read.
            both = min(found.shape[1], joined.shape[1])
            joined[at, :both] = found[:, :both]
        else:
            joined[at] = found
        return replace(declaring, reject=joined)

    def evidence(self, outcome: Outcome) -> Outcome:
        """What the limits of either side read of a stream: the law that errors are computed by."""
        read = self.declaring.evidence(outcome, self.parameters)
        if self.dropping is None:
            return read
        return self.dropping.evidence(read, self.dropping_parameters)

    @property
    def needs_one_rate(self) -> bool:
        """Whether the guarantee rests on one rate of the control throughout."""
        parts = (self.declaring, self.parameters), (self.dropping, self.dropping_parameters)
        return any(part is not None and part.needs_one_rate(given) for part, given in parts)

    def allowances(self, setting: Setting) -> tuple[float, float]:
        """The errors one arm may make: declared and dropped; nan where nothing is promised.

        With step-down those of the last stage, for an arm that alone can err.
        """
        after = [setting.after(stages - 1) for stages in self.stage_counts(setting)]
        declare, drop = self.declaring.allowances(after[0], self.parameters)
        if self.dropping is not None:
            _, drop = self.dropping.allowances(after[1], self.dropping_parameters)
        return declare, drop if self.bounds_dropping else np.nan

    @property
    def shares_patients(self) -> tuple[bool, bool]:
        """Whether doses keep the error together because they share patients: declared, dropped."""
        declares = self.declaring.shares_patients(self.parameters)
        if self.dropping is None:
            return declares, declares
        return declares, self.dropping.shares_patients(self.dropping_parameters)

    @property
    def steps_down(self) -> tuple[bool, bool]:
        """Whether a verdict leaves its share of the error to the others: declared, dropped."""
        declares = self.declaring.steps_down(self.parameters)
        if self.dropping is None:
            return declares, declares
        return declares, self.dropping.steps_down(self.dropping_parameters)

    @property
    def bounds_dropping(self) -> bool:
        """Whether the chance of dropping a good dose is bounded by beta."""
        return self.dropping is None or self.dropping.guarantee != "nothing"
