"""What registries hold is added from outside, one of each, and seen everywhere.

Quantities and kinds of outcome have files of their own: test_quantities.py, test_outcomes.py.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import streamlit as st
import typer
from app_page import MAIN, finish, go, open_tab
from conftest import make_study
from docx import Document
from gai_app.pages import PAGES, Page
from patience import PATIENCE
from pypdf import PdfReader
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from gai_core import CRITERIA, RULES, InputError, load_study, simulate
from gai_core.basics import Argument, Problem, Registry, jitable
from gai_core.cli.commands import COMMANDS
from gai_core.cli.options import Asked
from gai_core.cli.program import app
from gai_core.criteria import Criterion
from gai_core.evidence import Curves, Setting
from gai_core.evidence.outcomes import OUTCOMES
from gai_core.report import (
    FORMATS,
    PAPERS,
    SECTIONS,
    TABLE_FORMATS,
    Format,
    Layout,
    Paper,
    Report,
    ReportSection,
    TableFormat,
    build_report,
    check_report,
    write_report,
)
from gai_core.report.content import Paragraph, Section
from gai_core.rules import Rule, Tables


@jitable
def greedy_summary(
    mean: float,
    n: int,  # noqa: ARG001
    of_n: float,  # noqa: ARG001
    xi: float,  # noqa: ARG001
    scale: float,  # noqa: ARG001
    unit: float,  # noqa: ARG001
) -> tuple[float, float]:
    """The mean so far."""
    return mean, 0.0


def no_tables(setting: Setting, _parameters: object) -> Tables:
    return Tables.only_n(np.zeros_like(setting.counts))


def tenth_curves(setting: Setting, _parameters: object) -> Curves:
    """Declared at ten responders more than the target has, dropped at ten fewer."""
    at_target = setting.threshold * setting.counts
    return Curves(
        np.ceil(at_target + 10).astype(np.int64), np.floor(at_target - 10).astype(np.int64)
    )


@pytest.fixture
def added() -> Iterator[None]:
    """A rule and a criterion of somebody else's."""
    greedy = Rule(
        key="greedy",
        label="The best so far",
        formula="argmax m_i",
        citation="nobody",
        summary=greedy_summary,
        tables=no_tables,
    )
    tenth = Criterion(
        key="ten-more",
        label="Ten responders more",
        guarantee="nothing",
        promises="It promises nothing at all.",
        formula="S >= n xi + 10",
        citation="nobody",
        curves=tenth_curves,
    )
    with RULES.extended(greedy), CRITERIA.extended(tenth):
        yield


@pytest.mark.usefixtures("added")
def test_a_rule_and_a_criterion_from_outside_are_in_study_runs_report_and_help() -> None:
    design = {"name": "Greedy", "rule": "greedy", "criterion": "ten-more"}
    runs = simulate(make_study(designs=[design]))
    trials = runs["steep", "Greedy"]
    assert (trials.verdict[:, 2] == 1).all()  # a rate of 0.8 is soon ten responders ahead
    first = trials.sums[:, 2] - 0.5 * trials.assigned[:, 2]
    assert (first >= 10).all()
    assert (first < 11).all()
    text = str(build_report(runs).sections)
    for words in ("The best so far", "Ten responders more", "It promises nothing at all."):
        assert words in text
    page = finish(AppTest.from_file(str(MAIN), default_timeout=PATIENCE).run())
    go(page, "help")
    open_tab(page, "Rules", "help-tab")
    shown = " ".join(str(table.value.to_numpy()) for table in page.table).replace("\\", "")
    assert "The best so far (greedy)" in shown
    assert "Ten responders more (ten-more)" in shown


def test_without_it_the_rule_is_unknown() -> None:
    with pytest.raises(InputError, match="is no known rule"):
        make_study(designs=[{"name": "Greedy", "rule": "greedy"}])


@pytest.fixture
def greeting(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command of a module of somebody else's."""

    def command(asked: Asked, name: str = "you") -> None:
        """Greet the arms of a study."""
        study = asked.load()
        typer.echo(f"{name}: {len(study.arms)} arms, {study.simulation.runs} runs")

    module = ModuleType("elsewhere")
    module.command = command  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "elsewhere", module)
    monkeypatch.setitem(COMMANDS, "greet", "elsewhere")


@pytest.mark.usefixtures("greeting")
def test_a_command_from_outside_has_the_shared_options() -> None:
    run = CliRunner().invoke
    assert "Greet the arms of a study." in run(app, ["--help"]).output
    words = run(app, ["greet", "--help"]).output
    for option in ("--runs", "--seed", "--n-max", "--delta", "--name", "STUDY"):
        assert option in words
    done = run(app, ["greet", "medical-1", "--runs", "7", "--name", "Ann"])
    assert done.output == "Ann: 5 arms, 7 runs\n"
    assert "Did you mean" in run(app, ["gret"]).output


def test_every_command_says_what_it_does_and_names_every_option() -> None:
    for name in COMMANDS:
        done = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "200"})
        assert done.exit_code == 0, name
        assert done.output.count("\n") > 5, name


