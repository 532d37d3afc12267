"""What a good dose must show, on the plan page; every field of a study has words and is kept."""

from collections.abc import Iterator
from typing import Any

import pytest
from app_page import DEFAULT, edit_arms, errors, go, key, opened, said, study, type_in, unfold
from gai_app.places import name
from streamlit.testing.v1 import AppTest
from test_conduct_study import EVERYTHING

from gai_core import load_study
from gai_core.basics import Place, path
from gai_core.study.changing import changed
from gai_core.study.conduct import Conduct
from gai_core.study.study import Study
from gai_core.study.target import Target
from gai_core.study.validating import validated


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
