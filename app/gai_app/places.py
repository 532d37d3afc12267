"""Where an error belongs: the part of the page, and the place in a trialist's words."""

import re
from typing import NamedTuple

from gai_app.draft import Data

_PLACE = re.compile(
    r"^(?P<part>[a-z_]+)(\[(?P<row>\d+)\])?(\.(?P<rest>[^\s:]+))?:?\s+(?P<what>.*)$", re.S
)
_MEAN = re.compile(r"^means\[(\d+)\]$")
_DESIGN = re.compile(r"designs\[(\d+)\]")
_CONDUCT = re.compile(r"\bconduct(\.[a-z_]+)+")
_EMPTY = ", but is None"
WORDS = {
    "title": "Title",
    "threshold": "Target response",
    "margin": "Margin above the control",
    "delta": "Error rate",
    "outcome.variance": "Variance",
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
    "conduct.dropout.probability": "Chance of dropout",
    "conduct.dropout.probability_on_target": "Chance on target",
    "conduct.dropout.counted": "Dropouts are",
    "conduct.dropout.in_means": "The assumed means have dropouts in them",
    "conduct.control_share": "Share of control",
    "conduct.wanted": "Doses wanted",
}

OPTIONS = {
    "--vary": "Vary",
    "--want": "Chance",
    "--solve": "Find",
    "--among": "Search range",
    "--truth": "Assumed dose-responses",
    "--design": "Designs",
}
"""What the command line's options are called on the explore page."""


class Problem(NamedTuple):
    """A sentence, and the part of the study (and of the page) it belongs to."""

    part: str
    row: int | None
    text: str


def located(sentence: str, data: Data) -> Problem:
    """The sentence with its place in words, for example the dose's label instead of arms[2]."""
    match = _PLACE.match(sentence)
    if match is None:
        return Problem("", None, sentence)
    part, rest = match["part"], match["rest"] or ""
    row = int(match["row"]) if match["row"] else None
    what = match["what"].replace("a text in quotes", "a text")
    if what.endswith(_EMPTY):
        what = f"{what.removesuffix(_EMPTY)}, but is empty"
    what = _DESIGN.sub(lambda found: _in_words("designs", int(found[1]), "", data), what)
    what = _CONDUCT.sub(lambda found: f"“{WORDS.get(found[0], found[0])}”", what)
    words = _in_words(part, row, rest, data)
    if part == "conduct" and rest:
        part = f"conduct.{re.split(r'[.[]', rest)[0]}"  # each row of widgets has its own errors
    return Problem(part, row, f"{words}: {what}")


def of_options(sentence: str) -> str:
    """A sentence about an option of the command line, with the field that takes its place here."""
    return re.sub(r"--[a-z]+", lambda found: OPTIONS.get(found[0], found[0]), sentence)


def _in_words(part: str, row: int | None, rest: str, data: Data) -> str:
    if row is None:
        path = re.sub(r"\[\d+\]$", "", f"{part}.{rest}" if rest else part)
        return WORDS.get(path, path)
    if part == "arms":
        return f"Dose arm {row + 1}{_aside(rest)}"
    if part == "truths":
        mean = _MEAN.match(rest)
        name = data["truths"][row].get("name") or f"assumption {row + 1}"
        if mean is not None:
            return f"{_label(data, int(mean[1]))}, {name}"
        return f"{name}{_aside(rest)}"
    name = data[part][row].get("name") or f"design {row + 1}"
    return f"{name}{_aside(rest)}"


def _aside(rest: str) -> str:
    name = rest.removeprefix("rule_parameters").removeprefix("criterion_parameters").strip(".")
    return f", {name.replace('_', ' ')}" if name else ""


def _label(data: Data, arm: int) -> str:
    arms = data["arms"]
    return (arms[arm].get("label") if arm < len(arms) else None) or f"dose arm {arm + 1}"
