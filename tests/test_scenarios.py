"""Shipped studies: where their figures come from, and that these were copied rightly.

The tables below were typed from the trials' publications apart from the study files, so that a slip
in either shows.
"""

from collections.abc import Sequence
from typing import Any

import pytest

from gai_core import Study, load_study, scenario_names
from gai_core.questions import inert_truth

Counts = Sequence[tuple[int, int]]

FOUND: dict[str, Counts] = {
    "tabalumab-acr20": [(16, 36), (12, 30), (9, 20), (7, 15), (11, 18), (7, 13), (17, 24)],
    "sirukumab-acr20": [(9, 30), (19, 31), (17, 30), (18, 30), (19, 30)],
    "mk-3207": [
        (13, 133), (4, 32), (5, 44), (16, 63), (12, 63), (14, 65), (14, 59), (21, 58),
    ],
}  # fmt: skip
"""Responders and patients of every arm, both found in the source."""

DERIVED: dict[str, Counts] = {
    "clazakizumab": [(24, 61), (45, 59), (44, 60), (36, 60)],
    "ixekizumab": [(19, 54), (18, 40), (15, 35), (26, 37), (29, 57), (20, 37)],
    "tofacitinib-conduct": [(13, 59), (17, 54), (20, 51), (29, 49), (43, 61), (41, 57)],
    "tofacitinib-one-dose": [(13, 59), (17, 54), (20, 51), (29, 49), (43, 61), (41, 57)],
    "baricitinib": [(40, 98), (28, 49), (28, 52), (39, 52), (39, 50)],
    "sarilumab": [(24, 52), (25, 51), (34, 51), (31, 50), (34, 52), (36, 50)],
}
"""Whole responders that give the published or recalled rates with these patients."""

PLANNED_SHARES = {"tofacitinib-one-dose": 1 / 6}
"""Shares of the control that are not the real trial's."""

DIGITS = {"ixekizumab": 2, "baricitinib": 2}
"""Decimal places of the rates in a study file, where they are not three."""

SCORES: dict[str, tuple[Sequence[float], Sequence[float], Sequence[int]]] = {
    "tabalumab-das28": (
        [1.5, 1.5, 1.0, 1.7, 1.5, 1.6, 1.9],
        [1.3, 1.3, 1.1, 1.0, 1.3, 1.2, 1.2],
        [36, 30, 20, 15, 18, 13, 24],
    ),
    "sirukumab-das28": (
        [1.1, 2.0, 2.2, 2.0, 2.2],
        [1.0, 1.0, 0.9, 0.9, 1.2],
        [30, 31, 30, 30, 30],
    ),
    "sirukumab-das28-unknown": (
        [1.1, 2.0, 2.2, 2.0, 2.2],
        [1.0, 1.0, 0.9, 0.9, 1.2],
        [30, 31, 30, 30, 30],
    ),
    "irritable-bowel": (
        [0.217, 0.502, 0.514, 0.568, 0.565],
        [0.763] * 5,  # published pooled
        [71, 78, 75, 72, 73],
    ),
}
"""Mean, standard deviation and patients of every arm, found in the source."""

AGAINST_CONTROL = {
    "baricitinib-placebo": "baricitinib",
    "clazakizumab-control": "clazakizumab",
    "irritable-bowel-placebo": "irritable-bowel",
    "ixekizumab-placebo": "ixekizumab",
    "mk-3207-placebo": "mk-3207",
    "sarilumab-placebo": "sarilumab",
    "sirukumab-acr20-placebo": "sirukumab-acr20",
    "sirukumab-das28-placebo": "sirukumab-das28",
    "tabalumab-acr20-placebo": "tabalumab-acr20",
    "tabalumab-das28-placebo": "tabalumab-das28",
    "tofacitinib-placebo": "tofacitinib-conduct",
}
"""Studies whose doses are compared with the control of the same cohort, and the same trial with a
fixed target."""
known: dict[str, Any]
for known in (FOUND, DERIVED, SCORES, DIGITS):
    known |= {name: known[trial] for name, trial in AGAINST_CONTROL.items() if trial in known}
MEDICAL_1 = {"secukinumab-placebo": [50, 54, 49, 43, 41]}
"""Patients of every arm of the trial behind the paper's setting, whose rates it has."""
PAPERS_TRIAL = dict.fromkeys(MEDICAL_1, "medical-1")
REAL_TRIALS = sorted({*FOUND, *DERIVED, *SCORES, *MEDICAL_1})


