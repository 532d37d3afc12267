"""What is typed on the plan page becomes the study, or is refused in words."""

import numpy as np
import pytest
from app_page import (
    button,
    drawn_fields,
    edit_arms,
    errors,
    fields,
    key,
    offers_run,
    open_design,
    open_ready_made,
    study,
    type_in,
    unfold,
)
from streamlit.testing.v1 import AppTest

from gai_core import (
    CRITERIA,
    RULES,
)
from gai_core.basics import MATTERS, OF_EVIDENCE
from gai_core.study import ABOUT, Estimand
from gai_core.study.validating import validated


def test_cells_rows_and_order_of_the_doses_can_be_changed(app: AppTest) -> None:
    edit_arms(app, edited_rows={3: {"truth 0": 0.9, "label": "five"}}, deleted_rows=[1])
    assert study(app).truth("published").means == (0.22, 0.392, 0.9, 0.705, 0.719)
    assert [arm.label for arm in study(app).arms] == ["placebo", "3 mg", "five", "10 mg", "15 mg"]
    new = {"label": "20 mg", "dose": 0.5, "unit": "mg", "truth 0": 0.8, "truth 1": 0.7}
    edit_arms(app, added_rows=[new | {"truth 2": 0.49, "truth 3": 0.22}])
    assert study(app).arms[-1].label == "20 mg"
    assert study(app).truth("flatter").means[-1] == 0.7


def test_an_unfinished_row_is_named_with_what_it_lacks(app: AppTest) -> None:
    edit_arms(app, added_rows=[{"dose": 20.0}])
    assert any(text.startswith("Dose arm 7, label: must be a text") for text in errors(app))
    assert any(text.startswith("dose arm 7, published: must be a number") for text in errors(app))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("threshold", 1.0, "Target response: must lie between 0 and 1, both excluded, but is 1"),
        ("delta", 0.0, "Error rate (delta): must be greater than 0.0, but is 0.0"),
        (
            "simulation.n_max",
            10,
            "Largest sample size: must be at least 30 (HDoC, the paper's has a burn-in of 5",
        ),
        ("simulation.runs", 0, "Simulated trials: must be at least 1, but is 0"),
    ],
)
def test_a_bad_number_is_named_in_words_and_cannot_be_run(
    app: AppTest, path: str, value: float, message: str
) -> None:
    type_in(app, path, value)
    assert any(text.startswith(message) for text in errors(app)), errors(app)
    assert not offers_run(app)
    assert button(app, "Download study").disabled


def test_a_bad_cell_names_the_dose_and_the_assumption(app: AppTest) -> None:
    edit_arms(app, edited_rows={3: {"truth 1": 1.5}})
    assert errors(app)[0].startswith("5 mg, flatter: must lie between 0 and 1 (a response rate)")
    edit_arms(app, edited_rows={3: {"truth 1": 0.5}})
    assert not app.error


def test_a_seed_must_be_a_whole_number(app: AppTest) -> None:
    type_in(app, "simulation.seed", "9223372036854775807")
    assert study(app).simulation.seed == 2**63 - 1
    type_in(app, "simulation.seed", "many")
    assert errors(app)[0].startswith("Seed: must be a whole number, but is 'many'")


def test_a_score_has_a_standard_deviation_and_shows_its_variance(app: AppTest) -> None:
    app.radio(key=key(app, "kind")).set_value("gaussian").run()
    assert fields(app)["outcome.variance"] == "1.2"
    type_in(app, "outcome.variance", "2,0")
    assert study(app).outcome.s2 == 4.0
    assert "Variance (sigma²) 4" in [caption.value for caption in app.caption]
    type_in(app, "outcome.variance", 0.0)
    assert "must be a standard deviation from 1e-06 to 1e+06" in errors(app)[0]
    type_in(app, "outcome.variance", "√1.5")
    assert study(app).outcome.s2 == 1.5


@pytest.mark.parametrize(
    ("preset", "value"), [("ACR20: 0.60", 0.6), ("placebo + 0.20: 0.42", 0.42)]
)
def test_usual_targets_set_the_target(app: AppTest, preset: str, value: float) -> None:
    app.button_group(key=key(app, "preset-bernoulli")).select(preset).run()
    assert study(app).threshold == pytest.approx(value)


def test_assumptions_can_be_added_renamed_and_removed(app: AppTest) -> None:
    button(app, "Every dose at the target").click().run()
    assert study(app).truths[-1].means == (0.5,) * 6
    app.button(key=key(app, "remove-truth-3")).click().run()
    button(app, "Every dose like the control").click().run()
    assert study(app).truths[-1].name == "inert"
    assert study(app).truths[-1].means == (0.22,) * 6
    type_in(app, "truths.0.name", "as published")
    assert study(app).truths[0].name == "as published"
    app.button(key=key(app, "remove-truth-1")).click().run()
    names = [truth.name for truth in study(app).truths]
    assert names == ["as published", "just below the target", "every dose at the target", "inert"]


def test_ready_made_designs_can_be_added_and_removed(app: AppTest) -> None:
    open_ready_made(app)
    shown = [str(caption.value).replace("\\", "") for caption in app.caption]
    assert ABOUT["HDoC, mixture"] in shown
    button(app, "HDoC, mixture").click().run()
    assert [design.name for design in study(app).designs][-1] == "HDoC, mixture"
    open_design(app, 0)
    app.button(key=key(app, "remove-0")).click().run()
    assert study(app).designs[0].name == "Fixed"


