"""When a dose is judged, and up to how many patients."""

import math

import numpy as np

from gai_core.criteria.exact.parameters import ExactParameters
from gai_core.criteria.looks import EqualLooks, equal_counts, equal_share
from gai_core.criteria.sides import Numbers
from gai_core.evidence import Setting


def last_look(setting: Setting, parameters: ExactParameters) -> int:
    """The number of patients of an arm at which it is judged for the last time."""
    if isinstance(parameters.looks, tuple):
        return parameters.looks[-1]
    equally, most = setting.equal_count, setting.largest_count
    if parameters.up_to == "possible":
        most = setting.possible_count
    if parameters.once_at_end:
        most = setting.largest_count if setting.unlike else equally
    elif isinstance(parameters.looks, EqualLooks):
        most = equal_share(setting)
    shares = parameters.largest_share
    largest = parameters.largest if shares is None else math.floor(shares * equally)
    return min(largest or most, most)


def look_counts(setting: Setting, parameters: ExactParameters) -> Numbers:
    """The numbers of patients of an arm at which it is judged, from the burn-in on."""
    end, looks = last_look(setting, parameters), parameters.looks
    if isinstance(looks, tuple):
        counts = np.array(looks, float)
    elif isinstance(looks, EqualLooks):
        counts = equal_counts(looks.equal, end)
    elif looks == "end":
        counts = np.array([float(end)])
    else:
        counts = np.union1d(np.arange(looks, end + 1, looks, dtype=float), [end])
    return counts[counts >= setting.first_verdict]


def declaring_counts(setting: Setting, parameters: ExactParameters) -> Numbers:
    """Those of them at which it can be declared: all, or those from a share of the last one on."""
    counts = look_counts(setting, parameters)
    return counts[counts >= parameters.declare_from * last_look(setting, parameters)]
