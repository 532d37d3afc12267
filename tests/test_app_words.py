"""Words on the app's pages that follow the numbers behind them."""

import pytest
from app_page import go, open_tab, plain
from streamlit.testing.v1 import AppTest

from gai_core import paper

ONCE = "looks once, at the end"


def captions(page: AppTest) -> list[str]:
    return [plain(caption.value) for caption in page.caption]


def test_beside_the_papers_times_the_page_says_what_they_count(app: AppTest) -> None:
    """The default study has a fixed design."""
    for tab, there in (("Chance", False), ("Time", True), ("Tables", True)):
        go(app, "results")
        open_tab(app, tab)
        assert any(ONCE in text for text in captions(app)) is there, tab


def test_the_papers_page_has_the_numbers_that_it_computes_with(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paper, "PUBLISHED_RUNS", 1234)
    monkeypatch.setattr(paper, "SEED", 77)
    monkeypatch.setattr(paper, "N_MAX", 56_789)
    monkeypatch.setattr(paper, "FIGURE_N_MAX", 4321)
    go(app, "the_paper")
    (said,) = (text for text in (plain(one.value) for one in app.markdown) if "method is" in text)
    assert said.endswith(
        "1,234 trials a row or point, seed 77, up to 56,789 patients a trial in the tables and "
        "4,321 in the figure."
    )
