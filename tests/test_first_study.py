"""A first study: a short form that asks little, and what follows from its answers."""

import pytest
from app_page import (
    button,
    edit_arms,
    errors,
    fields,
    finish,
    key,
    open_example,
    study,
    type_in,
)
from gai_app.editor.first_study import dose_of, empty_study
from gai_app.escaping import markdown
from patience import PATIENCE
from streamlit.testing.v1 import AppTest

from gai_core.questions import advise


def begin(page: AppTest) -> AppTest:
    """Open an empty study."""
    return finish(page.button(key="first-study").click().run())


@pytest.mark.parametrize(
    ("label", "dose"),
    [
        ("10 mg", (10.0, "mg")), ("0.3 mg/kg", (0.3, "mg/kg")), ("2,5mg", (2.5, "mg")),
        ("placebo", (0.0, "")), ("Placebo + MTX", (0.0, "")), ("low dose", (None, "")),
        ("100 mg q2w", (100.0, "mg q2w")), ("5", (5.0, "")),
        ("1,000 mg", (None, "")), ("", (None, "")),
    ],
)  # fmt: skip
def test_a_label_names_its_dose(label: str, dose: tuple[float | None, str]) -> None:
    assert dose_of(label) == dose


def test_an_empty_study_has_hopes_an_inert_drug_and_the_boundary_null() -> None:
    fresh = empty_study()
    hoped, inert, boundary = fresh.truths
    assert hoped.means[1] > fresh.stream.target > hoped.means[0]
    assert set(inert.means) == {hoped.means[0]}
    assert boundary.means == (0.3, 0.49)
    assert fresh.threshold == 0.5
    assert not any(map(any, map(fresh.good, (inert, boundary))))


def test_a_new_study_ends_with_its_first_dose_and_has_a_rate_for_either_error() -> None:
    study = empty_study()
    assert study.doses_wanted == 1
    assert (study.error_rates.declare, study.error_rates.drop) == (0.05, 0.1)


def test_the_short_form_asks_for_little(app: AppTest) -> None:
    begin(app)
    assert set(fields(app)) == {"outcome.endpoint", "threshold"}
    assert not app.toggle
    assert study(app) == empty_study()


def test_the_short_form_offers_the_concurrent_control_first(app: AppTest) -> None:
    begin(app)
    ways = app.radio(key=key(app, "target-is"))
    assert ways.options[0] == "better than the control treated at the same time"
    ways.set_value("control").run()
    found = study(app)
    assert found.target is not None
    assert (found.threshold, found.conduct is None) == (None, False)
    assert [truth.means for truth in found.truths] == [(0.3, 0.6), (0.3, 0.3), (0.3, 0.29)]
    type_in(app, "target.margin", "0.1")
    assert study(app).truths[2].means == (0.3, 0.39)
    assert not errors(app)
    app.radio(key=key(app, "target-is")).set_value("a mean").run()
    assert study(app).threshold == 0.5


def test_a_trial_of_four_doses_and_placebo_is_typed_and_run(app: AppTest) -> None:
    begin(app)
    type_in(app, "threshold", "45%")
    edit_arms(app, {0: {"truth 0": "0,25"}, 1: {"label": "3 mg", "truth 0": ".3"}})
    rows = [("10 mg", "40%"), ("30 mg", "0.5"), ("100 mg", "0.55")]
    edit_arms(app, added_rows=[{"label": label, "truth 0": mean} for label, mean in rows])
    assert not errors(app)
    found = study(app)
    assert [arm.dose for arm in found.arms] == [0, 3, 10, 30, 100]
    assert [arm.unit for arm in found.arms] == ["", "mg", "mg", "mg", "mg"]
    assert found.truths[0].means == (0.25, 0.3, 0.4, 0.5, 0.55)
    assert found.truths[1].means == (0.25,) * 5
    assert found.truths[2].means == (0.25, 0.44, 0.44, 0.44, 0.44)
    finish(app)
    assert app.session_state["runs-so-far"] > 1
    assert "Results at a glance" in [heading.value for heading in app.header]


def test_what_follows_is_there_on_every_page(app: AppTest) -> None:
    begin(app)
    cells = {"arms.2.label": "10 mg", "truths.0.means.2": "0.7"}
    edits = [
        {"n": n, "sheet": "arms", "path": path, "text": text}
        for n, (path, text) in enumerate(cells.items(), start=1)
    ]
    app.session_state["keeper"] = {
        "edits": {"of": app.session_state["session-name"], "list": edits}
    }
    app.switch_page("views/help.py").run()
    assert study(app).arms[2].dose == 10
    assert study(app).truths[1].means == (0.3, 0.3, 0.3)


def test_another_kind_brings_examples_of_its_own_until_something_is_typed(app: AppTest) -> None:
    begin(app)
    app.radio(key=key(app, "kind")).set_value("gaussian").run()
    assert study(app).threshold == 0.6
    assert fields(app)["outcome.variance"] == "1.2"
    assert not errors(app)
    app.button(key="undo").click().run()
    assert study(app) == empty_study()
    type_in(app, "threshold", "0.4")
    app.radio(key=key(app, "kind")).set_value("gaussian").run()
    assert study(app).threshold == 0.4
    assert button(app, "Take fitting values")


def test_another_study_has_all_its_fields_and_the_new_one_its_short_form(app: AppTest) -> None:
    begin(app)
    open_example(app, "medical-2")
    assert "delta" in fields(app)
    app.selectbox(key=key(app, "which-study")).select_index(0).run()
    assert "delta" not in fields(app)


def test_more_shows_all_fields(app: AppTest) -> None:
    begin(app)
    app.button(key="all-fields").click().run()
    assert study(app) == empty_study()
    all_fields = {"title", "errors.drop", "wanted", "simulation.n_max", "truths.1.name"}
    assert all_fields <= set(fields(app))


def test_the_search_for_80_percent_begins_by_itself_and_ends_with_the_study_it_is_about(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    type_in(app, "simulation.runs", 50)
    monkeypatch.setattr("gai_app.answer.PATIENTS_SEARCHED_UNASKED", 10**12)
    monkeypatch.setattr("gai_app.answer.quick_to_advise", lambda _: True)
    finish(app)
    old = app.session_state["job-answer"]
    type_in(app, "simulation.runs", 60)
    finish(app)
    assert old.ended
    job = app.session_state["job-answer"]
    assert job.key != old.key
    assert "Cancelled" not in " ".join(str(info.value) for info in app.info)
    assert job.wait(PATIENCE)
    app.run()
    told = advise(study(app))
    assert markdown(told.answer[0]) in " ".join(str(part.value) for part in app.markdown)
