"""How a design declares and how it drops: two curves, of one criterion or of two."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gai_core.criteria.criterion import Criterion
from gai_core.evidence import Curves, Outcome, Setting


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
        """The two curves; a dose is dropped only where the declaring criterion looks at it."""
        declaring = self.declaring.curves_of(setting, self.parameters)
        if self.dropping is None:
            return declaring
        reject = self.dropping.curves_of(setting, self.dropping_parameters).reject
        size, looks = len(declaring.accept), self.declaring.looks(setting, self.parameters)
        never = setting.outcome.never(np.arange(size, dtype=float))[1].astype(reject.dtype)
        joined = np.broadcast_to(never, declaring.accept.shape).copy()
        at = looks[looks < min(size, len(reject))].astype(int)
        joined[at] = reject[at][..., : joined.shape[-1]]  # of rows, those that declaring has
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
        """The errors one arm may make: declared and dropped; nan where nothing is promised."""
        declare, drop = self.declaring.allowances(setting, self.parameters)
        if self.dropping is not None:
            _, drop = self.dropping.allowances(setting, self.dropping_parameters)
        return declare, drop if self.bounds_dropping else np.nan

    @property
    def shares_patients(self) -> tuple[bool, bool]:
        """Whether doses keep the error together because they share patients: declared, dropped."""
        declares = self.declaring.shares_patients(self.parameters)
        if self.dropping is None:
            return declares, declares
        return declares, self.dropping.shares_patients(self.dropping_parameters)

    @property
    def bounds_dropping(self) -> bool:
        """Whether the chance of dropping a good dose is bounded by beta."""
        return self.dropping is None or self.dropping.guarantee != "nothing"
