"""The requirements, as the data file has them."""

import tomllib
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).parent / "requirements.toml"


class Requirement(NamedTuple):
    """What the software must do, what goes wrong if it does not, and who looks."""

    id: str
    part: str
    """installation, operation or performance."""
    title: str
    requirement: str
    risk: str
    checks: tuple[str, ...]


def requirements() -> list[Requirement]:
    """All of them, in their order."""
    data = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return [
        Requirement(**(entry | {"checks": tuple(entry["checks"])})) for entry in data["requirement"]
    ]
