"""A study: arms, outcome, threshold, delta, truths, designs and how to simulate them.

One TOML file is one study. It is validated once, here; everything else may
trust it. A study never changes: `changed` gives another one.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError, model_validator
from pydantic import StringConstraints as Text

from gai_core.criteria import CRITERIA
from gai_core.errors import InputError
from gai_core.outcomes import Bernoulli, Gaussian, Outcome
from gai_core.problems import problems
from gai_core.registry import Criterion, Entry, Parameters, Registry, Rule, suggestion
from gai_core.rules import RULES
from gai_core.setting import Setting

LARGEST_RUNS = 10_000_000
LARGEST_N_MAX = 1_000_000
LARGEST_SEED = 2**63 - 1
SMALLEST_DELTA = 1e-300

_CONTROL = r"\x00-\x1f\x7f-\x9f\u2028\u2029"
Label = Annotated[
    str,
    Text(min_length=1, max_length=120, pattern=rf"^[^{_CONTROL}]*[^\s{_CONTROL}][^{_CONTROL}]*$"),
]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Arm(_Part):
    """One dose arm."""

    label: Label = Field(description="Name of the arm, as it appears in tables and figures.")
    dose: FiniteFloat | None = Field(default=None, description="Amount of the drug, in `unit`.")
    unit: str = Field(default="", description="Unit of the dose, for example mg.")
    control: bool = Field(default=False, description="Whether this arm is the control (placebo).")


class Truth(_Part):
    """One assumption about what the doses really do."""

    name: Label = Field(description="Name of the assumption. It also seeds its patients.")
    means: Annotated[tuple[FiniteFloat, ...], Field(strict=False)] = Field(
        description="Assumed mean outcome of every arm, in the order of the arms."
    )
    note: str = Field(default="", description="Where the means come from.")


class Design(_Part):
    """How the trial would be run: allocation rule, decision rule, burn-in."""

    name: Label = Field(description="Name of the design, as it appears in tables and figures.")
    rule: str = Field(description=f"Allocation rule: {', '.join(RULES)}.")
    rule_parameters: dict[str, Any] = Field(default_factory=dict)
    criterion: str = Field(default="union", description=f"Decision rule: {', '.join(CRITERIA)}.")
    criterion_parameters: dict[str, Any] = Field(default_factory=dict)
    burn_in: int = Field(
        default=5, ge=1, le=1_000_000, description="Patients on every arm before the rule begins."
    )

    @property
    def sampling(self) -> tuple[Rule, Parameters]:
        """The allocation rule and its parameters."""
        rule = RULES[self.rule]
        return rule, rule.parameters(**self.rule_parameters)

    @property
    def identification(self) -> tuple[Criterion, Parameters]:
        """The decision rule and its parameters."""
        criterion = CRITERIA[self.criterion]
        return criterion, criterion.parameters(**self.criterion_parameters)


class Simulation(_Part):
    """How many trials are simulated, how large they may get, and from which seed."""

    runs: int = Field(default=1000, ge=1, le=LARGEST_RUNS, description="Simulated trials.")
    n_max: int = Field(ge=2, le=LARGEST_N_MAX, description="Largest number of patients in a trial.")
    seed: int = Field(default=1, ge=0, le=LARGEST_SEED, description="Start of all random streams.")


class Study(_Part):
    """Everything a simulation needs, and where it comes from."""

    title: Label = Field(description="What the study is about.")
    source: str = Field(default="", description="Where the figures come from.")
    notes: str = Field(default="", description="Anything a reader should know.")
    threshold: FiniteFloat = Field(description="Mean outcome that a good dose reaches (xi).")
    delta: FiniteFloat = Field(gt=0, lt=1, description="Chance allowed for any wrong verdict.")
    outcome: Outcome
    simulation: Simulation
    arms: Annotated[tuple[Arm, ...], Field(strict=False, min_length=2, max_length=100)]
    truths: Annotated[tuple[Truth, ...], Field(strict=False, min_length=1, max_length=100)]
    designs: Annotated[tuple[Design, ...], Field(strict=False, min_length=1, max_length=100)]

    @model_validator(mode="after")
    def _parts_fit_together(self) -> "Study":
        problems = [problem for check in _CHECKS for problem in check(self)]
        if problems:
            raise ValueError("\n".join(problems))
        return self

    def setting(self, design: Design) -> Setting:
        """What a design of this study is told."""
        return Setting(
            arms=len(self.arms),
            threshold=self.threshold,
            delta=self.delta,
            outcome=self.outcome,
            n_max=self.simulation.n_max,
            burn_in=design.burn_in,
        )

    @property
    def control(self) -> int | None:
        """Position of the control arm, if there is one."""
        return next((i for i, arm in enumerate(self.arms) if arm.control), None)

    def truth(self, name: str) -> Truth:
        """The truth of that name."""
        return _named(self.truths, "truth", name)

    def design(self, name: str) -> Design:
        """The design of that name."""
        return _named(self.designs, "design", name)

    def good(self, truth: Truth) -> tuple[bool, ...]:
        """Which arms meet the target under a truth: mean >= threshold."""
        return tuple(mean >= self.threshold for mean in truth.means)


Named = TypeVar("Named", Truth, Design)


def _named(parts: tuple[Named, ...], kind: str, name: str) -> Named:
    for part in parts:
        if part.name == name:
            return part
    raise InputError(
        f"{kind} {name!r} is not in the study{suggestion(name, (p.name for p in parts))}"
    )


def _duplicates(names: Iterable[str]) -> list[str]:
    return [name for name, times in Counter(names).items() if times > 1]


def _check_names(study: Study) -> Iterable[str]:
    for place, key, names in (
        ("arms", "label", [arm.label for arm in study.arms]),
        ("truths", "name", [truth.name for truth in study.truths]),
        ("designs", "name", [design.name for design in study.designs]),
    ):
        for name in _duplicates(names):
            yield f"{place}: every {key} must be given once, but {name!r} is there twice"
    controls = [arm.label for arm in study.arms if arm.control]
    if len(controls) > 1:
        yield f"arms: at most one may be the control, but there are {len(controls)}: {controls}"


def _check_means(study: Study) -> Iterable[str]:
    if study.delta < SMALLEST_DELTA:
        yield f"delta must be at least {SMALLEST_DELTA:g}, but is {study.delta:g}"
    problem = study.outcome.threshold_problem(study.threshold)
    if problem:
        yield f"threshold {problem}, but is {study.threshold:g}"
    for i, truth in enumerate(study.truths):
        if len(truth.means) != len(study.arms):
            yield (
                f"truths[{i}].means must have one number for each of the {len(study.arms)} arms, "
                f"but has {len(truth.means)}"
            )
        for j, mean in enumerate(truth.means):
            problem = study.outcome.mean_problem(mean)
            if problem:
                yield f"truths[{i}].means[{j}] {problem}, but is {mean:g}"


def _check_designs(study: Study) -> Iterable[str]:
    for i, design in enumerate(study.designs):
        place = f"designs[{i}]"
        needed = design.burn_in * len(study.arms)
        if study.simulation.n_max < needed:
            yield (
                f"simulation.n_max must be at least {needed} ({place} has a burn-in of "
                f"{design.burn_in} for each of {len(study.arms)} arms), "
                f"but is {study.simulation.n_max}"
            )
        rule = f"{place}.rule", RULES, design.rule, design.rule_parameters
        yield from _check_entry(study, *rule)
        criterion = f"{place}.criterion", CRITERIA, design.criterion, design.criterion_parameters
        problems_of_criterion = list(_check_entry(study, *criterion))
        yield from problems_of_criterion
        if not problems_of_criterion:
            entry, parameters = design.identification
            problem = entry.problem(study.setting(design), parameters)
            if problem:
                yield f"{place}.criterion_parameters{problem}"


def _check_entry(
    study: Study, place: str, registry: Registry[Any], key: str, given: Mapping[str, Any]
) -> Iterable[str]:
    if key not in registry:
        yield f"{place} {key!r} {registry.unknown(key)}"
        return
    entry: Entry = registry[key]
    if study.outcome.kind not in entry.outcomes:
        yield (
            f"{place} {key!r} works for {' and '.join(entry.outcomes)} outcomes only, "
            f"but the outcome is {study.outcome.kind}"
        )
    try:
        entry.parameters(**given)
    except ValidationError as error:
        yield from problems(error, f"{place}_parameters", {"": (entry.parameters,)})


_CHECKS: tuple[Callable[[Study], Iterable[str]], ...] = (_check_names, _check_means, _check_designs)


PARTS: Mapping[str, tuple[type[BaseModel], ...]] = {
    "": (Study,),
    "outcome": (Bernoulli, Gaussian),
    "simulation": (Simulation,),
    "arms": (Arm,),
    "truths": (Truth,),
    "designs": (Design,),
}
"""The models behind the keys of a study file; the key '' is the study itself."""


def validated(data: Any, place: str) -> Study:
    """The study that `data` describes, or an InputError that begins with `place`."""
    found = study_or_problems(data)
    if isinstance(found, Study):
        return found
    raise InputError("\n".join(f"{place}: {text}" for text in found))


def study_or_problems(data: Any) -> Study | list[str]:
    """The study that `data` describes, or a sentence for every broken rule.

    A sentence begins with its place, for example `truths[0].means[1]`.
    """
    try:
        return Study.model_validate(data)
    except ValidationError as error:
        return problems(error, models=PARTS)


def changed(
    study: Study, place: str = "study", *, delta: float | None = None, **simulation: int | None
) -> Study:
    """The same study with another delta, runs, n_max or seed; None leaves a value as it is."""
    data = study.model_dump()
    if delta is not None:
        data["delta"] = delta
    data["simulation"] |= {key: value for key, value in simulation.items() if value is not None}
    return validated(data, place)
