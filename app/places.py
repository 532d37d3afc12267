"""Where an error belongs: the part of the page, and the place in a trialist's words."""

import re
from typing import NamedTuple

from app.draft import Data

_PLACE = re.compile(
    r"^(?P<part>[a-z_]+)(\[(?P<row>\d+)\])?(\.(?P<rest>[^\s:]+))?:?\s+(?P<what>.*)$", re.S
)
_MEAN = re.compile(r"^means\[(\d+)\]$")
_DESIGN = re.compile(r"designs\[(\d+)\]")
WORDS = {
    "title": "Title",
    "threshold": "Target response",
    "delta": "Error rate",
    "outcome.variance": "Variance",
    "outcome.endpoint": "Endpoint",
    "simulation.n_max": "Largest sample size",
    "simulation.runs": "Simulated trials",
    "simulation.seed": "Seed",
    "arms": "Dose arms",
    "truths": "Assumed dose-responses",
    "designs": "Designs",
}


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
    what = match["what"].replace("a text in quotes", "a text").removesuffix(", but is None")
    what = _DESIGN.sub(lambda found: _in_words("designs", int(found[1]), "", data), what)
    if what != match["what"]:
        what = f"{what}, but is empty"
    words = _in_words(part, row, rest, data)
    return Problem(part, row, f"{words}: {what}")


def _in_words(part: str, row: int | None, rest: str, data: Data) -> str:
    if row is None:
        path = f"{part}.{rest}" if rest else part
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
