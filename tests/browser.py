"""A browser, and what a visitor does with it and the planner, in words.

Nothing here waits a fixed time: every step waits until its effect is seen.
"""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from gai_app import pages
from patience import PATIENCE

with suppress(ImportError):  # the tests are skipped then, and say so
    from playwright.sync_api import (
        Browser,
        BrowserContext,
        FilePayload,
        Locator,
        Page,
        ViewportSize,
        expect,
        sync_playwright,
    )

NAMES = "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"
"""Browsers that will do; the first is the same without a window, for a ninth less of its time."""
PAGES = {page.title: page.heading for page in pages.PAGES.values()}
"""The pages, and the heading of each."""
WITHOUT_SCRIPT = "/_stcore/health"
"""An address of the app's where no script runs."""
UNDER = {page.title: pages.PAGES[page.under].title for page in pages.PAGES.values() if page.under}
"""Pages that are no link at the top, and from which they are reached."""
TABLES = "[data-testid=stTable], [data-testid=stDataFrame]"


def find_chromium() -> str | None:
    """A browser for the tests: $GAI_CHROMIUM, or the first one on the path."""
    if not find_spec("playwright"):
        return None
    return os.environ.get("GAI_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def chromium(path: str) -> Iterator["Browser"]:
    """A browser without a window that asks nothing of the network by itself."""
    expect.set_options(timeout=1000 * PATIENCE)
    quiet = ["background-networking", "component-update", "gpu", "quic", "sync"]
    arguments = ["--no-sandbox", "--no-first-run", *(f"--disable-{name}" for name in quiet)]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()


def _complaints_of(context: "BrowserContext", home: str) -> list[str]:
    """A list that fills with whatever should not happen in a browser, on any of its pages."""
    found: list[str] = []
    inside = home, "data:", "blob:"

    def note(bad: bool, words: str) -> None:
        if bad:
            found.append(words)

    # On a page other than the first, Streamlit looks for its server below it, too.
    below = re.compile(rf"{home}/\w+/_stcore/(health|host-config)")
    context.on(
        "console", lambda m: note(m.type == "error" and not below.match(m.location["url"]), m.text)
    )
    context.on("weberror", lambda e: note(True, str(e.error)))
    context.on(
        "response",
        lambda r: note(r.status >= 400 and not below.match(r.url), f"{r.status} {r.url}"),
    )
    context.on("request", lambda r: note(not r.url.startswith(inside), f"left for {r.url}"))
    return found


class Visitor:
    """Somebody who uses the app in a browser."""

    def __init__(self, page: "Page") -> None:
        self.page = page

    @property
    def alerts(self) -> "Locator":
        """All messages of the page."""
        return self.page.get_by_test_id("stAlert")

    @property
    def progress(self) -> "Locator":
        """The bar of the work under way."""
        return self.page.get_by_test_id("stProgress")

    @property
    def glance(self) -> "Locator":
        """The heading of the first results on the plan page."""
        return self.page.get_by_role("heading", name="Results at a glance")

    def settles(self) -> None:
        """Wait until the server has drawn the page: what is clicked before may be drawn anew."""
        self.misses(self.page.locator("html[data-gai-typing]"))  # what was typed has arrived
        self.sees(self.page.locator("[data-testid=stApp][data-test-script-state=notRunning]"))

    def clicks(self, what: "Locator") -> None:
        """Click on a part of the page that is there to stay."""
        self.settles()
        what.click()

    def chooses(self, menu: str, words: str) -> None:
        """Choose from a menu; one that a new drawing of the page has closed is opened again."""
        field = self.sees(self.page.get_by_role("combobox", name=menu))
        closed = field.and_(self.page.locator("[aria-expanded=false]"))
        choice = self.page.get_by_role("option", name=words)
        while not choice.is_visible():
            self.clicks(field)
            field.fill(words)  # of a long menu only a part is there until one types
            self.sees(choice.or_(closed).first)
        choice.click()

    def presses(self, words: str) -> None:
        """Click on the button with these words."""
        self.clicks(self.button(words))

    def button(self, words: str) -> "Locator":
        """The button with these words; an icon may come before them."""
        return self.page.get_by_role("button", name=words)

    def sees(self, what: "Locator | str") -> "Locator":
        """Wait until it is on the page: a part of it, or some text anywhere."""
        part = self.page.get_by_text(what).first if isinstance(what, str) else what
        expect(part).to_be_visible()
        return part

    def reads(self, where: "Locator", text: str) -> None:
        """Wait until one of these parts of the page contains the text."""
        self.sees(where.filter(has_text=text).first)

    def misses(self, what: "Locator | str") -> None:
        """Wait until it is not on the page any more."""
        part = self.page.get_by_text(what) if isinstance(what, str) else what
        expect(part).to_have_count(0)

    def follow(self, name: str) -> None:
        """Follow a link at the top at once: while a run goes on, a page is hardly ever still."""
        if name in UNDER:
            self.follow(UNDER[name])
            self.page.get_by_role("link", name=name).click()
        else:
            self.page.get_by_role("link", name=name, exact=True).click()
        self.sees(self.page.get_by_role("heading", name=PAGES[name], exact=True, level=1))

    def go(self, name: str) -> None:
        """Follow a link at the top; the page must come whole and without a crash."""
        self.settles()
        self.follow(name)
        self.settles()
        self.misses(self.page.get_by_test_id("stException"))

    def opens_tab(self, name: str, heading: str) -> None:
        """Open a tab, and wait until what it has is drawn."""
        self.clicks(self.page.get_by_role("tab", name=name, exact=True))
        self.sees(self.page.get_by_role("heading", name=heading))
        self.settles()

    def picture(self) -> "Locator":
        """The first figure of the page, once it is drawn."""
        self.page.wait_for_function("document.querySelector('.js-plotly-plot')?._fullData")
        return self.sees(self.page.locator(".js-plotly-plot").first)

    def still(self) -> "Locator":
        """The first figure of the plan page."""
        return self.sees(self.page.locator("svg.gai-still").first)

    def lines(self) -> list[str]:
        """The names of the lines in the first figure."""
        script = "figure => figure.data.filter(t => t.showlegend !== false).map(t => t.name)"
        return list(self.picture().evaluate(script))

    def fits(self, *widths: int) -> None:
        """The page must need no scrolling sideways in windows of these widths."""
        room = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        for width in widths:
            self.page.set_viewport_size({"width": width, "height": 900})
            self.page.wait_for_function(f"innerWidth == {width} && {room}")

    def is_called(self, title: str) -> None:
        """Wait until the tab of the browser has this title."""
        expect(self.page).to_have_title(title)

    def can_be_read(self) -> None:
        """Contrast, levels of headings, names of figures and buttons: nobody is kept out."""
        script = (Path(__file__).parent / "accessible.js").read_text(encoding="utf-8")
        found = self.page.evaluate(script[script.index("() =>") :])
        assert not found, "\n".join(found)

    def everything(self) -> str:
        """All words that can be seen on the page, those in fields and figures too."""
        script = """[document.body.innerText, ...document.querySelectorAll("input, text")]
            .map(part => part.value ?? part.textContent ?? part).join("\\n")"""
        return str(self.page.evaluate(script))

    def run(self) -> None:
        """Have the study run; a small one needs no click."""
        self.settles()
        if self.button("Run").count():
            self.button("Run").click()
        self.up_to_date()

    def up_to_date(self) -> None:
        """Wait until the server has what was typed, and results of the study as it stands."""
        self.settles()
        self.sees("Results are up to date")
        self.settles()

    def field(self, label: str) -> "Locator":
        """The field with this label; while a new study comes there may be two."""
        found = self.page.get_by_label(label, exact=True)
        expect(found).to_have_count(1)
        return found

    def fill(self, label: str, value: str) -> None:
        """Type into a field and leave it; it says so until the server has the value."""
        self.settles()
        self.field(label).fill(value)
        self.field(label).press("Enter")
        self.misses(self.page.get_by_test_id("InputInstructions").filter(has_text="Press Enter"))
        self.settles()

    def finds(self, label: str, value: str) -> None:
        """Wait until a field has the value."""
        expect(self.page.get_by_label(label, exact=True).first).to_have_value(value)

    def choose_study(self, title: str) -> None:
        """Start from a shipped study, and wait until its fields are there."""
        self.presses("New or open")
        self.chooses("Start from", title)
        self.finds("Title of the study", title)

    def table(self, column: str) -> "Locator":
        """The first table with a column of that name."""
        head = self.page.locator("th", has_text=column)
        found = self.page.locator(TABLES).filter(has=head).first
        expect(found.locator("td").first).to_be_attached()
        return found

    def cells(self, column: str) -> list[str]:
        """All cells of the first table with a column of that name."""
        return self.table(column).locator("td").all_text_contents()

    def cells_other_than(self, column: str, before: list[str]) -> None:
        """Wait until the first table with that column holds something else than before."""
        expect(self.table(column).locator("td")).not_to_have_text(before)

    def cell_reads(self, column: str, position: int, text: str) -> None:
        """Wait until the cell at a position of the first table with that column has the text."""
        expect(self.table(column).locator("td").nth(position)).to_have_text(text)

    def cell(self, dose: str, column: str) -> "Locator":
        """A cell of the table of doses."""
        return self.field(f"{dose}, {column}")

    def edit_cell(self, dose: str, column: str, value: str) -> None:
        """Type into the table of doses, and wait until the server has it."""
        self.cell(dose, column).fill(value)
        self.settles()

    def upload(self, name: str, content: bytes) -> None:
        """Open a file on the plan page, as if it were on the visitor's machine."""
        door = self.page.get_by_test_id("stFileUploaderDropzoneInput")
        if not door.count():
            self.presses("New or open")
        file: FilePayload = {"name": name, "mimeType": "application/toml", "buffer": content}
        door.set_input_files(file)

    def download(self, words: str) -> str:
        """The text of the file that a button gives."""
        self.settles()
        with self.page.expect_download() as waiting:
            self.button(words).click()
        return waiting.value.path().read_text(encoding="utf-8")


Visit = Callable[..., Visitor]
Scheme = Literal["light", "dark"]
WINDOW: "ViewportSize" = {"width": 1280, "height": 900}


class Tab:
    """A tab that one visitor after another uses: the browser reads the app's scripts once.

    Nothing of a visitor is left to the next: each has a session of the server, and finds a browser
    that has stored nothing.
    """

    def __init__(self, browser: "Browser", home: str) -> None:
        self.home = home
        context = browser.new_context(viewport=WINDOW, accept_downloads=True)
        context.set_default_timeout(1000 * PATIENCE)
        self.complaints = _complaints_of(context, home)
        self.page = context.new_page()

    def opens(self, where: str, scheme: Scheme) -> Visitor:
        """Somebody comes, and sees a page."""
        self.page.emulate_media(color_scheme=scheme)
        self.page.goto(where)
        visitor = Visitor(self.page)
        visitor.sees(self.page.get_by_role("heading", level=1))
        return visitor

    def is_left(self) -> None:
        """Close what the visitor opened beside it, end the session and forget what is stored."""
        for other in self.page.context.pages:
            if other is not self.page:
                other.close()
        self.page.goto(f"{self.home}{WITHOUT_SCRIPT}")
        self.page.evaluate("localStorage.clear(); sessionStorage.clear()")
        self.page.context.clear_cookies()
        self.page.goto("about:blank")
        self.page.set_viewport_size(WINDOW)
        self.page.emulate_media(media="screen")


@contextmanager
def visits(browser: "Browser", home: str, idle: list[Tab]) -> Iterator[Visit]:
    """A way to open the app in sessions of their own; none may have had a complaint in the end.

    Tabs are taken from the idle ones, and come back to them when the visitors have left.
    """
    used: list[Tab] = []

    def visit(where: str = home, scheme: Scheme = "light") -> Visitor:
        used.append(idle.pop() if idle else Tab(browser, home))
        return used[-1].opens(where, scheme)

    yield visit
    for tab in used:
        if tab.page.is_closed():
            tab.page.context.close()
        else:
            tab.is_left()
            idle.append(tab)
    complaints = [tab.complaints.copy() for tab in used]
    for tab in used:
        tab.complaints.clear()
    assert not any(complaints), complaints
