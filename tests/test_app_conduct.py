"""The conduct of a trial on the pages: planned, run, shown in months, carried by links."""

from collections.abc import Iterator
from typing import Any

import pytest
from conducted import of_every_sort
from gai_app.links import decoded, encoded
from gai_app.places import located, name
from gai_app.studies import with_wanted_on_top
from streamlit.testing.v1 import AppTest
from test_app import (
    DEFAULT,
    MAIN,
    TIMEOUT,
    cells,
    column,
    edit_arms,
    errors,
    fields,
    finish,
    go,
    key,
    names,
    open_example,
    open_tab,
    study,
    type_in,
    unfold,
)
from test_conduct_study import EVERYTHING

from gai_core import characteristics, dump_study, load_study, parse_study, simulate
from gai_core.basics import Place, path
from gai_core.results.quantities import comparable, events
from gai_core.results.replaying import replay
from gai_core.results.summary import Values, headline
from gai_core.study.changing import changed
from gai_core.study.conduct import Conduct
from gai_core.study.conduct_words import in_words
from gai_core.study.study import Study
from gai_core.study.target import Target
from gai_core.study.validating import study_or_problems, validated

CONDUCTED = changed(load_study("tofacitinib-conduct"), runs=60)
WITH_CONDUCT = [name for name in of_every_sort() if load_study(name).conduct]


def opened(content: Study) -> AppTest:
    """A session that a link with this study has opened, after its run."""
    page = AppTest.from_file(str(MAIN), default_timeout=TIMEOUT)
    page.query_params["study"] = encoded(content)
    page.run()
    return finish(page)


@pytest.fixture
def app() -> Iterator[AppTest]:
    """A session with a study that has no conduct."""
    page = opened(changed(load_study("tofacitinib"), runs=60))
    yield page
    assert not page.exception


@pytest.fixture
def conducted() -> Iterator[AppTest]:
    """A session with a study that has one."""
    page = opened(CONDUCTED)
    yield page
    assert not page.exception


def switch_on(page: AppTest) -> Conduct:
    page.toggle(key=key(page, "conduct")).set_value(True).run()
    return conduct(page)


def conduct(page: AppTest) -> Conduct:
    found = study(page).conduct
    assert found is not None
    return found


def pick(page: AppTest, name: str, option: str) -> None:
    page.selectbox(key=key(page, f"conduct-{name}")).select(option).run()


def said(page: AppTest) -> str:
    """All messages of the page."""
    parts = [*page.info, *page.warning, *page.caption, *page.markdown]
    return " ".join(str(part.value) for part in parts).replace("\\", "")


def test_a_conduct_is_off_until_somebody_switches_it_on(app: AppTest) -> None:
    assert study(app).conduct is None
    assert not [path for path in fields(app) if path.startswith("conduct")]
    usual = switch_on(app)
    assert (usual.accrual.per_month, usual.delay.weeks, usual.cohort) == (20, 12, 8)
    assert usual.dropout is None
    assert usual.control_share is None
    assert "About 55 patients wait for their outcome at any time; 400 patients take 20" in said(app)


def test_switched_off_and_on_again_a_conduct_is_what_it_was(app: AppTest) -> None:
    switch_on(app)
    type_in(app, "conduct.accrual.per_month", 33.0)
    app.toggle(key=key(app, "conduct")).set_value(False).run()
    assert study(app).conduct is None
    assert switch_on(app).accrual.per_month == 33


def test_what_accrual_and_delay_imply_follows_what_is_typed(app: AppTest) -> None:
    switch_on(app)
    type_in(app, "conduct.accrual.per_month", 10.0)
    type_in(app, "conduct.delay.weeks", 24.0)
    type_in(app, "simulation.n_max", 200)
    found = " ".join(in_words(study(app)))
    assert "200 patients take 20 months to enrol, and 5.5 more until the last outcome" in found
    assert "200 patients take 20 months to enrol, and 5.5 more until the last outcome" in said(app)


def test_a_spread_is_asked_for_only_where_it_applies(app: AppTest) -> None:
    switch_on(app)
    for pattern, applies in (("uniform", True), ("exponential", False), ("lognormal", True)):
        pick(app, "delay", pattern)
        assert ("conduct.delay.spread" in fields(app)) is applies
        assert conduct(app).delay.pattern == pattern
        assert conduct(app).delay.spread == (2 if applies else 0)


