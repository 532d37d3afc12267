"""The random numbers of one replicate, one after the other, as the engine draws them."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gai_core.evidence import CHOICES, PATIENTS, draw_normal, start, truth_key
from gai_core.study import Study, Truth

BLOCK = 256


def potential_outcomes(study: Study, truth: Truth, replicate: int, arm: int) -> Iterator[float]:
    """The outcomes of an arm's patients in one replicate, one after the other."""
    outcome = study.outcome
    location = outcome.locations(study.completing(truth))[arm]
    place = study, truth, replicate, arm, PATIENTS
    return _stream_of(type(outcome).draw, *place, location, study.spread(truth))


def choice_noise(study: Study, truth: Truth, replicate: int) -> Iterator[float]:
    """The standard normal numbers that a randomised rule chooses with."""
    return _stream_of(draw_normal, study, truth, replicate, 0, CHOICES, 0.0, 1.0)


def _stream_of(
    draw: Callable[..., Any],
    study: Study,
    truth: Truth,
    replicate: int,
    arm: int,
    purpose: np.uint64,
    location: Any,
    spread: float,
) -> Iterator[float]:
    """The numbers of one stream, drawn a block at a time."""
    from gai_core.engine.loop import draws  # the compiler loads only when something is simulated

    fill, values = draws(draw), np.empty(BLOCK)
    seed, key = np.uint64(study.simulation.seed), truth_key(truth.name)
    with np.errstate(over="ignore"):  # 64-bit words that wrap around are meant
        words = np.array(start(seed, key, np.uint64(replicate), np.uint64(arm), purpose))
    while True:
        fill(words, location, spread, values)
        yield from values.tolist()
