"""The command line as its users meet it: output, exit codes, errors in words, whole files."""

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from commands import fails, gai
from conftest import make_study
from patience import PATIENCE

from gai_core import characteristics, dump_study, load_study, scenario_names, simulate
from gai_core.results.tidy import COLUMNS
from gai_core.study import scenario_groups, scenario_titles
from gai_core.study.changing import changed

QUICK = ["--runs", "20", "--n-max", "400"]


def test_list_names_every_study() -> None:
    done = gai("list")
    assert done.returncode == 0
    shown = " ".join(done.stdout.split())
    for group, titles in scenario_groups().items():
        assert titles, group
        assert group in shown
    assert [word for word in shown.split() if word in scenario_names()] == [*scenario_titles()]
    assert "secukinumab" in shown


def test_show_says_what_a_trialist_asks(tmp_path: Path) -> None:
    done = gai("show", "medical-1")
    assert "placebo +0.14 under published" in done.stdout
    assert "0.537 *" in done.stdout
    assert "always" in done.stdout
    labels = make_study(arms=[{"label": "[red]a[/red]"}, {"label": ":smile:"}, {"label": "c"}])
    path = tmp_path / "labels.toml"
    path.write_text(dump_study(labels), encoding="utf-8")
    shown = gai("show", path).stdout
    assert "[red]a[/red]" in shown
    assert ":smile:" in shown


def test_check_and_schema(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(dump_study(make_study()), encoding="utf-8")
    assert "valid (arms: 3, truths: 1, designs: 1)" in gai("check", path).stdout
    assert json.loads(gai("schema").stdout)["title"] == "Study"


def test_run_csv_is_the_tidy_table_and_nothing_else() -> None:
    done = gai("run", "medical-2", *QUICK, "--seed", "7", "--delta", "0.2", "--csv", "-")
    table = pd.read_csv(
        io.StringIO(done.stdout), keep_default_na=False, na_values={"value": [""], "mcse": [""]}
    )
    assert list(table.columns) == COLUMNS
    study = changed(load_study("medical-2"), runs=20, n_max=400, seed=7, delta=0.2)
    expected = characteristics(simulate(study))
    pd.testing.assert_frame_equal(table, expected, check_exact=True, check_dtype=False)
    assert "Caution" in done.stderr


def test_run_is_the_same_bytes_for_any_number_of_threads() -> None:
    one, two = (
        gai("run", "threshold-2", *QUICK, "--threads", n, "--csv", "-").stdout for n in "12"
    )
    assert one == two


def test_run_shows_a_table_with_errors_and_bounds() -> None:
    done = gai("run", "medical-1", *QUICK)
    assert "±" in done.stdout
    assert "lower bound" in done.stdout
    assert "967" in done.stdout
    assert "With at most 400 some trials must end without." in done.stderr


def test_bounds_in_words_and_as_csv() -> None:
    assert "says nothing here" in gai("bounds", "threshold-3").stdout
    table = pd.read_csv(io.StringIO(gai("bounds", "medical-2", "--csv", "-").stdout))
    assert list(table.columns) == ["truth", "quantity", "bound", "value", "note"]


def test_reproduce_puts_published_beside_computed() -> None:
    done = gai("reproduce", "table1", "--runs", "30")
    assert "10,264.1 ± 2,121.1 sd" in done.stdout
    assert "Does not match: Medical 2's published figures" in done.stdout
    figure = pd.read_csv(
        io.StringIO(gai("reproduce", "figure1", "--runs", "5", "--csv", "-").stdout)
    )
    assert len(figure) == 40


def test_save_writes_a_whole_folder(tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    assert (
        gai("run", "threshold-2", *QUICK, "--save", folder, "--csv", tmp_path / "t.csv").returncode
        == 0
    )
    names = [
        "characteristics.csv",
        "characteristics.parquet",
        "manifest.json",
        "runs.parquet",
        "study.toml",
    ]
    assert sorted(path.name for path in folder.iterdir()) == names
    assert (folder / "characteristics.csv").read_bytes() == (tmp_path / "t.csv").read_bytes()
    runs = pd.read_parquet(folder / "runs.parquet")
    study = load_study(folder / "study.toml")
    assert len(runs) == 20 * len(study.arms) * len(study.designs) * len(study.truths)
    first = runs[
        (runs.truth == "published") & (runs.design == "HDoC") & (runs.arm == study.arms[2].label)
    ]
    assert first.assigned.tolist() == simulate(study)["published", "HDoC"].assigned[:, 2].tolist()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["saved", "t.csv"]
    assert "exists already" in fails("run", "threshold-2", *QUICK, "--save", folder)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run", "nothing"], "there is no such file"),
        (["run", "medical-1", "--delta", "0"], "medical-1 with --delta 0: delta must be greater than 0.0, but is 0.0"),
        (["run", "medical-1", "--delta", "nan"], "medical-1 with --delta nan: delta must be a finite number"),
        (["run", "medical-1", "--runs", "1000000000"], "simulation.runs must be at most"),
        (["run", "medical-1", "--runs", "0"], "simulation.runs must be at least 1"),
        (["run", "medical-1", "--n-max", "10"], "simulation.n_max must be at least 25"),
        (["run", "medical-1", "--threads", "0"], "threads must lie between 1 and 1024"),
        (["run", "medical-1", "--csv", "/no/such/folder/x.csv"], "cannot be written"),
        (["run", "medical-1", "--save", "/proc/new"], "cannot be written"),
        (["reproduce", "--runs", "0"], "simulation.runs must be at least 1"),
        (["check", "/no/such/file.toml"], "cannot be read"),
    ],
)  # fmt: skip
def test_hard_input_gets_a_sentence_and_exit_code_2(words: list[str], message: str) -> None:
    assert message in fails(*words)


