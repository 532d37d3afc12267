"""Words on the app's pages that follow the numbers behind them."""

import pytest
from app_page import go, open_tab, plain
from conftest import make_study
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


def test_help_says_when_a_promise_depends_on_what_the_control_does(app: AppTest) -> None:
    """Limits for rates of up to 0.3 promise nothing where the control has 0.5."""
    study = make_study(
        threshold=None,
        target={"over": "control", "evidence": "differences", "control_at_most": 0.3},
        arms=[{"label": "placebo", "control": True}, {"label": "low"}, {"label": "high"}],
        truths=[{"name": "more", "means": [0.5, 0.5, 0.8]}],
        conduct={"cohort": 4},
    )
    assert not study.covered(study.truths[0])
    go(app, "help")
    open_tab(app, "Words", "help-tab")
    words = " ".join(cell for table in app.table for cell in table.value.to_numpy().ravel())
    assert "whatever the control does, unless its limits are for some rates of the" in words