@pytest.mark.parametrize(
    ("way", "name", "value", "expected"),
    [("outcomes", "looks.outcomes", 25, 25), ("weeks", "looks.weeks", 6.0, 6.0)],
)
def test_looks_have_the_one_number_of_their_kind(
    app: AppTest, way: str, name: str, value: float, expected: float
) -> None:
    switch_on(app)
    pick(app, "looks", way)
    type_in(app, f"conduct.{name}", value)
    assert conduct(app).looks.model_dump(exclude_none=True) == {way: expected}
    pick(app, "looks", "cohort")
    assert conduct(app).looks.model_dump(exclude_none=True) == {}


def test_looks_at_given_numbers_are_typed_with_commas(app: AppTest) -> None:
    switch_on(app)
    pick(app, "looks", "at")
    assert conduct(app).looks.at == (100, 200, 300, 400)
    type_in(app, "conduct.looks.at", "120, 240")
    assert conduct(app).looks.at == (120, 240)
    type_in(app, "conduct.looks.at", "often")
    assert errors(app) == ["Outcomes at the looks: must be a whole number, but is 'often'"]


@pytest.mark.parametrize(
    ("kind", "name", "value"), [("mixed", "share", 0.3), ("softened", "softness", 1.5)]
)
def test_randomisation_has_the_one_number_of_its_kind(
    app: AppTest, kind: str, name: str, value: float
) -> None:
    switch_on(app)
    pick(app, "randomisation", kind)
    type_in(app, f"conduct.randomisation.{name}", value)
    found = conduct(app).randomisation
    assert found.kind == kind
    assert getattr(found, name) == value


def test_a_ratio_is_typed_as_protocols_write_it_and_may_be_left_out(app: AppTest) -> None:
    switch_on(app)
    type_in(app, "conduct.randomisation.ratio", "2:2:2:2:2:2")
    assert conduct(app).randomisation.ratio == (2,) * 6
    type_in(app, "conduct.randomisation.ratio", "2:1")
    (error,) = errors(app)
    rule = "must have one number for every arm that gets a verdict, which are 6, but is 2:1"
    assert error == f"Ratio of the doses: {rule}"
    type_in(app, "conduct.randomisation.ratio", "")
    assert conduct(app).randomisation.ratio is None


def test_dropout_can_depend_on_the_outcome_and_then_says_what_that_breaks(app: AppTest) -> None:
    switch_on(app)
    app.toggle(key=key(app, "conduct-dropout")).set_value(True).run()
    dropout = conduct(app).dropout
    assert dropout is not None
    assert (dropout.probability, dropout.counted, dropout.in_means) == (0.05, "non-response", True)
    type_in(app, "conduct.dropout.probability_on_target", 0.2)
    assert "no longer guaranteed" not in said(app)
    pick(app, "counted-bernoulli", "left out")
    # A dose at 0.5 of whose responders 80% stay, and 95% of the others: 0.4 / 0.875.
    assert "A dose exactly at the target of 0.5 would show 0.457, so the error rate" in said(app)


def test_dropout_of_a_score_counts_as_no_improvement(app: AppTest) -> None:
    switch_on(app)
    app.radio(key=key(app, "kind")).set_value("gaussian").run()
    app.toggle(key=key(app, "conduct-dropout")).set_value(True).run()
    dropout = conduct(app).dropout
    assert dropout is not None
    assert dropout.counted == "baseline"
    assert "conduct.dropout.probability_on_target" not in fields(app)


def test_the_control_is_set_apart_only_where_there_is_one(app: AppTest) -> None:
    switch_on(app)
    app.toggle(key=key(app, "conduct-apart")).set_value(True).run()
    assert conduct(app).control_share == 0.17
    assert study(app).set_apart == 0
    edit_arms(app, edited_rows={0: {"control": False}})
    assert conduct(app).control_share is None
    assert "Mark an arm as control to give it a fixed share" in said(app)


def test_the_doses_wanted_are_the_studys_with_a_conduct_too(app: AppTest) -> None:
    assert switch_on(app).wanted is None
    type_in(app, "wanted", 2)
    assert (conduct(app).wanted, study(app).wanted) == (None, 2)
    app.toggle(key=key(app, "conduct")).set_value(False).run()
    assert (study(app).conduct, study(app).wanted) == (None, 2)