def patients(name: str) -> list[int]:
    """The real sizes of a trial's arms."""
    if name in SCORES:
        return list(SCORES[name][2])
    if name in MEDICAL_1:
        return MEDICAL_1[name]
    return [size for _, size in {**FOUND, **DERIVED}[name]]


def in_words(sizes: Sequence[int]) -> str:
    """Numbers as a sentence lists them: 1, 2 and 3."""
    return f"{', '.join(map(str, sizes[:-1]))} and {sizes[-1]}"


@pytest.mark.parametrize("name", scenario_names())
def test_every_shipped_study_says_where_its_figures_come_from(name: str) -> None:
    study = load_study(name)
    assert study.source.strip()
    assert study.outcome.endpoint
    assert study.truths[0].name == "published"


def test_the_tables_are_about_every_study_with_a_conduct() -> None:
    with_conduct = [name for name in scenario_names() if load_study(name).conduct is not None]
    assert with_conduct == REAL_TRIALS


@pytest.mark.parametrize("name", REAL_TRIALS)
def test_a_real_trial_says_how_sure_its_figures_are(name: str) -> None:
    source = load_study(name).source
    if name in DERIVED:
        assert (
            "derived from the rates" in source or "recalled, consistent with whole counts" in source
        )
    else:
        assert source.endswith("Found in the source.")


@pytest.mark.parametrize("name", [*FOUND, *DERIVED])
def test_published_rates_are_responders_by_patients(name: str) -> None:
    digits = DIGITS.get(name, 3)
    rates = [round(responders / size, digits) for responders, size in {**FOUND, **DERIVED}[name]]
    assert list(load_study(name).truth("published").means) == rates


@pytest.mark.parametrize("name", SCORES)
def test_published_scores_and_their_pooled_variance(name: str) -> None:
    means, deviations, sizes = SCORES[name]
    study = load_study(name)
    squares = sum((n - 1) * sd**2 for n, sd in zip(sizes, deviations, strict=True))
    assert list(study.truth("published").means) == means
    variance = study.spread(study.truth("published")) ** 2
    assert variance == pytest.approx(round(squares / sum(n - 1 for n in sizes), 3), rel=1e-12)


@pytest.mark.parametrize("name", REAL_TRIALS)
def test_notes_give_the_real_sizes_and_call_the_conduct_assumed(name: str) -> None:
    notes = load_study(name).notes
    assert in_words(patients(name)) in notes
    assert "Conduct assumed: " in notes


@pytest.mark.parametrize("name", REAL_TRIALS)
def test_the_control_is_the_first_arm_set_apart_with_its_real_share(name: str) -> None:
    study, sizes = load_study(name), patients(name)
    assert study.set_apart == 0
    assert study.conduct is not None
    real = None if study.target else round(sizes[0] / sum(sizes), 2)
    assert study.conduct.control_share == PLANNED_SHARES.get(name, real)


@pytest.mark.parametrize("name", REAL_TRIALS)
def test_as_published_a_dose_meets_the_target_and_the_control_does_not(name: str) -> None:
    study = load_study(name)
    published = study.truth("published")
    assert any(study.good(published))
    assert not study.good(published)[0]


@pytest.mark.parametrize("name", REAL_TRIALS)
def test_what_was_not_published_is_called_assumed(name: str) -> None:
    assumed = load_study(name).truths[1:]
    assert all(truth.note.startswith("Assumed, not published: ") for truth in assumed)


@pytest.mark.parametrize("name", REAL_TRIALS)
def test_under_the_boundary_null_every_dose_is_just_below_the_target(name: str) -> None:
    study = load_study(name)
    null = study.truth("just below the target")
    control, *doses = null.means
    assert control == study.truth("published").means[0]
    assert doses == [pytest.approx(study.target_under(null) - 0.01)] * len(doses)
    assert not any(study.good(null))


WITH_CONTROL = [name for name in scenario_names() if load_study(name).control is not None]


def test_only_the_papers_synthetic_settings_have_no_control() -> None:
    without = set(scenario_names()) - set(WITH_CONTROL)
    assert without == {"threshold-1", "threshold-2", "threshold-3"}  # nothing to be inert against


