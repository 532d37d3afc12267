"""`gai sweep`, `gai plan` and `gai run --precision` as their users meet them."""

import io
from pathlib import Path

import pandas as pd
import pytest
from commands import fails, gai
from conftest import make_study

from gai_core import dump_study, load_study
from gai_core.questions.planning import parse_wish, plan, plan_table
from gai_core.questions.sweeping import sweep_table
from gai_core.study.changing import changed
from gai_core.study.variations import Variation

TEXT = {"keep_default_na": False, "na_values": {"value": [""], "mcse": [""]}}


def test_sweep_writes_the_same_table_everywhere_and_shows_a_quantity(tmp_path: Path) -> None:
    csv, parquet, figure = (tmp_path / name for name in ("a.csv", "a.parquet", "a.svg"))
    options = ["--vary", "delta=0.2,0.1", "--vary", "n_max=100:200:100", "--runs", "20"]
    done = gai(
        "sweep", "tofacitinib", *options, "--csv", csv, "--parquet", parquet, "--figure", figure
    )
    assert done.returncode == 0, done.stderr
    study = changed(load_study("tofacitinib"), runs=20)
    expected = sweep_table(study, [Variation("delta", (0.2, 0.1)), Variation("n_max", (100, 200))])
    assert csv.read_text() == expected.to_csv(index=False, lineterminator="\n")
    pd.testing.assert_frame_equal(pd.read_parquet(parquet), expected, check_exact=True)
    assert figure.read_text(encoding="utf-8").startswith("<?xml")
    assert "flatter: any dose declared" in done.stdout
    assert "±" in done.stdout
    piped = gai("sweep", "tofacitinib", *options, "--threads", "1", "--csv", "-")
    assert piped.stdout == csv.read_text()


def test_sweep_of_one_field_draws_curves(tmp_path: Path) -> None:
    figure = tmp_path / "curves.png"
    done = gai(
        "sweep", "threshold-2", "--vary", "truth.shift=-0.05:0.05:0.05", "--runs", "10", "--n-max",
        "300", "--quantity", "tau_1", "--figure", figure,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert (
        "patients until the first declaration, or the last verdict (the largest sample size"
        in done.stdout
    )


def test_a_long_sweep_is_shown_in_part(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(dump_study(make_study()), encoding="utf-8")
    done = gai("sweep", str(path), "--vary", "seed=1:41:1", "--runs", "2", "--n-max", "60")
    assert "40 of 41 points" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--vary", "simulation.n_mx=3"], "did you mean 'simulation.n_max'?"),
        (["--vary", "n_max=600:100:50"], "is empty"),
        (["--vary", "n_max=10"], "simulation.n_max must be at least 30"),
        (["--vary", "truth.shift=0.5"], "must lie between 0 and 1 (a response rate)"),
        (["--vary", "seed=1:9999:1", "--vary", "delta=0.1,0.2,0.3"], "the grid has 29,997 points"),
        (["--vary", "runs=9000000,9000001", "--vary", "n_max=999999,1000000"], "designs["),
        (["--vary", "seed=1:999:1", "--runs", "9000000"], "simulated patients"),
        (["--vary", "delta=0.1", "--quantity", "any"], "--quantity"),
        (["--vary", "delta=0.1", "--figure", "a.txt"], "must end in .svg"),
        (["--vary", "delta=0.1", "--csv", "x", "--parquet", "x"], "need different names"),
        (["--vary", "delta=0.1", "--csv", "/nowhere/x"], "cannot be written"),
        (["--vary", "delta=0.1", "--vary", "seed=1", "--vary", "runs=2", "--figure", "a.svg"],
         "one or two varied fields"),
        (["--vary", "delta=0.1", "--threads", "0"], "threads must lie between"),
    ],
)  # fmt: skip
def test_bad_sweeps_get_a_clear_error(words: list[str], message: str) -> None:
    assert message in fails("sweep", "tofacitinib", *words)


