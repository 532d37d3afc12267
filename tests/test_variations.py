"""Variations: which field is meant, which values it takes, and the study there."""

import pytest
from conftest import make_study
from hypothesis import given
from hypothesis import strategies as st

from gai_core import InputError, Study, load_study
from gai_core.study.changing import changed
from gai_core.study.variations import Variation, numbers_at, parse_variation, varied

STUDY = load_study("tofacitinib")


def values(text: str) -> tuple[float, ...]:
    return parse_variation(STUDY, text).values


def refused(text: str) -> str:
    with pytest.raises(InputError) as caught:
        parse_variation(STUDY, text)
    return str(caught.value)


def test_ranges_are_inclusive_and_exact_in_decimals() -> None:
    assert values("delta=0.1:0.3:0.1") == (0.1, 0.2, 0.3)
    assert values("truth.shift=-0.1:0.1:0.05") == (-0.1, -0.05, 0.0, 0.05, 0.1)
    assert values("n_max=100:600:250") == (100, 350, 600)
    assert values("n_max=100:599:250") == (100, 350)
    assert values("n_max=300:100:-100") == (300, 200, 100)
    assert values("delta=0.2, 0.05") == (0.2, 0.05)


@given(
    st.integers(0, 500), st.integers(0, 40), st.integers(1, 50), st.sampled_from([10, 100, 1000])
)
def test_a_range_is_start_plus_multiples_of_its_step(
    start: int, steps: int, step: int, unit: int
) -> None:
    stop = start + steps * step
    found = values(f"truth.shift={start / unit!r}:{stop / unit!r}:{step / unit!r}")
    assert found == tuple((start + i * step) / unit for i in range(steps + 1))


def test_whole_numbers_stay_whole_where_the_field_is_whole() -> None:
    assert all(type(value) is int for value in values("n_max=1e2,200.0"))
    assert all(type(value) is float for value in values("threshold=1,0"))


@pytest.mark.parametrize(
    ("field", "places"),
    [
        ("delta", ["delta"]),
        ("n_max", ["simulation.n_max"]),
        ("simulation.n_max", ["simulation.n_max"]),
        ("burn_in", ["designs.0.burn_in", "designs.1.burn_in", "designs.2.burn_in"]),
        ("designs[1].burn_in", ["designs.1.burn_in"]),
        ("designs[Nearest finish, exact].burn_in", ["designs.2.burn_in"]),
        ("truths[1].means[2]", ["truths.1.means.2"]),
        ("truths[flatter].means[2]", ["truths.1.means.2"]),
        ("truth.shift", [f"truths.{i}.shift" for i in range(4)]),
        ("truths[published].scale", ["truths.0.scale"]),
        # Not the fixed design: it looks at the end, which is no number.
        ("looks", ["designs.2.criterion_parameters.looks"]),
        ("designs.rule_parameters.r", ["designs.2.rule_parameters.r"]),
    ],
)
def test_fields_are_found(field: str, places: list[str]) -> None:
    assert [".".join(map(str, steps)) for steps, _ in numbers_at(STUDY, field)] == places


def test_a_field_means_the_entries_that_have_a_number() -> None:
    arms = [{"label": "a", "dose": 1.0}, {"label": "b"}, {"label": "c"}]
    some, none = make_study(arms=arms), make_study()
    assert [steps for steps, _ in numbers_at(some, "dose")] == [("arms", 0, "dose")]
    assert len(numbers_at(none, "dose")) == 3


def test_every_number_of_a_study_can_be_varied() -> None:
    def numbers(part: object, place: str) -> list[str]:
        if isinstance(part, dict):
            return [p for k, v in part.items() for p in numbers(v, f"{place}.{k}" if place else k)]
        if isinstance(part, list | tuple):
            return [p for i, v in enumerate(part) for p in numbers(v, f"{place}[{i}]")]
        return [place] if isinstance(part, int | float) and not isinstance(part, bool) else []

    for name in ("tofacitinib", "medical-1", "medical-2"):
        study = load_study(name)
        places = numbers(study.model_dump(), "")
        assert len(places) > 20
        for place in places:
            ((_, value),) = numbers_at(study, place)
            assert varied(study, {place: value}) == study


def test_the_study_at_a_point() -> None:
    assert varied(STUDY, {"n_max": 300, "delta": 0.1}) == changed(STUDY, n_max=300, delta=0.1)
    burnt = varied(STUDY, {"designs[0].burn_in": 9})
    assert [design.burn_in for design in burnt.designs] == [9, 1, 5]
    assert varied(STUDY, {"looks": 10}).designs[2].criterion_parameters == {"looks": 10}
    assert varied(STUDY, {"looks": 10}).designs[1] == STUDY.designs[1]