@pytest.mark.parametrize("name", WITH_CONTROL)
def test_inert_is_every_dose_like_the_control(name: str) -> None:
    study = load_study(name)
    inert, control = study.truth("inert"), study.control
    assert control is not None
    assert set(inert.means) == {study.truth("published").means[control]}
    assert not any(study.good(inert))
    assert "global null" in inert.note


@pytest.mark.parametrize("name", scenario_names())
def test_global_null_is_said_of_nothing_else(name: str) -> None:
    study = load_study(name)
    assert all(t.name == "inert" for t in study.truths if "global null" in t.note + t.name)
    assert not any(study.good(study.truth("just below the target")))


@pytest.mark.parametrize("name", [*FOUND, *DERIVED])
def test_published_response_rates_are_not_lowered_by_dropout_once_more(name: str) -> None:
    study = load_study(name)
    published = study.truth("published")
    assert study.expected(published) == published.means
    assert study.dropout is None or study.dropout.counted == "non-response"


def test_the_study_with_a_conduct_differs_from_tofacitinib_in_it_alone() -> None:
    plain, conducted = load_study("tofacitinib"), load_study("tofacitinib-conduct")

    def compared(study: Study) -> tuple[object, ...]:
        """What makes the difference between the two a matter of conduct."""
        means = [(truth.name, truth.means) for truth in study.truths]
        return study.threshold, study.delta, study.outcome, study.simulation, study.arms, means

    assert compared(plain) == compared(conducted)


@pytest.mark.parametrize(("name", "trial"), [*AGAINST_CONTROL.items(), *PAPERS_TRIAL.items()])
def test_a_study_against_the_control_is_of_the_same_trial(name: str, trial: str) -> None:
    study, other = load_study(name), load_study(trial)
    assert study.target is not None
    assert study.arms == other.arms
    assert study.outcome.endpoint == other.outcome.endpoint
    assert study.truth("published").means == other.truth("published").means
    assert study.truth("published").note == other.truth("published").note
    assert trial == "medical-1" or study.source == other.source


@pytest.mark.parametrize("name", [*AGAINST_CONTROL, *MEDICAL_1])
def test_a_study_against_the_control_is_judged_as_randomised_trials_are(name: str) -> None:
    study = load_study(name)
    assert (study.error_rates.declare, study.error_rates.drop) == (0.025, 0.1)
    assert study.wanted == 1  # so that patients enrolled are those that the answer takes
    looks_once = [design.once_at_end for design in study.designs]
    assert [design.name for design in study.designs][:2] == ["Group sequential, 4 looks", "Fixed"]
    assert looks_once[:2] == [False, True]
    assert {design.rule for design in study.designs if not design.once_at_end} > {"equal"}


@pytest.mark.parametrize("name", [*AGAINST_CONTROL, *MEDICAL_1])
def test_a_study_against_the_control_shows_what_that_protects_from(name: str) -> None:
    """A control that does more, or a trend that all arms share; both are covered."""
    study = load_study(name)
    before = study.control_mean(study.truths[0])
    assert before is not None
    others = [truth for truth in study.truths if (study.control_mean(truth) or 0) > before]
    trends = [truth for truth in study.truths if truth.trend]
    assert others or trends
    assert all(study.covered(truth) for truth in others + trends)
    assert any(any(study.good(truth)) for truth in study.truths[1:])


def test_scores_have_a_truth_with_more_spread_and_some_studies_a_drift() -> None:
    truths = {name: load_study(name).truths for name in REAL_TRIALS}
    wider = [name for name, found in truths.items() if any(truth.variance for truth in found)]
    drifting = [name for name, found in truths.items() if any(truth.trend for truth in found)]
    assert wider == sorted(SCORES)
    scores_against_control = {*SCORES} & {*AGAINST_CONTROL}
    assert drifting == sorted({"baricitinib", "tofacitinib-placebo", *scores_against_control})
    for name in wider:
        study = load_study(name)
        least = study.spread(study.truth("published"))
        assert all(study.spread(truth) >= least for truth in study.truths)
        assert any(study.spread(truth) > least for truth in study.truths)


@pytest.mark.parametrize("name", scenario_names())
def test_the_inert_drug_is_the_truth_that_says_so(name: str) -> None:
    """Doses just below the control do less than nothing, and are not what inert means."""
    study = load_study(name)
    found = inert_truth(study)
    assert found is not None
    named = [truth.name for truth in study.truths if truth.name == "inert"]
    assert found.name == (named or ["just below the target"])[0]
