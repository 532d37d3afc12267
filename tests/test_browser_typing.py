"""Typing in a real browser: every value arrives as meant or is refused in words.

Values in every style, typed at 30 to 200 ms a key, with Tab, Enter, a click or a paste between
them, and every way to leave: another page, Run, Share, Download.
"""

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from browser import Visit, Visitor
from gai_app.links import decoded, encoded

from gai_core import Study, load_study, parse_study

if TYPE_CHECKING:
    from playwright.sync_api import Locator

VALUES = 40
"""Values typed into the table of doses; 300 take about ten minutes."""
SEED = 7
STUDY = load_study("tofacitinib")
STYLES: dict[str, Callable[[int], str]] = {
    "point": lambda hundredths: f"0.{hundredths:02d}",
    "leading point": lambda hundredths: f".{hundredths:02d}",
    "comma": lambda hundredths: f"0,{hundredths:02d}",
    "percent": lambda hundredths: f"{hundredths}%",
    "spaces": lambda hundredths: f" 0.{hundredths:02d} ",
    "exponent": lambda hundredths: f"{hundredths}e-2",
}
REFUSED = ("1,234", "0.4.5", "abc", "45")
PASTE = """([text]) => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    const event = { clipboardData: data, bubbles: true, cancelable: true };
    const input = document.activeElement;
    if (input.dispatchEvent(new ClipboardEvent("paste", event))) {
        input.select();
        document.execCommand("insertText", false, text);
    }
}"""


def downloaded(visitor: Visitor) -> Study:
    """The study file, asked for without any wait."""
    with visitor.page.expect_download() as waiting:
        visitor.button("Download study").click()
    return parse_study(waiting.value.path().read_text(encoding="utf-8"))


def test_values_in_every_style_arrive_as_meant_or_are_refused_in_words(visitor: Visitor) -> None:
    dice = random.Random(SEED)
    page = visitor.page
    doses, truths = [arm.label for arm in STUDY.arms], [truth.name for truth in STUDY.truths]
    meant = {truth.name: list(truth.means) for truth in STUDY.truths}
    row, column = 0, 0
    visitor.cell(doses[row], truths[column]).click()
    for _ in range(VALUES):
        hundredths = dice.randint(10, 99)
        text = STYLES[dice.choice(list(STYLES))](hundredths)
        pause = dice.choice([30, 60, 100, 150, 200])
        way = dice.choice(["Tab", "Enter", "click", "paste"])
        refused = dice.random() < 0.1
        if refused:
            page.keyboard.press("Control+A")
            page.keyboard.type(dice.choice(REFUSED), delay=pause)
            visitor.reads(visitor.alerts, f"{doses[row]}, {truths[column]}:")
            visitor.misses(
                visitor.page.get_by_role("button", name="Download study", disabled=False)
            )
        page.keyboard.press("Control+A")
        if way == "paste":
            page.evaluate(PASTE, [text])
        else:
            page.keyboard.type(text, delay=pause)
        meant[truths[column]][row] = hundredths / 100
        if way == "Tab" and column + 1 < len(truths):
            page.keyboard.press("Tab")
            column += 1
        elif way == "Enter" and row + 1 < len(doses):
            page.keyboard.press("Enter")
            row += 1
        else:
            row, column = dice.randrange(len(doses)), dice.randrange(len(truths))
            visitor.cell(doses[row], truths[column]).click()
    found = downloaded(visitor)
    assert {truth.name: list(truth.means) for truth in found.truths} == meant


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
    elif way == "Run":
        page.keyboard.press("Control+Enter")
        visitor.up_to_date()
    else:
        visitor.button("Share").click()
        link = visitor.sees(page.get_by_test_id("stCode")).inner_text().strip()
        visitor.settles()
        page.keyboard.press("Escape")
        return decoded(link.partition("study=")[2])
    return downloaded(visitor)


def test_a_block_of_a_spreadsheet_is_pasted_over_the_cells(visitor: Visitor) -> None:
    visitor.cell("15 mg", "Dose arm").click()
    lines = ["fifteen\t15\tmg\t\t0,7\t60%\t.49", "twenty\t20\tmg\t\t0.75\t6e-1\t0.49\ttoo much"]
    visitor.page.evaluate(PASTE, ["\r\n".join(lines) + "\r\n"])
    visitor.sees("1 pasted cell did not fit into the table.")
    found = downloaded(visitor)
    assert [arm.label for arm in found.arms][-2:] == ["fifteen", "twenty"]
    assert found.arms[-1].dose == 20
    assert [truth.means[-2:] for truth in found.truths] == [(0.7, 0.75), (0.6, 0.6), (0.49, 0.49)]


def test_the_table_is_worked_with_the_keyboard_alone(visitor: Visitor) -> None:
    page = visitor.page
    visitor.cell("new dose arm", "Dose arm").focus()
    for text in ("20 mg", "20", "mg"):
        page.keyboard.type(text, delay=30)
        page.keyboard.press("Tab")
    page.keyboard.press("Tab")  # the control stays what it is
    for text in (".8", ".7", ".49"):
        page.keyboard.type(text, delay=30)
        page.keyboard.press("Tab")
    visitor.cell("20 mg", "published").focus()
    page.keyboard.press("ArrowUp")
    _is_active(visitor.cell("15 mg", "published"))
    page.keyboard.press("ArrowDown")
    _is_active(visitor.cell("20 mg", "published"))
    found = downloaded(visitor)
    assert found.arms[-1].label == "20 mg"
    assert [truth.means[-1] for truth in found.truths] == [0.8, 0.7, 0.49]
    page.get_by_role("button", name="Remove 1 mg").press("Enter")
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
