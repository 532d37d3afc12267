"""What the numbers depend on beside the study: this package, and the libraries that compute."""

from functools import cache
from importlib import metadata
from pathlib import Path

from gai_core.basics.user_cache import content_hash
from gai_core.version import __version__

COMPUTING = ("numpy", "scipy", "numba")
"""Libraries whose version may change the last bit of a curve."""


@cache
def sources() -> str:
    """A hash of every source file of the package: rather one too many than one too few."""
    return content_hash(sorted(Path(__file__).parent.parent.rglob("*.py")))


@cache
def fingerprint() -> dict[str, str]:
    """Names and versions; runs made under the same fingerprint are the same bit by bit."""
    libraries = {name: metadata.version(name) for name in COMPUTING}
    return {"gai-planner": __version__, "sources": sources(), **libraries}


def differing(mine: dict[str, str], other: dict[str, str]) -> list[str]:
    """What is not the same, in words: `numpy 2.4.6 here, 2.3.0 there`."""
    return [
        f"{name} {version} here, {other.get(name) or 'none'} there"
        for name, version in mine.items()
        if other.get(name) != version
    ]