def test_shifts_and_scalings_move_every_mean_in_decimals_and_no_name() -> None:
    means = (0.1, 0.49, 0.7)
    study = make_study(truths=[{"name": "a", "means": means}, {"name": "b", "means": means}])
    shifted = varied(study, {"truth.shift": 0.2})
    assert shifted.truths[0].means == (0.3, 0.69, 0.9)  # in binary 0.1 + 0.2 is not 0.3
    assert shifted.truths[1].means == shifted.truths[0].means
    assert [truth.name for truth in shifted.truths] == ["a", "b"]
    both = varied(study, {"truth.shift": 0.01, "truths[a].scale": 0.5})
    assert both.truths[0].means == (0.06, 0.255, 0.36)
    assert both.truths[1].means == (0.11, 0.5, 0.71)
    assert both.good(both.truths[1]) == (False, True, True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("simulation.n_mx=3", "simulation.n_mx is no numeric field of a study; did you mean "
         "'simulation.n_max'?"),
        ("title=3", "title is no numeric field"),
        ("n_max", "must look like field=0.1,0.2 or field=100:600:50, but is 'n_max'"),
        ("=3", "must look like"),
        ("n_max=", "vary n_max: every value must be a number, but one is ''"),
        ("n_max=1,a", "must be a number, but one is 'a'"),
        ("delta=nan", "must be a number"),
        ("delta=1e999", "must be a number"),
        ("n_max=600:100:50", "the range 600:100:50 is empty"),
        ("n_max=1:2", "a range must be start:stop:step"),
        ("n_max=1:2:0", "the step of a range must not be 0"),
        ("runs=1:1e6:1", "at most 10,000 values"),
        ("delta=0.1,0.10", "every value must be given once"),
        ("n_max=1\x1b[2J", "must be a number, but one is '1\ufffd[2J'"),
    ],
)  # fmt: skip
def test_what_cannot_be_varied_is_refused_in_words(text: str, words: str) -> None:
    assert words in refused(text)


@pytest.mark.parametrize(
    ("point", "words"),
    [
        ({"truth.shift": 0.5}, "vary truth.shift=0.5: truths[0].means[3] must lie between 0 and "
         "1 (a response rate), but is 1.092"),
        ({"n_max": 100.5}, "vary n_max=100.5: simulation.n_max must be a whole number"),
        ({"n_max": 10}, "simulation.n_max must be at least 30"),
        ({"burn_in": 1, "designs[0].burn_in": 2}, "change the same number"),
    ],
)  # fmt: skip
def test_points_that_are_no_study_are_refused_in_words(point: dict[str, float], words: str) -> None:
    with pytest.raises(InputError) as caught:
        varied(STUDY, point)
    assert words in str(caught.value)


def test_the_target_follows_a_margin_that_varies_and_stays_where_the_truths_vary() -> None:
    study = load_study("sirukumab-acr20")
    control, margin = study.truths[0].means[0], study.margin
    assert study.control == 0
    assert margin is not None
    wider = varied(study, {"margin": 0.3})
    assert wider.margin == 0.3
    assert wider.threshold == pytest.approx(control + 0.3)
    for moved in (varied(study, {"truth.shift": 0.1}), varied(study, {"truth.scale": 0.9})):
        assert moved.threshold == study.threshold
        assert moved.truths[0].means[0] != control
    assert varied(study, {"threshold": 0.6}).threshold == 0.6
    assert varied(study, {"n_max": 300}).margin == margin


def test_a_short_name_that_could_mean_two_fields_is_refused() -> None:
    designs = [
        {
            "name": "a",
            "rule": "nearest-finish",
            "rule_parameters": {"r": 1.0},
            "criterion": "exact",
            "criterion_parameters": {"largest": 100},
        }
    ]
    study: Study = make_study(designs=designs)
    assert len(numbers_at(study, "largest")) == 1
    with pytest.raises(InputError, match="could be one of several fields"):
        numbers_at(_with_twin(study), "r")


def _with_twin(study: Study) -> Study:
    """The same, with a rule's parameter name on the criterion's side too."""
    design = study.designs[0]

    class Twin:
        def model_dump(self) -> dict[str, float]:
            return {"r": 2.0}

    class Doubled(type(design)):  # type: ignore[misc]
        @property
        def identification(self) -> tuple[object, object]:
            return design.identification[0], Twin()

    return study.model_copy(update={"designs": (Doubled.model_construct(**dict(design)),)})


def test_a_name_may_have_an_equals_sign() -> None:
    study = make_study(designs=[{"name": "x=1", "rule": "hdoc"}])
    parsed = parse_variation(study, "designs[x=1].burn_in=2,3")
    assert parsed == Variation("designs[x=1].burn_in", (2, 3))
    assert varied(study, {parsed.field: 3}).designs[0].burn_in == 3


CONTROLLED = make_study(
    arms=[{"label": "placebo", "control": True}, {"label": "low"}, {"label": "high"}],
    truths=[{"name": "steep", "means": [0.2, 0.45, 0.7]}],
    margin=0.3,
    threshold=None,
    conduct={"delay": {"weeks": 12.0}, "control_share": 0.25},
)


def test_the_target_stays_when_means_move_and_moves_with_its_margin() -> None:
    shifted = varied(CONTROLLED, {"truth.shift": 0.1})
    assert (shifted.threshold, shifted.margin) == (0.5, None)
    assert shifted.truths[0].means == (0.3, 0.55, 0.8)
    closer = varied(CONTROLLED, {"margin": 0.2})
    assert (closer.threshold, closer.margin) == (0.4, 0.2)
    given = varied(CONTROLLED, {"threshold": 0.6})
    assert (given.threshold, given.margin) == (0.6, None)


def test_numbers_of_the_conduct_can_be_varied_where_there_is_one() -> None:
    point = varied(CONTROLLED, {"conduct.delay.weeks": 4, "per_month": 35, "control_share": 0.4})
    assert point.conduct is not None
    found = point.conduct.delay.weeks, point.conduct.accrual.per_month, point.conduct.control_share
    assert found == (4, 35, 0.4)
    with pytest.raises(InputError, match=r"conduct\.delay\.weeks is no numeric field"):
        varied(make_study(), {"conduct.delay.weeks": 4})


def test_values_of_a_field_without_a_number_are_of_one_kind() -> None:
    score = make_study(outcome={"kind": "gaussian", "variance": 1.0})
    for text, kind in (("1,1.5", float), ("1,2", int)):
        values = parse_variation(score, f"truths.variance={text}").values
        assert [type(value) for value in values] == [kind, kind]
