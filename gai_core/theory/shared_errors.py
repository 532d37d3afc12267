"""What doses can err together at most, where their limits rely on sharing the patients."""

from collections.abc import Sequence

import numpy as np

from gai_core.evidence import GOOD
from gai_core.study import Design, Study


def shared_error(study: Study, design: Design, means: Sequence[float], verdict: int) -> float:
    """P(any dose with one of the means gets the verdict) at most, under any allocation.

    Being dropped is being declared for the mirrored data. What the other limits end early is
    among the stopping rules that the bound is the largest over.
    """
    from gai_core.evidence.shared_budget import shared_bound

    setting, curves = study.setting(design), study.curves(design)
    outcome, n = setting.outcome, np.arange(curves.accept.size)
    accept, rates = (
        curves.accept,
        [outcome.on_limits(mean, setting.threshold, 1.0) for mean in means],
    )
    if verdict != GOOD:
        accept, rates = n - curves.reject, [1 - rate for rate in rates]
    burn_in = 0 if setting.missing else setting.burn_in
    return min(1.0, shared_bound(rates, accept.astype(np.int64), burn_in, setting.most_patients))
