"""The app's small rooms: links, labels, places of errors, budget, jobs, settings."""

import subprocess
import sys
import threading
import time
import tomllib
import zlib
from base64 import urlsafe_b64encode
from pathlib import Path

import gai_app
import pytest
from conftest import make_study
from gai_app import budget, settings
from gai_app.escaping import distinct, figure, file_name, markdown
from gai_app.jobs import question, simulation
from gai_app.line import UNKNOWN, Job, Line, Task
from gai_app.links import decoded, encoded, link
from gai_app.places import located
from gai_app.plots.appearance import nth, numbered
from gai_app.plots.compare import BETTER, EVEN, WORSE
from gai_app.plots.style import INKS, ON_COLOUR
from gai_app.plots.sweep import LIGHT_TO_BLUE
from hypothesis import given
from hypothesis import strategies as st

from gai_core import Cancelled, InputError, load_study, scenario_names
from gai_core.engine.simulation import CancelFlag
from gai_core.figures import COLOURS
from gai_core.study.changing import changed
from gai_core.study.validating import study_or_problems

CONFIG = Path(gai_app.__file__).parent / ".streamlit" / "config.toml"


@pytest.mark.parametrize("name", scenario_names())
def test_a_link_carries_a_shipped_study_unchanged_and_is_short(name: str) -> None:
    study = load_study(name)
    assert decoded(encoded(study)) == study
    address = link(study, "http://127.0.0.1:8501/results", "results")
    assert address is not None
    assert address.startswith("http://127.0.0.1:8501/?page=results&study=")
    assert len(address) < 2000


def test_a_link_keeps_the_folder_that_the_app_is_served_from() -> None:
    address = link(make_study(), "https://example.org/planner/", "")
    assert address is not None
    assert address.startswith("https://example.org/planner/?study=")


