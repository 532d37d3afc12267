"""Designs against the control where errors are likeliest: with every dose exactly at the target.

Every dose does what the control does, plus the margin. A declaration is then as likely as it can be
for a dose that is not good, and a drop as it can be for one that is: both errors are seen in the
same trials. The control's mean is another one than was assumed, or it moves while patients are
enrolled, up or down, and all doses with it. Beside what is seen stands the exact bound, which holds
under all of these, or none where nothing is promised: a design that compares two samples, under a
trend.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gai_core.engine import HERE, Work
from gai_core.evidence import BAD, GOOD
from gai_core.questions.verification import TRUTH_COLUMNS, surely_above
from gai_core.results import share
from gai_core.study import Study, highest_mean, stated_mean, validated
from gai_core.theory import worst_case

if TYPE_CHECKING:
    import pandas as pd

PLACES = 0.1, 0.3, 0.5, 0.7, 0.9
"""Where rates of the control are tried, between the smallest and the largest one."""
MOVE_OF_RATES = 0.3
LARGEST_MOVE = 0.6
"""How far rates move while patients are enrolled, and at most of the way between those two."""


def errors_at_the_target(study: Study, *, work: Work = HERE) -> "pd.DataFrame":
    """Per case and design of a study against the control, in the columns of `errors_by_truth`.

    Of the whole trial: any dose declared as a false declaration, any dose dropped as a missed one.
    """
    import pandas as pd

    tried = with_doses_at_the_target(study)
    worst = {design.name: worst_case(tried, design) for design in tried.designs}
    runs, rows, allowed = work.simulate(tried), [], study.error_rates
    for truth in tried.truths:
        for design in tried.designs:
            verdicts, its = runs[truth.name, design.name].verdict, worst[design.name]
            declared, dropped = (share((verdicts == kind).any(axis=1)) for kind in (GOOD, BAD))
            of_declaring, of_dropping = its.any_false_declaration, its.any_miss
            if not tried.covered(truth, design):
                of_declaring = of_dropping = math.nan
            above = surely_above(declared, allowed.declare) or (
                its.bounds_dropping and surely_above(dropped, allowed.drop)
            )
            seen = (of_declaring, *declared, of_dropping, *dropped, math.nan, math.nan)
            rows.append((truth.name, design.name, *seen, above))
    return pd.DataFrame(rows, columns=TRUTH_COLUMNS)


def with_doses_at_the_target(study: Study) -> Study:
    """The study with these cases for its truths."""
    cases = _cases_of_rates(study) if study.outcome.all_or_nothing else _cases_of_scores(study)
    own = None if study.outcome.knows_variance else study.truths[0].variance
    truths = {
        _named(control, move): {
            "means": _means(study, control),
            "trend": move / _months(study) if move else None,
            "variance": own,
        }
        for control, move in cases
    }
    given = [{"name": name} | truth for name, truth in truths.items()]
    return validated(study.model_dump() | {"truths": given}, "doses at the target")


def _named(control: float, move: float) -> str:
    if not move:
        return f"control {control:.3g}"
    return f"control {control:.3g}, {'rising' if move > 0 else 'falling'} by {abs(move):.3g}"


def _means(study: Study, control: float) -> list[float]:
    """The means to be stated for which those that verdicts are about are at the target."""
    assert study.target is not None
    dose = control + study.target.margin
    return [
        stated_mean(control if arm == study.control else dose, study.dropout)
        for arm in range(len(study.arms))
    ]


def _months(study: Study) -> float:
    assert study.conduct is not None
    return study.conduct.months(study.simulation.n_max)


def _cases_of_rates(study: Study) -> Iterator[tuple[float, float]]:
    """(the control's rate at the start, by how much it moves), within what limits are made for."""
    assert study.target is not None
    margin, highest = study.target.margin, highest_mean(1.0, study.dropout)
    low = max(study.target.control_at_least, -margin, 0.0)
    high = min(study.target.control_at_most, highest - margin, highest)
    for place in PLACES:
        yield low + place * (high - low), 0.0
    move = min(MOVE_OF_RATES, LARGEST_MOVE * (high - low), _months(study))
    for sign in (1, -1):
        yield (low + high - sign * move) / 2, sign * move


def _cases_of_scores(study: Study) -> Iterator[tuple[float, float]]:
    """The same for scores: a standard deviation more, or less."""
    control = study.control_mean(study.truths[0])
    assert control is not None
    deviation = study.spread(study.truths[0])
    for shift in (-1, 0, 1):
        yield control + shift * deviation, 0.0
    for sign in (1, -1):
        yield control, sign * deviation
