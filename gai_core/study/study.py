"""A study: arms, outcome, threshold, delta, truths, designs and how to simulate them.

One TOML file is one study. It is validated once, here; everything else may
trust it. A study never changes: `changed` gives another one.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field, FiniteFloat, ValidationError, model_validator

from gai_core.basics import (
    FrozenModel,
    InputError,
    Place,
    Problem,
    Registry,
    Words,
    shown,
    suggestion,
)
from gai_core.criteria import CRITERIA
from gai_core.evidence import OUTCOMES, DesignPart, OutcomeOfItsKind, Setting
from gai_core.rules import RULES
from gai_core.study.conduct import Accrual, Conduct, Delay, Dropout, Looks, Randomisation
from gai_core.study.conduct_steps import control_patients
from gai_core.study.parts import (
    LONGEST_NOTE,
    LONGEST_NOTES,
    Arm,
    Design,
    Label,
    Simulation,
    Truth,
)
from gai_core.study.problems import MOST_ENTRIES, problems, too_many_entries

__all__ = [
    "Arm",
    "Design",
    "Simulation",
    "Study",
    "Truth",
    "changed",
    "narrowed",
    "study_or_problems",
    "validated",
]

SMALLEST_DELTA = 1e-300
LARGEST_MARGIN = 1e12


class Study(FrozenModel):
    """Everything a simulation needs, and where it comes from."""

    title: Label = Field(description="What the study is about.")
    source: str = Field(
        default="", max_length=LONGEST_NOTE, description="Where the figures come from."
    )
    notes: str = Field(
        default="", max_length=LONGEST_NOTES, description="Anything a reader should know."
    )
    threshold: FiniteFloat = Field(description="Mean outcome that a good dose reaches (xi).")
    margin: FiniteFloat | None = Field(
        default=None,
        gt=-LARGEST_MARGIN,
        lt=LARGEST_MARGIN,
        description=(
            "Instead of the threshold: how far it lies above the control's mean under the first "
            "truth."
        ),
    )
    delta: FiniteFloat = Field(gt=0, lt=1, description="Chance allowed for any wrong verdict.")
    outcome: OutcomeOfItsKind
    simulation: Simulation
    arms: Annotated[tuple[Arm, ...], Field(strict=False, min_length=2, max_length=100)]
    truths: Annotated[tuple[Truth, ...], Field(strict=False, min_length=1, max_length=100)]
    designs: Annotated[tuple[Design, ...], Field(strict=False, min_length=1, max_length=100)]
    conduct: Conduct | None = Field(
        default=None, description="How the trial is run; without it, one patient at a time."
    )

    @model_validator(mode="before")
    @classmethod
    def _absolute_threshold(cls, data: Any) -> Any:
        return with_threshold(data) if isinstance(data, dict) else data

    @model_validator(mode="after")
    def _parts_fit_together(self) -> "Study":
        found = [problem for check in _CHECKS for problem in check(self)]
        if found:
            raise InputError(*found)
        return self

    def setting(self, design: Design) -> Setting:
        """What a design of this study is told."""
        return Setting(
            arms=len(self.candidates),
            threshold=self.threshold,
            delta=self.delta,
            outcome=self.outcome,
            n_max=self.most_on_candidates,
            burn_in=design.burn_in,
            missing=self.dropout is not None and self.dropout.left_out,
        )

    @property
    def control(self) -> int | None:
        """Position of the control arm, if there is one."""
        return next((i for i, arm in enumerate(self.arms) if arm.control), None)

    @property
    def set_apart(self) -> int | None:
        """Position of the control if it has a fixed share of the patients and gets no verdict."""
        has_share = self.conduct is not None and self.conduct.control_share is not None
        return self.control if has_share else None

    @property
    def candidates(self) -> tuple[int, ...]:
        """Positions of the arms that get a verdict."""
        return tuple(i for i in range(len(self.arms)) if i != self.set_apart)

    @property
    def most_on_candidates(self) -> int:
        """Patients that the candidates get at most: n_max without the control's share."""
        share = self.conduct.control_share if self.conduct else None
        n_max = self.simulation.n_max
        return n_max - control_patients(n_max, share) if share else n_max

    @property
    def dropout(self) -> Dropout | None:
        """How patients drop out, if they do."""
        return self.conduct.dropout if self.conduct else None

    def completing(self, truth: Truth) -> tuple[float, ...]:
        """Means without dropout, m/(1-q) where the stated ones count a share q as zero."""
        dropout = self.dropout
        if dropout is None or not dropout.in_means:
            return truth.means
        return tuple(mean / (1 - dropout.on_target) for mean in truth.means)

    def expected(self, truth: Truth) -> tuple[float, ...]:
        """The means that verdicts are about: with dropouts counted as the study says."""
        return tuple(_expected(mean, self.dropout) for mean in truth.means)

    def spread(self, truth: Truth) -> float:
        """Standard deviation of a score under a truth: the designs' own, unless it says another."""
        return self.outcome.spread if truth.variance is None else math.sqrt(truth.variance)

    def truth(self, name: str) -> Truth:
        """The truth of that name."""
        return _named(self.truths, "truth", name)

    def design(self, name: str) -> Design:
        """The design of that name."""
        return _named(self.designs, "design", name)

    def above(self, truth: Truth) -> bool:
        """Whether a dose is above the target, so that it can be declared in the end."""
        expected = self.expected(truth)
        return max(expected[arm] for arm in self.candidates) > self.threshold

    def as_assumed(self, truth: Truth) -> bool:
        """Whether outcomes are what the designs assume: no trend, their variance, no bias, normal.

        Scores whose dropouts count as zero are not normal.
        """
        dropout, whole = self.dropout, self.outcome.all_or_nothing
        biased = dropout is not None and (
            dropout.depends_on_outcome
            if dropout.left_out
            else not whole and dropout.probability > 0
        )
        return not (truth.trend or truth.variance or biased)

    def good(self, truth: Truth) -> tuple[bool, ...]:
        """Which candidates meet the target under a truth: mean >= threshold."""
        return tuple(
            mean >= self.threshold and arm != self.set_apart
            for arm, mean in enumerate(self.expected(truth))
        )


