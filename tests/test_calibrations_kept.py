"""A calibration that takes long is kept between processes; one that does not is not."""

import os
from functools import partial
from pathlib import Path

import pytest

from gai_core.basics import remembered
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


@pytest.mark.parametrize("content", ["0x1", "-0x1p3", "nan", "inf", "0", "0x1p99999", "", "é"])
def test_a_number_that_is_not_as_it_was_kept_is_computed_again(folder: Path, content: str) -> None:
    assert remembered("calibrations", "a", lambda: 2.5) == 2.5
    (path,) = folder.iterdir()
    kept = path.read_bytes()
    checksum = kept.partition(b" ")[2]
    for damaged in (content.encode(), content.encode() + b" " + checksum, kept[:-1], 2 * kept):
        path.write_bytes(damaged)
        assert remembered("calibrations", "a", lambda: 2.5) == 2.5
        assert path.read_bytes() == kept


def test_a_number_under_the_name_of_another_is_not_taken(folder: Path) -> None:
    for key, value in (("a", 1.0), ("b", 2.0)):
        remembered("calibrations", key, partial(float, value))
    one, two = folder.iterdir()
    one.write_bytes(two.read_bytes())
    assert remembered("calibrations", "a", lambda: 1.0) == 1.0
    assert remembered("calibrations", "b", lambda: 2.0) == 2.0


def test_a_number_that_is_not_finite_is_never_taken() -> None:
    for value in (float("inf"), 3.0):
        assert remembered("calibrations", "a", partial(float, value)) == value


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without named pipes")
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(folder: Path) -> None:
    remembered("calibrations", "a", lambda: 2.5)
    (path,) = folder.iterdir()
    path.unlink()
    os.mkfifo(path)
    assert remembered("calibrations", "a", lambda: 2.5) == 2.5
    assert path.is_file()