def test_options_of_two_groups_do_not_get_mixed_up() -> None:
    from gai_core.cli.spread_options import spread

    @dataclass(frozen=True)
    class One:
        two: int = 2

    @dataclass(frozen=True)
    class Two:
        one: int = 1

    seen = []

    def command(one: One, two: Two, third: int = 3) -> None:
        seen.append((one, two, third))

    spread(command)(one=10, two=20, third=30)
    assert seen == [(One(20), Two(10), 30)]


def test_a_section_and_a_format_from_outside_are_in_report_file_and_app(tmp_path: Path) -> None:
    def titles(report: Report) -> bytes:
        return "\n".join(section.title for section in report.sections).encode()

    def weather(_analysis: object) -> Section:
        return Section("Weather", (Paragraph("It rained."),))

    def of_four(study: object) -> bool:
        return len(getattr(study, "arms", ())) == 4

    runs = simulate(make_study())
    endings = ", ".join(map(re.escape, FORMATS))
    plain = Format(".titles", "plain text", "text/plain", titles)
    path = tmp_path / "report.titles"
    with SECTIONS.extended(ReportSection("weather", weather)), FORMATS.extended(plain):
        write_report(build_report(runs), path)
    names = path.read_text(encoding="utf-8").splitlines()
    assert names[-2:] == ["Weather", "Checklist"]
    assert "References" in names
    with SECTIONS.extended(ReportSection("weather", weather, of_four)):
        assert "Weather" not in [section.title for section in build_report(runs).sections]
    with pytest.raises(InputError, match=f"must end in {endings}$"):
        check_report(path, force=True)
    with FORMATS.extended(plain):
        page = finish(AppTest.from_file(str(MAIN), default_timeout=PATIENCE).run())
        open_tab(go(page, "results"), "Report")
        labels = [button.proto.label for button in page.get("download_button")]
    assert "Report (plain text)" in labels


def test_a_paper_from_outside_is_in_every_format_app_and_command_line(tmp_path: Path) -> None:
    runs = simulate(make_study())
    small = Paper("a5", "A5", 148.0, 210.0)
    words = ["report", "medical-1", "-o", str(tmp_path / "r.pdf"), "--paper", "a5"]
    refused = CliRunner().invoke(app, words).output
    assert "'a5' is not one of 'a4', 'letter'" in " ".join(refused.split())
    with PAPERS.extended(small):
        report = build_report(runs, layout=Layout("a5"))
        written = {form.key: form.write(report) for form in FORMATS.values()}
        page = finish(AppTest.from_file(str(MAIN), default_timeout=PATIENCE).run())
        open_tab(go(page, "results"), "Report")
        assert page.radio(key="report-paper").options == ["A4", "US Letter", "A5"]
        known = CliRunner().invoke(app, [*words, "--runs", "-1"])
        assert "simulation.runs" in str(known.exception)  # the next thing that is wrong
    assert b"148mm 210mm" in written[".html"]
    box = PdfReader(BytesIO(written[".pdf"])).pages[0].mediabox
    assert [float(side) / 72 * 25.4 for side in (box.width, box.height)] == pytest.approx(
        [148, 210], abs=0.01
    )
    assert Document(BytesIO(written[".docx"])).sections[0].page_width.mm == pytest.approx(
        148, abs=0.1
    )


def test_a_table_format_from_outside_is_known_to_the_command_line() -> None:
    titles = TableFormat("titles", lambda study, _values, _limits: f"{study.title}\n")
    words = ["table", "medical-1", "--runs", "10", "--format", "titles"]
    assert "'titles' is not one of 'md', 'latex', 'csv'" in CliRunner().invoke(app, words).output
    with TABLE_FORMATS.extended(titles):
        done = CliRunner().invoke(app, words)
    assert done.output.endswith(f"{load_study('medical-1').title}\n")


def test_a_page_from_outside_is_in_navigation_and_help() -> None:
    def draw() -> None:
        st.title("Something more")

    extra = Page("extra", "Extra", ":material/add:", draw, "Further")
    with PAGES.extended(extra):
        page = AppTest.from_file(str(MAIN), default_timeout=PATIENCE)
        page.query_params["page"] = "extra"
        assert [title.value for title in page.run().title] == ["Something more"]
        go(page, "help")
        shown = " ".join(str(table.value.to_numpy()) for table in page.table)
    assert "'Extra' 'Further'" in shown
    for entry in PAGES.values():
        assert f"'{entry.title}'" in shown, entry.key


def test_a_page_that_refuses_says_so_in_the_words_of_the_app() -> None:
    def draw() -> None:
        raise InputError(Problem((Argument("among"),), "must begin below its end"))

    with PAGES.extended(Page("extra", "Extra", ":material/add:", draw, "Further")):
        page = AppTest.from_file(str(MAIN), default_timeout=PATIENCE)
        page.query_params["page"] = "extra"
        (said,) = [error.value for error in page.run().error]
    assert said == "Search range must begin below its end"


@pytest.mark.parametrize("registry", [RULES, CRITERIA, FORMATS, OUTCOMES, SECTIONS])
def test_two_entries_of_one_key_are_refused_in_words(registry: Registry[Any]) -> None:
    key, entry = next(iter(registry.items()))
    words = f"there is a {registry.kind} {key!r} already"
    with pytest.raises(ValueError, match=words), registry.extended(entry):
        pass
    assert registry[key] is entry
    with pytest.raises(ValueError, match=words):
        Registry(registry.kind, [entry, entry])
