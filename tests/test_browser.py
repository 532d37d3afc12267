"""The app in a real browser: what a visitor sees, does and takes away.

Every test has a browser session of its own. It fails on any error in the browser's
console, on any request that leaves the machine and on any answer that is an error.
"""

import csv
import io
import re
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import browser
import pytest
from browser import (
    alerts,
    button,
    cells,
    choose,
    download,
    edit_cell,
    fill,
    glance,
    go,
    gone,
    holds,
    picture,
    run,
    says,
    shown,
)
from conftest import NO_BROWSER

from gai_core import load_study, parse_study
from gai_core.characteristics import COLUMNS

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Literal

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.xdist_group("browser")  # one server and one browser for all of them

DEFAULT = load_study("tofacitinib")
DESIGNS = [design.name for design in DEFAULT.designs]
MEDICAL_1, MEDICAL_2 = load_study("medical-1"), load_study("medical-2")
HOSTILE = r"<img src=x onerror=window.hacked=1>![x](http://example.com/x.png)$\frac{1}{2}$:red[x]"
SCRIPT = "<script>window.hacked=1</script>"

Visit = Callable[..., "Page"]


@pytest.fixture(scope="module")
def chromium() -> Iterator["Browser"]:
    path = browser.find_chromium()
    if path is None:
        pytest.skip(NO_BROWSER)
    with browser.chromium(path) as started:
        yield started


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    log: Path = tmp_path_factory.mktemp("server") / "log"
    with browser.server(log) as found:
        yield found
    assert "Traceback" not in log.read_text(encoding="utf-8")


@pytest.fixture
def visit(chromium: "Browser", address: str) -> Iterator[Visit]:
    """Open the app in a session of its own, and wait until its first picture is drawn."""
    contexts, complaints = [], []

    def opened(where: str = "/", scheme: "Literal['light', 'dark']" = "light") -> "Page":
        context = chromium.new_context(
            viewport={"width": 1280, "height": 900}, color_scheme=scheme, accept_downloads=True
        )
        context.set_default_timeout(1000 * browser.PATIENCE)
        contexts.append(context)
        complaints.append(browser.complaints_of(context, address))
        page = context.new_page()
        page.goto(where if where.startswith(address) else address + where)
        picture(page)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not any(complaints), complaints


@pytest.fixture
def page(visit: Visit) -> "Page":
    """The plan page of the default study, after its run."""
    opened = visit()
    shown(glance(opened))
    return opened


def lines_of(page: "Page") -> list[str]:
    """The names of the lines in the first figure."""
    script = "figure => figure.data.filter(t => t.showlegend !== false).map(t => t.name)"
    found: list[str] = picture(page).evaluate(script)
    return found


def start_long_run(page: "Page") -> None:
    """Half a minute of work: the paper's first medical setting, nearly as much as is allowed."""
    choose(page, "Start from", MEDICAL_1.title)
    fill(page, "Simulated trials", "1700")
    says(page.get_by_text("simulated patients."), "1,700 trials")
    button(page, "Run").click()
    says(page.get_by_test_id("stProgress"), "left")


def test_a_newcomer_sees_results_without_a_click_and_takes_them_away(page: "Page") -> None:
    assert cells(page, "patients in the trial")[::5] == DESIGNS
    go(page, "Results")
    assert lines_of(page) == DESIGNS
    rows = list(csv.reader(io.StringIO(download(page, "Download all characteristics"))))
    assert rows[0] == COLUMNS
    assert {row[COLUMNS.index("design")] for row in rows[1:]} == set(DESIGNS)
    go(page, "Plan")
    assert parse_study(download(page, "Download study")) == DEFAULT


def test_an_edited_cell_changes_the_picture_the_study_and_the_results(page: "Page") -> None:
    before = cells(page, "patients in the trial")
    edit_cell(page, "5 mg", "published", "0.9")
    shown(button(page, "Run"))
    gone(glance(page))
    says(page.get_by_test_id("stMarkdown"), "the best dose is assumed to reach placebo +0.68")
    assert parse_study(download(page, "Download study")).truths[0].means[3] == 0.9
    run(page)
    after = cells(page, "patients in the trial")
    assert after[::5] == before[::5]
    assert after != before


