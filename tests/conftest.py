"""Small studies and outcome sequences that several tests share."""

import functools
import gc
import os
import sys
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import browser
import pytest
import serving
from hypothesis import settings
from patience import PATIENCE
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import app_test, local_script_runner

from gai_core import Study
from gai_core.engine.loop import register_marked
from gai_core.results.potential_outcomes import potential_outcomes
from gai_core.study.study import Truth
from gai_core.study.validating import validated

if TYPE_CHECKING:
    from playwright.sync_api import Browser

os.environ["GAI_RUN_CACHE_MB"] = "0"  # tests simulate; those of the cache have one of their own
os.environ["GAI_APP_COMPILE_AHEAD"] = "0"  # else every worker and server would, beside the tests
os.environ["GAI_APP_PATIENTS_SEARCHED_UNASKED"] = "1"  # a search is asked for
os.environ["STREAMLIT_BROWSER_GATHER_USAGE_STATS"] = "false"  # as `gai app` has it
os.environ["GAI_APP_STUDY"] = "tofacitinib"  # small and plain; test_first_screen has the app's own
# Else every process that a test starts reads all libraries as text, which takes longer than it.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
register_marked()
settings.register_profile("planner", deadline=None, derandomize=True)
settings.load_profile("planner")

LONGEST = [
    "test_fuzz",
    "test_browser",
    "test_app",
    "test_conduct",
    "test_browser_typing",
    "test_code_cache",
    "test_report_words",
    "test_browser_state",
    "test_cluster",
    "test_control_guarantee",
    "test_cli",
    "test_app_months",
    "test_browser_explore",
    "test_planning",
    "test_pairs",
    "test_unknown_variance",
    "test_report",
]
"""The files that take longest."""

NO_BROWSER = (
    "THERE IS NO BROWSER FOR THE TESTS: install Chromium (Debian, Ubuntu: apt install chromium) or "
    "say where one is in $GAI_CHROMIUM, and pip install playwright"
)


def make_study(**changes: object) -> Study:
    """A quick Bernoulli study of three arms; any part can be replaced."""
    data: dict[str, object] = {
        "title": "A small study",
        "threshold": 0.5,
        "delta": 0.1,
        "outcome": {"kind": "bernoulli"},
        "simulation": {"runs": 40, "n_max": 2000, "seed": 3},
        "arms": [{"label": "low"}, {"label": "middle"}, {"label": "high"}],
        "truths": [{"name": "steep", "means": [0.2, 0.6, 0.8]}],
        "designs": [{"name": "HDoC", "rule": "hdoc"}],
    }
    return validated(data | changes, "test")


def outcomes(study: Study, truth: Truth, replicate: int) -> list[Iterator[float]]:
    """The potential outcomes of every arm in one replicate, patient by patient."""
    return [
        islice(potential_outcomes(study, truth, replicate, arm), study.simulation.n_max)
        for arm in range(len(study.arms))
    ]


@pytest.fixture(scope="session", autouse=True)
def apps_share_what_a_server_does_once() -> Iterator[None]:
    """Every app of a test would look through all installed packages for components, and read and
    compile all pages again."""
    with pytest.MonkeyPatch.context() as patch:
        search = functools.cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", search)
        pages = ScriptCache()
        for module in (app_test, local_script_runner):  # each makes one, the first of the pages
            patch.setattr(module, "ScriptCache", lambda: pages)
        yield


@pytest.fixture
def app() -> Iterator[app_test.AppTest]:
    """A session with the results of the default study."""
    from app_page import MAIN, finish  # reads the app's settings, which are set above

    page = app_test.AppTest.from_file(str(MAIN), default_timeout=PATIENCE)
    page.run()
    finish(page)
    yield page
    assert not page.exception


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """Where a browser is; without one the test is skipped."""
    path = browser.find_chromium()
    if path is None:
        pytest.skip(NO_BROWSER)
    return path


@pytest.fixture(scope="module")
def chromium(chromium_path: str) -> Iterator["Browser"]:
    """A browser; while it is there, no other test can have a loop of events."""
    with browser.chromium(chromium_path) as started:
        yield started


@pytest.fixture(scope="session")
def address(chromium_path: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A planner server for all files of a worker; its log must have no traceback in the end."""
    del chromium_path  # no server without a browser
    log = tmp_path_factory.mktemp("server") / "log"
    with serving.server(log) as found:
        yield found
    said = log.read_text(encoding="utf-8")
    assert not serving.faults(said), said


@pytest.fixture(scope="module")
def idle_tabs(chromium: "Browser") -> list["browser.Tab"]:
    """Tabs of the browser that no visitor uses at the moment."""
    del chromium  # they live as long as it
    return []


@pytest.fixture
def visit(
    chromium: "Browser", address: str, idle_tabs: list["browser.Tab"]
) -> Iterator["browser.Visit"]:
    """Open the app in a session of its own."""
    with browser.visits(chromium, address, idle_tabs) as opened:
        yield opened


@pytest.fixture
def visitor(visit: "browser.Visit") -> "browser.Visitor":
    """Somebody on the plan page of the default study, after its run."""
    visitor = visit()
    visitor.sees(visitor.glance)
    return visitor


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: browser tests wait for most of their time."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first: a file is run by one worker, and none may be left for the end."""
    items.sort(key=lambda item: [*LONGEST, item.path.stem].index(item.path.stem))


def pytest_collection_finish() -> None:
    """What is loaded by now stays: it need not be searched for garbage again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say loudly when the app was not tested in a browser: skips are easily overlooked."""
    skipped = terminalreporter.stats.get("skipped", [])
    missed = sum(NO_BROWSER in str(report.longrepr) for report in skipped)
    if missed:
        terminalreporter.section("BROWSER TESTS DID NOT RUN", sep="!", red=True, bold=True)
        terminalreporter.line(f"{missed} TESTS OF THE APP WERE SKIPPED. {NO_BROWSER}")
