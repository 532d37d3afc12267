"""The command line on a study with a conduct: what it shows, and errors in words."""

import io
import re
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest
from conducted import FIXED, SCORE, conducted_study

from gai_core import Study, characteristics, dump_study, simulate
from gai_core.cli import main
from gai_core.study.changing import changed
from gai_core.study.conduct_words import in_words

Run = Callable[..., tuple[int, str, str]]
QUICK = ["--runs", "8"]


@pytest.fixture
def gai(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """`gai` in this process: exit code, output and errors, in which lines are not broken."""
    before = signal.getsignal(signal.SIGINT)

    def run(*words: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["gai", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return int(ended.value.code or 0), captured.out, " ".join(captured.err.split())

    yield run
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def study() -> Study:
    return conducted_study()


@pytest.fixture
def file(tmp_path: Path, study: Study) -> Path:
    path = tmp_path / "conducted.toml"
    path.write_text(dump_study(study), encoding="utf-8")
    return path


def one_line(text: str) -> str:
    return " ".join(text.split())


def test_show_and_check_say_how_the_trial_is_run(gai: Run, file: Path, study: Study) -> None:
    code, out, _ = gai("show", file)
    assert code == 0
    assert f"Conduct: {' '.join(in_words(study))}" in one_line(out)
    assert "120 patients take 12 months to enrol" in one_line(out)
    code, out, _ = gai("check", file)
    assert code == 0
    assert "valid (arms: 4, truths: 2, designs: 2)" in out


def test_check_warns_where_outcomes_come_too_late(gai: Run, tmp_path: Path) -> None:
    late = tmp_path / "late.toml"
    late.write_text(dump_study(conducted_study({"delay": {"weeks": 200.0}})), encoding="utf-8")
    code, _, errors = gai("check", late)
    assert code == 0
    assert "120 patients are enrolled before an outcome is known" in errors


def test_run_shows_months(gai: Run, file: Path) -> None:
    code, out, _ = gai("run", file, *QUICK)
    assert code == 0
    text = one_line(out)
    assert "clear: months until each declaration, or the last verdict, and the end" in text
    for words in ("last verdict", "end of the", "patients on", "good doses"):  # heads in lines
        assert words in text
    assert "Patients are those enrolled by the time of the event" in text
    assert "control, 30.0" in text  # a quarter of Fixed's 120 patients
    assert "nan" not in text.split()


def test_run_csv_is_the_tidy_table(gai: Run, file: Path, study: Study) -> None:
    code, out, _ = gai("run", file, *QUICK, "--csv", "-")
    assert code == 0
    table = pd.read_csv(
        io.StringIO(out), keep_default_na=False, na_values={"value": [""], "mcse": [""]}
    )
    expected = characteristics(simulate(changed(study, runs=8)))
    pd.testing.assert_frame_equal(table, expected, check_exact=True, check_dtype=False)
    assert {"months_tau_1", "waiting_1", "pipeline", "outcomes"} <= set(table.quantity)


def test_verify_shows_exact_errors_of_the_candidates(gai: Run, file: Path) -> None:
    code, out, _ = gai("verify", file, *QUICK)
    assert code == 0
    assert "BROKEN" not in out
    assert "ABOVE" not in out
    assert "Exact errors when every dose has its worst mean" in out
    _, out, _ = gai("verify", file, *QUICK, "--csv", "-")
    table = pd.read_csv(io.StringIO(out))
    assert table.arm_allowance.tolist() == pytest.approx([0.1] * 4)  # three doses share 0.3


def test_verify_does_not_cry_wolf_over_a_test_that_uses_its_whole_level(
    gai: Run, tmp_path: Path
) -> None:
    sidak = FIXED | {"criterion_parameters": {"looks": "end", "share": "sidak"}}
    dropout = {"probability": 0.2, "counted": "left out", "in_means": False}
    path = tmp_path / "whole.toml"
    whole = conducted_study({"dropout": dropout}, outcome=SCORE, designs=[sidak], delta=0.1)
    path.write_text(dump_study(whole), encoding="utf-8")
    code, out, errors = gai("verify", path, *QUICK)
    assert code == 0, errors
    assert "BROKEN" not in out


def test_report_and_table_have_months(gai: Run, file: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    assert gai("report", file, *QUICK, "--full", "-o", page)[0] == 0
    written = page.read_text(encoding="utf-8")
    assert re.search(r"\d Randomisation and conduct", one_line(written))
    assert "months until" in written
    for style in ("md", "latex"):
        code, out, _ = gai("table", file, *QUICK, "--format", style)
        assert code == 0
        assert "months until each declaration" in out.replace("\\_", "_")


def test_bounds_and_boundaries_are_about_the_doses(gai: Run, file: Path, tmp_path: Path) -> None:
    code, out, _ = gai("bounds", file)
    assert code == 0
    assert "Sharper (lower, any delta)" in out
    figure = tmp_path / "limits.svg"
    code, out, _ = gai("boundaries", file, "--design", "Fixed", "--figure", figure)
    assert code == 0
    assert "declare if responders at least" in out
    assert figure.read_text(encoding="utf-8").startswith("<?xml")
    _, out, _ = gai("boundaries", file, "--design", "Fixed", "--csv", "-")
    assert pd.read_csv(io.StringIO(out)).n.max() == 30  # of 120 patients 90 are the doses'


def test_advise_recommends_a_design_for_a_conducted_study(gai: Run, file: Path) -> None:
    code, out, _ = gai("advise", file, *QUICK, "--at", "good_declared=0.5")
    assert code == 0
    text = one_line(out)
    assert text.startswith("Use ")
    assert "a good dose is declared in " in text
    assert re.search(r"; a trial takes [\d.]+ ± \S+ months on average; ", text)


def test_saved_runs_are_recreated_and_extended(gai: Run, file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    assert gai("run", file, *QUICK, "--save", folder)[0] == 0
    assert "every number of 32 trials is the same" in gai("rerun", folder)[1]
    assert "now 11 trials" in gai("extend", folder, "--runs", "11")[1]
    assert "every number of 44 trials is the same" in gai("rerun", folder)[1]


BROKEN = [
    ("cohort = 4", "cohort = 0", "conduct.cohort must be at least 1, but is 0"),
    ("cohort = 4", "cohrt = 4", "conduct.cohrt is not a known key; did you mean 'cohort'?"),
    ("control_share = 0.25", "control_share = 0.99", "conduct.control_share must be at most 0.9"),
    ("weeks = 8.0", 'weeks = "8"', "conduct.delay.weeks must be a number, but is '8'"),
    ("non-response", "baseline", 'conduct.dropout.counted must be "non-response" or "left out"'),
    ("control = true", "control = false", "conduct.control_share needs an arm with control = true"),
    ("threshold = 0.4", 'margin = "x"', "margin must be a number, but is 'x'"),
]


@pytest.mark.parametrize(("old", "new", "message"), BROKEN)
@pytest.mark.parametrize("command", ["check", "run"])
def test_a_broken_conduct_gets_a_sentence_and_exit_code_2(
    gai: Run, file: Path, command: str, old: str, new: str, message: str
) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    code, out, errors = gai(command, file)
    assert (code, out) == (2, "")
    assert errors.startswith(f"Error: {file}: {message}")


def test_options_that_do_not_fit_the_conduct_are_named(gai: Run, file: Path) -> None:
    code, out, errors = gai("run", file, "--n-max", "10")
    assert (code, out) == (2, "")
    assert "--n-max 10: simulation.n_max must be at least 9" in errors
    assert "but is 10, which leaves 8 for them" in errors


def test_a_sweep_varies_the_conduct(gai: Run, file: Path) -> None:
    code, out, errors = gai("sweep", file, *QUICK, "--vary", "delay.weeks=0,26", "--csv", "-")
    assert code == 0, errors
    table = pd.read_csv(io.StringIO(out))
    assert {0, 26} <= set(table.filter(like="weeks").iloc[:, 0])
