"""Small studies and outcome sequences that several tests share."""

from collections.abc import Iterator

import numpy as np
from hypothesis import settings
from numba import njit

from gai_core import Study
from gai_core.engine import register_marked
from gai_core.outcomes import draw_bernoulli, draw_gaussian
from gai_core.streams import CHOICES, OUTCOMES, start, truth_key
from gai_core.study import Truth, validated
from gai_core.ziggurat import normal

register_marked()
settings.register_profile("planner", deadline=None, derandomize=True)
settings.load_profile("planner")


def make_study(**changes: object) -> Study:
    """A quick Bernoulli study of three arms; any part can be replaced."""
    data: dict[str, object] = {
        "title": "A small study",
        "threshold": 0.5,
        "delta": 0.1,
        "outcome": {"kind": "bernoulli"},
        "simulation": {"runs": 40, "n_max": 2000, "seed": 3},
        "arms": [{"label": "low"}, {"label": "middle"}, {"label": "high"}],
        "truths": [{"name": "steep", "means": [0.2, 0.6, 0.8]}],
        "designs": [{"name": "HDoC", "rule": "hdoc"}],
    }
    return validated(data | changes, "test")


@njit
def _bernoulli(seed, truth, replicate, arm, location, size):  # type: ignore[no-untyped-def]
    values = np.empty(size)
    stream = start(seed, truth, replicate, arm, OUTCOMES)
    for i in range(size):
        values[i], stream = draw_bernoulli(stream, location, 0.0)
    return values


@njit
def _gaussian(seed, truth, replicate, arm, location, spread, size):  # type: ignore[no-untyped-def]
    values = np.empty(size)
    stream = start(seed, truth, replicate, arm, OUTCOMES)
    for i in range(size):
        values[i], stream = draw_gaussian(stream, location, spread)
    return values


@njit
def choice_noise(seed, truth, replicate, size):  # type: ignore[no-untyped-def]
    """The normal numbers that a randomised rule chooses with in one replicate."""
    values = np.empty(size)
    stream = start(seed, truth, replicate, np.uint64(0), CHOICES)
    for i in range(size):
        values[i], stream = normal(stream)
    return values


def outcomes(study: Study, truth: Truth, replicate: int) -> list[Iterator[float]]:
    """The potential outcomes of every arm in one replicate, patient by patient."""
    key, size = truth_key(truth.name), study.simulation.n_max
    seed, replicate_ = np.uint64(study.simulation.seed), np.uint64(replicate)
    sequences = []
    for arm, location in enumerate(study.outcome.locations(truth.means)):
        place = seed, key, replicate_, np.uint64(arm), location
        if study.outcome.kind == "bernoulli":
            sequences.append(_bernoulli(*place, size))
        else:
            sequences.append(_gaussian(*place, study.outcome.spread, size))
    return [iter(sequence.tolist()) for sequence in sequences]
