"""What a good dose must show: a fixed mean, or more than the control treated at the same time."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, FiniteFloat

from gai_core.basics import FrozenModel, Problem
from gai_core.study.margin import LARGEST_MARGIN

if TYPE_CHECKING:
    from gai_core.study.study import Study

SMALLEST_COHORT = 2
USUAL_COHORT = 8
OF_DISCORDANT = {"amount": "0", "prior_mean": "left out"}
"""Parameters in units of the response, and what they must be where only discordant pairs count."""


class Target(FrozenModel):
    """A dose is good if its mean is at least that of the concurrent control plus a margin."""

    over: Literal["control"] = Field(
        description="The arm that doses are compared with: the control, treated at the same time."
    )
    margin: FiniteFloat = Field(
        default=0.0,
        gt=-LARGEST_MARGIN,
        lt=LARGEST_MARGIN,
        description="How far above the control's mean the mean of a good dose is at least.",
    )


def without_threshold(data: dict[str, Any]) -> dict[str, Any]:
    """A study against the control has no threshold, and need not say so."""
    return {"threshold": None} | data


def target_problems(study: "Study") -> Iterable[Problem]:
    """What a target against the control needs, and what it takes the place of."""
    if study.target is None:
        if study.threshold is None:
            remedy = 'give it, or target = { over = "control" }'
            yield Problem(("threshold",), "is missing", remedy=remedy)
        return
    for name in ("threshold", "margin"):
        value = getattr(study, name)
        if value is not None:
            rule = "must be left out where target is given: doses are compared with the control"
            remedy = "leave it out, or remove target for a fixed target"
            yield Problem((name,), rule, f"is {value:g}", remedy)
    if study.control is None:
        yield Problem(
            ("target", "over"),
            "needs an arm with control = true",
            "there is none",
            "mark the control, or give a fixed threshold instead of target",
        )
    if study.conduct is None:
        yield Problem(
            ("target", "over"),
            "needs a [conduct] part with a cohort, as partners are of the same cohort",
            "there is none",
            f"add conduct = {{ cohort = {USUAL_COHORT} }}, or give a fixed threshold instead",
        )
        return
    yield from _conduct_problems(study)


def _conduct_problems(study: "Study") -> Iterable[Problem]:
    """What in the conduct does not go with pairs."""
    conduct = study.conduct
    assert conduct is not None
    if conduct.cohort < SMALLEST_COHORT:
        yield Problem(
            ("conduct", "cohort"),
            "must be at least 2 against the concurrent control, a patient on a dose and one on the "
            "control",
            f"is {conduct.cohort}",
            f"choose {USUAL_COHORT}, for example",
        )
    if conduct.control_share is not None:
        yield Problem(
            ("conduct", "control_share"),
            "must be left out against the concurrent control: a cohort has as many controls as "
            "patients on its most frequent dose",
            f"is {conduct.control_share:g}",
        )
    if conduct.randomisation.kind != "blocks":
        yield Problem(
            ("conduct", "randomisation", "kind"),
            'must be "blocks" against the concurrent control: a cohort is allocated before its '
            "outcomes",
            f'is "{conduct.randomisation.kind}"',
        )
    dropout = conduct.dropout
    if dropout is not None and dropout.depends_on_outcome and not study.outcome.all_or_nothing:
        yield Problem(
            ("conduct", "dropout", "probability_on_target"),
            f"needs a fixed target if the outcome is {study.outcome.noun}",
            "doses are compared with the control",
            "leave it out, or give a threshold instead of target",
        )


def stream_problems(study: "Study") -> Iterable[Problem]:
    """Margins for which there is no stream of pairs yet."""
    target = study.target
    if target is None or study.pairs is not None:
        return
    if study.outcome.all_or_nothing:
        yield Problem(
            ("target", "margin"),
            "must be 0 for response rates: pairs are counted by who responds",
            f"is {target.margin:g}",
            "set it to 0, or give a threshold, a fixed target that assumes the control's rate",
        )
    else:
        yield Problem(
            ("target", "over"),
            f"is not there for {study.outcome.kind} outcomes yet",
            remedy="give a threshold instead of target",
        )


def design_problems(study: "Study") -> Iterable[Problem]:
    """What designs must not ask of pairs: streams share controls, and not every pair counts."""
    if study.target is None:
        return
    for i, design in enumerate(study.designs):
        given = {
            "criterion_parameters": design.criterion_parameters,
            "futility_parameters": design.futility_parameters,
        }
        for part, parameters in given.items():
            yield from _parameter_problems(study, ("designs", i, part), parameters)


def _parameter_problems(
    study: "Study", place: tuple[str | int, ...], parameters: dict[str, Any]
) -> Iterable[Problem]:
    if parameters.get("share") == "sidak":
        yield Problem(
            (*place, "share"),
            "must be 'bonferroni' against the concurrent control: doses share controls, so their "
            "errors are not independent",
            "is 'sidak'",
        )
    if study.stream.outcome.some_count:
        for name, why in OF_DISCORDANT.items():
            if parameters.get(name):
                rule = f"must be {why} against the concurrent control, where a dose's share of the "
                yield Problem(
                    (*place, name), f"{rule}discordant pairs is looked at", f"is {parameters[name]}"
                )
