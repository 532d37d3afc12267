"""What somebody sees who opens the app: a trial against its concurrent control."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from app_page import MAIN, finish, study
from gai_app import budget, start_up
from gai_app.escaping import markdown
from patience import PATIENCE
from streamlit.testing.v1 import AppTest

from gai_core import analyse, load_study, simulate
from gai_core.questions import answer_sentences, quick_to_advise

FIRST = "tofacitinib-placebo"


def started(code: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Python code in a process whose environment says which study the app opens with, or not."""
    kept = {name: value for name, value in os.environ.items() if name != "GAI_APP_STUDY"}
    return subprocess.run(
        [sys.executable, *code.split(" ", 1)],
        env=kept | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_app_opens_with_what_the_environment_says_or_the_example_against_placebo() -> None:
    code = "-c import gai_app.settings as s; print(s.DEFAULT_STUDY)"
    assert started(code).stdout.strip() == FIRST
    assert started(code, GAI_APP_STUDY="").stdout.strip() == FIRST
    assert started(code, GAI_APP_STUDY="own.toml").stdout.strip() == "own.toml"


def test_a_study_that_is_not_there_is_named_before_the_app_starts(tmp_path: Path) -> None:
    done = started("-m gai_app", GAI_APP_STUDY=str(tmp_path / "missing.toml"))
    assert done.returncode == 1
    assert "GAI_APP_STUDY" in done.stderr
    assert "missing.toml" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_first_answer_is_there_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start_up, "DEFAULT_STUDY", FIRST)
    app = finish(AppTest.from_file(str(MAIN), default_timeout=PATIENCE).run())
    first = load_study(FIRST)
    assert study(app) == first
    assert not app.exception
    assert not app.error
    told = markdown(next(iter(answer_sentences(analyse(simulate(first))))))
    assert any(told in str(text.value) for text in app.markdown)
    assert "Results at a glance" in [heading.value for heading in app.header]
    assert any(button.label == "New study" for button in app.button)


def test_it_is_cheap_ends_with_one_dose_and_a_design_is_recommended_unasked() -> None:
    first = load_study(FIRST)
    assert budget.cheap(first)
    assert first.wanted == 1
    assert quick_to_advise(first)
