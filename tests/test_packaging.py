"""What others get: the files of the wheel, its metadata, and every dependency declared."""

import ast
import sys
import tomllib
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest
import yaml

from gai_core import __version__

ROOT = Path(__file__).parent.parent
PACKAGES = {"gai_core": ROOT / "gai_core", "gai_app": ROOT / "app" / "gai_app"}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OTHER_NAMES = {"docx": "python-docx", "yaml": "pyyaml", "pydantic_core": "pydantic"}
"""Modules whose distribution is called otherwise."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.Path:
    """The wheel as `pip install .` builds it, opened."""
    from hatchling.builders.wheel import WheelBuilder

    folder = tmp_path_factory.mktemp("wheel")
    (built,) = WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    return zipfile.Path(built)


@pytest.fixture(scope="module")
def files(wheel: zipfile.Path) -> set[str]:
    return set(wheel.root.namelist())


def test_the_wheel_installs_two_packages_and_no_other_name(files: set[str]) -> None:
    information = f"gai_planner-{__version__}.dist-info"
    assert {name.split("/")[0] for name in files} == {*PACKAGES, information}
    assert f"{information}/licenses/LICENSE" in files


def test_the_wheel_has_every_module_study_template_and_setting(files: set[str]) -> None:
    for package, folder in PACKAGES.items():
        for path in folder.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                assert f"{package}/{path.relative_to(folder).as_posix()}" in files
        assert f"{package}/py.typed" in files
    for path in (ROOT / "scenarios").glob("*.toml"):
        assert f"gai_core/scenarios/{path.name}" in files


def metadata(wheel: zipfile.Path) -> "Message[str, str]":
    path = wheel / f"gai_planner-{__version__}.dist-info" / "METADATA"
    return Parser().parsestr(path.read_text(encoding="utf-8"))


def test_the_wheel_says_its_licence_and_version(wheel: zipfile.Path) -> None:
    told = metadata(wheel)
    assert told["License-Expression"] == "MIT"
    assert told["License-File"] == "LICENSE"
    assert told["Version"] == __version__
    assert told["Author"] == "gai-planner contributors"


def declared(*extras: str) -> set[str]:
    """The distributions that pyproject.toml asks for, without their versions."""
    lists = [PROJECT["dependencies"], *(PROJECT["optional-dependencies"][name] for name in extras)]
    return {line.partition(">")[0] for lines in lists for line in lines}


def foreign(folder: Path) -> set[str]:
    """The distributions whose modules are imported somewhere in a folder."""
    found: set[str] = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.split(".")[0])
    own = {*PACKAGES, *sys.stdlib_module_names, *(path.stem for path in folder.glob("*.py"))}
    return {OTHER_NAMES.get(name, name.replace("_", "-")) for name in found - own}


@pytest.mark.parametrize(
    ("folder", "extras"),
    [
        (PACKAGES["gai_core"], ["cluster"]),
        (PACKAGES["gai_app"], ["app"]),
        (ROOT / "tests", ["app", "cluster", "dev"]),
    ],
)
def test_what_is_imported_is_declared(folder: Path, extras: list[str]) -> None:
    assert foreign(folder) <= declared(*extras)


def test_what_is_declared_is_imported() -> None:
    """But for what distributed is a part of, and fonts that are read from their files."""
    used = set().union(*(foreign(folder) for folder in PACKAGES.values()))
    assert declared("app", "cluster") - used == {"dask", "matplotlib-fontja"}


def test_pinned_versions_name_no_address() -> None:
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        assert "==" in line
        assert "/" not in line
        assert "@" not in line


def test_the_citation_names_the_paper_and_its_authors() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["license"] == PROJECT["license"]
    assert cited["authors"] == PROJECT["authors"]
    (paper,) = cited["references"]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    named = readme.partition("The method is from ")[2].partition(",\n")[0].partition(", *")[0]
    names = [author["family-names"] for author in paper["authors"]]
    assert named == f"{', '.join(names[:-1])} and {names[-1]}"