def test_usage_errors_exit_with_2_too() -> None:
    assert gai("run", "medical-1", "--runs", "many").returncode == 2
    assert gai("reproduce", "table9").returncode == 2


def test_a_tiny_delta_runs() -> None:
    done = gai("run", "threshold-1", "--delta", "1.9e-22", *QUICK, "--csv", "-")
    assert done.returncode == 0
    assert "inf" in done.stdout


def test_ctrl_c_says_so_and_leaves_nothing(tmp_path: Path) -> None:
    words = ["run", "medical-2", "--runs", "1000000", "--csv", "t.csv", "--save", "saved"]
    process = subprocess.Popen(
        [sys.executable, "-m", "gai_core", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, cwd=tmp_path, env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    assert process.stderr is not None
    assert "Caution" in process.stderr.readline()  # the run has begun
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, errors
    assert "interrupted, nothing was written" in errors
    assert "Traceback" not in errors
    assert output == ""
    assert list(tmp_path.iterdir()) == []


def test_a_closed_pipe_is_no_error() -> None:
    command = f"{sys.executable} -m gai_core boundaries threshold-2 --csv -"
    done = subprocess.run(f"{command} | head -1", shell=True, capture_output=True, text=True)
    assert done.stdout.strip() == "design,n,declare_at_least,drop_at_most"
    assert "Traceback" not in done.stderr
    assert "Error" not in done.stderr
    whole = gai("boundaries", "threshold-2", "--csv", "-").stdout
    assert len(whole) > 1_000_000  # far more than a pipe holds


def test_odd_streams_and_places_get_no_traceback(tmp_path: Path) -> None:
    program = f"{sys.executable} -m gai_core"
    long_name = "x" * 300
    for command, code in (
        (f"{program} list >&-", 0),
        (f"{program} list > /dev/full", 2),
        (f"{program} sweep medical-1 --vary seed=1,2 --runs 2 --n-max 50 --csv - >&-", 0),
        (f"PYTHONIOENCODING=ascii {program} run medical-1 --runs 2 --n-max 50", 0),
        (f"{program} check {long_name}", 2),
        (f"{program} run medical-1 --csv {long_name}", 2),
        (f"{program} run medical-1 --runs 2 --n-max 50 --csv same --save same", 2),
        (f"{program} check ''", 2),
    ):
        done = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=tmp_path)
        assert "Traceback" not in done.stderr, command
        assert done.returncode == code, (command, done)
    assert list(tmp_path.iterdir()) == []


def test_csv_follows_a_link_and_writes_into_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "target.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("target.csv")
    assert gai("bounds", "medical-1", "--csv", tmp_path / "link.csv").returncode == 0
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "target.csv").read_text().startswith("truth,quantity")
    os.mkfifo(tmp_path / "pipe")
    reader = subprocess.Popen(["cat", tmp_path / "pipe"], stdout=subprocess.PIPE, text=True)
    assert gai("bounds", "medical-1", "--csv", tmp_path / "pipe").returncode == 0
    assert reader.communicate(timeout=PATIENCE)[0].startswith("truth,quantity")


