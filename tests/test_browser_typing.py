"""Typing in a real browser: every value arrives as meant or is refused in words.

Values in every style, typed at 30 to 200 ms a key, with Tab, Enter, a click or a paste between
them, on a busy machine, and every way to leave: another page, Run, Share, Download, reload.
"""

import os
import random
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from browser import Visit, Visitor
from gai_app.links import decoded, encoded
from typist import PASTE, Typist, busy

from gai_core import Study, analyse, load_study, parse_study, simulate
from gai_core.questions import with_benchmarks
from gai_core.study import changed, narrowed

if TYPE_CHECKING:
    from playwright.sync_api import Locator

VALUES = int(os.environ.get("GAI_TYPED_VALUES", "12"))
"""Values typed into the tables of two studies; 300 take about ten minutes."""
SEED = int(os.environ.get("GAI_TYPED_SEED", "7"))
STUDY = load_study("tofacitinib")
WAYS = "Download", "reload", "another page", "Run", "Share"
AT_A_TIME = 6
"""Values between two ways to leave."""
SECONDS_A_KEY, SECONDS_A_CLICK = 0.3, 3.0
"""The pace of somebody who types slowly and looks for what to click."""


def downloaded(visitor: Visitor) -> Study:
    """The study file, asked for without any wait."""
    with visitor.page.expect_download() as waiting:
        visitor.button("Download study").click()
    return parse_study(waiting.value.path().read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["tofacitinib", "sirukumab-das28"])
def test_values_in_every_style_arrive_as_meant_or_are_refused_in_words(
    visit: Visit,
    address: str,
    name: str,
    record_property: Callable[[str, object], None],
) -> None:
    study = load_study(name).model_copy(update={"conduct": None})
    typist = Typist(visit(_link(address, study)), study, random.Random(f"{SEED} {name}"))
    dice = typist.dice
    arrived, turn = 0, 0
    with busy(2 if VALUES > 100 else 0):  # else other workers of the tests are
        while arrived + typist.refused < VALUES / 2:
            way = WAYS[turn % len(WAYS)]
            turn += 1
            while len(typist.meant) < AT_A_TIME:
                match dice.randrange(12):
                    case 0:
                        typist.block(dice.randint(2, 4), 1)
                    case 1:
                        typist.block(2, 2)
                    case 2:
                        typist.sees_refusal(*typist.wrong())
                        typist.one()  # in the same cell
                    case _:
                        typist.one()
            arrived += typist.check(_left(typist.visitor, way), way)
            typist.forget()
    record_property("arrived as meant", arrived)
    record_property("refused in words", typist.refused)
    assert arrived + typist.refused >= VALUES / 2


def _link(address: str, study: Study) -> str:
    return f"{address}/?study={encoded(study)}"


@pytest.mark.parametrize("way", ["another page", "reload"])
def test_a_refused_text_and_why_are_still_there_after_leaving(
    visit: Visit, address: str, way: str
) -> None:
    typist = Typist(visit(_link(address, STUDY)), STUDY, random.Random(SEED))
    cell, text = typist.wrong()
    if way == "reload":
        typist.visitor.page.reload()
    else:
        typist.visitor.follow("Help")
        typist.visitor.go("Plan")
    typist.sees_refusal(cell, text)


@pytest.mark.parametrize("way", ["another page", "Run", "Share", "Download"])
def test_what_was_just_typed_counts_however_the_field_is_left(visitor: Visitor, way: str) -> None:
    dice = random.Random(f"{SEED} {way}")
    for label, value in (("Error rate (delta)", "0,2"), ("Largest sample size", "333")):
        visitor.settles()
        visitor.field(label).click()
        visitor.page.keyboard.type(value, delay=dice.choice([30, 100]))
        found = _left(visitor, way)
        assert found.delta == 0.2
        assert found.simulation.n_max == (333 if label.startswith("Largest") else 400)


