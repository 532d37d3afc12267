"""Whether MCP-Mod can be asked of a study, and with which shapes; else it is refused in words."""

import math
from collections.abc import Sequence

import numpy as np

from gai_core.basics import Argument, InputError, Problem, in_a_row, shown, suggestion
from gai_core.mcp_mod.contrasts import curves_of
from gai_core.mcp_mod.curve_shapes import SHAPES, Candidate, Numbers, Shape, usual_candidates
from gai_core.mcp_mod.one_analysis import Method
from gai_core.study import UNORDERED, Study, doses_in_order, doses_of

FEWEST = 2
"""Patients of an arm."""
SMALLEST = 1e-100
"""Height of a curve."""


def why_not(study: Study) -> Problem | None:
    """What keeps MCP-Mod from a study, if something does."""
    needs = "MCP-Mod needs a study with"
    if study.control is None:
        return Problem(
            ("arms",), f"{needs} a control arm", remedy="mark one with control = true", whole=True
        )
    if not doses_in_order(study) or len(doses_of(study)) < 2:
        rule = f"{needs} at least two {UNORDERED}"
        return Problem(("arms",), rule, whole=True)
    if (study.arms[study.control].dose or 0.0) != 0 or _amounts(study)[1] <= 0:
        rule = f"{needs} a control of amount 0 and doses above it"
        return Problem(("arms",), rule, whole=True)
    if not (study.outcome.all_or_nothing or study.outcome.has_variance):
        rule = f"{needs} responses or scores"
        return Problem(("outcome", "kind"), rule, f"is {study.outcome.kind}", whole=True)
    if per_arm(study) < FEWEST:
        rule = f"must be at least {FEWEST * len(study.arms)} for MCP-Mod, {FEWEST} patients an arm"
        return Problem(("simulation", "n_max"), rule, f"is {study.simulation.n_max}")
    if all(truth.trend for truth in study.truths):
        rule = "MCP-Mod has no calendar here, and every truth has a trend over time"
        return Problem(("truths",), rule, remedy="add one without", whole=True)
    return None


def per_arm(study: Study) -> int:
    """Patients of every arm of the fixed equal trial."""
    return study.simulation.n_max // len(study.arms)


def in_order(study: Study) -> list[int]:
    """Positions of the arms: the control, then the doses from low to high."""
    assert study.control is not None
    return [study.control, *doses_in_order(study)]


def _amounts(study: Study) -> Numbers:
    return np.array([study.arms[arm].dose or 0.0 for arm in in_order(study)])


def method_for(study: Study, shapes: Sequence[str] = ()) -> Method:
    """The method for a study: its doses, the shapes asked for or all usual ones, its alpha.

    A shape is a text: `emax`, or `emax=0.2` with a guess in the unit of the doses.
    """
    problem = why_not(study)
    if problem is not None:
        raise InputError(problem)
    amounts = _amounts(study)
    largest = float(amounts[-1])
    doses = amounts / largest
    candidates = tuple(_candidate(text, largest, doses) for text in shapes)
    if len({candidate.shape.key for candidate in candidates}) < len(candidates):
        raise InputError(Problem((Argument("shape"),), "a shape may be named once", whole=True))
    alpha = study.error_rates.declare
    return Method(doses, candidates or usual_candidates(doses.size), alpha)


def _candidate(text: str, largest: float, doses: Numbers) -> Candidate:
    """`emax=0.2` as a shape with a guess."""
    key, _, numbers = text.partition("=")
    if key not in SHAPES:
        rule = f"{shown(key)} is no shape"
        raise InputError(
            Problem((Argument("shape"),), rule, remedy=suggestion(key, SHAPES), whole=True)
        )
    shape = SHAPES[key]
    if shape.parameters > doses.size:
        rule = f"{key} has {shape.parameters} parameters and needs as many arms"
        raise InputError(Problem((Argument("shape"),), rule, f"there are {doses.size}", whole=True))
    candidate = Candidate(shape, shape.usual)
    if numbers:
        candidate = Candidate(shape, shape.in_units(_guess(shape, numbers), largest))
    with np.errstate(all="ignore"):
        curve = curves_of([candidate], doses)
    height = np.abs(curve).max()
    measured = SMALLEST <= height <= 1 / SMALLEST  # squares of it are numbers; nan is none
    if not measured or np.ptp(curve) <= 1e-9 * height:
        rule = f"{shown(text)} makes a curve that cannot be told at these doses"
        raise InputError(
            Problem((Argument("shape"),), rule, remedy="choose another guess", whole=True)
        )
    return candidate


def _guess(shape: Shape, text: str) -> list[float]:
    """The numbers behind a shape's name."""
    parts = text.split(",")
    try:
        values = [float(part) for part in parts]
    except ValueError:
        values = []
    fits = len(values) == len(shape.usual) and all(
        math.isfinite(value) and (value > 0 if positive else value < 0)
        for value, positive in zip(values, shape.positive, strict=False)
    )
    if not fits:
        signs = in_a_row(f"one {'above' if p else 'below'} 0" for p in shape.positive)
        rule = f"{shape.key} takes {signs or 'no number'}"
        raise InputError(Problem((Argument("shape"),), rule, f"is {shown(text)}", whole=True))
    return values
