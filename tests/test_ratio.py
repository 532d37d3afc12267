"""Doses that get patients in a ratio: how many, what is judged, and what is refused."""

from typing import Any

import numpy as np
import pytest
from conducted import FIXED, HDOC, conducted_study, never_deciding
from gai_app.editor.parsing import READERS, written_as
from test_pairs import EXPONENTIAL, LATE, RATES, against_control, assert_as_on_the_page

from gai_core import InputError, Study, load_study, simulate
from gai_core.study import dump_study, in_words, parse_study
from gai_core.study.calibrated import stamps_that_hold
from gai_core.theory import worst_case

EQUAL = HDOC | {"name": "Equal", "rule": "equal"}
COHORTS: dict[str, Any] = {"accrual": {"per_month": 10.0}, "delay": {"weeks": 8.0}, "cohort": 4}
IN_A_RATIO = COHORTS | {"control_share": 0.25, "randomisation": {"ratio": [2, 1, 1]}}


def refused(**changes: Any) -> str:
    with pytest.raises(InputError) as caught:
        conducted_study(IN_A_RATIO, **changes)
    return str(caught.value)


def test_equal_allocation_gives_patients_in_the_ratio_from_the_first_block_on() -> None:
    for patients in (16, 80):
        size = {"simulation": {"runs": 20, "n_max": patients, "seed": 5}}
        study = never_deciding(conduct=IN_A_RATIO | {"cohort": 16}, designs=[EQUAL], **size)
        assigned = simulate(study)["near", "Equal"].assigned
        share = patients // 16
        assert (assigned == [4 * share, 6 * share, 3 * share, 3 * share]).all()


def test_an_adaptive_rule_has_the_ratio_until_its_burn_in_is_over() -> None:
    """Nobody's outcome is known before the last patient comes, so that it never is."""
    late = IN_A_RATIO | {"delay": {"weeks": 300.0}, "cohort": 16}
    size = {"runs": 5, "n_max": 64, "seed": 5}
    study = never_deciding(conduct=late, simulation=size)
    assert (simulate(study)["near", "HDoC"].assigned == [16, 24, 12, 12]).all()


def test_a_ratio_of_equals_is_none() -> None:
    alike, none = (
        conducted_study(IN_A_RATIO | {"randomisation": {"ratio": ratio}})
        for ratio in ([2, 2, 2], None)
    )
    assert not alike.has_ratio
    one, other = simulate(alike), simulate(none)
    for key, block in one.trials.items():
        for name, array in block.named_arrays.items():
            assert np.array_equal(array, other[key].named_arrays[name], equal_nan=True), name


@pytest.mark.parametrize("conduct", [LATE, EXPONENTIAL | {"looks": {"outcomes": 1}}], ids=str)
@pytest.mark.parametrize("rule", ["equal", "hdoc"])
def test_pairs_in_a_ratio_are_as_on_the_page(conduct: dict[str, Any], rule: str) -> None:
    """The control has as many patients in a cohort as the most frequent dose."""
    study = against_control(RATES, {"rule": rule}, **conduct, randomisation={"ratio": [3, 1, 1]})
    assert assert_as_on_the_page(study) > 5


def test_one_look_at_the_end_judges_every_dose_by_the_patients_it_has() -> None:
    """Doses at the target: each is declared with its share of delta or less, none with more."""
    study = conducted_study(
        IN_A_RATIO,
        designs=[FIXED],
        truths=[{"name": "null", "means": [0.2, 0.4, 0.4, 0.4]}],
        simulation={"runs": 4000, "n_max": 120, "seed": 5},
    )
    trials = simulate(study)["null", "Fixed"]
    assert (trials.assigned == [30, 45, 23, 22]).all()
    declared = (trials.verdict[:, 1:] == 1).mean(axis=0)
    allowed = 0.3 / 3
    assert (declared <= allowed + 4 * np.sqrt(allowed * (1 - allowed) / 4000)).all()
    assert (declared > 0.4 * allowed).all()  # all three are judged
    worst = worst_case(study, study.designs[0])
    assert worst.any_false_declaration <= 0.3
    assert declared.max() <= worst.false_declaration + 4 * np.sqrt(allowed / 4000)


def test_what_does_not_fit_a_ratio_is_refused_in_words() -> None:
    looks = EQUAL | {"criterion": "exact", "criterion_parameters": {"looks": {"equal": 3}}}
    assert refused(designs=[looks]).endswith(
        "designs[0].criterion_parameters.looks must not be at equal distances where doses get "
        "patients in a ratio, but is { equal = 3 }; give numbers of patients of a dose, or leave "
        "conduct.randomisation.ratio out"
    )
    adaptive = FIXED | {"rule": "hdoc"}
    assert "rule must be 'equal' where doses get patients in a ratio and every dose" in refused(
        designs=[adaptive]
    )
    with pytest.raises(InputError, match="which are 3, but is 2:1; the control's part is"):
        conducted_study(IN_A_RATIO | {"randomisation": {"ratio": [2, 1]}})
    with pytest.raises(InputError, match=r"which are 4, but is 2:1:1$"):
        conducted_study(COHORTS | {"randomisation": {"ratio": [2, 1, 1]}})
    with pytest.raises(InputError, match=r"ratio\[0\] must be at least 1, but is 0"):
        conducted_study(IN_A_RATIO | {"randomisation": {"ratio": [0, 1, 1]}})
    end = {"criterion": "exact", "criterion_parameters": {"looks": "end"}, "rule": "equal"}
    target = {"over": "control", "margin": 0.0, "evidence": "likelihood"}
    with pytest.raises(InputError, match="'end' where doses get patients in a ratio and pairs"):
        against_control(RATES, end, target=target, randomisation={"ratio": [2, 1, 1]})


def test_a_ratio_is_said_and_kept_in_the_file() -> None:
    study: Study = conducted_study(IN_A_RATIO)
    said = " ".join(in_words(study))
    assert "low, middle, high get them in the ratio 2:1:1; an adaptive rule" in said
    assert "ratio" not in " ".join(in_words(conducted_study()))
    assert parse_study(dump_study(study)) == study


def test_a_ratio_is_typed_as_protocols_write_it() -> None:
    read = READERS["ratio"]
    assert read("2:1:1").value == read("2, 1, 1").value == [2, 1, 1]
    assert read(" ").value is None
    assert written_as("ratio", [2, 1, 1]) == "2:1:1"


def test_a_study_without_a_ratio_has_the_stamp_it_had() -> None:
    study = load_study("tofacitinib-conduct")
    assert "4feb41ebd00f6088" in stamps_that_hold(study, study.designs[0])
