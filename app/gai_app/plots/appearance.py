"""Which look a design has: colour, dash and marker together, the same in every figure.

A design keeps its look while a session lasts, whatever its position: the first study's designs
have theirs in its order, as in the report, and who comes later gets one that is free.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import streamlit as st

from gai_core.figures import COLOURS
from gai_core.study import Study

DASHES = ("solid", "dash", "dashdot", "dot", "longdash", "longdashdot")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "star", "cross")


class Look(NamedTuple):
    """A design's colour, dash and marker."""

    colour: str
    dash: str
    symbol: str


def nth(number: int) -> Look:
    """The look of a number."""
    return Look(
        COLOURS[number % len(COLOURS)],
        DASHES[number % len(DASHES)],
        SYMBOLS[number % len(SYMBOLS)],
    )


def numbered(known: Mapping[str, int], names: Iterable[str]) -> dict[str, int]:
    """A number for every name: the one it had, unless another of these names has it by now.

    A new name gets the smallest that nobody ever had, while there are colours; after that the
    smallest that none of these names has.
    """
    numbers = dict(known)
    own: dict[str, int] = {}
    names = list(names)
    for name in names:
        if name in known and known[name] not in own.values():
            own[name] = known[name]
    for name in names:
        if name not in own:
            own[name] = _free(numbers.values())
            if own[name] >= len(COLOURS):
                own[name] = _free(own.values())
            numbers[name] = own[name]
    return numbers | own


def _free(taken: Iterable[int]) -> int:
    used = set(taken)
    return next(number for number in range(len(used) + 1) if number not in used)


def meet(study: Study) -> None:
    """Give the designs of a study their looks, in its order."""
    known = st.session_state.get("looks", {})
    st.session_state.looks = numbered(known, [design.name for design in study.designs])


def look(design: str) -> Look:
    """The look of the design of that name."""
    known: dict[str, int] = st.session_state.get("looks", {})
    if design not in known:
        st.session_state.looks = known = numbered(known, [design])
    return nth(known[design])
