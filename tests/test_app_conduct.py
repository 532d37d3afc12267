"""The conduct of a trial on the pages: planned, run, shown in months, carried by links."""

from collections.abc import Iterator

import pytest
from app_page import (
    conduct,
    edit_arms,
    errors,
    fields,
    key,
    open_example,
    opened,
    said,
    study,
    switch_on,
    type_in,
)
from gai_app.places import located
from streamlit.testing.v1 import AppTest
from test_app_months import CONDUCTED

from gai_core import load_study
from gai_core.study.changing import changed
from gai_core.study.conduct_words import in_words
from gai_core.study.validating import study_or_problems


@pytest.fixture
def app() -> Iterator[AppTest]:
    """A session with a study that has no conduct."""
    page = opened(changed(load_study("tofacitinib"), runs=60))
    yield page
    assert not page.exception


def pick(page: AppTest, name: str, option: str) -> None:
    page.selectbox(key=key(page, f"conduct-{name}")).select(option).run()


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


def test_a_true_variance_is_asked_for_scores_only() -> None:
    app = opened(changed(load_study("sirukumab-das28"), runs=20))
    assert "more spread: scores have a standard deviation of 1.2" in said(app)
    app.session_state[key(app, "doubts")] = True
    app.run()
    type_in(app, "truths.0.variance", "√2")
    assert [truth.variance for truth in study(app).truths] == [2.0, None, None, 1.44, None]
    assert not app.exception