def test_plan_in_words_and_as_csv() -> None:
    options = ["--want", "any_declared=0.8", "--solve", "n_max", "--truth", "published"]
    done = gai("plan", "tofacitinib", *options, "--runs", "100")
    assert (
        "n_max, the smallest sample size, for a chance of 80% that at least one dose is declared"
        in done.stdout
    )
    study = changed(load_study("tofacitinib"), runs=100)
    found = plan(study, parse_wish("any_declared=0.8"), "n_max", truths=["published"])
    for answer in found:
        assert f"{answer.design}: n_max = {answer.value:,}" in done.stdout
    table = gai("plan", "tofacitinib", *options, "--runs", "100", "--csv", "-").stdout
    assert table == plan_table(found).to_csv(index=False, lineterminator="\n")


def test_plan_says_what_cannot_be_reached() -> None:
    done = gai(
        "plan", "medical-1", "--want", "any_declared=0.8", "--solve", "n_max", "--among", "30:500",
        "--truth", "published", "--design", "HDoC",
    )  # fmt: skip
    assert done.returncode == 0
    assert "cannot be reached, because the lower bound is" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--want", "any_declard=0.8", "--solve", "n_max"], "did you mean 'any_declared'?"),
        (["--want", "any_declared=80", "--solve", "n_max"], "between 0 and 1"),
        (["--want", "any_declared=0.8", "--solve", "n_mx"], "did you mean 'n_max'?"),
        (["--want", "any_declared=0.8", "--solve", "n_max", "--among", "5"], "LOW:HIGH"),
        (
            ["--want", "any_declared=0.8", "--solve", "n_max", "--design", "x"],
            "is not in the study",
        ),
        (["--want", "any_declared=0.8", "--solve", "delta", "--largest"], "only helps"),
    ],
)
def test_bad_plans_get_a_clear_error(words: list[str], message: str) -> None:
    assert message in fails("plan", "tofacitinib", *words)


def test_a_bad_plan_is_refused_before_a_cluster_is_asked_for() -> None:
    nobody = "tcp://127.0.0.1:1"
    wish = "plan", "tofacitinib", "--want", "any_declared=0.8", "--solve", "n_max"
    assert "truth 'nonsense' is not in the study" in fails(
        *wish, "--truth", "nonsense", "--cluster", nobody
    )
    assert nobody in fails(*wish, "--cluster", nobody)


def test_precision_says_how_many_trials_it_took() -> None:
    options = ["--n-max", "60", "--runs", "50", "--precision", "0.02"]
    done = gai("run", "tofacitinib", *options, "--csv", "-")
    table = pd.read_csv(io.StringIO(done.stdout), **TEXT)
    # Given a declaration there is none where too few trials have one.
    always = ~table.quantity.str.contains("if_declared|^declared_")
    assert table[always & (table.statistic == "probability")].mcse.notna().all()
    assert table[table.quantity == "any_declared"].mcse.max() <= 0.02
    count = done.stderr.split(" trials for a standard error of 0.02")[0].split()[-1]
    assert int(count.replace(",", "")) >= 500
    shown = gai("run", "tofacitinib", *options)
    assert f"standard error over {count} trials" in " ".join(shown.stdout.split())


def test_bad_precisions_get_a_clear_error() -> None:
    assert "--precision must lie between" in fails("run", "tofacitinib", "--precision", "0")
    assert "--precision must be at least" in fails("run", "tofacitinib", "--precision", "1e-9")
    assert "say how precise" in fails("run", "tofacitinib", "--precision-of", "any_error")
    assert "is no chance" in fails(
        "run", "tofacitinib", "--precision", "0.1", "--precision-of", "tau_1"
    )


def test_labels_are_data(tmp_path: Path) -> None:
    study = make_study(
        designs=[{"name": "[red]$x$[/red]", "rule": "hdoc"}],
        truths=[{"name": ":smile: $\\frac", "means": [0.2, 0.6, 0.8]}],
        simulation={"runs": 5, "n_max": 60},
    )
    path, figure = tmp_path / "study.toml", tmp_path / "f.svg"
    path.write_text(dump_study(study), encoding="utf-8")
    for vary in (["--vary", "delta=0.1,0.2"], ["--vary", "delta=0.1,0.2", "--vary", "n_max=50,60"]):
        done = gai("sweep", path, *vary, "--figure", figure)
        assert done.returncode == 0, done.stderr
        assert "[red]$x$[/red]" in done.stdout
        assert ":smile: $\\frac" in done.stdout
    planned = gai("plan", path, "--want", "any_declared=0.5", "--solve", "n_max")
    assert "[red]$x$[/red]: n_max = " in planned.stdout
