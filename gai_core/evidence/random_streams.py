"""Random streams: one for every (seed, truth, replicate, arm).

A stream is a value, the four 64-bit words of a xoshiro256++ generator
(Blackman and Vigna, ACM TOMS 47:36, 2021). Its start state is one block of
Philox4x64-10 (Salmon et al., SC'11), whose key is (seed, truth) and whose
counter is (replicate, arm, purpose, 0). Philox is a bijection of the counter,
so no two streams of a key start alike, and no stream depends on how the work
was cut into chunks or threads.
"""

import hashlib

import numpy as np

from gai_core.basics import jitable

PATIENTS = np.uint64(0)
"""Purpose of the streams that draw patients' outcomes."""
CHOICES = np.uint64(1)
"""Purpose of the streams that a randomised rule uses to choose."""
DROPOUTS = np.uint64(2)
"""Purpose of the streams that decide which patients of an arm drop out."""
RANDOMISATION, GAPS, DELAYS = np.uint64(3), np.uint64(4), np.uint64(5)
"""Purposes of a whole trial's streams: allocation by chance, gaps between patients, delays."""

Stream = tuple[np.uint64, np.uint64, np.uint64, np.uint64]

_ZERO = np.uint64(0)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_MULTIPLIER_0 = np.uint64(0xD2E7470EE14C6C93)
_MULTIPLIER_1 = np.uint64(0xCA5A826395121157)
_WEYL_0 = np.uint64(0x9E3779B97F4A7C15)
_WEYL_1 = np.uint64(0xBB67AE8584CAA73B)
_PHILOX_ROUNDS = 10

_17, _19, _23, _41, _45, _11 = (np.uint64(shift) for shift in (17, 19, 23, 41, 45, 11))
_UNIT = 2.0**-53


def truth_key(name: str) -> np.uint64:
    """The 64 bits that stand for a truth: a hash of its name.

    The name and not the position, so that adding, removing or reordering
    truths leaves the simulated patients of the others as they were.
    """
    digest = hashlib.blake2b(name.encode(), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "little"))


@jitable
def high_product(a: np.uint64, b: np.uint64) -> np.uint64:
    """The upper 64 bits of the 128-bit product a * b."""
    a_low, a_high = a & _LOW, a >> _HALF
    b_low, b_high = b & _LOW, b >> _HALF
    cross = a_high * b_low + ((a_low * b_low) >> _HALF)
    carry = a_low * b_high + (cross & _LOW)
    return a_high * b_high + (cross >> _HALF) + (carry >> _HALF)


@jitable
def start(
    seed: np.uint64, truth: np.uint64, replicate: np.uint64, arm: np.uint64, purpose: np.uint64
) -> Stream:
    """The stream of (seed, truth, replicate, arm, purpose): one Philox4x64-10 block."""
    x0, x1, x2, x3 = replicate, arm, purpose, _ZERO
    key_0, key_1 = seed, truth
    for _ in range(_PHILOX_ROUNDS):
        high_0, low_0 = high_product(_MULTIPLIER_0, x0), _MULTIPLIER_0 * x0
        high_1, low_1 = high_product(_MULTIPLIER_1, x2), _MULTIPLIER_1 * x2
        x0, x1, x2, x3 = high_1 ^ x1 ^ key_0, low_1, high_0 ^ x3 ^ key_1, low_0
        key_0, key_1 = key_0 + _WEYL_0, key_1 + _WEYL_1
    return x0, x1, x2, x3


@jitable
def step(stream: Stream) -> tuple[np.uint64, Stream]:
    """64 random bits, and the stream after them (xoshiro256++)."""
    s0, s1, s2, s3 = stream
    total = s0 + s3
    bits = ((total << _23) | (total >> _41)) + s0
    shifted = s1 << _17
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    s3 = (s3 << _45) | (s3 >> _19)
    return bits, (s0, s1, s2, s3)


@jitable
def uniform(stream: Stream) -> tuple[float, Stream]:
    """A number in [0, 1), a multiple of 2^-53."""
    bits, stream = step(stream)
    return np.int64(bits >> _11) * _UNIT, stream