def packed(text: bytes) -> str:
    return urlsafe_b64encode(zlib.compress(text, 9)).decode().rstrip("=")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "damaged"),
        ("!!", "damaged"),
        ("ä", "damaged"),
        (encoded(make_study())[:-20], "damaged"),
        (packed(b"\xff\xfe"), "damaged"),
        (packed(b" " * 5_000_000), "damaged"),
        ("a" * 20_000, "at most 16,000 characters"),
        (packed(b"title = 3"), "title must be a text"),
        (packed(b"import os"), "not valid TOML"),
    ],
)
def test_a_bad_link_is_refused_in_words(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        decoded(text)


def test_a_study_too_long_for_a_link_has_none() -> None:
    noise = "".join(chr(0x4E00 + i * 7919 % 20_000) for i in range(20_000))
    assert link(make_study(notes=noise), "http://127.0.0.1/", "") is None


@pytest.mark.parametrize(
    "text", ["<script>", "*a*", "`a`", "[a](http://x)", "![a](http://x)", "$a$", ":red[a]", "# a", "&lt;", "a_b_", "http://x.org"]
)  # fmt: skip
def test_markdown_leaves_no_special_character_bare(text: str) -> None:
    escaped = markdown(text)
    assert escaped.replace("\\", "").replace("\u2060", "") == text
    bare = [
        a for a, b in zip(escaped, " " + escaped, strict=False) if a in "<>*`[]!$:#&_" and b != "\\"
    ]
    assert not bare


@given(st.text())
def test_text_in_a_figure_has_no_markup_and_fits(text: str) -> None:
    shown = figure(text, 26)
    assert "<" not in shown
    assert len(shown.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")) <= 26


@given(st.text())
def test_a_file_name_has_letters_digits_and_hyphens_only(text: str) -> None:
    name = file_name(text, ".toml")
    assert name.endswith(".toml")
    assert set(name[:-5]) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert 0 < len(name[:-5]) <= 60


@pytest.mark.parametrize(
    ("change", "part", "words"),
    [
        ({"truths": [{"name": "t", "means": [0.2, 2, 0.8]}]}, "truths", "middle, t: must lie between"),
        ({"arms": [{"label": ""}, {"label": "b"}, {"label": "c"}]}, "arms", "Dose arm 1, label: must not be empty"),
        ({"delta": 2.0}, "delta", "Error rate (delta): must be less than 1"),
        ({"outcome": {"kind": "gaussian", "variance": -1.0}}, "outcome", "Variance: must be at least 1e-12"),
        ({"designs": [{"name": "A", "rule": "hdoc", "burn_in": 0}]}, "designs", "A, burn in: must be at least 1"),
        ({"arms": [{"label": "a"}] * 3}, "arms", "Dose arms: every label must be given once"),
        ({"title": ""}, "title", "Title: must not be empty"),
    ],
)  # fmt: skip
def test_an_error_is_located_in_words(change: dict[str, object], part: str, words: str) -> None:
    data = make_study().model_dump(mode="json") | change
    found = study_or_problems(data)
    assert isinstance(found, list)
    problem = located(found[0], data)
    assert problem.part == part
    assert problem.text.startswith(words)


def test_following_the_advice_of_a_refusal_makes_the_run_fit() -> None:
    study = changed(load_study("threshold-1"), runs=20_000)
    text = budget.refusal(study) or ""
    assert "at most 1,785 simulated trials" in text
    assert budget.refusal(changed(study, runs=1_785)) is None
    assert budget.refusal(changed(study, runs=1_786)) is not None
    assert "a largest sample size of at most 8,928" in text
    assert budget.refusal(changed(study, n_max=8_928)) is None
    many = changed(load_study("tofacitinib"), runs=10_000_000)
    assert "at most 138,888 simulated trials" in (budget.refusal(many) or "")
    assert budget.refusal(changed(many, runs=138_888)) is None
    assert budget.refusal(changed(many, runs=138_889)) is not None


def test_only_a_cheap_study_is_run_unasked() -> None:
    assert budget.cheap(load_study(settings.DEFAULT_STUDY))
    assert not budget.cheap(load_study("medical-1"))


def test_a_limit_of_the_environment_must_be_a_number() -> None:
    code = "import gai_app.settings as s; print(s.PATIENTS_PER_RUN)"

    def run(value: str) -> "subprocess.CompletedProcess[str]":
        environment = {"GAI_APP_PATIENTS_PER_RUN": value, "PATH": ""}
        command = [sys.executable, "-c", code]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    assert run("123").stdout.strip() == "123"
    assert "must be a whole number from 1 on, but is 'many'" in run("many").stderr


def ended(job: Job) -> Job:
    assert job.wait(300), "the job does not end"
    return job


def quick(_report: object, _cancel: object) -> str:
    return "result"


def test_a_job_holds_its_own_result_when_the_shared_ones_are_forgotten() -> None:
    line = Line(answers=2)
    jobs = [ended(line.add(Job(key, key, quick))) for key in "abcde"]
    assert [line.answer(key) for key in "abcde"] == [None, None, None, "result", "result"]
    assert [job.result for job in jobs] == ["result"] * 5


def test_a_large_result_is_not_kept_for_others() -> None:
    line = Line()
    job = ended(line.add(Job("key", "label", quick, shared=False)))
    assert job.result == "result"
    assert line.answer("key") is None


class Held:
    """Work that goes on until it is let go, and remembers who was at work, in order."""

    def __init__(self) -> None:
        self.free = threading.Event()
        self.began: list[str] = []

    def task(self, name: str) -> Task:
        def work(_report: object, _cancel: object) -> str:
            self.began.append(name)
            assert self.free.wait(300)
            return name

        return work

    def job(self, name: str, effort: float = UNKNOWN, key: str = "") -> Job:
        return Job(key or name, name, self.task(name), effort)


def test_the_same_question_is_worked_on_once() -> None:
    line, held = Line(places=3), Held()
    jobs = [line.add(held.job(name, 1.0, key="same")) for name in "abc"]
    held.free.set()
    assert [ended(job).result for job in jobs] == ["a"] * 3
    assert held.began == ["a"]


def test_a_short_job_has_a_place_where_long_ones_wait() -> None:
    line, held = Line(places=3), Held()
    long = [line.add(held.job(name)) for name in "abcd"]
    assert [line.ahead(job) for job in long[2:]] == [0, 1]
    short = line.add(Job("short", "short", quick, effort=0.1))
    assert ended(short).result == "result"
    assert [job.started is None for job in long] == [False, False, True, True]
    held.free.set()
    assert [ended(job).result for job in long] == list("abcd")


def test_what_nobody_asked_for_begins_when_the_short_ones_are_done() -> None:
    line, held, others = Line(places=3), Held(), Held()
    short = line.add(held.job("short", 1.0))
    unasked = others.job("unasked")
    unasked.yields = True
    line.add(unasked)
    others.free.set()
    assert ended(line.add(others.job("asked"))).result == "asked"
    assert unasked.started is None
    held.free.set()
    assert [ended(job).result for job in (short, unasked)] == ["short", "unasked"]


def test_a_job_with_a_pause_begins_by_itself_when_it_is_over_and_not_before() -> None:
    line, held = Line(places=3), Held()
    held.free.set()
    never, soon = held.job("never"), held.job("soon")
    never.pause, soon.pause = 1e6, 0.05
    for job in (never, soon):
        line.add(job)
    assert ended(soon).result == "soon"
    assert soon.started is not None
    assert soon.started >= soon.asked + soon.pause
    assert ended(line.add(held.job("asked"))).result == "asked"
    assert never.started is None
    assert never.pausing


def test_a_long_job_lets_shorter_ones_pass_but_not_for_ever() -> None:
    line, held = Line(places=1), Held()
    line.add(held.job("first", 1.0))
    long = line.add(held.job("long", 100.0))
    soon = line.add(held.job("soon", 1.0))
    late = held.job("late", 1.0)
    late.asked += 1000
    line.add(late)
    assert [line.ahead(job) for job in (soon, long, late)] == [0, 1, 2]
    held.free.set()
    assert ended(late).result == "late"
    assert held.began == ["first", "soon", "long", "late"]


def test_a_job_whose_browser_is_gone_is_cancelled_and_frees_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gai_app.line.SECONDS_AWAY", 0)
    there = threading.Event()
    there.set()

    def work(_report: object, cancel: CancelFlag) -> None:
        while not cancel.is_set():
            there.clear()
        raise Cancelled

    line = Line(places=1)
    left = line.add(Job("left", "left", work, wanted=there.is_set))
    waiting = line.add(Job("waiting", "waiting", quick, wanted=lambda: False))
    after = line.add(Job("after", "after", quick))
    assert ended(left).cancelled
    assert ended(waiting).cancelled
    assert ended(after).result == "result"


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (InputError("no such arm"), "no such arm"),
        (MemoryError(), "not enough memory"),
        (RuntimeError("secret detail"), "something went wrong"),
    ],
)
def test_a_job_that_fails_says_so_in_words(error: Exception, message: str) -> None:
    def fail(_report: object, _cancel: object) -> None:
        raise error

    job = ended(Line().add(Job("key", "label", fail)))
    assert message in job.problem
    assert "secret" not in job.problem
    assert not job.succeeded


