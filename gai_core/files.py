"""Studies as TOML files, the shipped scenarios, and files written whole or not at all."""

import os
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gai_core.errors import InputError
from gai_core.registry import suggestion
from gai_core.study import Study, validated

LARGEST_FILE = 5_000_000


def scenario_folder() -> Path:
    """Where the shipped scenarios are: inside the installed package, or beside it in a checkout."""
    inside = Path(__file__).parent / "scenarios"
    return inside if inside.is_dir() else Path(__file__).parent.parent / "scenarios"


def scenario_names() -> list[str]:
    """The names of the shipped scenarios."""
    return sorted(path.stem for path in scenario_folder().glob("*.toml"))


def load_study(name_or_path: str | os.PathLike[str]) -> Study:
    """Read and validate a study: a file, or a shipped scenario by its name."""
    place = os.fspath(name_or_path)
    path = Path(place)
    if not path.exists() and path.name == place and path.suffix != ".toml":
        if place not in scenario_names():
            raise InputError(
                f"{place}: there is no such file, nor a shipped study of that name"
                f"{suggestion(place, scenario_names())}"
            )
        path = scenario_folder() / f"{place}.toml"
    return parse_study(_read(path, place), place)


def _read(path: Path, place: str) -> str:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise InputError(f"{place}: a study file must have at most {LARGEST_FILE:,} bytes")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{place}: must be a text file in UTF-8") from None
    except OSError as error:
        raise InputError(f"{place}: cannot be read ({_reason(error)})") from None


def parse_study(text: str, place: str = "study") -> Study:
    """The study that a TOML text describes."""
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"{place}: is not valid TOML: {error}") from None
    return validated(data, place)


def dump_study(study: Study) -> str:
    """The study as TOML; loading it again gives the same study."""
    import tomlkit

    return tomlkit.dumps(_without_blanks(study.model_dump(mode="json")))


def _without_blanks(value: Any) -> Any:
    """Leave out what is empty and would be filled in again by the defaults."""
    if isinstance(value, dict):
        kept = {key: _without_blanks(part) for key, part in value.items()}
        return {key: part for key, part in kept.items() if not _blank(part)}
    return [_without_blanks(part) for part in value] if isinstance(value, list) else value


def _blank(value: Any) -> bool:
    return value is None or value is False or value == "" or value == {}


@contextmanager
def written_whole(path: Path, *, folder: bool = False) -> Iterator[Path]:
    """Give a temporary path beside `path`; move it into place only when all went well."""
    try:
        with tempfile.TemporaryDirectory(prefix=".gai-", dir=path.parent) as temporary:
            draft = Path(temporary) / path.name
            if folder:
                draft.mkdir()
            yield draft
            draft.replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({_reason(error)})") from None


def check_writable(path: Path) -> None:
    """Before long work: refuse a path in whose folder nothing can be written."""
    if path.is_dir():
        raise InputError(f"{path}: is a folder, but must be a file")
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({_reason(error)})") from None


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    with written_whole(path) as draft:
        draft.write_text(text, encoding="utf-8")


def _reason(error: OSError) -> str:
    return error.strerror or str(error)