def test_a_score_with_a_known_variance_can_be_planned(page: "Page") -> None:
    choose(page, "Start from", MEDICAL_2.title)
    holds(page.get_by_label("Variance (sigma²)", exact=True), "1.44")
    shown(page.get_by_text("Standard deviation 1.2", exact=True))
    fill(page, "Variance (sigma²)", "4")
    shown(page.get_by_text("Standard deviation 2", exact=True))
    fill(page, "Largest sample size", "300")
    says(page.get_by_text("simulated patients."), "8,400,000")
    run(page)
    assert cells(page, "a dose is declared by 300 patients")[::5] == [
        design.name for design in MEDICAL_2.designs
    ]
    outcome = parse_study(download(page, "Download study")).outcome
    assert outcome.model_dump()["variance"] == 4


def test_a_bad_cell_is_named_where_it_is_and_can_be_mended(page: "Page") -> None:
    edit_cell(page, "5 mg", "flatter", "1.5")
    doses = page.get_by_test_id("stLayoutWrapper").filter(
        has=page.get_by_role("heading", name="Doses", exact=True)
    )
    says(alerts(page).filter(visible=True), "5 mg, flatter: must be")
    assert doses.last.get_by_test_id("stAlert").count() == 1
    assert button(page, "Run").count() == 0
    assert button(page, "Download study").is_disabled()
    edit_cell(page, "5 mg", "flatter", "0.5")
    gone(alerts(page))
    assert button(page, "Download study").is_enabled()
    shown(glance(page))


@pytest.mark.parametrize(
    ("label", "bad", "good", "message"),
    [
        ("Error rate (delta)", "0", "0.05", "Error rate: must be greater than 0"),
        ("Largest sample size", "3", "400", "Largest sample size: must be at least 30"),
    ],
)
def test_a_bad_number_is_refused_in_words_and_can_be_mended(
    page: "Page", label: str, bad: str, good: str, message: str
) -> None:
    fill(page, label, bad)
    says(alerts(page), message)
    assert button(page, "Run").count() == 0
    fill(page, label, good)
    gone(alerts(page))
    shown(glance(page))


def test_a_long_run_shows_its_pace_and_is_cancelled_at_once(page: "Page") -> None:
    start_long_run(page)
    pace = page.get_by_test_id("stProgress").inner_text()
    assert re.search(r"\d+%, \d+ s so far, about (\d+ min )?\d+ s left", pace), pace
    clicked = time.monotonic()
    button(page, "Cancel").click()
    says(alerts(page), "Cancelled. Earlier results are still there.")
    assert time.monotonic() - clicked < 5
    shown(button(page, "Run"))
    go(page, "Results")
    says(page.get_by_test_id("stCaptionContainer"), DEFAULT.title)
    assert lines_of(page) == DESIGNS


def test_the_pages_stay_usable_while_a_run_goes_on(page: "Page") -> None:
    start_long_run(page)
    for name in ("Help", "Plan"):
        go(page, name)
        says(page.get_by_test_id("stProgress"), "so far")
    button(page, "Cancel").click()
    says(alerts(page), "Cancelled")


def test_two_visitors_see_their_own_studies(visit: Visit) -> None:
    titles = {"Anna's study": "0.04", "Bert's study": "0.06"}
    pages = {title: visit() for title in titles}
    for title, page in pages.items():
        fill(page, "Title of the study", title)
        fill(page, "Error rate (delta)", titles[title])
        shown(button(page, "Run"))
    for page in pages.values():
        button(page, "Run").click()
    for title, page in pages.items():
        shown(glance(page))
        go(page, "Results")
        says(page.get_by_test_id("stSelectbox"), f"{title}: target 0.5, delta {titles[title]}")
        (other,) = titles.keys() - {title}
        assert other not in page.content()
