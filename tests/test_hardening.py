"""The command line under odd names, killed processes, lost workers and early Ctrl-C."""

import os
import signal
import subprocess
import sys
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from commands import fails, gai
from conftest import make_study
from test_cli import QUICK

from gai_core import InputError, analyse, dump_study, load_study, simulate
from gai_core.basics.scratch_folders import PREFIX, scratch
from gai_core.basics.workers import Workers, finished
from gai_core.engine.cluster import LARGEST_FILE, connected
from gai_core.engine.cluster_security import FILES, security
from gai_core.engine.cluster_watch import SECONDS_TO_GIVE_UP, SECONDS_TO_SAY, Watch
from gai_core.figures.style import empty, in_lines, picture, plain
from gai_core.report import FORMATS, build_report
from gai_core.report.content import Picture


@pytest.fixture
def loop(tmp_path: Path) -> Path:
    """Two links that lead to each other."""
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.symlink_to(two)
    two.symlink_to(one)
    return one


def test_links_that_lead_to_each_other_get_a_sentence(loop: Path) -> None:
    assert "cannot be written" in fails("bounds", "medical-2", "--csv", loop)
    report = loop.with_suffix(".html")
    report.symlink_to(report)
    assert "cannot be written" in fails("report", "medical-2", *QUICK, "-o", report)


def test_a_date_with_control_characters_is_printed_without_them(tmp_path: Path) -> None:
    path = tmp_path / "report.docx"
    done = gai("report", "medical-2", *QUICK, "-o", path, "--date", "2026\x0b\x1b[31m")
    assert done.returncode == 0, done.stderr
    assert path.exists()


def test_what_was_typed_does_not_move_the_cursor(tmp_path: Path) -> None:
    evil = "a\x1b[2Jb"
    file = tmp_path / f"{evil}.toml"
    file.write_text(dump_study(load_study("medical-2")), encoding="utf-8")
    named: list[list[str | Path]] = [
        ["check", file],
        ["run", evil],
        [evil],
        [f"--{evil}"],
        ["run", "medical-2", f"--{evil}"],
        ["run", "medical-2", "--runs", evil],
        ["list", evil],
        ["report", "medical-2", "-o", tmp_path / f"{evil}.odt"],
    ]
    for words in named:
        done = gai(*words)
        assert "\x1b" not in done.stdout + done.stderr, words
        assert done.returncode == (0 if words[0] == "check" else 2), words
        assert "Traceback" not in done.stderr, words


