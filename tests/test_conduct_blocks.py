"""Permuted blocks: what a cohort holds, in which order, and what naming the old order gives."""

import zlib
from collections.abc import Iterator
from math import floor, sqrt
from typing import Any

import numpy as np
import pytest
from conducted import conducted_study, never_deciding

from gai_core import Study, load_study, simulate
from gai_core.engine import empty_trials
from gai_core.engine.conduct_state import room_for_log
from gai_core.engine.prepared import conducted
from gai_core.results import replay
from gai_core.study import validated

RULE = {"randomisation": {"kind": "rule"}}
BLOCKS = {"randomisation": {"kind": "blocks"}}
SHARE = 0.3
COHORTS = {"accrual": {"per_month": 10.0}, "delay": {"weeks": 8.0}, "control_share": SHARE}
AS_BEFORE = {
    ("tofacitinib-conduct", "published"): 1022751580,
    ("baricitinib", "just below the target, drifting"): 3373402208,
    ("sirukumab-das28", "more spread"): 2626238325,
}
"""Checksums of verdicts, counts and times in patients, found before blocks were the default."""
DESIGNS = "Fixed", "Nearest finish, exact", "HDoC, mixture"
COUNTS = "verdict", "decided", "assigned", "seen", "waiting", "pipeline"


def with_conduct(study: Study, **parts: Any) -> Study:
    data = study.model_dump()
    return validated(data | {"conduct": data["conduct"] | parts}, "changed")


def checksum(name: str, truth: str) -> int:
    """Of the counts of 40 trials of each of the three designs under one truth."""
    study = with_conduct(load_study(name), **RULE)
    found = 0
    for design in DESIGNS:
        trials = empty_trials(study, 40)
        conducted(study, study.design(design))(study.truth(truth), 0, trials)
        for array in COUNTS:
            found = zlib.crc32(np.ascontiguousarray(trials.named_arrays[array]).tobytes(), found)
    return found


@pytest.mark.parametrize(("name", "truth"), AS_BEFORE)
def test_the_rule_s_order_gives_the_numbers_there_were(name: str, truth: str) -> None:
    assert checksum(name, truth) == AS_BEFORE[name, truth]


def test_a_file_that_does_not_say_has_blocks() -> None:
    study = load_study("tofacitinib-conduct")
    assert study.conduct is not None
    assert study.conduct.randomisation.kind == "blocks"


def orders(study: Study, replicates: int) -> Iterator[list[int]]:
    """The arms in the order of enrolment, of trials of the first design under the first truth."""
    truth, design, log = study.truths[0], study.designs[0], room_for_log(120, study.outcome)
    run, trials = conducted(study, design, log), empty_trials(study, 1)
    for replicate in range(replicates):
        run(truth, replicate, trials)
        yield log.arm[: int(trials.patients[0])].tolist()


def cohorts_of(arms: list[int], size: int) -> list[list[int]]:
    return [arms[i : i + size] for i in range(0, len(arms), size)]


@pytest.mark.parametrize("size", [4, 10, 17])
def test_a_cohort_holds_what_the_rule_chose_in_another_order(size: int) -> None:
    """Until an outcome makes a difference: under a delay longer than the trial, everywhere."""
    conduct = COHORTS | {"cohort": size, "delay": {"weeks": 90.0}}
    ours = next(orders(never_deciding(conduct=conduct | BLOCKS), 1))
    theirs = next(orders(never_deciding(conduct=conduct | RULE), 1))
    assert ours != theirs
    for mine, other in zip(cohorts_of(ours, size), cohorts_of(theirs, size), strict=True):
        assert sorted(mine) == sorted(other)


def test_the_control_has_its_share_of_every_cohort_and_of_a_cut_one() -> None:
    """Cohorts of 7 of 120 patients: the last one has a single patient."""
    for arms in orders(never_deciding(conduct=COHORTS | {"cohort": 7} | BLOCKS), 5):
        assert len(arms) == 120
        for k in range(0, 120, 7):
            last = min(k + 7, 120)
            assert arms[k:last].count(0) == floor(last * SHARE) - floor(k * SHARE)


def test_the_control_is_in_every_place_of_its_block_as_often() -> None:
    """Two of four patients, in 60 blocks of 40 trials each; the rule has them in places 2 and 4."""
    conduct = COHORTS | {"cohort": 4, "control_share": 0.5}
    found = np.array(
        [
            [arm == 0 for arm in block]
            for arms in orders(never_deciding(conduct=conduct | BLOCKS), 40)
            for block in cohorts_of(arms, 4)
        ]
    )
    blocks = len(found)
    assert blocks == 1200
    assert (found.sum(axis=1) == 2).all()
    assert (abs(found.mean(axis=0) - 0.5) < 4 * sqrt(0.25 / blocks)).all()
    both_first = (found[:, 0] & found[:, 1]).mean()
    assert abs(both_first - 1 / 6) < 4 * sqrt(5 / 36 / blocks)
    plain = next(orders(never_deciding(conduct=conduct | RULE), 1))
    assert {tuple(arm == 0 for arm in block) for block in cohorts_of(plain, 4)} == {
        (False, True, False, True)
    }


def test_a_cohort_of_one_is_the_rule_s_order() -> None:
    blocks, rule = (simulate(conducted_study(COHORTS | kind)) for kind in (BLOCKS, RULE))
    for key, block in blocks.trials.items():
        for name, array in block.named_arrays.items():
            assert np.array_equal(array, rule[key].named_arrays[name], equal_nan=True), name


def test_no_dose_gets_a_patient_after_its_verdict() -> None:
    """Looks after every outcome close doses in the middle of cohorts of 12."""
    study = conducted_study(COHORTS | {"cohort": 12, "looks": {"outcomes": 1}} | BLOCKS)
    verdicts = 0
    for truth in study.truths:
        for replicate in range(20):
            trial = replay(study, truth, study.design("HDoC"), replicate)
            for moment in trial.moments:
                assert moment.arm not in trial.arms[moment.patient :]
                verdicts += moment.patient % 12 != 0 and moment.patient < len(trial.arms)
    assert verdicts > 20  # fell in the middle of a cohort that went on
