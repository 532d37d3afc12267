"""A calibration that takes long is kept between processes; one that does not is not."""

from pathlib import Path

import pytest

from gai_core.criteria.exact import ExactParameters, calibration
from gai_core.evidence import ErrorRates, Outcome, Setting
from gai_core.evidence.outcomes import Bernoulli, GaussianUnknown

LOOKS = ExactParameters(looks=(5, 10, 20))


def constant(outcome: Outcome) -> float:
    """Computed, or found, as by a new process."""
    calibration.constant.cache_clear()
    return calibration.constant(Setting(2, 0.5, ErrorRates.both(0.1), outcome, 20, 5), LOOKS, 0.5)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GAI_CACHE_DIR", str(tmp_path))
    return tmp_path / "calibrations"


def test_a_second_process_finds_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unknown = GaussianUnknown(kind="gaussian", variance="unknown")
    first = constant(unknown)
    assert len(list(folder.iterdir())) == 1
    with monkeypatch.context() as patch:
        patch.setattr(calibration, "_calibrate", lambda *_: pytest.fail("computed again"))
        assert constant(unknown) == first
    next(folder.iterdir()).write_text("no number")
    assert constant(unknown) == first


def test_what_takes_milliseconds_is_computed(folder: Path) -> None:
    assert constant(Bernoulli()) > 0
    assert not folder.exists()
