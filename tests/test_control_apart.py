"""A control that is no candidate: neither patients nor a verdict, in plain and conducted trials."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from conducted import conducted_study
from conftest import make_study, outcomes
from naive import algorithm_1
from test_error_rates import VERDICTS

from gai_core import InputError, Study, load_study, simulate
from gai_core.evidence import GOOD, NO_CANDIDATE
from gai_core.results import replay
from gai_core.study import changed, every_ready_made
from gai_core.theory import cautions

ARMS = [{"label": "placebo", "control": True}, *({"label": str(i)} for i in (1, 2, 3))]
DESIGNS = [{"name": "HDoC", "rule": "hdoc"}, {"name": "Equal", "rule": "equal"}]


def apart(**changes: Any) -> Study:
    return make_study(**{
        "judge_control": False, "arms": ARMS, "designs": DESIGNS,
        "truths": [{"name": "steep", "means": [0.1, 0.2, 0.6, 0.8]}],
        "simulation": {"runs": 15, "n_max": 900, "seed": 3},
    } | changes)  # fmt: skip


def test_every_trial_is_the_naive_one_of_the_doses_alone() -> None:
    study = apart()
    runs = simulate(study)
    for one, replicate in product(study.designs, range(study.simulation.runs)):
        trial = algorithm_1(
            outcomes(study, study.truths[0], replicate)[1:], rule=one.rule, threshold=0.5,
            delta=0.1, s2=0.25, burn_in=5, n_max=900,
        )  # fmt: skip
        block = runs["steep", one.name]
        assert block.verdict[replicate].tolist() == [
            NO_CANDIDATE, *(VERDICTS[verdict] for verdict in trial.verdict)
        ]  # fmt: skip
        assert block.decided[replicate].tolist() == [0, *(t or 0 for t in trial.decided)]
        assert block.assigned[replicate].tolist() == [0, *trial.assigned]
        found = replay(study, study.truths[0], one, replicate)
        assert len(found.arms) == trial.patients
        assert 0 not in found.arms


def test_conducted_trials_have_no_patient_on_it() -> None:
    conduct = {"accrual": {"per_month": 10.0}, "delay": {"weeks": 8.0}, "cohort": 4}
    study = conducted_study(conduct, judge_control=False)
    for block in simulate(study).trials.values():
        assert (block.assigned[:, 0] == 0).all()
        assert (block.verdict[:, 0] == NO_CANDIDATE).all()
        assert (block.verdict == GOOD).any()


def test_it_is_said_and_needs_a_control() -> None:
    said = "placebo is not judged and gets no patients: the trial will say nothing about it."
    assert said in cautions(apart())
    assert said not in cautions(apart(judge_control=True))
    with pytest.raises(InputError, match="judge_control must be left out, or an arm must have"):
        apart(arms=[{"label": str(i)} for i in range(4)])


def test_the_fixed_test_of_the_doses_alone_and_in_order() -> None:
    """Computed independently: 41.8% and 54.8% of trials with 400 patients declare a dose."""
    shipped = load_study("tofacitinib")
    ready = {one.name: one for one in every_ready_made(shipped)}
    designs = ready["Fixed"], ready["Fixed, in order"]
    flatter = shipped.truths[0].model_copy(update={"means": (0.22, 0.3, 0.37, 0.5, 0.58, 0.6)})
    shares = []
    for judged in (True, False):
        study = shipped.model_copy(update={
            "designs": designs, "truths": (flatter,), "judge_control": judged
        })  # fmt: skip
        runs = simulate(changed(study, runs=4000, n_max=400))
        for one in designs:
            verdict = runs[flatter.name, one.name].verdict
            shares.append(float((verdict == GOOD).any(axis=1).mean()))
    known = [0.247, None, 0.418, 0.548]
    for share, value in zip(shares, known, strict=True):
        if value is not None:
            assert abs(share - value) < 4 * np.sqrt(value * (1 - value) / 4000)
