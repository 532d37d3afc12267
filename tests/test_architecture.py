"""The house keeps its shape: import direction, quick start, public names."""

import ast
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import gai_core
from gai_core.study import changed

ROOT = Path(__file__).parent.parent
CORE = ROOT / "gai_core"
APP = ROOT / "app" / "gai_app"

ROOMS = [
    "version",
    "basics",
    "evidence",
    "criteria",
    "rules",
    "study",
    "theory",
    "engine",
    "results",
    "mcp_mod",
    "questions",
    "figures",
    "report",
    "paper",
    "tools",
    "validation",
    "cli",
    "__main__",
]
"""A room imports only rooms that stand before it."""

LEVEL = {room: level for level, room in enumerate(ROOMS)}


SLOW = {
    "gai_core.basics.code_cache.code_cache",
    "gai_core.basics.code_cache.compile_in_turn",
}
"""What loads the compiler, so that no front door offers it."""
LATE = SLOW | {
    # The compiler, which a function loads when it needs it:
    "gai_core.engine.loop.draws",
    "gai_core.evidence.crossing.law",
    "gai_core.evidence.shared_budget.best_price",
    "gai_core.evidence.shared_budget.price_value",
    "gai_core.evidence.shared_budget.shared_bound",
    # A module whose names (entries, clear) say beside its own what they are of:
    "gai_core.engine.run_cache",
}
"""What a function may take from another room past its front door."""


def modules(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py"))


def imported(path: Path) -> set[str]:
    """Everything that a file imports, as dotted names."""
    return {name for name, _ in imports(path)}


def imports(path: Path) -> set[tuple[str, bool]]:
    """Dotted names that a file imports, and whether it does when it is loaded."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    later = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        for inner in ast.walk(node)
    }
    names: set[tuple[str, bool]] = set()
    for node in ast.walk(tree):
        at_once = id(node) not in later
        if isinstance(node, ast.Import):
            names |= {(alias.name, at_once) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {(f"{node.module}.{alias.name}", at_once) for alias in node.names}
    return names


def room(dotted: str) -> str | None:
    """The room of gai_core that a dotted name belongs to."""
    parts = dotted.split(".")
    return parts[1] if parts[0] == "gai_core" and len(parts) > 1 and parts[1] in LEVEL else None


@pytest.mark.parametrize("path", modules(CORE), ids=lambda path: str(path.relative_to(CORE)))
def test_imports_go_one_way(path: Path) -> None:
    own = path.relative_to(CORE).with_suffix("").parts[0]
    if own == "__init__":
        return
    assert own in LEVEL, f"{own} has no place in the picture: add it to ROOMS and CONTRIBUTING.md"
    for name in imported(path):
        other = room(name)
        if other is not None and other != own:
            assert LEVEL[other] < LEVEL[own], f"{own} must not import {other}"


def past_the_door(path: Path) -> set[tuple[str, bool]]:
    """What a file takes from another room that this does not offer, and whether on loading."""
    own, found = path.relative_to(ROOT).parts[1], set()
    for name, at_once in imports(path):
        other = room(name)
        if other not in (None, own, "version"):
            front = importlib.import_module(f"gai_core.{other}")
            if name.removeprefix(f"gai_core.{other}.") not in front.__all__:
                found.add((name, at_once))
    return found


def test_rooms_are_entered_by_their_front_door() -> None:
    """What a room offers stands in its __init__; modules that load the compiler are not there."""
    used = set()
    for path in [*modules(CORE), *modules(APP)]:
        for name, at_once in past_the_door(path):
            assert name in (SLOW if at_once else LATE), f"{path.name} imports {name}"
            used.add(name)
    assert used == LATE, "an exception that nobody needs"


def test_no_module_hides_behind_something_of_the_same_name() -> None:
    for found in pkgutil.walk_packages(gai_core.__path__, "gai_core."):
        if not found.ispkg:
            continue
        package = importlib.import_module(found.name)
        for inner in pkgutil.iter_modules(package.__path__):
            module = importlib.import_module(f"{found.name}.{inner.name}")
            assert getattr(package, inner.name) is module, f"{found.name}.{inner.name}"


def test_the_core_knows_no_browser_and_the_app_no_compiler() -> None:
    for path in modules(CORE):
        assert not any(name.split(".")[0] in ("streamlit", "gai_app") for name in imported(path)), (
            path
        )
    for path in modules(APP):
        assert not any(
            name.split(".")[0] in ("numba", "numpy", "scipy") for name in imported(path)
        ), path


def test_every_room_is_in_the_picture_of_contributing() -> None:
    picture = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for name in LEVEL:
        assert f"{name}.py" in picture or f"{name}/" in picture, name
    for path in APP.iterdir():
        if path.name not in ("__init__.py", "__main__.py", "__pycache__", "py.typed"):
            assert path.name in picture, path.name


def test_importing_the_package_loads_no_compiler_and_no_data_frames() -> None:
    heavy = {"numba", "pandas", "scipy", "streamlit", "pyarrow", "dask", "distributed"}
    code = f"import gai_core, gai_core.cli, sys; print(sorted({heavy!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_public_names() -> None:
    assert sorted(gai_core.__all__) == [
        "Analysis", "CRITERIA", "Cancelled", "InputError", "RULES", "Runs", "Study", "__version__",
        "analyse", "bounds",
        "cautions", "characteristics", "dump_study", "load_study", "paired_differences",
        "parse_study", "scenario_names", "simulate",
    ]  # fmt: skip
    for name in gai_core.__all__:
        assert not isinstance(getattr(gai_core, name), type(sys)), f"{name} is a module"


def test_the_python_of_the_readme_runs_as_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # it writes a report
    load = gai_core.load_study
    monkeypatch.setattr(gai_core, "load_study", lambda name: changed(load(name), runs=20))
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    code = text.split("```python\n")[1].split("```")[0]
    names: dict[str, object] = {}
    exec(code, names)
    assert {"runs", "table", "differences", "limits"} <= set(names)


def test_the_study_file_of_the_readme_is_valid_also_with_its_conduct() -> None:
    blocks = (ROOT / "README.md").read_text(encoding="utf-8").split("```toml\n")[1:]
    study_file, conduct, against_control = (block.split("```")[0] for block in blocks)
    first, *others = study_file.split("[outcome]")
    kept = "".join(line for line in first.splitlines(True) if not line.startswith("threshold"))
    assert gai_core.parse_study("[outcome]".join([kept, *others]) + against_control).target
    assert gai_core.parse_study(study_file).outcome.kind == "bernoulli"
    assert gai_core.parse_study(study_file + conduct).conduct is not None
