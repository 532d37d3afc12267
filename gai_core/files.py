"""Studies as TOML files, the shipped scenarios, and files written whole or not at all."""

import os
import re
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gai_core.errors import InputError
from gai_core.problems import printable
from gai_core.registry import suggestion
from gai_core.study import Study, validated

LARGEST_FILE = 5_000_000
DEEPEST_KEY = 32
DEEP_KEY = re.compile(rf"""(?:[A-Za-z0-9_"'-]+[ \t]*\.[ \t]*){{{DEEPEST_KEY}}}""")
"""No key of a study has so many dots, and tomllib would take minutes for thousands of them."""


def scenario_folder() -> Path:
    """Where the shipped scenarios are: inside the installed package, or beside it in a checkout."""
    inside = Path(__file__).parent / "scenarios"
    return inside if inside.is_dir() else Path(__file__).parent.parent / "scenarios"


def scenario_names() -> list[str]:
    """The names of the shipped scenarios."""
    return sorted(path.stem for path in scenario_folder().glob("*.toml"))


def load_study(name_or_path: str | os.PathLike[str]) -> Study:
    """Read and validate a study: a file, or a shipped scenario by its name."""
    place = printable(os.fspath(name_or_path)) or "''"
    with _readable(place):
        path = Path(name_or_path)
        if not path.exists() and path.name == place and path.suffix != ".toml":
            if place not in scenario_names():
                raise InputError(
                    f"{place}: there is no such file, nor a shipped study of that name"
                    f"{suggestion(place, scenario_names())}"
                )
            path = scenario_folder() / f"{place}.toml"
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
        if len(content) > LARGEST_FILE:
            raise InputError(f"{place}: a study file must have at most {LARGEST_FILE:,} bytes")
        # Some editors begin a file with a byte order mark.
        text = content.decode("utf-8-sig")
    return parse_study(text, place)


@contextmanager
def _readable(place: str) -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError:
        raise InputError(f"{place}: must be a text file in UTF-8") from None
    except OSError as error:
        raise InputError(f"{place}: cannot be read ({_reason(error)})") from None


def parse_study(text: str, place: str = "study") -> Study:
    """The study that a TOML text describes."""
    if DEEP_KEY.search(text):
        raise InputError(f"{place}: has a key of more than {DEEPEST_KEY} parts")
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{place}: is not valid TOML: {error}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{place}: has a number or a nesting beyond all measure") from None
    return validated(data, place)


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


@contextmanager
def written_whole(path: Path, *, folder: bool = False) -> Iterator[Path]:
    """Give a temporary path beside `path`; move it into place only when all went well."""
    with writable(path):
        target = path.resolve()  # a link keeps pointing where it points
        with tempfile.TemporaryDirectory(prefix=".gai-", dir=target.parent) as temporary:
            draft = Path(temporary) / target.name
            if folder:
                draft.mkdir()
            yield draft
            if folder and target.is_dir():
                target.rename(Path(temporary) / "before")  # goes with the temporary folder
            draft.replace(target)


def check_writable(path: Path) -> None:
    """Before long work: refuse a path where nothing can be written."""
    with writable(path):
        if path.is_dir():
            raise InputError(f"{printable(str(path))}: is a folder, but must be a file")
        if not _special(path):
            with tempfile.TemporaryFile(dir=path.resolve().parent):
                pass


def check_new(path: Path, *, force: bool = False) -> None:
    """Refuse a path where nothing can be written, or where something is, unless forced."""
    check_writable(path)
    if path.exists() and not force:
        raise InputError(f"{printable(str(path))}: exists already; --force replaces it")


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all; into a device or a pipe as it is."""
    with written_whole_or_piped(path) as draft, draft.open("w", encoding="utf-8") as file:
        file.write(text)


@contextmanager
def written_whole_or_piped(path: Path) -> Iterator[Path]:
    """The path to write to: a device or a pipe itself, else a draft that becomes the file."""
    if _special(path):
        with writable(path):
            yield path
        return
    with written_whole(path) as draft:
        yield draft


def _special(path: Path) -> bool:
    """Whether the path is there and is neither a file nor a folder."""
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def writable(path: Path) -> Iterator[None]:
    """Turn what the system says about a path into an InputError."""
    try:
        yield
    except OSError as error:
        reason = f"cannot be written ({_reason(error)})"
        raise InputError(f"{printable(str(path))}: {reason}") from None


def _reason(error: OSError) -> str:
    return error.strerror or str(error)
