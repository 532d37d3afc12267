"""The largest response rate that data do not yet speak against, by the divergence of rates."""

import math

from gai_core.basics import jitable

LARGEST_LOGIT = 40.0
PRECISE = 2e-3
"""A step this small leaves an error of 1e-5, at few patients up to 3e-4: far below the noise."""


@jitable
def divergence(m: float, q: float) -> float:
    """d(m, q) for 0 < m, q < 1."""
    return m * math.log(m / q) + (1.0 - m) * math.log((1.0 - m) / (1.0 - q))


@jitable
def largest_rate(mean: float, width: float, x: float) -> float:
    """max q with d(m, q) <= L = 2 (width x)^2.

    As x (1-x) <= v + b (x-m) with v = m (1-m) and b = 1 - 2m, Jensen's inequality gives
    d(m, q) >= (q-m)^2 / (2 v + (4/3) b (q-m)). Where that reaches L, Halley's steps
    start. Close to 1, where they are slow, `near_one` takes over.
    """
    level = 2.0 * (width * x) ** 2
    if mean <= 0.0:
        return 1.0 - math.exp(-level)
    if mean >= 1.0:
        return 1.0
    shift = 2.0 / 3.0 * (1.0 - 2.0 * mean) * level
    q = mean + shift + math.sqrt(shift * shift + 2.0 * mean * (1.0 - mean) * level)
    if q - mean > 0.9 * (1.0 - mean):
        return near_one(mean, level)
    step = 1.0
    while step > PRECISE:
        variance = q * (1.0 - q)
        newton = (divergence(mean, q) - level) * variance / (q - mean)
        bend = 1.0 / (q - mean) - (1.0 - 2.0 * q) / variance  # second derivative by the first
        step = newton / (1.0 - 0.5 * newton * bend)
        q -= step
    return q


@jitable
def near_one(mean: float, level: float) -> float:
    """The same by Newton in w = log(q/(1-q)), in which d is convex and nearly linear.

    d = -h(m) - m w + log(1 + e^w), h the entropy, is at least -h(m) + (1-m) w: from there down.
    """
    entropy = -mean * math.log(mean) - (1.0 - mean) * math.log(1.0 - mean)
    w, step = (level + entropy) / (1.0 - mean), 1.0
    if w > LARGEST_LOGIT:
        return 1.0
    odds = math.exp(w)
    while step > PRECISE:
        step = (math.log(1.0 + odds) - mean * w - entropy - level) / (odds / (1.0 + odds) - mean)
        w -= step
        odds = math.exp(w)
    return odds / (1.0 + odds)
