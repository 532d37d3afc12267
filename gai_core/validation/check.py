"""What a check is: a small test of the installed software, and what it found, in words."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple


class Found(NamedTuple):
    """Whether a check passed, and what it saw."""

    passed: bool
    words: str


@dataclass(frozen=True)
class Effort:
    """How much work a check may do, and a folder that it may write into."""

    quick: bool
    scratch: Path

    def trials(self, quick: int, whole: int) -> int:
        """Simulated trials: fewer if it should be quick."""
        return quick if self.quick else whole


@dataclass(frozen=True)
class Check:
    """One test: what it does, what it expects, and how."""

    key: str
    test: str
    expected: str
    run: Callable[[Effort], Found]


def nearest(pairs: dict[str, tuple[float, float]], tolerance: float) -> Found:
    """Numbers beside those that are expected: all must agree to the tolerance."""
    worst = max(abs(found - expected) for found, expected in pairs.values())
    apart = [
        f"{name}: {found:.6g} instead of {expected:.6g}"
        for name, (found, expected) in pairs.items()
        if not abs(found - expected) <= tolerance
    ]
    if apart:
        return Found(False, "; ".join(apart))
    return Found(True, f"{len(pairs)} numbers agree, the largest difference is {worst:.2g}")
