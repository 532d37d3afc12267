"""Where an error belongs: the part of the page, and the place in a trialist's words."""

from typing import Any, NamedTuple

from gai_core.basics import Argument, InputError, Place, Problem, path
from gai_core.evidence import every_outcome

Data = dict[str, Any]
"""A study as data, which may be invalid."""
WORDS = {
    "title": "Title",
    "source": "Where the figures come from",
    "notes": "Notes",
    "threshold": "Target response",
    "margin": "Margin above the control",
    "target": "A good dose",
    "target.over": "A good dose",
    "target.margin": "Margin above control",
    "target.evidence": "Pairs are counted by",
    "target.control_at_least": "Control's rate at least",
    "target.control_at_most": "Control's rate at most",
    "estimand": "Estimand",
    "estimand.objective": "Objective",
    "estimand.population": "Population",
    "estimand.treatment": "Treatments compared",
    "estimand.variable": "Variable",
    "estimand.intercurrent_events": "Intercurrent events",
    "estimand.summary_measure": "Summary measure",
    "delta": "Error rate (delta)",
    "errors": "Errors allowed",
    "errors.declare": "False declaration (alpha)",
    "errors.drop": "Good dose dropped (beta)",
    "wanted": "Doses wanted",
    "judge_control": "The control is judged like a dose",
    "outcome.endpoint": "Endpoint",
    "simulation.n_max": "Largest sample size",
    "simulation.runs": "Simulated trials",
    "simulation.seed": "Seed",
    "arms": "Dose arms",
    "truths": "Assumed dose-responses",
    "designs": "Designs",
    "conduct": "Conduct",
    "conduct.accrual.per_month": "Patients a month",
    "conduct.accrual.pattern": "Arrival",
    "conduct.accrual.ramp_up": "Months of ramp-up",
    "conduct.delay.weeks": "Weeks to outcome",
    "conduct.delay.pattern": "Delay pattern",
    "conduct.delay.spread": "Spread in weeks",
    "conduct.cohort": "Patients in a cohort",
    "conduct.looks.outcomes": "Outcomes from look to look",
    "conduct.looks.weeks": "Weeks from look to look",
    "conduct.looks.at": "Outcomes at the looks",
    "conduct.randomisation.share": "Share at random",
    "conduct.randomisation.softness": "Softness",
    "conduct.randomisation.ratio": "Ratio of the doses",
    "conduct.dropout.probability": "Chance of dropout",
    "conduct.dropout.probability_on_target": "Chance on target",
    "conduct.dropout.counted": "Dropouts are",
    "conduct.dropout.in_means": "The assumed means have dropouts in them",
    "conduct.control_share": "Share of control",
    "conduct.wanted": "Doses wanted",
}

ARGUMENTS = {
    "vary": "Vary",
    "want": "Chance",
    "at": "Power",
    "solve": "Find",
    "among": "Search range",
    "within": "Largest sample size",
    "minimise": "With the fewest",
    "effort": "How long to search",
    "truth": "Assumed dose-responses",
    "design": "Designs",
}
"""What the arguments of a question are called on the explore page."""


class Shown(NamedTuple):
    """A sentence, and the part of the study (and of the page) it belongs to."""

    part: str
    text: str


def located(problem: Problem, data: Data) -> Shown:
    """The problem with its places in words, for example the dose's label instead of arms[2]."""

    def named(place: Place) -> str:
        words = name(place, data)
        return f"“{words}”" if place[0] == "conduct" else words

    if not problem.place:
        return Shown("", problem.what(named))
    return Shown(_part(problem.place), f"{name(problem.place, data)}: {problem.what(named)}")


def _part(place: Place) -> str:
    """The part of the page: the first key, but each row of the conduct's widgets has its own."""
    return path(place[:2]) if place[0] == "conduct" else str(place[0])


def sentences(error: InputError) -> list[str]:
    """What is wrong with a question: its arguments in the words of the explore page."""

    def named(place: Place) -> str:
        return name(place, {}) if isinstance(place[0], Argument) else path(place)

    return error.sentences(named)


def of_a_study(error: InputError) -> list[str]:
    """What is wrong with a study that could not be opened, in the words of the plan page."""
    return [
        located(problem, {}).text if problem.place else sentence
        for problem, sentence in zip(error.problems, error.sentences(), strict=True)
    ]


def name(place: Place, data: Data) -> str:
    """A place in a trialist's words."""
    first, *rest = place
    if isinstance(first, Argument):
        return ARGUMENTS.get(first, first)
    if not rest or not isinstance(rest[0], int) or first not in ("arms", *_ONE):
        known = place[:-1] if isinstance(place[-1], int) else place  # an entry of a list
        return (WORDS | _own_numbers()).get(path(known), path(known))
    row, inner = rest[0], tuple(rest[1:])
    if first == "arms":
        return f"Dose arm {row + 1}{_aside(inner)}"
    rows = data.get(str(first), [])
    own = (rows[row].get("name") if row < len(rows) else None) or f"{_ONE[str(first)]} {row + 1}"
    if first == "truths" and inner[:1] == ("means",) and len(inner) == 2:
        return f"{_label(data, int(inner[1]))}, {own}"
    return f"{own}{_aside(inner)}"


def _own_numbers() -> dict[str, str]:
    """What the numbers of every kind of outcome are called."""
    return {
        f"outcome.{name}": field.label
        for kind in every_outcome()
        for name, field in kind.numbers.items()
    }


_ONE = {"truths": "assumption", "designs": "design"}


def _aside(inner: Place) -> str:
    kept = inner[1:] if str(inner[:1][0] if inner else "").endswith("_parameters") else inner
    return f", {path(kept).replace('_', ' ')}" if kept else ""


def _label(data: Data, arm: int) -> str:
    arms = data.get("arms", [])
    return (arms[arm].get("label") if arm < len(arms) else None) or f"dose arm {arm + 1}"
