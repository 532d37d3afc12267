"""Designs at equal error and power for the first page: searched for when that is quick, or asked.

A search simulates some dozens of sample sizes. For a study of a few hundred patients that takes
seconds, so `gai report` does it unasked; elsewhere the first page says that it was not done.
"""

from gai_core.basics import InputError
from gai_core.engine import HERE, Work
from gai_core.questions import ADVISED_POWER, EqualPower, Wish, answer, equal_power
from gai_core.results import Analysis
from gai_core.study import Study

QUICK_PATIENTS = 1_500_000
"""Trials times largest sample size up to which a search is quick."""


def quick_to_search(study: Study) -> bool:
    """Whether designs are compared at equal power unasked.

    Limits for an unknown variance are calibrated slowly, so not there.
    """
    size = study.simulation
    return (
        study.outcome.knows_variance
        and size.runs > 1
        and size.runs * size.n_max <= (QUICK_PATIENTS)
    )


def at_equal_power(
    analysis: Analysis, wish: Wish | None = None, *, work: Work = HERE
) -> EqualPower | None:
    """The design to use and the usual ones at equal power; without a wish, only if it is quick."""
    found = answer(analysis)
    if found is None or (wish is None and not quick_to_search(analysis.study)):
        return None
    try:
        return equal_power(analysis.study, wish or ADVISED_POWER, designs=[found.design], work=work)
    except InputError:
        if wish is not None:
            raise
        return None