def _left(visitor: Visitor, way: str) -> Study:
    """Leave at once; the study that is used then."""
    page = visitor.page
    if way == "Download":
        return downloaded(visitor)
    if way == "another page":
        page.get_by_role("link", name="Help", exact=True).click()
        visitor.sees(page.get_by_role("heading", name="Help", exact=True, level=1))
        visitor.go("Plan")
    elif way == "reload":
        page.reload()
        visitor.sees(page.get_by_role("heading", level=1))
    elif way == "Run":
        page.keyboard.press("Control+Enter")
        visitor.up_to_date()
    else:
        visitor.button("Share").click()
        visitor.sees(page.get_by_test_id("stCode"))
        visitor.settles()  # a menu that is opened again shows its last link until the page is drawn
        link = page.get_by_test_id("stCode").inner_text().strip()
        page.keyboard.press("Escape")
        return decoded(link.partition("study=")[2])
    return downloaded(visitor)


def test_a_block_of_a_spreadsheet_is_pasted_over_the_cells(visitor: Visitor) -> None:
    visitor.cell("15 mg", "Dose arm").click()
    lines = [
        "fifteen\t15\tmg\t\t0,7\t60%\t.49\t22 %",
        "twenty\t20\tmg\t\t0.75\t6e-1\t0.49\t.22\ttoo much",
    ]
    visitor.page.evaluate(PASTE, ["\r\n".join(lines) + "\r\n"])
    visitor.sees("1 pasted cell did not fit into the table.")
    found = downloaded(visitor)
    assert [arm.label for arm in found.arms][-2:] == ["fifteen", "twenty"]
    assert found.arms[-1].dose == 20
    assert [truth.means[-2:] for truth in found.truths] == [
        (0.7, 0.75), (0.6, 0.6), (0.49, 0.49), (0.22, 0.22)
    ]  # fmt: skip


def test_the_table_is_worked_with_the_keyboard_alone(visitor: Visitor) -> None:
    page = visitor.page
    visitor.cell("new dose arm", "Dose arm").focus()
    for text in ("20 mg", "20", "mg"):
        page.keyboard.type(text, delay=30)
        page.keyboard.press("Tab")
    page.keyboard.press("Tab")  # the control stays what it is
    for text in (".8", ".7", ".49", ".22"):
        page.keyboard.type(text, delay=30)
        page.keyboard.press("Tab")
    visitor.cell("20 mg", "published").focus()
    page.keyboard.press("ArrowUp")
    _is_active(visitor.cell("15 mg", "published"))
    page.keyboard.press("ArrowDown")
    _is_active(visitor.cell("20 mg", "published"))
    found = downloaded(visitor)
    assert found.arms[-1].label == "20 mg"
    assert [truth.means[-1] for truth in found.truths] == [0.8, 0.7, 0.49, 0.22]
    visitor.cell("1 mg", "published").press("Control+Delete")
    visitor.misses(page.get_by_label("1 mg, Dose", exact=True))
    assert len(downloaded(visitor).arms) == 6


def _is_active(cell: "Locator") -> None:
    assert cell.evaluate("input => input === document.activeElement")


def test_a_bad_cell_is_marked_for_eyes_and_screen_readers(visitor: Visitor) -> None:
    visitor.edit_cell("5 mg", "published", "1,234")
    cell = visitor.cell("5 mg", "published")
    assert cell.get_attribute("aria-invalid") == "true"
    note = visitor.page.locator(f"#{cell.get_attribute('aria-describedby')}")
    assert "can be read in two ways" in note.inner_text()
    visitor.edit_cell("5 mg", "published", "0,6")
    assert cell.get_attribute("aria-invalid") == "false"


