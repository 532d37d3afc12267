"""A dose's evidence: what one outcome is, how it is drawn, what its sum decides."""

from gai_core.evidence.outcomes import (
    LARGEST_VARIANCE,
    SMALLEST_VARIANCE,
    Bernoulli,
    Gaussian,
    Outcome,
)
from gai_core.evidence.random_streams import (
    CHOICES,
    DELAYS,
    DROPOUTS,
    GAPS,
    OUTCOMES,
    RANDOMISATION,
    Stream,
    start,
    truth_key,
    uniform,
)
from gai_core.evidence.setting import BAD, GOOD, NO_CANDIDATE, UNDECIDED, Curves, Setting
from gai_core.evidence.ziggurat import normal

__all__ = [
    "BAD",
    "CHOICES",
    "DELAYS",
    "DROPOUTS",
    "GAPS",
    "GOOD",
    "LARGEST_VARIANCE",
    "NO_CANDIDATE",
    "OUTCOMES",
    "RANDOMISATION",
    "SMALLEST_VARIANCE",
    "UNDECIDED",
    "Bernoulli",
    "Curves",
    "Gaussian",
    "Outcome",
    "Setting",
    "Stream",
    "normal",
    "start",
    "truth_key",
    "uniform",
]
