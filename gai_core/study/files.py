"""Studies as TOML files, the shipped scenarios, and files written whole or not at all."""

import os
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gai_core.basics import InputError, Problem, printable, reason, suggestion
from gai_core.study.study import Study
from gai_core.study.toml_text import LONGEST_TEXT, toml_data
from gai_core.study.validating import validated

LARGEST_FILE = 4 * LONGEST_TEXT
"""Bytes: a character has up to four."""
AGAINST_CONTROL = "Against the concurrent control"
GROUPS = {
    "target": AGAINST_CONTROL,
    "conduct": "With a fixed target, as a trial is run",
    None: "With a fixed target, one patient at a time",
}
"""What a shipped study is, by the first of these parts that its file has."""


def scenario_folder() -> Path:
    """Where the shipped scenarios are: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).parent.parent
    inside = package / "scenarios"
    return inside if inside.is_dir() else package.parent / "scenarios"


def scenario_names() -> list[str]:
    """The names of the shipped scenarios."""
    return sorted(path.stem for path in scenario_folder().glob("*.toml"))


def scenario_groups() -> dict[str, dict[str, str]]:
    """Names and titles of the shipped scenarios by what they are; quick: nothing is validated."""
    groups: dict[str, dict[str, str]] = {group: {} for group in GROUPS.values()}
    for name in scenario_names():
        data = tomllib.loads((scenario_folder() / f"{name}.toml").read_text("utf-8"))
        part = next((part for part in GROUPS if part in data), None)
        groups[GROUPS[part]][name] = str(data["title"])
    return groups


def scenario_titles() -> dict[str, str]:
    """The titles of the shipped scenarios by their names, in the order of their groups."""
    return {name: title for group in scenario_groups().values() for name, title in group.items()}


def load_study(name_or_path: str | os.PathLike[str]) -> Study:
    """Read and validate a study: a file, or a shipped scenario by its name."""
    place = printable(os.fspath(name_or_path)) or "''"
    with _readable(place):
        path = Path(name_or_path)
        if not path.exists() and path.name == place and path.suffix != ".toml":
            if place not in scenario_names():
                rule = "there is no such file, nor a shipped study of that name"
                remedy = suggestion(place, scenario_names())
                raise InputError(Problem((), rule, remedy=remedy), source=place)
            path = scenario_folder() / f"{place}.toml"
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
        if len(content) > LARGEST_FILE:
            rule = f"a study file must have at most {LARGEST_FILE:,} bytes"
            raise InputError(rule, source=place)
        # Some editors begin a file with a byte order mark.
        text = content.decode("utf-8-sig")
    return parse_study(text, place)


@contextmanager
def _readable(place: str) -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError:
        raise InputError("must be a text file in UTF-8", source=place) from None
    except OSError as error:
        raise InputError(f"cannot be read ({reason(error)})", source=place) from None


def parse_study(text: str, source: str = "study") -> Study:
    """The study that a TOML text describes; `source` is what errors call it."""
    return validated(toml_data(text, source), source)


def dump_study(study: Study) -> str:
    """The study as TOML; loading it again gives the same study."""
    import tomlkit

    return tomlkit.dumps(_without_blanks(study.model_dump(mode="json")))


def _without_blanks(value: Any) -> Any:
    """Leave out what is empty and would be filled in again by the defaults."""
    if isinstance(value, dict):
        kept = {key: _without_blanks(part) for key, part in value.items()}
        return {key: part for key, part in kept.items() if not _blank(key, part)}
    return [_without_blanks(part) for part in value] if isinstance(value, list) else value


def _blank(key: str, value: Any) -> bool:
    return value is None or value == "" or value == {} or (key == "control" and value is False)