def test_undo_by_keyboard_takes_back_what_was_just_typed(visit: Visit, address: str) -> None:
    visitor = visit(f"{address}/?study={encoded(STUDY)}")
    visitor.sees(visitor.glance)
    visitor.field("Title of the study").click()
    visitor.page.keyboard.press("Home")
    visitor.page.keyboard.type("Another ", delay=30)
    visitor.page.keyboard.press("Control+z")
    visitor.finds("Title of the study", STUDY.title)
    visitor.settles()
    assert downloaded(visitor) == STUDY
    visitor.page.keyboard.press("Control+Shift+z")
    visitor.finds("Title of the study", f"Another {STUDY.title}")


def test_error_rates_doses_wanted_and_futility_are_typed_and_survive_a_reload(
    visitor: Visitor,
) -> None:
    page = visitor.page
    visitor.clicks(page.get_by_text("two rates, for either error"))
    for label, text in (
        ("False declaration (alpha)", ",025"),
        ("Good dose dropped (beta)", "20%"),
        ("Doses wanted", "1"),
    ):
        visitor.field(label).click()
        page.keyboard.press("Control+A")
        page.keyboard.type(text, delay=30)
    visitor.clicks(page.locator("summary", has_text="Nearest finish, exact"))
    visitor.up_to_date()
    visitor.chooses("What drops a dose", "Dropped where the observed mean")
    visitor.field("How far below the target").click()
    page.keyboard.press("Control+A")
    page.keyboard.type("0,05", delay=30)
    for _ in range(2):
        found = downloaded(visitor)
        assert (found.error_rates.declare, found.error_rates.drop) == (0.025, 0.2)
        assert found.wanted == 1
        assert found.designs[2].futility == "below"
        assert found.designs[2].futility_parameters == {"amount": 0.05}
        page.reload()
        visitor.sees(page.get_by_role("heading", level=1))


def test_a_newcomer_types_a_trial_of_four_doses_and_reads_how_many_patients_80_percent_takes(
    visitor: Visitor, record_property: Callable[[str, object], None]
) -> None:
    page, keys, clicks = visitor.page, 0, 0

    def click(what: "Locator") -> None:
        nonlocal clicks
        visitor.clicks(what)
        clicks += 1

    def types(text: str, then: str) -> None:
        nonlocal keys
        page.keyboard.type(text, delay=30)
        page.keyboard.press(then)
        keys += len(text) + 1

    click(visitor.button("New study"))
    click(visitor.field("Endpoint"))
    types("ACR20 at week 12", "Tab")
    types("50%", "Tab")
    click(visitor.cell("placebo", "Hoped-for rate"))
    types("0,3", "Tab")
    for dose, rate in (("5 mg", ".35"), ("10 mg", ".45"), ("20 mg", ".6"), ("40 mg", ".65")):
        types(dose, "Tab")
        page.keyboard.press("Tab")  # over the tick of a control
        types(rate, "Tab")
        keys += 1
    visitor.up_to_date()  # a small study runs by itself
    # This begins by itself but in tests.
    click(visitor.button("Which design to use, and how many patients does 80% take?"))
    answer = visitor.page.locator(".st-key-answer")
    visitor.reads(answer, "for a chance of 80% that a good dose is declared")
    read = answer.inner_text()
    found = downloaded(visitor)
    assert [arm.dose for arm in found.arms] == [0, 5, 10, 20, 40]
    assert found.truths[0].means == (0.3, 0.35, 0.45, 0.6, 0.65)
    assert found.truths[1].means == (0.3,) * 5
    assert clicks <= 8
    assert keys * SECONDS_A_KEY + clicks * SECONDS_A_CLICK < 90
    record_property("clicks", clicks)
    record_property("keys", keys)
    said = re.search(r"Use (.+?): for a chance of 80% .*? it needs up to ([\d,]+) patients", read)
    assert said is not None
    sized = changed(with_benchmarks(found), n_max=int(said[2].replace(",", "")))
    here = analyse(simulate(narrowed(sized, ["hoped for"], [said[1]])))
    assert here.values("hoped for", said[1], "good_declared", "probability")[0] >= 0.8
