"""Formulas of the registries as they are printed: Greek letters, fractions, roots, powers, indices.

The registries write formulas in the letters of a keyboard, for the command line: `sqrt(2 s2
log(t) / n_i)`. A report sets them: `pieces` has words as words, between which a line may end, and
what is mathematics as trees, once for all formats; a format's writer has a line for each of their
five kinds of parts. What stands before a `/` up to the last sign is the numerator, the factor
behind it the denominator, and brackets around either are left out, as a fraction needs none.
"""

import re
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter, or_
from typing import NamedTuple

WORDS = {
    "argmax of": "the dose with the largest",
    "argmax": "the dose with the largest",
    "argmin": "the dose with the smallest",
    "log2": "log_2",
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
    "pocock": "Pocock's shape",
    "wang-tsiatis": "Wang and Tsiatis",
}
SIGNS = {">=": "≥", "<=": "≤", " ~ ": " drawn from ", " - ": " − ", " | ": " ∣ "}
_WORD = re.compile("|".join(rf"(?<![A-Za-z]){re.escape(word)}(?![A-Za-z])" for word in WORDS))
_SIGN = re.compile("|".join(map(re.escape, SIGNS)))
_TOKEN = re.compile(
    r"\d+(?:\.\d+)?(?:th\b)?|[A-Za-z]+(?:[-'][A-Za-z]+)*|\s+|."
)  # numbers, words and letters, room, signs
FUNCTIONS = {"log", "max", "min"}
LETTERS = set("cdeimnqrstvzEKNPS")
"""Letters that stand for something; `a` is a word."""
OPEN, CLOSE = "([{|", ")]}|"
ENDS = set("+−-,;:≥≤=<>∣")
"""Signs before which a numerator does not reach."""
PROSE = {",", ";"}


class Text(NamedTuple):
    """A letter, a number, a sign or words; `role` says which: letter, sign or words."""

    text: str
    role: str


class Row(NamedTuple):
    """Parts beside each other; with `brackets` around them."""

    parts: "tuple[Part, ...]"
    brackets: str = ""


class Root(NamedTuple):
    """A square root."""

    inside: Row


class Fraction(NamedTuple):
    """One row above another."""

    above: Row
    below: Row


class Marked(NamedTuple):
    """A part with an index below it, a power above it, or both."""

    base: "Part"
    below: Row | None
    above: Row | None


ROOM = Text(" ", "room")
Part = Text | Row | Root | Fraction | Marked


def in_a_line(formula: str) -> str:
    """A formula where nothing can be raised, lowered or set one above another."""
    text = re.sub(r"\^\(([^()]*)\)", r"^\1", _spelled(formula))
    return text.replace("^2", "²").replace("_i", "ᵢ")


def _spelled(formula: str) -> str:
    """A formula with the letters and words that are printed."""
    worded = _WORD.sub(lambda found: WORDS[found[0]], formula)
    return _SIGN.sub(lambda found: SIGNS[found[0]], worded)


def pieces(formula: str) -> list[str | Row]:
    """A formula of a registry as it is read: words, and trees between them."""
    parts = [piece for part in parsed(formula).parts for piece in _opened(part)]
    prose = list(map(_is_prose, parts))
    beside = zip([True, *prose[:-1]], [*prose[1:], True], strict=True)
    room = [part == ROOM and any(sides) for part, sides in zip(parts, beside, strict=True)]
    found: list[str | Row] = []
    for is_text, group in groupby(zip(parts, map(or_, prose, room), strict=True), itemgetter(1)):
        row = tuple(part for part, _ in group)
        words = "".join(part.text for part in row if isinstance(part, Text))
        found.append(words if is_text else Row(row))
    return found


def _is_prose(part: Part) -> bool:
    """Whether a line may end at a part: words, and commas between formulas."""
    if not isinstance(part, Text) or part.text in FUNCTIONS:
        return False
    return part.role == "words" or part.text in PROSE


def _opened(part: Part) -> tuple[Part, ...]:
    """Words in brackets as words; every other part as it is."""
    if isinstance(part, Row) and part.brackets:
        signs = {piece.text for piece in part.parts if isinstance(piece, Text)}
        words = sum(map(_is_prose, part.parts))
        if words > 1 and not signs & (ENDS - PROSE):
            ends = Text(part.brackets[0], "words"), Text(part.brackets[1], "words")
            return (ends[0], *part.parts, ends[1])
    return (part,)


def parsed(formula: str) -> Row:
    """A formula as one tree, its words too."""
    return Row(_Parser(_TOKEN.findall(_spelled(formula))).row(""))


class _Parser:
    """Reads tokens from left to right; a bracket is a row of its own."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens, self.at = tokens, 0

    @property
    def next(self) -> str:
        """The token to come; empty at the end."""
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        """The token to come, read."""
        token = self.next
        self.at += 1
        return token

    def row(self, end: str) -> tuple[Part, ...]:
        """The parts up to a closing bracket, or to the end; fractions are made."""
        parts: list[Part] = []
        while self.next and self.next != end:
            if self.next != "/":
                parts.append(self.marked())
                continue
            self.take()
            self.skip()
            above = _numerator(parts)
            parts.append(Fraction(_bare(above), _bare([self.marked()])))
        self.take()
        return tuple(parts)

    def skip(self) -> None:
        """Read room."""
        while self.next.isspace():
            self.take()

    def marked(self) -> Part:
        """A part with what is below and above it."""
        base = self.part()
        below = above = None
        while self.next in {"_", "^"} and self.next:
            if self.take() == "_":
                below = _bare([self.part()])
            else:
                above = _linear(self.part())
        return base if below is None and above is None else Marked(base, below, above)

    def part(self) -> Part:
        """One letter, sign, bracket or root, or words."""
        token = self.take()
        if token == "√":
            self.skip()
            inside = self.part()
            return Root(_bare([inside]))
        if token in OPEN:
            close = CLOSE[OPEN.index(token)]
            return Row(self.row(close), token + close)
        if token.isspace():
            return ROOM
        if token == "-":
            return Text("−", "sign")
        if token in FUNCTIONS or (token.isalpha() and len(token) > 1) or "'" in token:
            return Text(token, "words")
        if re.fullmatch(r"[A-Za-z]", token):
            return Text(token, "letter" if token in LETTERS else "words")
        if re.search(r"[A-Za-z]", token):
            return Text(token, "words")
        return Text(token, "letter" if token.isalpha() else "sign")


def _numerator(parts: list[Part]) -> list[Part]:
    """Take from a row what stands before `/`, back to the last sign or word."""
    taken: list[Part] = []
    while parts and not _ends_term(parts[-1]):
        taken.insert(0, parts.pop())
    while taken and taken[0] == ROOM:
        parts.append(taken.pop(0))
    while taken and taken[-1] == ROOM:
        taken.pop()
    return taken


def _ends_term(part: Part) -> bool:
    if not isinstance(part, Text):
        return False
    return part.text in ENDS or (part.role == "words" and part.text not in FUNCTIONS)


def _bare(parts: list[Part]) -> Row:
    """Parts as a row; brackets around all of them are left out."""
    match parts:
        case [Row(inside, _)]:
            return Row(inside)
        case _:
            return Row(tuple(parts))


def _linear(part: Part) -> Row:
    """A power, in which a fraction stays in its line: there is no room for two."""

    def flat(part: Part) -> tuple[Part, ...]:
        match part:
            case Fraction(above, below):
                return (*above.parts, Text("/", "sign"), *below.parts)
            case _:
                return (part,)

    inside = part.parts if isinstance(part, Row) else (part,)
    return Row(tuple(piece for each in inside for piece in flat(each)))
