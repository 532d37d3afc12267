"""Per dose: how often it gets each verdict."""

from gai_core.evidence import BAD, UNDECIDED
from gai_core.results.quantities.quantity import CHANCE, Quantity

DECLARED = Quantity(
    key="good",
    label="declared",
    meaning="The chance that the dose is declared.",
    kind=CHANCE,
    unit="share",
    value=lambda trials: trials.declared,
    arms="candidates",
)
DROPPED = Quantity(
    key="bad",
    label="dropped",
    meaning="The chance that the dose is dropped.",
    kind=CHANCE,
    unit="share",
    value=lambda trials: trials.trials.verdict == BAD,
    arms="candidates",
)
LEFT_UNDECIDED = Quantity(
    key="undecided",
    label="left undecided",
    meaning="The chance that the dose has no verdict when the trial ends.",
    kind=CHANCE,
    unit="share",
    value=lambda trials: trials.trials.verdict == UNDECIDED,
    arms="candidates",
)
