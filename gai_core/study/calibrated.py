"""What a simulated calibration holds for, as a stamp that a design carries."""

import hashlib
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gai_core.basics import Place, Problem

if TYPE_CHECKING:
    from gai_core.study.parts import Design
    from gai_core.study.study import Study

SIMULATED = "simulated"
NOT_STAMPED = {"title", "source", "notes", "estimand", "simulation", "arms", "truths", "designs"}
"""What the error of a design does not depend on, or what is stamped below: a new field is."""
FOUND = ("nominal", "calibrated_for")
REMEDY = "calibrate it anew with `gai calibrate`, or choose the criterion exact"


def calibration_stamp(study: "Study", design: "Design") -> str:
    """A hash of all that the error of a design depends on, but for the rate that was found.

    It is the same whatever the endpoint is called, and wherever the doses wanted are written.
    """
    data = _stamped(study, design)
    data["outcome"]["endpoint"] = ""
    data["wanted"] = study.doses_wanted
    if study.conduct is not None:
        data["conduct"]["wanted"] = None
    return _hashed(data)


def stamps_that_hold(study: "Study", design: "Design") -> tuple[str, str]:
    """The stamp, and the one that 0.7.0 gave, which depended on how the study is written."""
    return calibration_stamp(study, design), _hashed(_stamped(study, design))


def _stamped(study: "Study", design: "Design") -> dict[str, Any]:
    """What a stamp is made of."""
    plan = design.model_dump(mode="json", exclude={"name"})
    plan["criterion"] = SIMULATED
    given = plan["criterion_parameters"]
    plan["criterion_parameters"] = {name: given[name] for name in given if name not in FOUND}
    data = study.model_dump(mode="json", exclude=NOT_STAMPED)
    if study.conduct is not None and not study.has_ratio:
        del data["conduct"]["randomisation"]["ratio"]  # a stamp of before there was one stays valid
    data |= {"arms": len(study.arms), "control": study.control, "design": plan}
    return data | {"n_max": study.simulation.n_max, "rates": study.error_rates.model_dump()}


def _hashed(data: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]


def calibration_problems(study: "Study", place: Place, design: "Design") -> Iterator[Problem]:
    """A rate that was found for something else."""
    given = design.criterion_parameters
    if design.criterion != SIMULATED or given.get("nominal") is None:
        return
    if given.get("calibrated_for") not in stamps_that_hold(study, design):
        yield Problem(
            (*place, "criterion_parameters", "nominal"),
            "must have been found by simulation for this very study and design",
            "it was found for another one",
            REMEDY,
        )


def cannot_calibrate(study: "Study", design: "Design") -> Problem | None:
    """Why the error of a design cannot be found by simulating corners, if it cannot."""
    rule = None
    if study.target is not None:
        rule = "cannot be calibrated by simulation: its error depends on the control's unknown mean"
    elif not study.outcome.knows_variance:
        rule = "cannot be calibrated by simulation: its error may depend on the unknown variance"
    elif study.error_rates.same and design.futility is None:
        rule = (
            "cannot be calibrated by simulation with one rate for both errors: what is found is a "
            "rate for declaring"
        )
    elif design.order is not None or any(design.decision.steps_down):
        rule = "cannot be calibrated by simulation: its doses do not share the error in equal parts"
    elif design.criterion not in ("exact", SIMULATED):
        rule = f"cannot be calibrated by simulation: its criterion is {design.criterion!r}"
    if rule is None:
        return None
    return Problem(
        ("designs",), f"{design.name} {rule}", remedy="choose the criterion exact", whole=True
    )
