"""Formulas of the registries as they are printed: Greek letters, roots, powers, indices.

The registries write formulas in the letters of a keyboard, for the command line. A report sets
them: words as words, `xi` as ξ, `sqrt(` as √(, `n^2` with a raised 2, `n_i` with a lowered i.
"""

import re
from typing import NamedTuple

WORDS = {
    "argmax of": "the dose with the largest",
    "argmax": "the dose with the largest",
    "argmin": "the dose with the smallest",
    "log2": "log_2",
    "c_good": "c_good",
    "c_bad": "c_bad",
    "remaining_i": "ρ_i",
    "theta_i": "θ_i",
    "sqrt": "√",
    "xi": "ξ",
    "theta": "θ",
    "delta": "δ",
    "alpha": "α",
    "beta": "β",
    "sigma": "σ",
    "s2": "s^2",
    "pocock": "Pocock's shape; others likewise",
    "wang-tsiatis": "Wang and Tsiatis",
}
SIGNS = {">=": "≥", "<=": "≤", " ~ ": " drawn from ", " - ": " − "}
_WORD = re.compile("|".join(rf"(?<![A-Za-z]){re.escape(word)}(?![A-Za-z])" for word in WORDS))
_SIGN = re.compile("|".join(map(re.escape, SIGNS)))
_PLACE = re.compile(r"\^\(([^()]*)\)|\^(\w+)|_(good|bad|\w|\+)")
LEVEL, RAISED, LOWERED = "", "sup", "sub"


class Letters(NamedTuple):
    """A part of a formula, and whether it is raised or lowered."""

    text: str
    place: str = LEVEL


def typeset(formula: str) -> list[Letters]:
    """A formula of a registry in its parts, as they are printed."""
    worded = _WORD.sub(lambda found: WORDS[found[0]], formula)
    signed = _SIGN.sub(lambda found: SIGNS[found[0]], worded)
    parts, end = [], 0
    for found in _PLACE.finditer(signed):
        parts.append(Letters(signed[end : found.start()]))
        in_brackets, above, below = found.groups()
        raised = in_brackets or above
        parts.append(Letters(raised, RAISED) if raised else Letters(below, LOWERED))
        end = found.end()
    return [part for part in (*parts, Letters(signed[end:])) if part.text]


def in_a_line(formula: str) -> str:
    """The same where nothing can be raised or lowered."""
    marks = {LEVEL: "", RAISED: "^", LOWERED: "_"}
    text = "".join(f"{marks[part.place]}{part.text}" for part in typeset(formula))
    return text.replace("^2", "²").replace("_i", "ᵢ")