def test_a_file_with_doses_wanted_in_its_conduct_opens_with_them_on_top(app: AppTest) -> None:
    shipped = load_study("ixekizumab")
    assert shipped.conduct is not None
    assert (shipped.wanted, shipped.conduct.wanted) == (None, 1)
    open_example(app, "ixekizumab")
    assert (study(app).wanted, conduct(app).wanted) == (1, None)
    assert study(app).doses_wanted == shipped.doses_wanted


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("accrual.per_month", 0.0, "Patients a month: must be at least 0.01"),
        ("delay.weeks", -1.0, "Weeks to outcome: must be at least 0"),
        ("cohort", 0, "Patients in a cohort: must be at least 1, but is 0"),
    ],
)
def test_a_bad_number_of_the_conduct_is_named_by_its_label(
    app: AppTest, path: str, value: float, message: str
) -> None:
    switch_on(app)
    type_in(app, f"conduct.{path}", value)
    (text,) = errors(app)
    assert text.startswith(message)
    assert not [b for b in app.button if b.label == "Run"]


def test_an_error_that_names_another_field_names_it_by_its_label() -> None:
    data = CONDUCTED.model_dump(mode="json")
    data["truths"][0]["means"][5] = 0.99
    found = study_or_problems(data)
    assert isinstance(found, list)
    problem = located(found[0], data)
    assert problem.part == "truths"
    assert problem.text.endswith(
        "lower “Chance of dropout”, or set “The assumed means have dropouts in them” to false"
    )


def paths_of(node: dict[str, Any], parts: dict[str, Any], place: Place = ()) -> Iterator[Place]:
    """Every field of a JSON schema that has no fields of its own."""
    if "$ref" in node:
        node = parts[node["$ref"].rpartition("/")[2]]
    inside = [*node.get("anyOf", ()), *node.get("oneOf", ())]
    inside = [part for part in inside if "$ref" in part]
    for step, part in node.get("properties", {}).items():
        yield from paths_of(part, parts, (*place, step))
    for part in inside:
        yield from paths_of(part, parts, place)
    if not inside and "properties" not in node:
        yield place


def test_every_field_of_a_study_has_words() -> None:
    """Arms, truths and designs are named by their key, and a menu by what it offers."""
    schema = Study.model_json_schema()
    found = set(paths_of(schema, schema["$defs"]))
    menus = {("outcome", "kind"), ("conduct", "randomisation", "kind")}
    named = {place for place in found if place[0] not in ("arms", "truths", "designs")}
    assert named > menus | {("outcome", "variance"), ("estimand", "population"), ("wanted",)}
    assert {place for place in named if name(place, {}) == path(place)} == menus


def with_unknown_keys(data: Any) -> Any:
    """The data with a key more in every table, as a field that has no widget yet would have."""
    if isinstance(data, dict):
        return {key: with_unknown_keys(value) for key, value in data.items()} | {"unasked": 7}
    return [with_unknown_keys(value) for value in data] if isinstance(data, list) else data


RATES = {"declare": 0.05, "drop": 0.2}
AGAINST = {"over": "control", "margin": 0.1, "control_at_least": 0.1, "control_at_most": 0.6}


@pytest.mark.parametrize(
    "changes",
    [
        {"conduct": EVERYTHING | {"wanted": None}},
        {"conduct": {"looks": {"weeks": 6.5}}, "delta": None, "errors": RATES},
        {"conduct": {}, "threshold": None, "target": AGAINST},
    ],
    ids=["a fixed target", "two error rates", "against the control"],
)  # fmt: skip
def test_a_field_without_a_widget_is_not_lost_when_the_page_is_drawn(
    app: AppTest, changes: dict[str, Any]
) -> None:
    whole = Conduct.model_validate(changes["conduct"]).model_dump(mode="json")
    data = with_unknown_keys(DEFAULT.model_dump(mode="json") | changes | {"conduct": whole})
    app.session_state["draft"] = app.session_state["base"] = data
    app.session_state["generation"] += 1
    app.run()
    assert app.session_state["draft"] == data
    type_in(app, "simulation.n_max", 300)
    assert app.session_state["draft"]["simulation"] == data["simulation"] | {"n_max": 300}
    assert app.session_state["draft"]["conduct"] == data["conduct"]


