"""How long a visitor waits, in a real browser, beside a bare Streamlit page.

`python tests/speed_app.py [TIMES]` starts a server and says how long opening, an edit, a run and
the pages take, how much the browser loads, and how much processor time the server needs; then the
same of a page with a title, a field and a button, as far as it has it. Every visit has an empty
browser cache; the first one, which loads and compiles, is not counted.
"""

import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import browser
import psutil
import serving
from browser import Visitor
from gai_app.settings import DEFAULT_STUDY
from load import server_process
from patience import PATIENCE
from playwright.sync_api import Browser, BrowserContext, Locator, Page

from gai_core import Study, load_study, simulate
from gai_core.study import changed

BARE = """
import streamlit as st

def first():
    st.title("A bare page")
    st.markdown("One sentence.")
    typed = st.text_input("A field")
    st.markdown(f"Typed: {typed}.")
    if st.button("A button"):
        st.markdown("Clicked.")

def second():
    st.title("Another page")

pages = [st.Page(first, default=True), st.Page(second, title="Second")]
st.navigation(pages, position="top").run()
"""
ANSWER = ".st-key-answer strong"
"""The answer of the study as it stands; an older one is marked as such."""
MORE = 6000
"""Trials of the study that is run by a click; those of the example are there already."""
DRAWN = "svg.gai-still, .js-plotly-plot .main-svg"
SAYS = """margin => [...document.querySelectorAll("svg.gai-still text")]
    .some(words => words.textContent === margin)"""
"""Whether a figure has the number; to the letter, as +0.1 is a part of +0.12."""
EDITS = 2
"""Edits in a visit after the first one."""
LOADED = """() => performance.getEntriesByType("resource")
    .concat(performance.getEntriesByType("navigation"))
    .reduce((sum, one) => sum + one.decodedBodySize, 0) / 1e6"""
"""Megabytes that the page has loaded."""
EXAMPLE = load_study(DEFAULT_STUDY)
VISITED = "Results", "Compare", "Explore", "One trial", "Decision rules", "Help", "Plan"


@dataclass
class Watch:
    """What was measured, by name, once for every visit."""

    server: psutil.Process
    visits: int
    """Those that count, after the first one."""
    seconds: dict[str, list[float]] = field(default_factory=dict)
    work: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    """Processor time of the server and of the browser."""
    megabytes: dict[str, list[float]] = field(default_factory=dict)
    known: dict[int, float] = field(default_factory=dict)
    """What every process of the browser had computed when it was last seen."""

    @contextmanager
    def measures(self, name: str) -> Iterator[None]:
        """Seconds on the clock, and seconds that server and browser computed."""
        before, begin = self._busy(), time.perf_counter()
        yield
        self.seconds.setdefault(name, []).append(time.perf_counter() - begin)
        server, browsing = self._busy()
        self.work.setdefault(name, []).append((server - before[0], browsing - before[1]))

    def _busy(self) -> tuple[float, float]:
        """Of the browser also what processes had computed that have ended since: a page's own
        process goes with the page, and the sum must not fall when it does."""
        for one in psutil.Process().children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                if "chrom" in one.name():
                    self.known[one.pid] = _computed(one)
        return _computed(self.server), sum(self.known.values())

    def loaded(self, name: str, page: "Page") -> None:
        """What the browser had to load so far."""
        self.megabytes.setdefault(name, []).append(page.evaluate(LOADED))

    def say(self) -> None:
        """A line for everything measured, without the first visit."""
        for name, seconds in self.seconds.items():
            first = len(seconds) // (1 + self.visits)
            kept = seconds[first:]
            works = zip(*self.work[name][first:], strict=True)
            server, browsing = (median(work) for work in works)
            print(
                f"{name:40} {median(kept):5.2f} s ({min(kept):.2f} to {max(kept):.2f}),"
                f" server {server:.2f} s, browser {browsing:.2f} s"
            )
        for name, sizes in self.megabytes.items():
            print(f"{name:40} {median(sizes):5.1f} MB loaded")