def test_a_cancelled_job_has_ended_for_its_owner_at_once_and_stops_soon() -> None:
    begun, stopped = threading.Event(), threading.Event()

    def work(_report: object, cancel: CancelFlag) -> None:
        begun.set()
        while not cancel.is_set():
            time.sleep(0.01)
        stopped.set()
        raise Cancelled

    line = Line()
    job = line.add(Job("key", "label", work))
    assert begun.wait(300)
    job.stop()
    assert job.ended
    assert job.cancelled
    assert not job.succeeded
    assert stopped.wait(300)
    assert line.answer("key") is None


def test_a_job_goes_on_for_the_others_even_if_one_person_asked_twice() -> None:
    """After a reload a run may be asked for and recalled at once, by the same session."""

    def me() -> bool:
        return True

    job = Job("key", "label", quick, wanted=me, others=[me])
    assert job.leave(me).cancelled
    assert not job.cancelled
    assert (job.wanted, job.others) == (me, [])
    assert job.leave(me) is job
    assert job.cancelled


def test_remaining_time_follows_from_the_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job("key", "label", quick, started=time.monotonic())
    monkeypatch.setattr(Job, "seconds", 10.0)  # a busy machine's own clock would go on
    assert job.seconds_left is None
    job.report(25, 100)
    assert job.seconds_left == pytest.approx(30)


def test_a_question_has_a_name_of_its_own_for_every_study() -> None:
    study = make_study()
    names = {
        question("run", study),
        question("exact", study),
        question("run", changed(study, seed=4)),
    }
    assert len(names) == 3
    assert simulation(study)[0] == question("run", make_study())


def test_a_design_keeps_its_number_whatever_its_position() -> None:
    first = numbered({}, ["A", "B", "C"])
    assert first == {"A": 0, "B": 1, "C": 2}
    fewer = numbered(first, ["C", "D", "B"])
    assert [fewer[name] for name in "ABCD"] == [0, 1, 2, 3]
    assert numbered(fewer, ["D", "C", "B", "A"]) == fewer


def test_no_two_designs_of_a_study_look_the_same_however_many_there_were() -> None:
    known: dict[str, int] = {}
    for i in range(40):
        names = [f"design {i + j}" for j in range(len(COLOURS))]
        before, known = known, numbered(known, names)
        assert len({nth(known[name]) for name in names}) == len(names)
        assert all(known[name] == before[name] for name in names if name in before)


def luminance(colour: str) -> float:
    """That of WCAG 2.1."""
    shares = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in shares]
    return sum(v * weight for v, weight in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))


def contrast(one: str, other: str) -> float:
    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)


def test_words_on_heat_maps_and_beside_figures_can_be_read() -> None:
    cells = [BETTER, EVEN, WORSE, *(colour for _, colour in LIGHT_TO_BLUE)]
    assert all(contrast(ON_COLOUR, colour) >= 4.5 for colour in cells)
    themes = tomllib.loads(CONFIG.read_text(encoding="utf-8"))["theme"]
    for theme, ink in INKS.items():
        assert contrast(ink, themes[theme]["backgroundColor"]) >= 4.5
        assert contrast(ink, themes[theme]["secondaryBackgroundColor"]) >= 4.5


def test_no_two_choices_of_a_menu_have_the_same_words() -> None:
    assert distinct(["trial", "other"]) == ["trial", "other"]
    assert distinct(["trial", "trial", "trial"]) == ["trial", "trial (2)", "trial (3)"]
    assert distinct(["trial", "trial (2)", "trial"]) == ["trial", "trial (2)", "trial (3)"]
    assert distinct(["trial (2)", "trial", "trial"]) == ["trial (2)", "trial", "trial (3)"]
