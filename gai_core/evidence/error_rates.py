"""The two errors that a design may make, and how often."""

from pydantic import Field, FiniteFloat

from gai_core.basics import FrozenModel


class ErrorRates(FrozenModel):
    """alpha, the chance allowed for any false declaration, and beta, for any good dose dropped.

    Every dose has only one verdict that would be wrong, and all doses share either rate. So any
    wrong verdict at all has at most the larger of the two; the paper's delta is alpha = beta.
    """

    declare: FiniteFloat = Field(
        gt=0, lt=1, description="Chance allowed for any false declaration (alpha)."
    )
    drop: FiniteFloat = Field(
        gt=0, lt=1, description="Chance allowed for dropping any good dose (beta)."
    )

    @classmethod
    def both(cls, delta: float) -> "ErrorRates":
        """One rate for both errors, as in the paper."""
        return cls(declare=delta, drop=delta)

    @property
    def same(self) -> bool:
        """Whether there is one rate, delta, for both errors."""
        return self.declare == self.drop

    @property
    def largest(self) -> float:
        """What bounds the chance of any wrong verdict."""
        return max(self.declare, self.drop)
