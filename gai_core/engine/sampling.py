"""The same simulated patients without a design: so many on every arm, summed up.

What an analysis at the end of a fixed equal trial is given. The n-th patient on an arm has the
outcome, and drops out or not, as under every design: its streams are those of the loops.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gai_core.engine.loop_parts import Source
from gai_core.engine.prepared import source_of
from gai_core.evidence import DROPOUTS, PATIENTS, start, uniform
from gai_core.study import Study, Truth

Function = Callable[..., Any]


class Samples(NamedTuple):
    """Per trial and arm: outcomes, their mean, and their squares about it."""

    outcomes: NDArray[np.float64]
    mean: NDArray[np.float64]
    squares: NDArray[np.float64]


class Leaving(NamedTuple):
    """Who drops out, and whether that counts as an outcome of 0 or not at all."""

    chance: float
    chance_on_target: float
    target: float
    left_out: bool


def equal_samples(study: Study, truth: Truth, size: int, first: int, count: int) -> Samples:
    """The first `size` patients of every arm in replicates first, ..., first + count - 1."""
    shape = count, len(study.arms)
    found = Samples(np.zeros(shape), np.zeros(shape), np.zeros(shape))
    dropout, target = study.dropout, study.stream.target
    leaving = Leaving(0.0, 0.0, target, False)
    if dropout is not None:
        leaving = Leaving(dropout.probability, dropout.on_target, target, dropout.left_out)
    _sampling(type(study.outcome).draw)(first, size, source_of(study, truth), leaving, found)
    return found


@functools.cache
def _sampling(draw: Function) -> Function:
    """The compiled loop of a kind of outcome."""
    from gai_core.engine.loop import compile_loop  # the compiler loads only when it is needed

    def sample(first: int, size: int, source: Source, leaving: Leaving, rows: Samples) -> None:
        seed, truth, location, spread, _ = source
        drops = leaving.chance > 0.0 or leaving.chance_on_target > 0.0
        for row in range(rows.outcomes.shape[0]):
            replicate = np.uint64(first + row)
            for arm in range(location.size):
                stream = start(seed, truth, replicate, np.uint64(arm), PATIENTS)
                dropouts = start(seed, truth, replicate, np.uint64(arm), DROPOUTS)
                n, mean, squares = 0, 0.0, 0.0
                for _ in range(size):
                    x, stream = draw(stream, location[arm], spread)
                    value = float(x)
                    if drops:
                        u, dropouts = uniform(dropouts)
                        on_target = x >= leaving.target
                        if u < (leaving.chance_on_target if on_target else leaving.chance):
                            if leaving.left_out:
                                continue
                            value = 0.0
                    # Welford's recurrence: no difference of large sums.
                    n += 1
                    step = value - mean
                    mean += step / n
                    squares += step * (value - mean)
                rows.outcomes[row, arm], rows.mean[row, arm] = n, mean
                rows.squares[row, arm] = squares

    return compile_loop(sample)