def test_designs_can_be_added_as_soon_as_the_errors_are_mended(app: AppTest) -> None:
    def offered() -> bool:
        return not [b for b in app.button if b.label == "Add a design" and b.disabled]

    assert offered()
    type_in(app, "delta", "much")
    assert not offered()
    type_in(app, "delta", "0.1")
    assert offered()
    app.radio(key=key(app, "kind")).set_value("gaussian").run()
    type_in(app, "truths.0.name", "")
    assert not offered()
    app.button(key="undo").click().run()
    assert offered()
    open_ready_made(app)
    button(app, "HDoC, mixture").click().run()
    assert study(app).designs[-1].name == "HDoC, mixture"


def test_raw_choices_have_words(app: AppTest) -> None:
    open_design(app, 2)
    shape = app.selectbox(key=key(app, "designs.2.criterion_parameters.shape"))
    assert shape.label == "How strict early looks are"
    assert shape.options[0] == "as strict as late ones (Pocock)"
    shape.select("obrien-fleming").run()
    assert study(app).designs[2].criterion_parameters == {"shape": "obrien-fleming"}


@pytest.mark.parametrize("part", ["rule", "criterion"])
def test_every_entry_of_a_registry_can_be_chosen_with_its_own_parameters(
    app: AppTest, part: str
) -> None:
    registry = RULES if part == "rule" else CRITERIA
    open_design(app, 0)
    menu = app.selectbox(key=key(app, f"{part}-0"))
    fitting = [name for name, entry in registry.items() if "bernoulli" in entry.outcomes]
    assert menu.options == [registry[name].label for name in fitting]
    for name in fitting:
        app.selectbox(key=key(app, f"{part}-0")).select(name).run()
        assert getattr(study(app).designs[0], part) == name
        for parameter, about in (
            registry[name].parameters.model_json_schema().get("properties", {}).items()
        ):
            place = f"designs.0.{part}_parameters.{parameter}"
            drawn = place in fields(app) or key(app, place) in app.session_state
            assert drawn == (MATTERS not in about and OF_EVIDENCE not in about)


def test_a_parameter_is_asked_for_once_it_matters(app: AppTest) -> None:
    open_design(app, 2)
    place = "designs.2.criterion_parameters"
    assert f"{place}.prior_patients" not in fields(app)
    app.selectbox(key=key(app, f"{place}.shape")).select("posterior").run()
    type_in(app, f"{place}.prior_patients", "12")
    assert study(app).designs[2].criterion_parameters["prior_patients"] == 12


@pytest.mark.parametrize(
    ("criterion", "silent", "other"), [("posterior", "c_good", 0.9), ("exact", "declare_from", 0.5)]
)
def test_what_only_declares_is_not_asked_where_it_drops_and_changes_nothing_there(
    app: AppTest, criterion: str, silent: str, other: float
) -> None:
    open_design(app, 2)
    app.selectbox(key=key(app, "futility-2")).select(criterion).run()
    asked = {path for path in fields(app) if path.startswith("designs.2.futility_parameters.")}
    assert asked
    assert f"designs.2.futility_parameters.{silent}" not in asked
    with_it = study(app).model_dump(mode="json")
    with_it["designs"][2]["futility_parameters"] = {silent: other}
    given = validated(with_it, "test")
    limits, same = (one.stages(one.designs[2]) for one in (study(app), given))
    np.testing.assert_array_equal(limits.reject, same.reject)
    np.testing.assert_array_equal(limits.accept, same.accept)


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("end", "end"),
        ("20", 20),
        ("10, 40, 60", [10, 40, 60]),
        ("[10, 40]", [10, 40]),
        ("{ equal = 4 }", {"equal": 4}),
    ],
)
def test_parameters_are_typed_as_words_numbers_lists_or_tables(
    app: AppTest, typed: str, read: object
) -> None:
    open_design(app, 2)
    type_in(app, "designs.2.criterion_parameters.looks", typed)
    assert study(app).designs[2].criterion_parameters == {"looks": read}


def test_a_wrong_parameter_is_named_with_its_design(app: AppTest) -> None:
    open_design(app, 2)
    type_in(app, "designs.2.criterion_parameters.looks", "often")
    assert errors(app)[0].startswith("Nearest finish, exact, looks: must be a whole number from 1")


def test_a_folded_design_keeps_what_was_typed(app: AppTest) -> None:
    open_design(app, 0)
    type_in(app, "designs.0.burn_in", 7)
    app.session_state[key(app, "box-0")] = False
    app.run()
    assert study(app).designs[0].burn_in == 7
    open_design(app, 0)
    assert fields(app)["designs.0.burn_in"] == "7"


def test_every_attribute_of_an_estimand_has_a_field_that_says_what_it_is(app: AppTest) -> None:
    unfold(app, key(app, "estimand"))
    drawn = drawn_fields(app)
    for name, field in Estimand.model_fields.items():
        assert drawn[f"estimand.{name}"]["help"] == field.description, name
    type_in(app, "estimand.summary_measure", "difference of two means")
    stated = study(app).estimand
    assert stated == Estimand(summary_measure="difference of two means")
