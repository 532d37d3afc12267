"""Small studies of designs whose promises differ, for what is said of them."""

from collections.abc import Callable
from typing import Any

from conducted import FIXED, USUAL, conducted_study
from test_dunnett import trial

from gai_core import Study
from gai_core.study import Design, calibration_stamp
from gai_core.study.changing import changed

APART: dict[str, Any] = {"delta": None, "errors": {"declare": 0.1, "drop": 0.3}}
POSTERIOR: dict[str, Any] = {
    "name": "Posterior",
    "rule": "hdoc",
    "criterion": "posterior",
    "burn_in": 3,
}


def of(*designs: dict[str, Any], **changes: Any) -> Study:
    """A small study of these designs, with a conduct and two error rates."""
    return conducted_study(USUAL, **(APART | {"designs": designs} | changes))


def design(name: str, **changes: Any) -> dict[str, Any]:
    exact = {"rule": "hdoc", "criterion": "exact", "burn_in": 3}
    return exact | {"name": name} | changes


def calibrated(*others: dict[str, Any], nominal: float | None = 0.25, **changes: Any) -> Study:
    """A design whose rate stands for one found by simulation; without it, one that has none."""
    study = of(design("Simulated", criterion="simulated"), *others, **changes)
    return study if nominal is None else with_rates(study, {"Simulated": nominal})


def with_rates(study: Study, rates: dict[str, float]) -> Study:
    """The study with the rates of some of its designs, as if they had been found for it."""

    def rated(plain: Design) -> Design:
        if plain.name not in rates:
            return plain
        found = {"nominal": rates[plain.name], "calibrated_for": calibration_stamp(study, plain)}
        given = plain.criterion_parameters | found
        return plain.model_copy(update={"criterion_parameters": given})

    return study.model_copy(update={"designs": tuple(map(rated, study.designs))})


def rates_of(study: Study) -> dict[str, float]:
    """The rates that were found by simulation, by design."""
    given = {one.name: one.criterion_parameters.get("nominal") for one in study.designs}
    return {name: rate for name, rate in given.items() if rate is not None}


def without_rates(study: Study) -> Study:
    """The same before rates were found: its numbers can be changed."""

    def plain(rated: Design) -> Design:
        found = ("nominal", "calibrated_for")
        left = {key: value for key, value in rated.criterion_parameters.items() if key not in found}
        return rated.model_copy(update={"criterion_parameters": left})

    return study.model_copy(update={"designs": tuple(map(plain, study.designs))})


def never_dropping(**changes: Any) -> Study:
    return of(design("Kept", futility="none"), FIXED, **changes)


def by_dunnett() -> Study:
    """A shipped trial's two fixed designs under two truths, without its texts."""
    study = changed(trial(), runs=40, n_max=140)
    rising = (1.5, 1.4, 1.0, 1.7, 1.6, 1.8, 1.9)  # no dose exactly at the target, as published
    truths = (
        study.truths[0].model_copy(update={"note": "", "means": rising}),
        study.truth("inert").model_copy(update={"note": ""}),
    )
    return study.model_copy(update={"source": "", "notes": "", "truths": truths})


STUDIES: dict[str, Callable[[], Study]] = {
    "simulated": calibrated,
    "without a rate yet": lambda: calibrated(nominal=None),
    "simulated beside a proven one": lambda: calibrated(FIXED),
    "posterior": lambda: of(POSTERIOR),
    "posterior beside a proven one": lambda: of(POSTERIOR, FIXED),
    "step-down": lambda: of(design("Step", criterion_parameters={"share": "step-down"}), FIXED),
    "in order": lambda: of(design("In order", order="increasing"), FIXED),
    "never dropping": never_dropping,
    "never dropping, in order": lambda: of(design("Kept", futility="none", order="increasing")),
    "Dunnett": by_dunnett,
}
"""By what is special about their designs."""
