"""Compiled code is kept between processes, and an edited rule never runs stale code."""

import functools
import inspect
import os
import shutil
import subprocess
import sys
import threading
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Any

import numba
import pytest
from patience import PATIENCE

import gai_core
from gai_core.basics import jitable
from gai_core.basics.code_cache import code_cache, compile_in_turn
from gai_core.engine.conducted_loop import conduct_kernel
from gai_core.engine.loop import kernel
from gai_core.evidence.outcomes import OUTCOMES, Bernoulli, Outcome
from gai_core.rules import RULES, Rule

ROOT = Path(gai_core.__file__).parent.parent
PROGRAM = """
import gai_core
import gai_core.study
from gai_core.engine.loop import kernel
study = gai_core.load_study("threshold-2")
study = study.model_copy(update={"designs": study.designs[:1]})
study = gai_core.study.changed(study, runs=3, n_max=500)
runs = gai_core.simulate(study, threads=1)
compiled = kernel(study.designs[0].sampling[0], study.outcome)
hits = sum(compiled.stats.cache_hits.values())
print(runs["published", study.designs[0].name].assigned.tolist(), "hits", hits)
"""


CONDUCTED_FIRST = """
from gai_core import RULES
from gai_core.engine.conducted_loop import conduct_kernel
from gai_core.evidence import Bernoulli
conduct_kernel(RULES["hdoc"], Bernoulli())
"""


def run(folder: Path, cache: Path, before: str = "") -> tuple[str, str]:
    environment = os.environ | {"PYTHONPATH": str(folder), "GAI_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", before + PROGRAM],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
    )
    result, hits = done.stdout.split(" hits ")
    return result, hits.strip()


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package in a folder of its own, to be edited."""
    folder = tmp_path_factory.mktemp("copy")
    leave = shutil.ignore_patterns("__pycache__")
    for part in ("gai_core", "scenarios"):
        shutil.copytree(ROOT / part, folder / part, ignore=leave)
    return folder


@pytest.fixture(scope="module")
def compiled(copy: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """What the first process found, and the cache that it left."""
    cache = tmp_path_factory.mktemp("cache")
    result, hits = run(copy, cache)
    assert hits == "0"
    return result, cache


@pytest.fixture
def cache(compiled: tuple[str, Path], tmp_path: Path) -> Path:
    """That cache, to be changed."""
    return shutil.copytree(compiled[1], tmp_path / "cache")


def test_a_second_process_starts_without_compiling_and_an_edit_compiles_anew(
    copy: Path, compiled: tuple[str, Path], cache: Path
) -> None:
    # Whatever was made before: a conducted loop marks what joins its rules.
    assert run(copy, cache, CONDUCTED_FIRST) == (compiled[0], "1")
    rule = copy / "gai_core" / "rules" / "hdoc.py"
    before, times = rule.read_text(encoding="utf-8"), rule.stat()
    rule.write_text(before.replace("return mean, of_n", "return -mean, of_n"), encoding="utf-8")
    os.utime(rule, (times.st_atime, times.st_mtime))  # not even the time of the edit shows
    edited, hits_of_edited = run(copy, cache)
    rule.write_text(before, encoding="utf-8")
    assert hits_of_edited == "0"
    assert edited != compiled[0]


def test_damaged_files_are_compiled_anew(
    copy: Path, compiled: tuple[str, Path], cache: Path
) -> None:
    for path in cache.rglob("*.nb[ci]"):
        path.write_bytes(path.read_bytes()[:100])
    assert run(copy, cache) == (compiled[0], "0")


def test_without_a_writable_folder_everything_still_runs(
    copy: Path, compiled: tuple[str, Path], tmp_path: Path
) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the folder should be")
    assert run(copy, blocked) == (compiled[0], "0")


def test_compiling_ahead_says_nothing_and_leaves_the_loop_in_the_cache(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "gai_core.tools", "hdoc:bernoulli"],
        env=os.environ | {"GAI_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list((tmp_path / "compiled").rglob("*.nbc"))


def test_threads_that_load_at_once_keep_to_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GAI_CACHE_DIR", str(tmp_path))
    before = numba.config.CACHE_DIR
    inside, go_on, first_left = threading.Event(), threading.Event(), threading.Event()
    seen: list[str] = []

    def first() -> None:
        with code_cache([run]):
            inside.set()
            assert go_on.wait(PATIENCE)
        first_left.set()

    def second() -> None:
        with code_cache([run]):
            assert first_left.wait(PATIENCE)
            seen.append(numba.config.CACHE_DIR)

    threads = [threading.Thread(target=first), threading.Thread(target=second)]
    threads[0].start()
    assert inside.wait(PATIENCE)
    threads[1].start()
    go_on.set()
    for thread in threads:
        thread.join()
    assert seen[0].startswith(str(tmp_path))
    assert before == numba.config.CACHE_DIR


def folders(cache: Path) -> set[Path]:
    """Where compiled loops lie."""
    return {path.parent for path in (cache / "compiled").rglob("*.nbc")}


TWO_RULES = (
    PROGRAM
    + """
