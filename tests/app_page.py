"""The app without a browser: what a test does on a page, and what the page then shows."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gai_app.editor.parsing import written
from gai_app.links import encoded
from gai_app.pages import PAGES
from patience import PATIENCE
from streamlit.testing.v1 import AppTest

from gai_core import (
    Study,
    load_study,
)
from gai_core.study.conduct import Conduct
from gai_core.study.validating import study_or_problems

MAIN = Path(__file__).parent.parent / "app" / "gai_app" / "main.py"
DEFAULT = load_study("tofacitinib")


def finish(page: AppTest) -> AppTest:
    """Wait until the run under way has ended, and draw the page again."""
    until = time.monotonic() + PATIENCE
    while not (has_no_job(page) or page.session_state["job-run"].ended):
        assert time.monotonic() < until, "the run does not end"
        time.sleep(0.05)
    return page.run()


def has_no_job(page: AppTest, kind: str = "run") -> bool:
    """Whether the session waits for nothing of this kind."""
    name = f"job-{kind}"
    return name not in page.session_state or page.session_state[name] is None


def go(page: AppTest, name: str) -> AppTest:
    return page.switch_page(f"views/{name}.py").run()


def key(page: AppTest, name: str) -> str:
    """A widget's key: it begins anew with every study."""
    return f"{name}-{page.session_state['generation']}"


def study(page: AppTest) -> Study:
    """The study under edit, which must be valid."""
    found = study_or_problems(page.session_state["draft"])
    assert isinstance(found, Study), found
    return found


def errors(page: AppTest) -> list[str]:
    return [str(error.value).replace("\\", "") for error in page.error]


def plain(text: object) -> str:
    """Text as it is seen, without what keeps it from being formatted."""
    return str(text).replace("\\", "").replace("\u2060", "").replace("\u200b", "")


def names(frame: Any) -> list[str]:
    """The columns of a table as they are shown."""
    return [plain(name) for name in frame.value.columns]


def cells(frame: Any) -> list[list[str]]:
    """The rows of a table as they are shown."""
    return [[plain(cell) for cell in row] for row in frame.value.to_numpy().tolist()]


def column(frame: Any, name: str) -> list[str]:
    """A column of a table as it is shown."""
    place = names(frame).index(name)
    return [row[place] for row in cells(frame)]


def unfold(page: AppTest, name: str) -> AppTest:
    """Open a folded part of the page."""
    page.session_state[name] = True
    return page.run()


def open_tab(page: AppTest, name: str, tabs: str = "results-tab") -> AppTest:
    """Open a tab, of the results unless others are named."""
    page.session_state[tabs] = name
    return page.run()


def button(page: AppTest, label: str) -> Any:
    (found,) = [button for button in page.button if button.label == label]
    return found


def send(page: AppTest, *edits: dict[str, object]) -> AppTest:
    """Edits as the browser sends them, numbered, and the page after them."""
    before = 0
    if "last-edit" in page.session_state:
        before = page.session_state["last-edit"]
    numbered = [{"n": before + 1 + i} | edit for i, edit in enumerate(edits)]
    page.session_state["keeper"] = {
        "edits": {"of": page.session_state["session-name"], "list": numbered}
    }
    return page.run()


def type_in(page: AppTest, path: str, value: object) -> AppTest:
    """Type a value into the field of a path of the study."""
    reads = drawn_fields(page)[path]["reads"]
    return send(page, {"sheet": path, "path": path, "reads": reads, "text": written(value)})


def fields(page: AppTest) -> dict[str, str]:
    """What the single fields of the page show, by their paths."""
    return {path: data["value"] for path, data in drawn_fields(page).items()}


def drawn_fields(page: AppTest) -> dict[str, dict[str, Any]]:
    """All that the single fields of the page are drawn from, by their paths."""
    drawn = [json.loads(element.proto.json) for element in page.get("bidi_component")]
    return {data["path"]: data for data in drawn if "path" in data}


def edit_arms(
    page: AppTest,
    edited_rows: dict[int, dict[str, Any]] | None = None,
    added_rows: list[dict[str, Any]] | None = None,
    deleted_rows: list[int] | None = None,
) -> AppTest:
    """Type into cells of the table of doses, by the names of its columns; then remove rows."""
    last = len(page.session_state["draft"]["arms"])
    rows = (edited_rows or {}) | dict(enumerate(added_rows or [], start=last))
    cells = [(row, *cell) for row, line in rows.items() for cell in line.items()]
    typed: list[dict[str, object]] = [
        {
            "sheet": "arms",
            "path": f"truths.{column[6:]}.means.{row}"
            if column.startswith("truth ")
            else f"arms.{row}.{column}",
            "text": written(value),
        }
        for row, column, value in cells
    ]
    gone: list[dict[str, object]] = [
        {"sheet": "arms", "remove": row} for row in sorted(deleted_rows or [], reverse=True)
    ]
    return send(page, *typed, *gone)


def open_example(page: AppTest, name: str) -> AppTest:
    """Open a shipped study from the menu above the pages."""
    open_menu(page).selectbox(key=key(page, "start")).select(name).run()
    return finish(page)


def open_menu(page: AppTest) -> AppTest:
    """The menu of studies, as after a click."""
    page.session_state[key(page, "open")] = True
    return page.run()


def offers_run(page: AppTest) -> bool:
    return any(button.label == "Run" for button in page.button)


def open_design(page: AppTest, position: int) -> None:
    page.session_state[key(page, f"box-{position}")] = True
    page.run()


def open_ready_made(page: AppTest) -> None:
    page.session_state[key(page, "add-design")] = True
    page.run()


def figures_of_tabs(page: AppTest) -> Iterator[tuple[str, list[str]]]:
    """The pages, tab by tab, and what their figures are called."""
    for name in PAGES:
        go(page, name)
        for tab in [tab.label for tab in page.tabs] or [""]:
            if tab:
                open_tab(page, tab, f"{name}-tab")
            yield name, [chart.proto.alt for chart in page.get("plotly_chart")]


def opened(content: Study) -> AppTest:
    """A session that a link with this study has opened, after its run."""
    page = AppTest.from_file(str(MAIN), default_timeout=PATIENCE)
    page.query_params["study"] = encoded(content)
    page.run()
    return finish(page)


def switch_on(page: AppTest) -> Conduct:
    page.toggle(key=key(page, "conduct")).set_value(True).run()
    return conduct(page)


def conduct(page: AppTest) -> Conduct:
    found = study(page).conduct
    assert found is not None
    return found


def said(page: AppTest) -> str:
    """All messages of the page."""
    parts = [*page.info, *page.warning, *page.caption, *page.markdown]
    return " ".join(str(part.value) for part in parts).replace("\\", "")