def test_verify_shows_union_published_for_what_it_is(tmp_path: Path) -> None:
    study = make_study(
        outcome={"kind": "gaussian", "variance": 1.0},
        designs=[
            {"name": "promised", "rule": "hdoc", "criterion": "mixture"},
            {"name": "narrow", "rule": "hdoc", "criterion": "union-published"},
        ],
        delta=0.9,
        truths=[{"name": "one", "means": [0.5, 0.6, 0.8]}],
        simulation={"runs": 50, "n_max": 2000},
    )
    path = tmp_path / "narrow.toml"
    path.write_text(dump_study(study), encoding="utf-8")
    shown = gai("verify", path).stdout
    assert "nothing" in shown
    assert "patients on a" in shown
    assert "1,990" in shown
    table = pd.read_csv(io.StringIO(gai("verify", path, "--csv", "-").stdout))
    assert table.guarantee.tolist() == ["always", "nothing"]
    assert {"any_error", "any_error_mcse", "share_of_delta"} <= set(table.columns)
    assert "carries no guarantee" in gai("check", path).stderr.replace("Carries", "carries")


def test_boundaries_is_the_table_of_a_protocol(tmp_path: Path) -> None:
    done = gai("boundaries", "medical-1", "--design", "HDoC", "--figure", tmp_path / "f.svg")
    assert "declare if responders at least" in done.stdout
    assert (tmp_path / "f.svg").read_text().startswith("<?xml")
    assert "must end in .svg" in fails("boundaries", "medical-1", "--figure", "f.gif")
    assert "did you mean 'HDoC'" in fails("boundaries", "medical-1", "--design", "HDOC")


def test_advise_recommends_in_words() -> None:
    done = gai("advise", "medical-2", "--runs", "40", "--at", "good_declared=0.5")
    text = " ".join(done.stdout.split())
    assert text.startswith("Use ")
    assert "Benchmark: Group sequential, 4 looks, a group-sequential trial." in text
    assert "published: " in text
    assert "--at: 'good_declard' cannot be wished for" in fails(
        "advise", "medical-2", "--at", "good_declard=0.5"
    )


def test_a_million_trials_of_ten_arms_fit_in_a_gigabyte() -> None:
    # The peak of this process alone: ru_maxrss would begin with what the test's own process has.
    code = """
from pathlib import Path
from gai_core import characteristics, load_study, simulate
from gai_core.study import changed
study = load_study("threshold-1")
one = study.model_copy(update={"designs": study.designs[:1], "truths": study.truths[:1]})
study = changed(one, runs=1_000_000, n_max=60)
characteristics(simulate(study))
status = Path("/proc/self/status").read_text().splitlines()
print(int(next(line for line in status if line.startswith("VmHWM")).split()[1]) / 1e6)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 1.0


def test_a_report_is_written_and_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    words = ["report", "tofacitinib", "--runs", "5", "-o", str(path), "--date", "2026-01-31"]
    assert gai(*words).returncode == 0
    first = path.read_bytes()
    assert b"2026-01-31" in first
    assert "exists already" in fails(*words)
    assert gai(*words, "--force").returncode == 0
    assert path.read_bytes() == first
    assert "must end in .html" in fails("report", "tofacitinib", "-o", "report.xyz")


def test_a_table_for_a_paper_is_the_same_every_time() -> None:
    words = ["table", "tofacitinib", "--runs", "5"]
    first = gai(*words, "--format", "md").stdout
    assert first.startswith("**published: patients until")
    assert first == gai(*words, "--format", "md", "--threads", "1").stdout
    assert gai(*words, "--format", "latex").stdout.startswith("\\begin{table}")
    assert gai(*words, "--format", "csv").stdout.startswith("truth,design,quantity,arm")


def test_saved_runs_are_recreated_and_extended(tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    assert gai("run", "tofacitinib", "--runs", "5", "--save", str(folder)).returncode == 0
    assert "every number of 60 trials is the same" in gai("rerun", str(folder)).stdout
    assert "now 8 trials" in gai("extend", str(folder), "--runs", "8").stdout
    assert "every number of 96 trials is the same" in gai("rerun", str(folder)).stdout
    assert "is no folder of" in fails("rerun", str(tmp_path))
