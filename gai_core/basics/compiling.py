"""Functions that run inside the engine's loop.

They are written as plain Python and only marked here, so that reading a
registry or validating a study never waits for the compiler. The engine hands
every marked function to numba when it is first imported.
"""

from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

MARKED: list[Callable[..., Any]] = []


def jitable(function: Function) -> Function:
    """Mark a function as one that the engine compiles into its loop."""
    MARKED.append(function)
    return function
