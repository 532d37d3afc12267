"""Properties of every criterion's curves; what the registry promises."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gai_core import CRITERIA
from gai_core.evidence.error_rates import ErrorRates
from gai_core.evidence.outcomes import OUTCOMES, Bernoulli, Gaussian
from gai_core.evidence.setting import Curves, Setting

EXAMPLES = {key: kind.model_validate(kind.example()) for key, kind in OUTCOMES.items()} | {
    "gaussian": Gaussian(kind="gaussian", variance=1.7),
}
FARTHEST = 100.0
"""Targets of what has no bounds."""
PAIRS = [(key, kind) for key, entry in CRITERIA.items() for kind in entry.outcomes]


def curves(key: str, setting: Setting) -> Curves:
    return CRITERIA[key].curves(setting, CRITERIA[key].parameters())


def settings_of(kind: str) -> st.SearchStrategy[Setting]:
    lowest, highest = (max(-FARTHEST, min(end, FARTHEST)) for end in OUTCOMES[kind].mean_range)
    inside = 0.02 if EXAMPLES[kind].all_or_nothing else 0.0
    threshold = st.floats(lowest + inside, highest - inside)
    return st.builds(
        Setting,
        arms=st.integers(2, 30),
        threshold=threshold,
        errors=st.floats(-690, -0.01).map(math.exp).map(ErrorRates.both),
        outcome=st.just(EXAMPLES[kind]),
        most_patients=st.integers(2, 300),
    )


@pytest.mark.parametrize(("key", "kind"), PAIRS)
@given(data=st.data())
@settings(max_examples=10)  # calibrated limits take a fifth of a second
def test_curves_have_the_shape_the_engine_relies_on(
    key: str, kind: str, data: st.DataObject
) -> None:
    setting = data.draw(settings_of(kind))
    pair = curves(key, setting)
    assert pair.accept.shape == pair.reject.shape
    assert 2 <= pair.accept.size <= setting.most_patients + 1
    assert pair.accept.dtype == pair.reject.dtype == setting.outcome.curve_type
    assert (pair.accept > pair.reject).all()
    assert not np.isnan(pair.accept).any()
    n = np.arange(pair.accept.size)
    xi = setting.threshold
    # No verdict against what the data say: declared above the threshold, dropped below it.
    finite = np.isfinite(pair.accept) & np.isfinite(pair.reject)
    slack = 1e-9 * (1 + np.abs(n * xi))
    assert (pair.accept[finite] >= (n * xi - slack)[finite])[1:].all()
    assert (pair.reject[finite] <= (n * xi + slack)[finite])[1:].all()
    if kind == "bernoulli":
        assert pair.accept.min() >= 0
        assert (pair.accept <= n + 1).all()
        assert pair.reject.min() >= -1


@given(setting=settings_of("bernoulli"))
@settings(max_examples=60)
def test_union_decides_exactly_as_the_inequality(setting: Setting) -> None:
    pair = curves("union", setting)
    for n in range(1, min(setting.most_patients, 40) + 1):
        log = math.log(4 * setting.arms) - math.log(setting.errors.declare) + 2 * math.log(n)
        r = math.sqrt(2 * 0.25 * log / n)
        good = [s for s in range(n + 1) if s / n - r >= setting.threshold]
        bad = [s for s in range(n + 1) if s / n + r < setting.threshold]
        assert pair.accept[n] == (good[0] if good else n + 1)
        assert pair.reject[n] == (bad[-1] if bad else -1)


def test_gaussian_union_is_remark_1() -> None:
    setting = Setting(7, 1.2, ErrorRates.both(0.05), Gaussian(kind="gaussian", variance=1.44), 100)
    r = math.sqrt(2 * 1.44 * math.log(4 * 7 * 50**2 / 0.05) / 50)
    wide, narrow = curves("union", setting), curves("union-published", setting)
    assert wide.accept[50] == pytest.approx(50 * (1.2 + r))
    assert wide.reject[50] == pytest.approx(50 * (1.2 - r))
    assert narrow.accept[50] == pytest.approx(50 * (1.2 + r / math.sqrt(2)))


def test_mirrored_data_get_mirrored_verdicts() -> None:
    setting = Setting(4, 0.3, ErrorRates.both(0.05), Bernoulli(), 200)
    mirrored = Setting(4, 0.7, ErrorRates.both(0.05), Bernoulli(), 200)
    ours, theirs = curves("union", setting), curves("union", mirrored)
    n = np.arange(201)
    # Bad is a strict inequality, good is not: they differ only at exact equality.
    assert (np.abs((n - ours.accept) - theirs.reject) <= 1).all()


def test_a_smaller_delta_never_decides_sooner() -> None:
    for kind, outcome in EXAMPLES.items():
        for key, entry in CRITERIA.items():
            if kind in entry.outcomes:
                loose = curves(key, Setting(5, 0.4, ErrorRates.both(0.1), outcome, 300))
                strict = curves(key, Setting(5, 0.4, ErrorRates.both(0.001), outcome, 300))
                assert (strict.accept >= loose.accept).all()
                assert (strict.reject <= loose.reject).all()


def test_a_tiny_delta_works() -> None:
    pair = curves("union", Setting(3, 0.5, ErrorRates.both(math.exp(-50)), Bernoulli(), 5000))
    assert pair.accept[100] == 101
    assert pair.accept[5000] <= 5000
