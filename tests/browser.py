"""A planner server, a browser, and what somebody does with them, in words.

Nothing here waits a fixed time: every step waits until its effect is seen.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

with suppress(ImportError):  # the tests are skipped then, and say so
    from playwright.sync_api import (
        Browser,
        BrowserContext,
        FilePayload,
        Locator,
        Page,
        expect,
        sync_playwright,
    )

ROOT = Path(__file__).parent.parent
NAMES = "chromium", "chromium-browser", "google-chrome"
PATIENCE = 60.0
"""Seconds that a step may take on a busy machine."""
PAGES = {
    "Plan": "Plan a dose-finding trial",
    "Results": "Results",
    "Compare": "Compare designs",
    "One trial": "One trial, patient by patient",
    "Decision rules": "Decision rules",
    "The paper": "The paper",
    "Help": "Help",
}
"""The links at the top, and the heading that each leads to."""
ROW = 33
"""Height in pixels of a row of Streamlit's tables, which are painted and have no elements."""


def find_chromium() -> str | None:
    """A browser for the tests: $GAI_CHROMIUM, or the first one on the path."""
    if not find_spec("playwright"):
        return None
    return os.environ.get("GAI_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def server(log: Path) -> Iterator[str]:
    """The app on a port of its own, as `python -m app` starts it; gives its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "app", "--server.fileWatcherType", "none"]
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen(
            [*command, "--server.port", str(port)],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait_for(f"http://127.0.0.1:{port}/_stcore/health", process, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait_for(address: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    end = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < end:
        with suppress(urllib.error.URLError), urllib.request.urlopen(address, timeout=5):
            return
        time.sleep(0.1)
    raise AssertionError(f"the app does not start:\n{log.read_text(encoding='utf-8')}")


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


def complaints_of(context: "BrowserContext", home: str) -> list[str]:
    """A list that fills with whatever should not happen in a browser, on any of its pages."""
    found: list[str] = []
    inside = home, "data:", "blob:"

    def note(what: bool, words: str) -> None:
        if what:
            found.append(words)

    context.on("console", lambda m: note(m.type == "error", m.text))
    context.on("weberror", lambda e: note(True, str(e.error)))
    context.on("response", lambda r: note(r.status >= 400, f"{r.status} {r.url}"))
    context.on("request", lambda r: note(not r.url.startswith(inside), f"left for {r.url}"))
    return found


def shown(locator: "Locator") -> "Locator":
    """The part of the page, once it is seen."""
    expect(locator).to_be_visible()
    return locator


def gone(locator: "Locator") -> None:
    """Wait until nothing of it is left on the page."""
    expect(locator).to_have_count(0)


def says(locator: "Locator", text: str) -> None:
    """Wait until the part of the page, or one of these parts, contains the text."""
    shown(locator.filter(has_text=text).first)


def holds(field: "Locator", value: str) -> None:
    """Wait until the field has the value."""
    expect(field).to_have_value(value)


def go(page: "Page", name: str) -> None:
    """Follow a link at the top; the page must come without a crash."""
    page.get_by_role("link", name=name, exact=True).click()
    shown(page.get_by_role("heading", name=PAGES[name], exact=True, level=1))
    settled(page)
    assert page.get_by_test_id("stException").count() == 0


def settled(page: "Page") -> None:
    """Wait until the server has sent all of the page."""
    shown(page.locator("[data-testid=stApp][data-test-script-state=notRunning]"))


def picture(page: "Page") -> "Locator":
    """The first figure of the page, once it is drawn."""
    return shown(page.locator(".js-plotly-plot").first)


def alerts(page: "Page") -> "Locator":
    """All messages of the page."""
    return page.get_by_test_id("stAlert")


def glance(page: "Page") -> "Locator":
    """The heading of the first results on the plan page."""
    return page.get_by_role("heading", name="Results at a glance")


def button(page: "Page", name: str) -> "Locator":
    """The button whose words are these; an icon may come before them."""
    return page.get_by_role("button", name=name).filter(visible=True)


def run(page: "Page") -> None:
    """Run the study that is on the plan page."""
    button(page, "Run").click()
    shown(glance(page))


def fill(page: "Page", label: str, value: str) -> None:
    """Type into a field and leave it."""
    field = page.get_by_label(label, exact=True)
    field.fill(value)
    field.press("Enter")


def choose(page: "Page", label: str, option: str) -> None:
    """Pick from a menu."""
    page.get_by_role("combobox", name=label).click()
    page.get_by_role("option", name=option).click()


def table(page: "Page", column: str) -> "Locator":
    """The first table with a column of that name."""
    found = page.get_by_test_id("stDataFrame").filter(has=page.locator("th", has_text=column))
    found.first.locator("td").first.wait_for(state="attached")
    return found.first


def cells(page: "Page", column: str) -> list[str]:
    """All cells of the first table with a column of that name, as text."""
    return table(page, column).locator("td").all_text_contents()


def edit_cell(page: "Page", dose: str, column: str, value: str) -> None:
    """Type a value into the table of doses: click the row, walk to the cell, open it."""
    grid = table(page, "Dose arm")
    across = grid.locator("th").all_text_contents().index(column)
    down = grid.locator("td:first-child").all_text_contents().index(dose)
    row = grid.locator("tbody tr").nth(down).locator("td")
    grid.click(position={"x": 2.5 * ROW, "y": (down + 1.5) * ROW})
    expect(row.first).to_have_attribute("aria-selected", "true")
    for _ in range(across):
        page.keyboard.press("ArrowRight")
    expect(row.nth(across)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    field = shown(page.locator("#portal input"))
    field.fill(value)
    field.press("Enter")
    expect(row.nth(across)).to_have_text(value)


def upload(page: "Page", name: str, content: bytes) -> None:
    """Open a file on the plan page, as if it were on the visitor's machine."""
    field = page.get_by_test_id("stFileUploaderDropzoneInput")
    if not field.count():
        button(page, "Open a file").click()
    file: FilePayload = {"name": name, "mimeType": "application/toml", "buffer": content}
    field.set_input_files(file)


def download(page: "Page", words: str) -> str:
    """The text of the file that a button gives."""
    with page.expect_download() as waiting:
        button(page, words).click()
    return waiting.value.path().read_text(encoding="utf-8")