Named = TypeVar("Named", Truth, Design)


def _named(parts: tuple[Named, ...], kind: str, name: str) -> Named:
    for part in parts:
        if part.name == name:
            return part
    remedy = suggestion(name, (part.name for part in parts))
    raise InputError(Problem((), f"{kind} {shown(name)} is not in the study", "", remedy))


def _duplicates(names: Iterable[str]) -> list[str]:
    return [name for name, times in Counter(names).items() if times > 1]


def _check_names(study: Study) -> Iterable[Problem]:
    for place, key, names in (
        ("arms", "label", [arm.label for arm in study.arms]),
        ("truths", "name", [truth.name for truth in study.truths]),
        ("designs", "name", [design.name for design in study.designs]),
    ):
        for name in _duplicates(names):
            rule = f": every {key} must be given once"
            yield Problem((place,), rule, f"{shown(name)} is there twice")
    controls = [arm.label for arm in study.arms if arm.control]
    if len(controls) > 1:
        value = f"there are {len(controls)}: {shown(controls)}"
        yield Problem(("arms",), ": at most one may be the control", value)


def _check_means(study: Study) -> Iterable[Problem]:
    if study.delta < SMALLEST_DELTA:
        yield Problem(("delta",), f"must be at least {SMALLEST_DELTA:g}", f"is {study.delta:g}")
    rule = study.outcome.threshold_problem(study.threshold)
    if rule:
        yield Problem(("threshold",), rule, f"is {study.threshold:g}")
    for i, truth in enumerate(study.truths):
        place = "truths", i, "means"
        if len(truth.means) != len(study.arms):
            rule = f"must have one number for each of the {len(study.arms)} arms"
            yield Problem(place, rule, f"has {len(truth.means)}")
        for j, mean in enumerate(truth.means):
            rule = study.outcome.mean_problem(mean)
            if rule:
                yield Problem((*place, j), rule, f"is {mean:g}")


