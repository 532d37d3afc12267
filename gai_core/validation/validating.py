"""Run the checks: every requirement gets its result."""

import datetime
import hashlib
import platform
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from gai_core.basics import cores, fingerprint
from gai_core.study import dump_study, load_study, scenario_names
from gai_core.validation.check import Check, Effort, Found
from gai_core.validation.checks import CHECKS
from gai_core.validation.requirement import FILE, Requirement, requirements

Progress = Callable[[int, int], None]


class Checked(NamedTuple):
    """A check with what it found, and how long it took."""

    check: Check
    found: Found
    seconds: float


class Fulfilled(NamedTuple):
    """A requirement with the results of its checks."""

    requirement: Requirement
    checked: tuple[Checked, ...]

    @property
    def passed(self) -> bool:
        """Whether all of them passed."""
        return all(one.found.passed for one in self.checked)


@dataclass(frozen=True)
class Validation:
    """What was required, what was found, and where."""

    quick: bool
    began: str
    """Date and time, UTC."""
    seconds: float
    facts: dict[str, str]
    """The machine and what is installed."""
    hashes: dict[str, str]
    """SHA-256 of what the results depend on."""
    results: tuple[Fulfilled, ...]

    @property
    def failed(self) -> list[Requirement]:
        """The requirements that are not met."""
        return [one.requirement for one in self.results if not one.passed]


def validate(
    *,
    quick: bool = False,
    only: Iterable[str] | None = None,
    progress: Progress | None = None,
) -> Validation:
    """Check every requirement, or those with these ids, on this machine."""
    chosen = [one for one in requirements() if only is None or one.id in set(only)]
    total, done = sum(len(one.checks) for one in chosen), 0
    began, started = datetime.datetime.now(datetime.UTC), time.monotonic()
    results = []
    with tempfile.TemporaryDirectory(prefix="gai-validate-") as folder:
        effort = Effort(quick, Path(folder))
        for one in chosen:
            checked = []
            for key in one.checks:
                checked.append(run_check(CHECKS[key], effort))
                done += 1
                if progress is not None:
                    progress(done, total)
            results.append(Fulfilled(one, tuple(checked)))
    seconds = time.monotonic() - started
    when = began.isoformat(timespec="seconds")
    return Validation(quick, when, seconds, _facts(), _hashes(), tuple(results))


def run_check(check: Check, effort: Effort) -> Checked:
    """Run one check; one that cannot be run to its end has failed."""
    started = time.monotonic()
    try:
        found = check.run(effort)
    except Exception as error:  # whatever is broken, the file must say so
        found = Found(False, f"could not be run: {type(error).__name__}: {error}")
    return Checked(check, found, time.monotonic() - started)


def _facts() -> dict[str, str]:
    return {
        "Machine": f"{platform.machine()}, {cores()} cores",
        "System": platform.platform(),
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        **{name: version for name, version in fingerprint().items() if name != "sources"},
    }


def _hashes() -> dict[str, str]:
    studies = "".join(dump_study(load_study(name)) for name in scenario_names())
    return {
        "source files": _source_hash(),
        "requirements": hashlib.sha256(FILE.read_bytes()).hexdigest(),
        "shipped studies": hashlib.sha256(studies.encode()).hexdigest(),
    }


def _source_hash() -> str:
    """Of names and contents of all files of the package that are code, in the order of names."""
    package, digest = Path(__file__).parent.parent, hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
