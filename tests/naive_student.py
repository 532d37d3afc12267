"""The t-statistic and the running standard deviation, from a list of outcomes, for the oracles."""

from math import inf, sqrt
from statistics import fmean, stdev


def t_statistic(values: list[float], xi: float) -> float:
    """(mean - xi) sqrt(n) / sd, 0 where it does not exist."""
    if len(values) < 2 or stdev(values) == 0:
        return 0.0
    return (fmean(values) - xi) * sqrt(len(values)) / stdev(values)


def t_limit(n: int, ratio: float) -> float:
    """The t-statistic of a limit on R = s/sqrt(q): q = (n-1) sd^2 + s^2/n."""
    return ratio if abs(ratio) == inf else ratio * sqrt((n - 1) / (n - ratio**2))


def running_deviation(values: list[float], xi: float) -> float:
    """Of a dose's outcomes, and of one more that is as far from their mean as they are from xi."""
    n, mean = len(values), fmean(values)
    about_mean = sum((x - mean) ** 2 for x in values)
    about_target = sum((x - xi) ** 2 for x in values)
    return sqrt((about_mean + about_target / n) / n)