def _check_conduct(study: Study) -> Iterable[Problem]:
    conduct, kind = study.conduct, study.outcome.kind
    if conduct is not None:
        for problem in conduct.problems(study.outcome, study.simulation.n_max):
            yield problem.inside(("conduct",))
        if conduct.control_share is not None and study.control is None:
            place = "conduct", "control_share"
            yield Problem(place, "needs an arm with control = true", "there is none")
        if len(study.candidates) < (conduct.wanted or 1):
            yield Problem(
                ("conduct", "wanted"),
                f"must be at most the {len(study.candidates)} doses that can be declared",
                f"is {conduct.wanted}",
            )
    for i, truth in enumerate(study.truths):
        if truth.trend is not None and conduct is None:
            rule = "needs a [conduct] part, which says when patients come"
            yield Problem(("truths", i, "trend"), rule)
        low, high = study.outcome.mean_range
        if truth.trend is not None and abs(truth.trend) > high - low:
            rule = f"must lie between {low - high:g} and {high - low:g}, as far as a mean can go"
            yield Problem(("truths", i, "trend"), rule, f"is {truth.trend:g}")
        if truth.variance is not None and not study.outcome.has_variance:
            kinds = " and ".join(key for key, entry in OUTCOMES.items() if entry.has_variance)
            value = f"the outcome is {kind}"
            yield Problem(("truths", i, "variance"), f"belongs to {kinds} outcomes", value)
        yield from _check_means_without_dropouts(study, i)


def _check_means_without_dropouts(study: Study, i: int) -> Iterable[Problem]:
    truth = study.truths[i]
    for j, mean in enumerate(study.completing(truth)):
        rule = study.outcome.mean_problem(mean)
        if rule and not study.outcome.mean_problem(truth.means[j]):
            dropout: Place = ("conduct", "dropout")
            yield Problem(
                ("truths", i, "means", j),
                f"must be possible with the dropouts in it: without them it is {mean:g}, which "
                f"{rule}",
                f"is {truth.means[j]:g}",
                ("lower ", (*dropout, "probability"), ", or set ", (*dropout, "in_means"),
                 " to false"),
            )  # fmt: skip


def _check_designs(study: Study) -> Iterable[Problem]:
    for i, design in enumerate(study.designs):
        place: Place = ("designs", i)
        yield from _check_burn_in(study, place, design)
        yield from _check_entry(study, place, "rule", RULES, design.rule, design.rule_parameters)
        criterion = "criterion", CRITERIA, design.criterion, design.criterion_parameters
        found = list(_check_entry(study, place, *criterion))
        yield from found
        if not found:
            yield from _check_together(study, place, design)


def _check_burn_in(study: Study, place: Place, design: Design) -> Iterable[Problem]:
    needed, most = design.burn_in * len(study.candidates), study.most_on_candidates
    if most < needed:
        beside = "" if most == study.simulation.n_max else f", which leaves {most} for them"
        arms = f" has a burn-in of {design.burn_in} for each of {len(study.candidates)} arms)"
        yield Problem(
            ("simulation", "n_max"),
            (f"must be at least {needed} (", place, arms),
            f"is {study.simulation.n_max}{beside}",
        )


def _check_together(study: Study, place: Place, design: Design) -> Iterable[Problem]:
    """Whether a criterion fits the setting, and the allocation rule the criterion."""
    entry, parameters = design.identification
    problem = entry.problem(study.setting(design), parameters)
    if problem is not None:
        yield problem.inside((*place, "criterion_parameters"))
    elif _judged_at_end(study, design) and design.rule != "equal":
        yield Problem(
            (*place, "rule"),
            "must be 'equal' where dropouts are left out and every dose is judged once at the end",
            f"is {design.rule!r}: otherwise the number of outcomes would depend on the outcomes",
        )


def _judged_at_end(study: Study, design: Design) -> bool:
    """Whether arms are judged once, with however many outcomes are there then."""
    end = design.criterion_parameters.get("looks") == "end"
    return end and study.dropout is not None and study.dropout.left_out


def _check_entry(
    study: Study,
    place: Place,
    part: str,
    registry: Registry[Any],
    key: str,
    given: Mapping[str, Any],
) -> Iterable[Problem]:
    own = (*place, part)
    if key not in registry:
        rule = f"{shown(key)} is no known {registry.kind}"
        yield Problem(own, rule, remedy=suggestion(key, registry))
        return
    entry: DesignPart = registry[key]
    if study.outcome.kind not in entry.outcomes:
        rule = f"{key!r} works for {' and '.join(entry.outcomes)} outcomes only"
        yield Problem(own, rule, f"the outcome is {study.outcome.kind}")
    try:
        entry.parameters(**given)
    except ValidationError as error:
        yield from problems(error, (*place, f"{part}_parameters"), {"": (entry.parameters,)})


