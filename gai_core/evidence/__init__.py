"""A dose's evidence: what one outcome is, how it is drawn, what its sum decides."""

from gai_core.evidence.bookkeeping import Bookkeeping
from gai_core.evidence.design_part import DesignPart, Suits, only
from gai_core.evidence.dunnett import any_with_shared_control, dunnett_critical, dunnett_share
from gai_core.evidence.error_rates import ErrorRates
from gai_core.evidence.lowering import lower_each
from gai_core.evidence.outcomes import (
    OUTCOMES,
    Bernoulli,
    EvidenceStream,
    Gaussian,
    GaussianUnknown,
    Outcome,
    RateDifferences,
    RatePairs,
    as_samples,
    every_outcome,
    for_kind,
    model_of,
    name_of,
    named_outcomes,
    of_pairs,
)
from gai_core.evidence.outcomes.bernoulli import EXTREME_RATE
from gai_core.evidence.outcomes.gaussian import LARGEST_VARIANCE, SMALLEST_VARIANCE, draw_normal
from gai_core.evidence.outcomes.of_its_kind import OutcomeOfItsKind
from gai_core.evidence.outcomes.whole_sums import ROUNDING
from gai_core.evidence.random_streams import (
    CHOICES,
    DELAYS,
    DROPOUTS,
    GAPS,
    PATIENTS,
    RANDOMISATION,
    Stream,
    start,
    truth_key,
    uniform,
)
from gai_core.evidence.seen import Seen
from gai_core.evidence.setting import Curves, Setting, Stages
from gai_core.evidence.verdicts import BAD, GOOD, NO_CANDIDATE, UNDECIDED
from gai_core.evidence.ziggurat import normal

__all__ = [
    "BAD",
    "CHOICES",
    "DELAYS",
    "DROPOUTS",
    "EXTREME_RATE",
    "GAPS",
    "GOOD",
    "LARGEST_VARIANCE",
    "NO_CANDIDATE",
    "OUTCOMES",
    "PATIENTS",
    "RANDOMISATION",
    "ROUNDING",
    "SMALLEST_VARIANCE",
    "UNDECIDED",
    "Bernoulli",
    "Bookkeeping",
    "Curves",
    "DesignPart",
    "ErrorRates",
    "EvidenceStream",
    "Gaussian",
    "GaussianUnknown",
    "Outcome",
    "OutcomeOfItsKind",
    "RateDifferences",
    "RatePairs",
    "Seen",
    "Setting",
    "Stages",
    "Stream",
    "Suits",
    "any_with_shared_control",
    "as_samples",
    "draw_normal",
    "dunnett_critical",
    "dunnett_share",
    "every_outcome",
    "for_kind",
    "lower_each",
    "model_of",
    "name_of",
    "named_outcomes",
    "normal",
    "of_pairs",
    "only",
    "start",
    "truth_key",
    "uniform",
]
