"""The public example of MCP-Mod: 100 patients on placebo and four doses, 20 each.

Bretz, Pinheiro and Branson, Combining multiple comparisons and modeling techniques in dose-response
studies, Biometrics 61:738-748, 2005. The data are those that come with the R package DoseFinding
(`biom`), with the usual guesses of the candidate shapes; its figures stand beside those computed
here.
"""

from importlib.resources import files
from typing import NamedTuple

import numpy as np

from gai_core.mcp_mod.curve_shapes import SHAPES, Candidate, Numbers
from gai_core.mcp_mod.estimates import Estimates, Totals, of_scores
from gai_core.mcp_mod.one_analysis import Method, dose_reaching, fits_of

GUESSES: dict[str, tuple[float, ...]] = {
    "emax": (0.2,),
    "quadratic": (-0.85,),
    "linlog": (1.0,),
    "linear": (),
    "logistic": (0.4, 0.09),
    "exponential": (0.28,),
}
RELEVANT = 0.4
"""The difference from placebo that matters."""

PUBLISHED: dict[str, tuple[float, int]] = {
    "t of emax": (3.464, 3),
    "t of quadratic": (3.119, 3),
    "t of linlog": (3.109, 3),
    "t of linear": (2.972, 3),
    "t of logistic": (2.915, 3),
    "t of exponential": (2.220, 3),
    "adjusted p of emax": (0.0012, 4),
    "AIC of emax": (219.14, 2),
    "MED for a difference of 0.4": (0.164, 3),
}
"""Figures and their decimal places."""


class Figure(NamedTuple):
    """A published number beside the one computed here."""

    name: str
    published: float
    computed: float
    places: int

    @property
    def same(self) -> bool:
        """Whether they agree to all digits that are given."""
        return round(self.computed, self.places) == self.published


def biom() -> tuple[Numbers, Estimates]:
    """The doses, and the estimates of the one trial."""
    text = (files("gai_core.mcp_mod") / "biom.csv").read_text(encoding="utf-8")
    dose, response = np.loadtxt(text.splitlines(), delimiter=",", skiprows=1, unpack=True)
    doses = np.unique(dose)
    arms = [response[dose == one] for one in doses]
    of_arms = [(arm.size, arm.mean(), ((arm - arm.mean()) ** 2).sum()) for arm in arms]
    count, mean, squares = np.array(of_arms).T[:, None, :]
    return doses, of_scores(Totals(count, mean, squares))


def biom_method(doses: Numbers) -> Method:
    """The candidate shapes of the example; its largest dose is 1."""
    candidates = tuple(Candidate(SHAPES[key], guess) for key, guess in GUESSES.items())
    return Method(doses, candidates, 0.025)


def check_biom() -> list[Figure]:
    """Every published figure beside the one computed here; AIC chooses the curve."""
    doses, estimates = biom()
    method = biom_method(doses)
    keys = [candidate.shape.key for candidate in method.candidates]
    statistics = dict(zip(keys, method.statistics(estimates)[0], strict=True))
    fits = dict(zip(keys, fits_of(method, estimates), strict=True))
    best = min(keys, key=lambda key: float(fits[key].criterion[0]))
    computed = {f"t of {key}": float(value) for key, value in statistics.items()} | {
        "adjusted p of emax": method.adjusted(statistics["emax"], float(estimates.df[0])),
        f"AIC of {best}": float(fits[best].criterion[0]),
        "MED for a difference of 0.4": dose_reaching(fits[best], RELEVANT),
    }
    return [
        Figure(name, published, computed.get(name, float("nan")), places)
        for name, (published, places) in PUBLISHED.items()
    ]
