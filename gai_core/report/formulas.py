"""Formulas of the registries as they are printed: Greek letters, roots, powers, indices.

The registries write formulas in the letters of a keyboard, for the command line. A report sets
them: words as words, `xi` as ξ, `sqrt(` as √(, `n^2` as n², `n_i` as nᵢ.
"""

import re

WORDS = {
    "argmax of": "the dose with the largest",
    "argmax": "the dose with the largest",
    "argmin": "the dose with the smallest",
    "log2": "log₂",
    "c_good": "c(good)",
    "c_bad": "c(bad)",
    "remaining_i": "ρᵢ",
    "theta_i": "θᵢ",
    "sqrt": "√",
    "xi": "ξ",
    "theta": "θ",
    "delta": "δ",
    "alpha": "α",
    "beta": "β",
    "sigma": "σ",
    "s2": "s²",
    "pocock": "Pocock's shape; others likewise",
}
SIGNS = {">=": "≥", "<=": "≤", " ~ ": " drawn from ", "^2": "²", "_i": "ᵢ", "_+": "₊", " - ": " − "}
_WORD = re.compile("|".join(rf"(?<![A-Za-z]){re.escape(word)}(?![A-Za-z])" for word in WORDS))
_SIGN = re.compile("|".join(map(re.escape, SIGNS)))


def typeset(formula: str) -> str:
    """A formula of a registry as it is printed."""
    worded = _WORD.sub(lambda found: WORDS[found[0]], formula)
    return _SIGN.sub(lambda found: SIGNS[found[0]], worded)
