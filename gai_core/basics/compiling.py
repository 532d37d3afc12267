"""Functions that run inside the engine's loop.

They are written as plain Python and only marked here, so that reading a
registry or validating a study never waits for the compiler. The engine hands
every marked function to numba when it is first imported.
"""

from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

MARKED: list[Callable[..., Any]] = []
LOOP_STEPS: set[Callable[..., Any]] = set()


def jitable(function: Function) -> Function:
    """Mark a function as one that the engine compiles into its loop."""
    MARKED.append(function)
    return function


def loop_step(function: Function) -> Function:
    """Mark a step of a loop: compiled in place of its call, for it takes and gives much state.

    A step writes into the arrays it is given and makes none of its own.
    """
    LOOP_STEPS.add(function)
    return jitable(function)
