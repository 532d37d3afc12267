"""What was seen of streams of outcomes: all that an estimate is made of."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


class Seen(NamedTuple):
    """Numbers of outcomes n, their sums S and, where they are kept, squares q about the target."""

    n: NDArray[Any]
    sums: NDArray[Any]
    squares: Numbers | None
    target: float

    @property
    def counts(self) -> Numbers:
        """n as a number to divide by; nan where nothing was seen."""
        return np.where(self.n > 0, self.n, np.nan)

    @property
    def means(self) -> Numbers:
        """S/n."""
        return np.asarray(self.sums / self.counts)

    @property
    def about_means(self) -> Numbers:
        """Sums of squares about the means: q - (S - n xi)^2/n."""
        assert self.squares is not None
        about = self.sums - self.n * self.target
        return np.asarray(np.maximum(self.squares - about**2 / self.counts, 0.0))