def test_ctrl_c_before_anything_is_loaded_is_a_sentence() -> None:
    code = (
        "import os, signal, sys, gai_core.cli as cli\n"
        "class Finder:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'gai_core.cli.program': os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "cli.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 130
    assert done.stderr == "Error: interrupted, nothing was written\n"


def test_what_a_killed_process_left_is_cleared_away_and_nothing_else(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; from gai_core.basics import scratch\n"
        "with scratch(Path(sys.argv[1])) as folder:\n"
        "    (folder / 'half').write_text('half')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path])
    assert done.returncode == -signal.SIGKILL
    (left,) = tmp_path.iterdir()
    machine = left.name.removeprefix(PREFIX).split("-")[0]
    mine, theirs = f"{PREFIX}{machine}-{os.getpid()}-mine", f"{PREFIX}other-1-new"
    kept = [tmp_path / name for name in (mine, theirs, ".gai-notes", "gai-1-2-3")]
    old = tmp_path / f"{PREFIX}other-1-old"
    for folder in (*kept, old):
        folder.mkdir()
    os.utime(old, (0, 0))
    with scratch(tmp_path) as new:
        assert set(tmp_path.iterdir()) == {*kept, new}
    assert set(tmp_path.iterdir()) == set(kept)


def test_lost_workers_are_said_once_and_given_up_after_the_stated_time(
    caplog: pytest.LogCaptureFixture,
) -> None:
    now, count = 0.0, 2
    watch = Watch(lambda: count > 0, "--cluster tcp://x", clock=lambda: now)
    watch()
    count = 0
    watch()
    now = SECONDS_TO_SAY
    watch()
    watch()
    assert caplog.text.count("all workers are gone") == 1
    count = 1
    watch()
    count, now = 0, 10.0 * SECONDS_TO_GIVE_UP
    watch()  # they were back in between, so the time begins anew
    now += SECONDS_TO_GIVE_UP
    with pytest.raises(InputError, match="has had no worker for 300 seconds"):
        watch()


def test_a_run_that_waits_for_nobody_ends() -> None:
    class Nobody(Executor):
        def submit(self, *_: Any, **__: Any) -> Future[Any]:
            return Future()

    def gone() -> None:
        raise InputError("gone")

    with pytest.raises(InputError, match="gone"):
        list(finished([lambda: 1], Workers(Nobody(), 1, remote=True, watch=gone)))


def test_an_encrypted_cluster_needs_certificates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match="set GAI_TLS_CA, GAI_TLS_CERT, GAI_TLS_KEY"):
        security("tls://x:1", "--cluster tls://x:1")
    for name, variable in FILES.items():
        monkeypatch.setenv(variable, str(tmp_path / name))
    with pytest.raises(InputError, match="which is no file"):
        security("tls://x:1", "--cluster tls://x:1")
    for name in FILES:
        (tmp_path / name).write_text("")
    found = security("tls://x:1", "--cluster tls://x:1")
    assert found.require_encryption
    assert {getattr(found, name) for name in FILES} == {str(tmp_path / name) for name in FILES}
    assert not security("tcp://x:1", "--cluster tcp://x:1").tls_ca_file


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a: " + 5_000 * "[", "is not a YAML file"),
        ("module: 2026-99-99\nclass: A", "is not a YAML file"),
        ("module: !!int ''\nclass: A", "is not a YAML file"),
        ("module: .x\nclass: A", "module must be the whole name of a Python module, but is '.x'"),
        ("module: ''\nclass: A", "module must be the whole name of a Python module, but is ''"),
        ("module: [1]\nclass: A", "module must be the whole name of a Python module, but is [1]"),
        ("module: os\nclass: a b", "class must be the name of a class of the module"),
        ("module: os\nclass: A\nkwargs: {1: 2}", "kwargs must be names with their values"),
        ("# " + LARGEST_FILE * "x", "or a file (it has more than 1,000,000 bytes)"),
    ],
)
def test_a_file_that_describes_no_cluster_gets_a_sentence(
    tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "cluster.yaml"
    path.write_text(content)
    with pytest.raises(InputError) as caught, connected(str(path)):
        pass
    assert message in str(caught.value)
    assert len(str(caught.value)) < 500


def test_a_device_describes_no_cluster() -> None:
    with pytest.raises(InputError, match="it is no regular file"), connected(os.devnull):
        pass


def test_figures_of_any_valid_labels_are_xml_and_warn_of_nothing(
    recwarn: pytest.WarningsRecorder,
) -> None:
    odd = "\ue000 \ufdd0 \u0378 \u202e \u00ad \U00013000 $x_1$ <&]]>"
    study = make_study(
        outcome={"kind": "bernoulli", "endpoint": f"{odd}\n\t{odd}\n"},
        arms=[{"label": f"{label} {odd}"} for label in ("low", "middle", "high")],
        truths=[{"name": odd, "means": [0.2, 0.6, 0.8]}],
        designs=[{"name": odd, "rule": "hdoc"}],
    )
    report = build_report(analyse(simulate(study)))
    drawn = [block.drawn("svg") for block in report.blocks if isinstance(block, Picture)]
    assert len(drawn) > 3
    for content in drawn:
        ElementTree.fromstring(content)
    assert FORMATS[".pdf"].write(report).startswith(b"%PDF")
    assert not recwarn.list


def test_letters_that_no_font_has_are_drawn_without_a_warning(
    recwarn: pytest.WarningsRecorder,
) -> None:
    def draw() -> Any:
        figure, axes = empty(1.0)
        axes.set_xlabel(in_lines("\ue000 \U00013000\ttwo\nlines"))
        axes.set_xticks([0], labels=[plain("one\ntwo\x1b")])
        return figure

    ElementTree.fromstring(picture(draw, "svg"))
    assert picture(draw, "png").startswith(b"\x89PNG")
    assert not recwarn.list
    assert plain("one\ntwo\t\x1b$") == "one\ntwo \ufffd\\$"
