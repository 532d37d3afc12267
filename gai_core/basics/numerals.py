"""Numbers in front of people: every simulated one with its Monte Carlo error."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

ALL_POINTS = 400
"""Points of a curve that are always drawn."""


def number(value: float) -> str:
    """A number of patients: whole where large; words where there is none."""
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "infinite"
    return f"{value:,.{0 if abs(value) >= 100 else 1}f}"


def so_many(count: int, of: str) -> str:
    """A count and what is counted, in the singular or with an s."""
    return f"{count:,} {of}{'s' * (count != 1)}"


def with_error(value: float, mcse: float) -> str:
    """value ± standard error, which is `0` where all trials agree and `<0.05` below that."""
    if math.isnan(value) or math.isnan(mcse):
        return number(value)
    return f"{number(value)} ± {error_in_words(mcse)}"


VANISHES = 0.05
"""A standard error below this would be rounded to 0.0."""
ROUNDING = 1e-9
"""What sums of equal numbers may differ by."""


def error_in_words(mcse: float, places: int = 1) -> str:
    """A standard error with so many places, or how small it is."""
    vanishes = VANISHES * 10 ** (1 - places)
    if mcse < vanishes:
        return f"<{vanishes:g}" if mcse > ROUNDING else "0"
    return number(mcse) if places == 1 else f"{mcse:.{places}f}"


def measured(value: float, mcse: float, sign: str = "") -> str:
    """A number in the unit of an outcome: as many places as its standard error is worth."""
    if not math.isfinite(value):
        return number(value)
    places = places_for(mcse, value)
    error = "" if math.isnan(mcse) else f" ± {mcse:,.{places}f}" if mcse else " ± 0"
    rounded = round(value, places)
    return f"{rounded or 0.0:{sign if rounded else ''},.{places}f}{error}"  # no sign before zero


def places_for(mcse: float, value: float) -> int:
    """Decimal places that show the first digit of the standard error, or three of the value."""
    scale = mcse if math.isfinite(mcse) and mcse > 0 else abs(value) / 100
    return min(max(-math.floor(math.log10(scale)), 0), 6) if scale > 0 else 1


def percent(value: float, mcse: float, runs: int) -> str:
    """A share with its standard error; where it never or always happened, how sure that is."""
    if value in (0.0, 1.0):
        # The 95% limit of a share that was never seen in `runs` trials ("rule of three").
        limit = 100 * (1 - 0.05 ** (1 / runs))
        return f"0% (< {limit:.2g}%)" if value == 0 else f"100% (> {_floor(100 - limit)}%)"
    places = 1 if mcse >= VANISHES / 100 else max(3, places_for(100 * mcse, 100 * value))
    return f"{100 * value:.{places}f}% ± {100 * mcse:.{places}f}"


def mean_share(value: float, mcse: float) -> str:
    """A mean of shares with its standard error: not a chance, so 0 and 1 need no caution."""
    error = "" if math.isnan(mcse) else f" ± {error_in_words(100 * mcse)}"
    return f"{100 * value:.1f}%{error}"


def _floor(value: float) -> str:
    """As many nines as there are: 99.7, 99.9997."""
    places = max(1, math.ceil(-math.log10(100 - value)) + 1)
    return f"{math.floor(value * 10**places) / 10**places:.{places}f}"


def whole_percent(value: float) -> str:
    """A share in whole per cent; a small one does not vanish."""
    if 0 < value <= 0.005:
        return "<1%"
    return ">99%" if 0.995 <= value < 1 else f"{100 * value:.0f}%"


def given_in_words(
    value: object,
    several: str = " and ",
    named: Callable[[str, str], str] = "{} {}".format,
) -> str:
    """A value that somebody chose for a field or a parameter.

    `several` stands between those of a list, and `named` joins the name of a part and its value.
    """
    if value is None or value == "":
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, dict):
        parts = ((name, given_in_words(part, several, named)) for name, part in value.items())
        return ", ".join(named(name, part) for name, part in parts)
    if isinstance(value, list | tuple):
        return several.join(given_in_words(part, several, named) for part in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def thinned(size: int) -> NDArray[np.int64]:
    """Which points of a long curve to draw: the first ones, then ever fewer, and the last."""
    if size <= ALL_POINTS:
        return np.arange(size)
    later = np.geomspace(ALL_POINTS, size - 1, ALL_POINTS).astype(np.int64)
    return np.unique(np.concatenate([np.arange(ALL_POINTS), later, [size - 1]]))