from gai_core import RULES
from gai_core.basics import jitable
@jitable
def elsewhere(x):
    return x
other = kernel(RULES["apt-g"], study.outcome)
simulated = study.designs[0].model_copy(update={"rule": "apt-g", "rule_parameters": {}})
gai_core.simulate(study.model_copy(update={"designs": (simulated,)}), threads=1)
"""
)


def test_every_loop_has_a_folder_of_its_own_and_what_else_is_marked_changes_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """numba numbers the files of a function without a lock."""
    monkeypatch.setattr(sys.modules[__name__], "PROGRAM", TWO_RULES)
    _, hits = run(ROOT, tmp_path)
    loops = [folder for folder in folders(tmp_path) if list(folder.glob("loop._kernel*"))]
    assert (hits, len(loops)) == ("0", 2)
    assert all(len(list(folder.glob("*.nbc"))) == 1 for folder in loops)
    versions = {folder.relative_to(tmp_path / "compiled").parts[0] for folder in loops}
    assert len(versions) == 1  # the second was compiled after something else had been marked


def test_own_rules_share_a_conducted_loop_and_one_from_elsewhere_has_its_own() -> None:
    def loop(rule: Rule) -> object:
        kernel = conduct_kernel(rule, Bernoulli())
        assert isinstance(kernel, functools.partial)
        return kernel.func

    @jitable
    def elsewhere(
        mean: float, _n: int, _of_n: float, _xi: float, _scale: float, _unit: float
    ) -> tuple[float, float]:
        return -mean, 0.0

    own, other = loop(RULES["hdoc"]), replace(RULES["equal"], key="mine", summary=elsewhere)
    assert {loop(rule) for rule in RULES.values()} == {own}
    assert loop(other) != own
    assert loop(other) == loop(other)


def test_of_two_processes_that_want_a_loop_one_compiles_it(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "GAI_CACHE_DIR": str(tmp_path)}
    both = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM], env=environment, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    said = [process.communicate()[0].split(" hits ") for process in both]
    assert said[0][0] == said[1][0]
    assert sorted(int(hits) for _, hits in said) == [0, 1]


def test_who_holds_a_folder_lets_others_wait(tmp_path: Path) -> None:
    """Not a race: the second begins when the first is surely inside."""
    inside, go_on, order = threading.Event(), threading.Event(), list[str]()

    class Compiled:
        def __init__(self, name: str) -> None:
            self.name = name

        def compile(self, signature: str) -> str:
            inside.set()
            assert go_on.wait(PATIENCE)
            order.append(self.name)
            return signature

    first, second = Compiled("first"), Compiled("second")
    for compiled in (first, second):
        compile_in_turn(compiled, tmp_path)
    threads = [threading.Thread(target=one.compile, args=("",)) for one in (first, second)]
    threads[0].start()
    assert inside.wait(PATIENCE)
    inside.clear()
    threads[1].start()
    assert not inside.wait(0.2)  # it may only be late, but never early
    go_on.set()
    for thread in threads:
        thread.join()
    assert order == ["first", "second"]


@pytest.mark.parametrize("kind", OUTCOMES.values(), ids=list(OUTCOMES))
def test_what_a_loop_closes_over_is_known_by_name(kind: type[Outcome]) -> None:
    """Else its hash depends on how the process came to its modules: as text, or compiled before."""
    outcome = kind.model_validate(kind.example())
    conducted = conduct_kernel(RULES["hdoc"], outcome)
    assert isinstance(conducted, functools.partial)
    loops: list[Any] = [conducted.func, kernel(RULES["hdoc"], outcome)]
    for loop in loops:
        closed_over = [cell.cell_contents for cell in loop.py_func.__closure__ or ()]
        functions = [part for part in closed_over if inspect.isfunction(part)]
        assert len(functions) > 3
        for function in functions:
            home = sys.modules[function.__module__]
            assert attrgetter(function.__qualname__)(home) is function


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without named pipes")
def test_a_pipe_in_the_place_of_the_lock_makes_nobody_wait(tmp_path: Path) -> None:
    class Compiler:
        def compile(self, signature: str) -> str:
            return f"{signature} compiled"

    os.mkfifo(tmp_path / "lock")
    compiler = Compiler()
    compile_in_turn(compiler, tmp_path)
    assert compiler.compile("loop") == "loop compiled"
