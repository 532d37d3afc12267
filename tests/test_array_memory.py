"""What is kept in memory: the same arrays again, and never more of them than fit."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from gai_core import load_study
from gai_core.basics.array_memory import kept_arrays
from gai_core.criteria.exact import limits
from gai_core.study import changed

NUMBER = np.zeros(1).nbytes
Making = Callable[[int], NDArray[np.float64]]


def counting(most: int, always: int) -> tuple[list[int], Making]:
    """Which arrays were made, and what makes them: so many numbers each."""
    made: list[int] = []

    @kept_arrays(most * NUMBER, always)
    def ones(size: int) -> NDArray[np.float64]:
        made.append(size)
        return np.ones(size)

    return made, ones


def test_an_array_is_made_once_and_nobody_writes_into_it() -> None:
    made, ones = counting(most=100, always=1)
    assert ones(3) is ones(3)
    assert made == [3]
    with pytest.raises(ValueError, match="read-only"):
        ones(3)[0] = 2.0


def test_what_was_not_used_for_longest_makes_room() -> None:
    made, ones = counting(most=10, always=1)
    for size in (4, 5, 4, 3, 4, 5):  # 5 goes when 3 comes: 4 was used since
        ones(size)
    assert made == [4, 5, 3, 5]


def test_the_last_few_stay_however_large() -> None:
    made, ones = counting(most=10, always=2)
    for size in (50, 60, 50, 60, 70, 60, 50):
        ones(size)
    assert made == [50, 60, 70, 50]


def test_a_search_for_a_sample_size_leaves_the_limits_of_the_study(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After hundreds of other sizes, none of the study's own limits is computed again."""
    study = load_study("tofacitinib-placebo")
    narrow = changed(study, n_max=48)  # quick to calibrate
    own = [narrow.stages(design) for design in narrow.designs]
    for n_max in range(49, 149):
        varied = changed(study, n_max=n_max)
        varied.stages(varied.design("Fixed"))
        varied.stages(varied.design("Group sequential, 4 looks"))

    def fails(*_: object) -> None:
        raise AssertionError("computed again")

    monkeypatch.setattr(limits, "constant", fails)
    monkeypatch.setattr(limits, "used_up", fails)
    again = [narrow.stages(design) for design in narrow.designs]
    for first, second in zip(own, again, strict=True):
        np.testing.assert_array_equal(first.accept, second.accept)
        np.testing.assert_array_equal(first.reject, second.reject)