_CHECKS: tuple[Callable[[Study], Iterable[Problem]], ...] = (
    _check_names,
    _check_means,
    _check_conduct,
    _check_designs,
)


PARTS: Mapping[str, Iterable[type[BaseModel]]] = {
    "": (Study,),
    "outcome": OUTCOMES.values(),
    "simulation": (Simulation,),
    "arms": (Arm,),
    "truths": (Truth,),
    "designs": (Design,),
    "conduct": (Conduct, Accrual, Delay, Looks, Randomisation, Dropout),
}
"""The models behind the keys of a study file; the key '' is the study itself."""


def with_threshold(data: dict[str, Any]) -> dict[str, Any]:
    """The same study with the threshold that its margin over the control means, if it has one."""
    margin = data.get("margin")
    if margin is None:
        return data
    if type(margin) not in (int, float) or not abs(margin) < LARGEST_MARGIN:
        return data | {"threshold": 0.5}  # that the margin is no such number is all there is to say
    try:
        control = next(i for i, arm in enumerate(data["arms"]) if _field(arm, "control"))
        mean = float(_field(data["truths"][0], "means")[control])
        mean = _expected(mean, _dropout_of(data))
        threshold = _in_decimals(mean + margin)
    except (AttributeError, LookupError, TypeError, ValueError, StopIteration, OverflowError):
        rule = "needs an arm with control = true, and its mean under the first truth"
        raise InputError(Problem(("margin",), rule)) from None
    given = data.get("threshold")
    if given is not None and given != threshold:
        rule = (
            f"must be left out where margin is given, or be {threshold:g}, the mean of the control "
            f"({mean:g}) plus the margin"
        )
        raise InputError(Problem(("threshold",), rule, f"is {shown(given)}"))
    return data | {"threshold": threshold}


def _expected(mean: float, dropout: Dropout | None) -> float:
    """The mean that a verdict is about, given the stated one.

    Those who stay have m/(1-q) where the stated mean counts a share q of dropouts as zero; with
    dropouts counted as zero it is m (1-q) where the stated mean does not contain them.
    """
    if dropout is None or dropout.in_means != dropout.left_out:
        return mean
    stay = 1 - dropout.on_target
    return _in_decimals(mean / stay if dropout.left_out else mean * stay)


def _dropout_of(data: dict[str, Any]) -> Dropout | None:
    """The dropout of a study that is not validated yet; None where it has none, or a broken one."""
    try:
        given = _field(data["conduct"], "dropout")
        return None if given is None else Dropout.model_validate(given)
    except (AttributeError, KeyError, ValidationError):
        return None


def _in_decimals(value: float) -> float:
    """The number without the last bits of a computation: 0.32/0.8 is a target of 0.4, not below."""
    return float(f"{value:.12g}")


def _field(part: Any, name: str) -> Any:
    """A field of a part, which may be a table of a file or a model already."""
    return part.get(name) if isinstance(part, dict) else getattr(part, name)


def validated(data: Any, source: Words) -> Study:
    """The study that `data` describes, or an InputError with all that is wrong with it."""
    found = study_or_problems(data)
    if isinstance(found, Study):
        return found
    raise InputError(*found, source=source)


def study_or_problems(data: Any) -> Study | list[Problem]:
    """The study that `data` describes, or the first of its broken rules."""
    if too_many_entries(data):
        return [Problem(("a study",), f"must have at most {MOST_ENTRIES:,} keys and values")]
    try:
        return Study.model_validate(data)
    except ValidationError as error:
        return problems(error, models=PARTS)


def changed(
    study: Study, source: Words = "study", *, delta: float | None = None, **simulation: int | None
) -> Study:
    """The same study with another delta, runs, n_max or seed; None leaves a value as it is."""
    data = study.model_dump()
    if delta is not None:
        data["delta"] = delta
    data["simulation"] |= {key: value for key, value in simulation.items() if value is not None}
    return validated(data, source)


def narrowed(study: Study, truths: Iterable[str], designs: Iterable[str]) -> Study:
    """The study with these truths and designs alone; its target stays where it is.

    A margin is over the control under the first truth: without that, only the threshold is left.
    """
    chosen = tuple(map(study.truth, truths))
    return study.model_copy(
        update={
            "truths": chosen,
            "designs": tuple(map(study.design, designs)),
            "margin": study.margin if chosen[:1] == study.truths[:1] else None,
        }
    )
