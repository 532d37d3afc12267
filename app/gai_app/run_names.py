"""What a run is called: what changed against the one before it."""

from gai_core import Study
from gai_core.study import differences, rates_in_words, target_in_short

MOST = 3
"""Changes that are said; of more only how many there are."""


def run_name(number: int, study: Study, before: Study | None) -> str:
    """A run in a few words."""
    if before is None:
        return f"Run {number}: {study.title}"
    said = differences(before, study)
    rest = len(said) - MOST
    more = [f"{rest} more"] if rest > 0 else []
    return f"Run {number}: {'; '.join([*said[:MOST], *more]) or 'as before'}"


def run_size(study: Study) -> str:
    """What was run, in a line."""
    size = study.simulation
    return (
        f"{study.title}: target {target_in_short(study)}, "
        f"{rates_in_words(study.error_rates)}, at most "
        f"{size.n_max:,} patients, {size.runs:,} trials, {len(study.designs)} designs"
        f"{'' if study.conduct is None else ', run in time'}"
    )
