"""The usual 95% interval of a share."""

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

NORMAL_95 = 1.959963984540054
"""The 97.5% quantile of the normal distribution."""


def wilson(p: Numbers, size: int | Numbers) -> tuple[Numbers, Numbers]:
    """Wilson's 95% interval (JASA 22:209, 1927) of shares p that were seen in `size` trials."""
    z2 = NORMAL_95**2
    centre = (p + z2 / (2 * size)) / (1 + z2 / size)
    half = NORMAL_95 * np.sqrt(p * (1 - p) / size + z2 / (4 * size**2)) / (1 + z2 / size)
    # Rounding must not leave the share itself outside.
    return np.clip(centre - half, 0.0, p), np.clip(centre + half, p, 1.0)
