"""Conducted trials on the pages: shown in months, replayed, carried by links, explained."""

from collections.abc import Iterator

import pytest
from app_page import (
    cells,
    column,
    finish,
    go,
    key,
    names,
    open_tab,
    opened,
    said,
    study,
    switch_on,
    type_in,
    unfold,
)
from conducted import of_every_sort
from gai_app.links import decoded, encoded
from gai_app.studies import with_wanted_on_top
from streamlit.testing.v1 import AppTest

from gai_core import characteristics, dump_study, load_study, parse_study, simulate
from gai_core.results.quantities import comparable, events
from gai_core.results.replaying import replay
from gai_core.results.summary import Values, headline
from gai_core.study.changing import changed
from gai_core.study.validating import validated

CONDUCTED = changed(load_study("tofacitinib-conduct"), runs=60)
WITH_CONDUCT = [name for name in of_every_sort() if load_study(name).conduct]


@pytest.fixture
def conducted() -> Iterator[AppTest]:
    """A session with a study that has one."""
    page = opened(CONDUCTED)
    yield page
    assert not page.exception


@pytest.mark.parametrize("name", WITH_CONDUCT)
def test_links_and_files_carry_the_conduct_and_looking_does_not_change_it(name: str) -> None:
    expected = with_wanted_on_top(changed(load_study(name), runs=2))
    app = opened(expected)
    assert study(app) == expected
    go(app, "help")
    go(app, "plan")
    assert study(app) == expected
    assert not app.exception
    assert decoded(encoded(study(app))) == parse_study(dump_study(study(app))) == expected


@pytest.mark.parametrize("name", WITH_CONDUCT)
def test_every_page_opens_with_every_shipped_conduct(name: str) -> None:
    app = opened(changed(load_study(name), runs=8))
    for page in ("results", "compare", "one_trial", "decision_rules"):
        go(app, page)
        assert not app.exception, page
        assert not app.error, page
        tables = " ".join(str(frame.value.to_numpy()) for frame in app.table)
        assert "nan" not in tables.lower(), page


def test_months_at_a_glance_are_those_of_the_core(conducted: AppTest) -> None:
    expected = headline(
        CONDUCTED, CONDUCTED.truths[0], Values(characteristics(simulate(CONDUCTED)))
    )
    assert "months until the last outcome" in expected.columns
    assert names(conducted.table[0]) == expected.columns
    assert cells(conducted.table[0]) == expected.rows


def headings(page: AppTest) -> list[str]:
    return [str(heading.value) for heading in page.header]


def test_results_speak_of_months_only_with_a_conduct(app: AppTest) -> None:
    go(app, "results")
    for tab in ("Chance", "Time", "Doses", "Tables"):
        open_tab(app, tab)
        assert not [heading for heading in headings(app) if "month" in heading]
    go(app, "plan")
    switch_on(app)
    finish(app)
    open_tab(go(app, "results"), "Chance")
    assert [heading for heading in headings(app) if "month" in heading] == [
        "By which month is a dose declared?"
    ]
    open_tab(app, "Time")
    assert [heading for heading in headings(app) if "month" in heading] == [
        "How many months until each verdict?",
        "Enrolment and verdicts, month by month",
    ]


def test_designs_can_be_compared_by_months_and_by_patients_on_good_doses(
    conducted: AppTest,
) -> None:
    go(conducted, "compare")
    menu = conducted.selectbox(key="choose-quantity")
    assert menu.options == [known.compared_label for known in comparable(CONDUCTED).values()]
    menu.select("months_tau_1").run()
    assert any(
        "end of the trial where it is not reached" in text.value for text in conducted.markdown
    )
    conducted.selectbox(key="choose-quantity").select("share_on_good").run()
    assert "%" in cells(conducted.table[0])[1][1]


def test_a_replayed_trial_knows_who_waits_and_sets_the_control_apart(conducted: AppTest) -> None:
    go(conducted, "one_trial")
    conducted.selectbox(key="choose-design").select("HDoC, mixture").run()
    end = conducted.table[0]
    assert column(end, "verdict")[0] == "control, no verdict"
    assert column(end, "patients") == column(end, "outcomes known")
    conducted.slider[0].set_value(100).run()
    # 100 patients at 20 a month: month 5; outcomes of the first 2.24 months, 44 patients, are in.
    assert "In month 5.0: 100 patients enrolled, 56 waiting for their outcome" in said(conducted)
    so_far = conducted.table[0]
    assert sum(map(int, column(so_far, "patients"))) == 100
    assert sum(map(int, column(so_far, "outcomes known"))) == 44