def test_a_target_above_the_control_moves_with_the_controls_assumed_mean(app: AppTest) -> None:
    app.radio(key=key(app, "target-is")).set_value("margin").run()
    assert study(app).margin == pytest.approx(0.28)
    assert study(app).threshold == 0.5
    type_in(app, "margin", 0.2)
    assert study(app).threshold == 0.42
    assert "This means a target of **0.42**: placebo is assumed to have 0.22 under" in said(app)
    edit_arms(app, edited_rows={0: {"truth 0": 0.3}})
    assert study(app).threshold == 0.5
    app.radio(key=key(app, "target-is")).set_value("a mean").run()
    assert (study(app).margin, study(app).threshold) == (None, 0.5)


def target_of(app: AppTest) -> Target | None:
    return study(app).target


def test_a_click_compares_with_the_concurrent_control_and_another_goes_back(app: AppTest) -> None:
    before = study(app)
    assert before.conduct is None
    app.radio(key=key(app, "target-is")).set_value("control").run()
    against = study(app)
    assert against.target is not None
    assert (against.target.margin, against.threshold) == (0.0, None)
    assert against.conduct is not None
    assert against.conduct.cohort == 8
    assert not any(toggle.label.endswith("apart") for toggle in app.toggle)
    ways = app.radio(key=key(app, "target-is"))
    assert ways.options[0] == "better than the control treated at the same time"
    assert len(ways.proto.captions) == len(ways.options)
    for caption, words in zip(
        ways.proto.captions,
        (
            "Protects against another response of the control",
            "Does not protect",
            "does not protect",
        ),
        strict=True,
    ):
        assert words in caption
    type_in(app, "target.margin", 0.1)
    assert target_of(app) == Target(over="control", margin=0.1)
    type_in(app, "target.control_at_most", 0.4)
    assert target_of(app) == Target(over="control", margin=0.1, control_at_most=0.4)
    type_in(app, "target.control_at_most", 1)
    with_margin = key(app, "conduct-evidence-differences")
    app.selectbox(key=with_margin).set_value("likelihood").run()
    assert "'union' does not work for pairs judged by their likelihood" in " ".join(errors(app))
    app.selectbox(key=with_margin).set_value("differences").run()
    type_in(app, "target.margin", 0)
    assert study(app) == against
    app.selectbox(key=key(app, "conduct-evidence-discordant")).set_value("differences").run()
    assert target_of(app) == Target(over="control", evidence="differences")
    app.selectbox(key=key(app, "conduct-evidence-discordant")).set_value("discordant").run()
    assert study(app) == against
    app.radio(key=key(app, "target-is")).set_value("a mean").run()
    assert (study(app).target, study(app).threshold) == (None, 0.5)
    app.button(key="undo").click().run()
    assert study(app) == against


def test_a_margin_without_a_control_says_what_it_needs(app: AppTest) -> None:
    app.radio(key=key(app, "target-is")).set_value("margin").run()
    edit_arms(app, edited_rows={0: {"control": False}})
    (text,) = errors(app)
    assert text.startswith("Margin above the control: needs an arm with control = true")


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


def test_a_true_variance_is_asked_for_scores_only() -> None:
    app = opened(changed(load_study("sirukumab-das28"), runs=20))
    assert "more spread: scores have a standard deviation of 1.2" in said(app)
    app.session_state[key(app, "doubts")] = True
    app.run()
    type_in(app, "truths.0.variance", "√2")
    assert [truth.variance for truth in study(app).truths] == [2.0, None, None, 1.44, None]
    assert not app.exception


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


def test_two_samples_are_offered_where_both_responses_count() -> None:
    placebo = load_study("tofacitinib-placebo")
    for evidence in ("differences", "likelihood"):
        target = {"over": "control", "evidence": evidence}
        given = {"target": target, "designs": [placebo.design("Fixed").model_dump()]}
        app = opened(validated(changed(placebo, runs=2).model_dump() | given, "test"))
        unfold(app, key(app, "box-0"))
        labels = [box.label for box in app.selectbox]
        assert ("Dose and control compared" in labels) is (evidence == "likelihood")
        assert "Error allowed to one dose" in labels


def test_the_variance_of_scores_may_be_that_of_two_samples() -> None:
    app = opened(changed(load_study("sirukumab-das28-placebo"), runs=2))
    go(app, "plan")
    before, choice = target_of(app), key(app, "conduct-variance-of")
    assert before == Target(over="control", margin=before.margin if before else 0.0)
    app.selectbox(key=choice).set_value("pooled").run()
    after = target_of(app)
    assert after is not None
    assert after.evidence == "pooled"
    assert not errors(app)
    app.selectbox(key=choice).set_value("differences").run()
    assert target_of(app) == before


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
