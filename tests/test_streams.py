"""Independent: streams against NumPy's Philox and a textbook xoshiro256++; normals by their law."""

import numpy as np
import pytest
from conftest import make_study, outcomes
from scipy import stats

from gai_core.evidence import random_streams as streams
from gai_core.evidence.ziggurat import CERTAIN, EDGE, HEIGHT, LAYERS, WIDTH
from gai_core.study.study import Truth

MASK = 2**64 - 1


@pytest.mark.parametrize("place", [(0, 0, 0, 0, 0), (1, 7, 12, 3, 0), (MASK, MASK, 2**40, 99, 1)])
def test_start_is_the_philox_block_of_numpy(place: tuple[int, ...]) -> None:
    seed, truth, replicate, arm, purpose = place
    counter = replicate + (arm << 64) + (purpose << 128)
    # NumPy raises the counter before it makes its first block.
    philox = np.random.Philox(key=seed + (truth << 64), counter=(counter - 1) % 2**256)
    with np.errstate(over="ignore"):
        block = streams.start(*(np.uint64(number) for number in place))
    assert [int(word) for word in block] == [int(word) for word in philox.random_raw(4)]


def textbook_xoshiro(s: list[int]) -> int:
    def rotate(x: int, k: int) -> int:
        return ((x << k) | (x >> (64 - k))) & MASK

    result = (rotate((s[0] + s[3]) & MASK, 23) + s[0]) & MASK
    t = (s[1] << 17) & MASK
    s[2] ^= s[0]
    s[3] ^= s[1]
    s[1] ^= s[2]
    s[0] ^= s[3]
    s[2] ^= t
    s[3] = rotate(s[3], 45)
    return result


def test_step_is_xoshiro256_plus_plus() -> None:
    words = [1, 2, 3, 4]
    stream = tuple(np.uint64(word) for word in words)
    with np.errstate(over="ignore"):
        for _ in range(1000):
            bits, stream = streams.step(stream)  # type: ignore[arg-type]
            assert int(bits) == textbook_xoshiro(words)


def test_truths_have_keys_by_name_and_streams_of_their_own() -> None:
    assert streams.truth_key("published") == streams.truth_key("published")
    keys = {int(streams.truth_key(name)) for name in ("a", "b", "published", "null")}
    assert len(keys) == 4


def test_ziggurat_layers_have_equal_area_and_close() -> None:
    edges = WIDTH * 2.0**53
    areas = edges[1:-1] * (HEIGHT[2:] - HEIGHT[1:-1])
    tail = np.sqrt(np.pi / 2) * stats.norm.sf(EDGE) * 2
    assert np.allclose(areas, EDGE * HEIGHT[1] + tail, rtol=1e-9)
    assert len(CERTAIN) == LAYERS
    assert edges[1] == EDGE


def test_normals_follow_the_normal_law() -> None:
    study = make_study(
        outcome={"kind": "gaussian", "variance": 1.0},
        simulation={"n_max": 400_000, "seed": 11},
        truths=[{"name": "zero", "means": [0.0, 0.0, 0.0]}],
    )
    sample = np.array(list(outcomes(study, study.truths[0], 0)[0]))
    root = np.sqrt(sample.size)
    assert abs(sample.mean()) * root < 4
    assert abs(sample.var() - 1) * root / np.sqrt(2) < 4
    assert abs(stats.kurtosis(sample)) * root / np.sqrt(24) < 4
    assert stats.kstest(sample, "norm").statistic * root < 1.9
    beyond = (np.abs(sample) > EDGE).sum()
    assert abs(beyond - sample.size * 2 * stats.norm.sf(EDGE)) < 4 * np.sqrt(beyond)
    assert abs(np.corrcoef(sample[:-1], sample[1:])[0, 1]) * root < 4


def test_bernoulli_rates_zero_and_one_are_certain() -> None:
    study = make_study(truths=[{"name": "extreme", "means": [0.0, 1.0, 0.3]}])
    never, always, sometimes = (list(arm) for arm in outcomes(study, study.truths[0], 0))
    assert set(never) == {0.0}
    assert set(always) == {1.0}
    assert abs(np.mean(sometimes) - 0.3) < 4 * np.sqrt(0.21 / len(sometimes))


def test_arms_and_replicates_are_different_patients() -> None:
    study = make_study(truths=[{"name": "flat", "means": [0.5, 0.5, 0.5]}])
    truth: Truth = study.truths[0]
    sequences = {tuple(arm) for replicate in range(4) for arm in outcomes(study, truth, replicate)}
    assert len(sequences) == 12