def _computed(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def appears(what: "Locator") -> None:
    """Wait until it can be seen; looks at every frame, where `expect` looks ever more seldom."""
    what.first.wait_for(state="visible")


@contextmanager
def new_page(chromium: "Browser") -> "Iterator[Page]":
    """A page of a browser that knows nothing yet."""
    context: BrowserContext = chromium.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(1000 * PATIENCE)
    yield context.new_page()
    context.close()


def see_bare(page: "Page", address: str, watch: Watch) -> None:
    """A page of a title and a sentence, with a field and a button, and another page."""
    with watch.measures("bare page: opening"):
        page.goto(address, wait_until="commit")
        appears(page.get_by_text("One sentence."))
    watch.loaded("bare page", page)
    Visitor(page).settles()
    with watch.measures("bare page: an edit"):
        page.get_by_label("A field").fill("0.5")
        page.get_by_label("A field").press("Enter")
        appears(page.get_by_text("Typed: 0.5."))
    Visitor(page).settles()
    with watch.measures("bare page: a button"):
        page.get_by_role("button", name="A button").click()
        appears(page.get_by_text("Clicked."))
    Visitor(page).settles()
    with watch.measures("bare page: another page"):
        page.get_by_role("link", name="Second").first.click()
        appears(page.get_by_role("heading", name="Another page"))


def see_app(page: "Page", address: str, watch: Watch) -> None:
    """Open the app, edit a dose, run, look at the pages."""
    visitor = Visitor(page)
    with watch.measures("opening: the first figure"):
        with watch.measures("opening: the first answer"):
            page.goto(address, wait_until="commit")
            appears(page.locator(ANSWER))
        watch.loaded("opening: until the first answer", page)
        appears(page.locator(DRAWN))
    visitor.settles()
    watch.loaded("opening: all", page)
    _assume(visitor, watch, "the first edit: its margin in the figure")
    visitor.up_to_date()
    for _ in range(EDITS):
        assumed = _assume(visitor, watch, "the next edits: the same")
        visitor.up_to_date()
    with watch.measures("an edit: the results of a small study"):
        before = visitor.still().inner_html()
        visitor.cell("5 mg", "published").fill(f"{assumed - 0.01:.4f}")
        page.wait_for_function(
            "before => document.querySelector('svg.gai-still')?.innerHTML !== before", arg=before
        )
    visitor.up_to_date()
    visitor.fill("Simulated trials", f"{MORE}")
    with watch.measures("from Run to the new answer"):
        visitor.button("Run").click()
        appears(page.locator(ANSWER))
    visitor.up_to_date()
    with watch.measures("   of which the simulation takes alone"):
        simulate(_further_trials(assumed))
    for name in VISITED:
        visitor.settles()
        with watch.measures(f"page: {name}"):
            page.get_by_role("link", name=name).first.click()
            appears(page.get_by_role("heading", name=browser.PAGES[name], level=1))


def _assume(visitor: Visitor, watch: Watch, name: str) -> float:
    """Type another mean of a dose, until the figure has its distance from the target.

    That depends on what was typed alone, and is no sign that something is on its way; it counts
    from before the last key, with the pause in which more keys may come.
    """
    assumed = round(random.uniform(0.55, 0.65), 4)
    margin = f"{assumed - EXAMPLE.target_under(EXAMPLE.truth('published')):+.3g}"
    cell = visitor.cell("5 mg", "published")
    with watch.measures(name):
        cell.fill(f"{assumed}")
        visitor.page.wait_for_function(SAYS, arg=margin)
    return assumed


def _further_trials(assumed: float) -> Study:
    """As many trials as a click on Run adds, of patients whom nobody has simulated yet."""
    more = MORE - EXAMPLE.simulation.runs
    return changed(EXAMPLE, runs=more, seed=round(1e4 * assumed))


def main(visits: int) -> None:
    """The bare page and the app, one after the other, in the same browser."""
    path = browser.find_chromium()
    assert path, "there is no browser"
    print(f"load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder, browser.chromium(path) as chromium:
        script = Path(folder) / "bare.py"
        script.write_text(BARE, encoding="utf-8")
        plain = "-m", "streamlit", "run", str(script), "--server.headless=true", "--server.port"
        for command, see in ((plain, see_bare), (serving.APP, see_app)):
            log = Path(folder) / "log"
            with serving.server(log, command=command, leave_a_core=False) as address:
                watch = Watch(server_process(address), visits)
                for _ in range(1 + visits):
                    with new_page(chromium) as page:
                        see(page, address, watch)
                watch.say()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