@pytest.mark.parametrize("evidence", ["discordant", "differences", "likelihood"])
def test_a_replayed_trial_shows_the_pairs(evidence: str) -> None:
    placebo = load_study("tofacitinib-placebo")
    given = {"target": {"over": "control", "evidence": evidence}, "designs": [placebo.designs[-1]]}
    shown = validated(changed(placebo, runs=2).model_dump() | given, "test")
    app = opened(shown)
    go(app, "one_trial")
    app.button_group(key="way").select("by number").run()
    app.slider[0].set_value(100).run()
    trial = replay(shown, shown.truths[0], shown.designs[0], 0)
    streams = trial.streams(shown, 100)
    counts, values = {
        "discordant": ("discordant pairs", "share in favour"),
        "differences": ("pairs", "mean difference"),
        "likelihood": ("pairs", "evidence"),
    }[evidence]
    assert column(app.table[0], counts) == ["–", *(f"{own.size}" for own in streams[1:])]
    paths = trial.paths(shown, 100)[1:]
    if evidence != "likelihood":
        assert [path[-1] for _, path in paths if path] == [
            own.mean() for own in streams if own.size
        ]
    last = [f"{path[-1]:.3f}" if path else "–" for _, path in paths]
    assert column(app.table[0], values) == ["–", *last]
    unfold(app, "table-of-allocations")
    assert trial.partners is not None
    there = [None if i is None or i >= 100 else i for i in trial.partners[:100]]
    partners = ["–" if i is None else f"{i + 1}" for i in there]
    assert column(app.table[0], "partner") == partners
    assert {trial.arms[i] for i in there if i is not None} == {shown.control}
    go(app, "decision_rules")
    assert "The chance of any false declaration is at most alpha" in said(app)
    favour = "at least the stated number favour the dose"
    excess = "more of its patients have responded than of their partners on placebo"
    by_controls = "given how many of their partners on placebo in the same cohort have"
    said_of = {"discordant": favour, "differences": excess, "likelihood": by_controls}
    assert said_of[evidence] in said(app)


def test_a_wrong_verdict_on_the_page_is_one_of_the_simulation(conducted: AppTest) -> None:
    runs = simulate(CONDUCTED)
    wrong = events(runs, "flatter", "Fixed")
    go(conducted, "one_trial")
    conducted.selectbox(key="choose-truth").select("flatter").run()
    conducted.button_group(key="way").select("by number").run()
    for replicate in range(5):
        conducted.number_input(key="trial-number").set_value(replicate + 1).run()
        verdicts = " ".join(column(conducted.table[0], "verdict"))
        assert ("wrongly" in verdicts) is bool(wrong["any_error"][replicate])


def test_decision_rules_say_when_a_dose_is_judged_once_by_the_outcomes_it_has() -> None:
    app = opened(changed(load_study("irritable-bowel"), runs=2))
    go(app, "decision_rules")
    app.selectbox(key="choose-rules-design").select("Fixed").run()
    assert "every dose is judged once, at the end" in said(app)
    assert "more spread: scores have a standard deviation of 0.894" in said(app)
    app.selectbox(key="choose-rules-design").select("Nearest finish, exact").run()
    assert "every dose is judged once, at the end" not in said(app)
    assert not app.exception


def test_help_has_the_argument_why_no_trend_breaks_what_pairs_promise(app: AppTest) -> None:
    go(app, "help")
    open_tab(app, "Control", "help-tab")
    text = " ".join(str(table.value.to_numpy()) for table in app.table).replace("\\", "")
    for words in ("a fair coin", "the worst g of every single pair", "a mean of at most (1 + z)"):
        assert words in text
    assert "nothing is promised under a trend" in said(app)


def test_help_says_what_keeps_the_guarantee_and_what_breaks_it(app: AppTest) -> None:
    go(app, "help")
    open_tab(app, "Conduct", "help-tab")
    text = " ".join(str(table.value.to_numpy()) for table in app.table).replace("\\", "")
    for words in (
        "delay",
        "cohorts",
        "a trend over time, with a fixed target",
        "a variance larger than assumed",
        "at every number of outcomes that they are made for",
        "The limits bound what a dose's own outcomes do",
    ):
        assert words in text
    assert "is about the conduct that was simulated" in " ".join(said(app).split())


def test_doubts_about_an_assumption_are_kept_folded_and_cautioned(conducted: AppTest) -> None:
    app = conducted
    app.session_state[key(app, "doubts")] = True
    app.run()
    type_in(app, "truths.1.trend", 0.01)
    assert [truth.trend for truth in study(app).truths] == [None, 0.01, None, None]
    assert "flatter: every mean moves by +0.01 a month, +0.2 by the time" in said(app)
    app.session_state[key(app, "doubts")] = False
    app.run()
    assert study(app).truths[1].trend == 0.01
    app.toggle(key=key(app, "conduct")).set_value(False).run()
    assert study(app).truths[1].trend is None
