"""Reload, back, forward, a second tab, a link, a server that was started anew: nothing is lost.

GAI_TRIES=20 repeats every way so often.
"""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser import Visit, Visitor
from gai_app.links import encoded
from patience import PATIENCE
from serving import server

from gai_core import load_study, parse_study
from gai_core.study import changed, narrowed

if TYPE_CHECKING:
    from playwright.sync_api import Browser

DEFAULT = load_study("tofacitinib")
TRIES = range(int(os.environ.get("GAI_TRIES", "1")))


@dataclass(frozen=True)
class Shown:
    """What the results page shows: the chosen run, and the data of its first figure."""

    run: str
    figure: str = field(repr=False)


FIGURE = "JSON.stringify(document.querySelector('.js-plotly-plot')?.data)"


def worked(visitor: Visitor, attempt: int) -> Shown:
    """Somebody has changed the study and looks at its results; gives what these are."""
    visitor.fill("Largest sample size", f"{300 + attempt}")
    visitor.up_to_date()
    visitor.edit_cell("5 mg", "published", "0,58")
    visitor.up_to_date()
    visitor.go("Results")
    visitor.picture()
    visitor.up_to_date()
    run = visitor.page.get_by_label("Shown run", exact=True).first
    return Shown(run.input_value(), str(visitor.page.evaluate(FIGURE)))


def shows(visitor: Visitor, before: Shown) -> None:
    """Wait until the page shows the same run again; a figure is drawn after the words."""
    visitor.up_to_date()
    visitor.page.wait_for_function(f"before => {FIGURE} === before", arg=before.figure)
    visitor.finds("Shown run", before.run)


def has_study(visitor: Visitor, attempt: int) -> None:
    visitor.go("Plan")
    study = parse_study(visitor.download("Download study"))
    means = list(DEFAULT.truths[0].means)
    means[3] = 0.58
    assert study.simulation.n_max == 300 + attempt
    assert list(study.truths[0].means) == means


@pytest.mark.parametrize("attempt", TRIES)
def test_a_reload_and_a_second_tab_show_the_same_study_and_the_same_results(
    visitor: Visitor, attempt: int
) -> None:
    before = worked(visitor, attempt)
    visitor.page.reload()
    shows(visitor, before)
    second = Visitor(visitor.page.context.new_page())
    second.page.goto(visitor.page.url)
    second.up_to_date()
    second.page.wait_for_function(f"before => {FIGURE} === before", arg=before.figure)
    has_study(second, attempt)
    has_study(visitor, attempt)
    visitor.page.reload()
    has_study(visitor, attempt)


@pytest.mark.parametrize("attempt", TRIES)
def test_back_and_forward_change_the_page_and_not_the_study(visitor: Visitor, attempt: int) -> None:
    before = worked(visitor, attempt)
    visitor.page.go_back()
    visitor.finds("Largest sample size", f"{300 + attempt}")
    visitor.page.go_forward()
    visitor.sees(visitor.page.get_by_role("heading", name="Results", exact=True, level=1))
    shows(visitor, before)
    visitor.page.goto("about:blank")
    visitor.page.go_back()
    shows(visitor, before)
    has_study(visitor, attempt)


@pytest.mark.parametrize("attempt", TRIES)
def test_a_server_that_was_started_anew_shows_the_same(
    chromium: "Browser", tmp_path: Path, attempt: int
) -> None:
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(1000 * PATIENCE)
    visitor = Visitor(context.new_page())
    with server(tmp_path / "first") as address:
        visitor.page.goto(address)
        visitor.up_to_date()
        before = worked(visitor, attempt)
    with server(tmp_path / "second", int(address.rpartition(":")[2])):
        shows(visitor, before)  # the page has found the new server by itself
        has_study(visitor, attempt)
        visitor.page.reload()
        has_study(visitor, attempt)
    context.close()


@pytest.mark.parametrize("attempt", TRIES)
def test_a_reload_during_a_run_goes_on_with_it(visit: Visit, address: str, attempt: int) -> None:
    at_the_target = max(DEFAULT.truths[0].means)  # so no trial ends before its last patient
    study = narrowed(DEFAULT, [DEFAULT.truths[0].name], [DEFAULT.designs[0].name])
    study = study.model_copy(update={"threshold": at_the_target})
    study = changed(study, runs=1_000_000 + attempt, n_max=100_000)  # hours: it is cancelled
    visitor = visit(f"{address}/?study={encoded(study)}")
    visitor.presses("Run")
    visitor.reads(visitor.progress, "left")
    visitor.page.reload()
    visitor.reads(visitor.progress, "left")
    assert "run=1" in visitor.page.url
    visitor.page.get_by_role("button", name="Cancel").first.click()
    visitor.sees("Cancelled. What was there before is still there.")
