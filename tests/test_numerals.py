"""Numbers with their Monte Carlo errors, as people read them."""

import math

import pytest

from gai_core.basics import given_in_words, mean_share, measured, percent, with_error


@pytest.mark.parametrize(
    ("value", "mcse", "shown"),
    [
        (1234.5, 12.34, "1,234 ± 12.3"),
        (120.2, 0.31, "120 ± 0.3"),
        (8.64, 0.05, "8.6 ± 0.1"),
        (8.64, 0.0449, "8.6 ± <0.05"),
        (119.974, 0.0061, "120 ± <0.05"),
        (120.0, 0.0, "120 ± 0"),
        (12.0, 1e-15, "12.0 ± 0"),
        (12.0, math.nan, "12.0"),
        (12.0, math.inf, "12.0 ± infinite"),
        (math.nan, 1.0, "–"),
    ],
)
def test_an_error_is_never_rounded_to_nothing(value: float, mcse: float, shown: str) -> None:
    assert with_error(value, mcse) == shown


def test_nor_is_that_of_a_share() -> None:
    assert percent(0.5, 0.02, 600) == "50.0% ± 2.0"
    assert percent(0.5, 0.0004, 1_500_000) == "50.000% ± 0.040"
    assert percent(1e-7, 1e-7, 10_000_000) == "0.00001% ± 0.00001"
    assert mean_share(0.6672, 0.0003) == "66.7% ± <0.05"
    assert mean_share(0.6672, 0.0) == "66.7% ± 0"
    assert mean_share(0.6672, 0.01) == "66.7% ± 1.0"
    assert mean_share(0.5, math.nan) == "50.0%"
    assert measured(0.25, 0.0) == "0.250 ± 0"


def test_what_is_shown_is_true_at_every_size() -> None:
    for power in range(-6, 4):
        for digit in (1, 4.4, 4.9, 5.1, 9.9):
            error = digit * 10.0**power
            for text in (with_error(77.7, error), mean_share(0.3, error / 100)):
                shown = text.rpartition("± ")[2].replace(",", "")
                if shown.startswith("<"):
                    assert error < float(shown[1:]), text
                else:
                    assert float(shown) == pytest.approx(error, abs=0.051), text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "none"),
        ("", "none"),
        (True, "yes"),
        (12_000, "12,000"),
        (0.30000000000000004, "0.3"),
        ("end", "end"),
        ((20, 1000), "20 and 1,000"),
        ({"equal": 4}, "equal 4"),
    ],
)
def test_a_value_that_was_given_is_written_one_way(value: object, shown: str) -> None:
    assert given_in_words(value) == shown
    assert given_in_words([value, value], ", ") == f"{shown}, {shown}".replace(" and ", ", ")
