"""Standard normal numbers by the ziggurat method.

Marsaglia and Tsang, J. Stat. Softw. 5(8), 2000, with 256 layers of equal area
under f(x) = exp(-x^2/2), 53-bit magnitudes and the layer taken from other bits
than the magnitude (Doornik 2005). Exact up to the 53 bits of a double.
"""

import math

import numpy as np
from numpy.typing import NDArray

from gai_core.basics import jitable
from gai_core.evidence.random_streams import Stream, step, uniform

LAYERS = 256
EDGE = 3.6541528853610088
"""Where the tail begins: the edge for which 256 layers of equal area close at x = 0."""

_MAGNITUDES = 2.0**53
_LAYER_BITS = np.uint64(LAYERS - 1)
_SIGN_SHIFT, _MAGNITUDE_SHIFT, _ONE = np.uint64(8), np.uint64(11), np.uint64(1)


def _layers() -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
    """Step width, certain-acceptance limit and height of every layer."""
    height_at_edge = math.exp(-EDGE * EDGE / 2)
    area = EDGE * height_at_edge + math.sqrt(math.pi / 2) * math.erfc(EDGE / math.sqrt(2))
    edges = [area / height_at_edge, EDGE]
    while len(edges) < LAYERS:
        inner = math.exp(-(edges[-1] ** 2) / 2) + area / edges[-1]
        edges.append(math.sqrt(-2 * math.log(inner)))
    x = np.array([*edges, 0.0])
    return x / _MAGNITUDES, (x[1:] / x[:-1] * _MAGNITUDES).astype(np.int64), np.exp(-x * x / 2)


WIDTH, CERTAIN, HEIGHT = _layers()


@jitable
def tail(stream: Stream) -> tuple[float, Stream]:
    """A magnitude beyond EDGE (Marsaglia 1964)."""
    while True:
        first, stream = uniform(stream)
        second, stream = uniform(stream)
        beyond = -math.log(1.0 - first) / EDGE
        if -2.0 * math.log(1.0 - second) > beyond * beyond:
            return EDGE + beyond, stream


@jitable
def sign(bits: np.uint64) -> float:
    """1.0 or -1.0 by one bit: a factor, as a branch on a coin flip is often mispredicted."""
    return 1.0 - 2.0 * np.int64((bits >> _SIGN_SHIFT) & _ONE)


@jitable
def beyond_certain(bits: np.uint64, stream: Stream) -> tuple[float, Stream]:
    """The rest of `normal` for the 1.5% of bits that are not accepted at once.

    A function of its own, so that the common case is short enough to be inlined.
    """
    while True:
        layer, magnitude = bits & _LAYER_BITS, np.int64(bits >> _MAGNITUDE_SHIFT)
        z = magnitude * WIDTH[layer]
        if magnitude < CERTAIN[layer]:
            return z * sign(bits), stream
        if layer == 0:
            z, stream = tail(stream)
            return z * sign(bits), stream
        u, stream = uniform(stream)
        height = HEIGHT[layer] + u * (HEIGHT[layer + _ONE] - HEIGHT[layer])
        if height < math.exp(-z * z / 2):
            return z * sign(bits), stream
        bits, stream = step(stream)


@jitable
def normal(stream: Stream) -> tuple[float, Stream]:
    """A standard normal number, and the stream after it."""
    bits, stream = step(stream)
    layer, magnitude = bits & _LAYER_BITS, np.int64(bits >> _MAGNITUDE_SHIFT)
    if magnitude < CERTAIN[layer]:
        return magnitude * WIDTH[layer] * sign(bits), stream
    return beyond_certain(bits, stream)
