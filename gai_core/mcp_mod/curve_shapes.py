"""Candidate shapes of a dose-response curve, f(d) = e0 + e1 g(d; theta), and guesses of theta.

Bretz, Pinheiro and Branson, Biometrics 61:738, 2005; Pinheiro, Bornkamp, Glimm and Bretz, Stat.
Med. 33:1646, 2014. A guess of theta gives the contrast that is best for the shape; when curves are
fitted, theta is searched within bounds that grow with the largest dose, those of the R package
DoseFinding.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gai_core.basics import Registry

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Axis:
    """One number of theta while curves are fitted, as a share of the largest dose or by itself."""

    low: float
    high: float
    logarithmic: bool = True

    @property
    def span(self) -> tuple[float, float]:
        """Where it is searched, on the scale on which steps are equal."""
        ends = np.log([self.low, self.high]) if self.logarithmic else (self.low, self.high)
        return float(ends[0]), float(ends[1])

    def value(self, place: Any) -> Any:
        """From a place in the span to the number."""
        return np.exp(place) if self.logarithmic else place


@dataclass(frozen=True, kw_only=True)
class Shape:
    """A family of curves; doses are in units of the largest one, and so is theta."""

    key: str
    label: str
    formula: str
    curve: Callable[..., Any]
    """g(d, *theta), for contrasts."""
    usual: tuple[float, ...] = ()
    """The guess of theta where nobody has another, in units of the largest dose."""
    powers: tuple[int, ...] = ()
    """The power of a dose that each number of theta is: it is divided by that of the largest."""
    positive: tuple[bool, ...] = ()
    """Which numbers of theta must be above 0; the others must be below."""
    axes: tuple[Axis, ...] = ()
    """Where theta is searched when curves are fitted; empty where it is given or there is none."""
    fitted: Callable[..., Any] | None = None
    """g over these axes, where that is another function than `curve`."""
    parameters: int = 2
    """e0, e1 and what is searched."""

    def in_units(self, guess: Sequence[float], largest: float) -> tuple[float, ...]:
        """A guess in the units of the doses as one in units of the largest dose."""
        return tuple(
            value / largest**power for value, power in zip(guess, self.powers, strict=True)
        )

    def fitted_curve(self, doses: Any, guess: tuple[float, ...], theta: Sequence[Any]) -> Any:
        """g while it is fitted: theta is searched, or given by the guess."""
        return (self.fitted or self.curve)(doses, *(theta if self.axes else guess))


def _emax(d: Any, ed50: Any) -> Any:
    return d / (ed50 + d)


def _sigmoid(d: Any, ed50: Any, h: Any) -> Any:
    with np.errstate(divide="ignore"):  # (ed50/0)^h is infinite, and the curve 0
        return 1 / (1 + (ed50 / d) ** h)


def _logistic(d: Any, ed50: Any, delta: Any) -> Any:
    return 1 / (1 + np.exp((ed50 - d) / delta))


_ED50 = Axis(0.001, 1.5)

SHAPES: Registry[Shape] = Registry(
    "shape",
    [
        Shape(key="linear", label="linear", formula="d", curve=lambda d: d),
        Shape(
            key="linlog",
            label="linear in log dose",
            formula="log(d + offset)",
            curve=lambda d, offset: np.log(d + offset),
            usual=(1.0,),
            powers=(1,),
            positive=(True,),
        ),
        Shape(
            key="emax",
            label="Emax",
            formula="d / (ed50 + d)",
            curve=_emax,
            usual=(0.2,),
            powers=(1,),
            positive=(True,),
            axes=(_ED50,),
            parameters=3,
        ),
        Shape(
            key="sigmoid-emax",
            label="sigmoid Emax",
            formula="d^h / (ed50^h + d^h)",
            curve=_sigmoid,
            usual=(0.4, 4.0),
            powers=(1, 0),
            positive=(True, True),
            axes=(_ED50, Axis(0.5, 10.0)),
            parameters=4,
        ),
        Shape(
            key="exponential",
            label="exponential",
            formula="exp(d / delta) - 1",
            curve=lambda d, delta: np.expm1(d / delta),
            usual=(0.28,),
            powers=(1,),
            positive=(True,),
            axes=(Axis(0.1, 2.0),),
            parameters=3,
        ),
        Shape(
            key="quadratic",
            label="quadratic",
            formula="d + b d^2",
            curve=lambda d, b: d + b * d * d,
            usual=(-0.85,),
            powers=(-1,),
            positive=(False,),
            # All quadratic curves: any mixture of d and d^2, by the angle between them.
            axes=(Axis(0.0, np.pi, logarithmic=False),),
            fitted=lambda d, angle: np.cos(angle) * d + np.sin(angle) * d * d,
            parameters=3,
        ),
        Shape(
            key="logistic",
            label="logistic",
            formula="1 / (1 + exp((ed50 - d) / delta))",
            curve=_logistic,
            usual=(0.4, 0.09),
            powers=(1, 1),
            positive=(True, True),
            axes=(_ED50, Axis(0.01, 0.5)),
            parameters=4,
        ),
    ],
)
"""Usual guesses are those of the published example (`biom.py`); that of sigmoid Emax is assumed."""


@dataclass(frozen=True)
class Candidate:
    """A shape with a guess of its theta, in units of the largest dose."""

    shape: Shape
    guess: tuple[float, ...]

    def curve(self, doses: Numbers) -> Numbers:
        """g at doses in units of the largest."""
        return np.asarray(self.shape.curve(doses, *self.guess), np.float64)


def usual_candidates(levels: int) -> tuple[Candidate, ...]:
    """Every shape that so many arms, the control among them, can tell, as usually guessed."""
    return tuple(
        Candidate(shape, shape.usual) for shape in SHAPES.values() if shape.parameters <= levels
    )
