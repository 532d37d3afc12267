"""A study: arms, outcome, threshold, error rates, truths, designs and how to simulate them.

One TOML file is one study. It is validated once, here; everything else may
trust it. A study never changes: `changed` gives another one.
"""

import math
from typing import Annotated, Any, TypeVar

from pydantic import (
    ConfigDict,
    Field,
    FiniteFloat,
    field_validator,
    model_validator,
)

from gai_core.basics import (
    FrozenModel,
    InputError,
    Problem,
    shown,
    suggestion,
)
from gai_core.evidence import (
    Curves,
    ErrorRates,
    EvidenceStream,
    Outcome,
    OutcomeOfItsKind,
    Setting,
    Stages,
    of_pairs,
)
from gai_core.rules import Tables
from gai_core.study.checks import problems_between_parts
from gai_core.study.conduct import Conduct, Dropout
from gai_core.study.conduct_steps import control_patients
from gai_core.study.estimand import Estimand
from gai_core.study.judged_in_order import rates_in_order
from gai_core.study.margin import LARGEST_MARGIN, expected_mean, in_decimals, with_threshold
from gai_core.study.parts import (
    LONGEST_NOTE,
    LONGEST_NOTES,
    Arm,
    Design,
    Label,
    Simulation,
    Truth,
)
from gai_core.study.target import Target, covered_by_pairs, without_threshold

__all__ = [
    "Arm",
    "Design",
    "Simulation",
    "Study",
    "Truth",
]


def _either_of_two(schema: dict[str, Any]) -> None:
    """In the JSON Schema: what may stand for the threshold, and two error rates for delta."""
    instead = {"threshold": ("margin", "target"), "delta": ("errors",)}
    schema["required"] = [key for key in schema["required"] if key not in instead]
    schema["allOf"] = [
        {"anyOf": [{"required": [name]} for name in (key, *others)]}
        for key, others in instead.items()
    ]


class Study(FrozenModel):
    """Everything a simulation needs, and where it comes from."""

    model_config = ConfigDict(json_schema_extra=_either_of_two)

    title: Label = Field(description="What the study is about.")
    source: str = Field(
        default="", max_length=LONGEST_NOTE, description="Where the figures come from."
    )
    notes: str = Field(
        default="", max_length=LONGEST_NOTES, description="Anything a reader should know."
    )
    threshold: FiniteFloat | None = Field(
        description="Mean outcome that a good dose reaches (xi); left out where `target` is given."
    )
    margin: FiniteFloat | None = Field(
        default=None,
        gt=-LARGEST_MARGIN,
        lt=LARGEST_MARGIN,
        description=(
            "Instead of the threshold: how far it lies above the control's mean under the first "
            "truth: a fixed target, from an assumed control."
        ),
    )
    target: Target | None = Field(
        default=None,
        description="Instead of the threshold: doses are compared with the concurrent control.",
    )
    delta: FiniteFloat | None = Field(
        gt=0,
        lt=1,
        description="Chance allowed for any wrong verdict; left out where `errors` is given.",
    )
    wanted: int | None = Field(
        default=None,
        ge=1,
        le=100,
        description="The trial ends when so many doses are declared; without it, when all are.",
    )
    judge_control: bool | None = Field(
        default=None,
        description="Whether the control is judged by a fixed target like a dose, as without this; "
        "if not, it gets no verdict, and no patients but its `control_share`.",
    )
    errors: ErrorRates | None = Field(
        default=None,
        description="Instead of delta: the chances allowed for either error, apart.",
    )
    estimand: Estimand | None = Field(
        default=None, description="What is to be estimated, in words; the report states it."
    )
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
    def _instead_of(cls, data: Any) -> Any:
        """A margin gives the threshold; two error rates stand in the place of delta."""
        if not isinstance(data, dict):
            return data
        if data.get("errors") is not None:
            data = {"delta": None} | data
        return with_threshold(data) if data.get("target") is None else without_threshold(data)

    @field_validator("estimand")
    @classmethod
    def _says_something(cls, estimand: Estimand | None) -> Estimand | None:
        """An estimand without a word is none."""
        return None if estimand == Estimand() else estimand

    @model_validator(mode="after")
    def _parts_fit_together(self) -> "Study":
        found = problems_between_parts(self)
        if found:
            raise InputError(*found)
        return self

    @property
    def error_rates(self) -> ErrorRates:
        """The chances allowed for either error: delta for both where the study has one."""
        if self.errors is not None:
            return self.errors
        assert self.delta is not None  # one of the two is there (checks.py)
        return ErrorRates.both(self.delta)

    @property
    def doses_wanted(self) -> int | None:
        """Declarations after which the trial ends; None where every dose is to get its verdict.

        The number may also stand in the conduct, where it first belonged.
        """
        in_conduct = None if self.conduct is None else self.conduct.wanted
        return in_conduct if self.wanted is None else self.wanted

    @property
    def pairs(self) -> EvidenceStream | None:
        """The stream of a dose's pairs with concurrent controls, if doses are compared so."""
        target = self.target
        if target is None:
            return None
        return of_pairs(
            self.outcome,
            target.margin,
            counted_by=target.counted_by,
            control_range=target.control_range,
        )

    @property
    def stream(self) -> EvidenceStream:
        """What a dose's evidence is made of: its own outcomes, or its pairs with controls."""
        if self.target is None:
            assert self.threshold is not None  # one of the two is there (target.py)
            return EvidenceStream(self.outcome, self.threshold)
        assert self.pairs is not None
        return self.pairs

    def target_under(self, truth: Truth) -> float:
        """The mean that a good dose reaches, or exceeds where it is the control's plus a margin."""
        control = self.control_mean(truth)
        if self.target is None or control is None:
            return self.stream.target
        return in_decimals(control + self.target.margin)

    def control_mean(self, truth: Truth) -> float | None:
        """The control's mean under a truth, if there is a control."""
        return None if self.control is None else self.expected(truth)[self.control]

    def stream_mean(self, truth: Truth, arm: int) -> float:
        """The mean of an arm's stream under a truth."""
        return self.stream.mean(self.expected(truth)[arm], self.control_mean(truth))

    def setting(self, design: Design) -> Setting:
        """What a design of this study is told."""
        stream, paired = self.stream, self.target is not None
        errors, ordered = self.error_rates, design.order is not None
        left_out = self.dropout is not None and self.dropout.left_out
        return Setting(
            arms=len(self.candidates),
            threshold=stream.target,
            errors=rates_in_order(design, errors) if ordered else errors,
            tests=1 if ordered else None,
            outcome=stream.outcome,
            most_patients=self.most_on_candidates,
            burn_in=design.burn_in,
            missing=left_out or stream.outcome.some_count or self.has_ratio,
            unlike=self.has_ratio,
            missing_share=self._missing_share(),
            equally=self._pairs_of_each() if paired else None,
            most_on_one=self.simulation.n_max // 2 if paired else None,
        )

    def _pairs_of_each(self) -> int:
        """Pairs of every dose under equal allocation.

        A cohort of c patients has at most c K/(K+1) on K doses, as these need so many controls.
        """
        assert self.conduct is not None
        doses = len(self.candidates)
        cohorts, rest = divmod(self.simulation.n_max, self.conduct.cohort)
        return (
            cohorts * (self.conduct.cohort * doses // (doses + 1)) + rest * doses // (doses + 1)
        ) // doses

    def _missing_share(self) -> float:
        """Share of what evidence is made of that is expected to be missing, or to say nothing."""
        missing = 0.0
        if self.dropout is not None:
            missing = self.dropout.missing_in(self.target is not None)
        counting = self.stream.counting
        return missing if counting == 1 else 1 - (1 - missing) * counting

    def curves(self, design: Design) -> Curves:
        """The two curves that a design of this study decides with, before any verdict."""
        return self.stages(design).first

    def stages(self, design: Design) -> Stages:
        """All curves of a design, by the verdicts that were given."""
        return design.decision.stages(self.setting(design))

    def tables(self, design: Design) -> Tables:
        """The tables that the allocation rule of a design reads."""
        rule, parameters = design.sampling
        return rule.tables(self.setting(design), parameters)

    @property
    def control(self) -> int | None:
        """Position of the control arm, if there is one."""
        return next((i for i, arm in enumerate(self.arms) if arm.control), None)

    @property
    def set_apart(self) -> int | None:
        """Position of the control if it gets no verdict.

        It has partners, or a fixed share, or the study says so.
        """
        has_share = self.conduct is not None and self.conduct.control_share is not None
        apart = has_share or self.target is not None or self.judge_control is False
        return self.control if apart else None

    @property
    def control_has_patients(self) -> bool:
        """Whether the control gets patients: as a candidate, as a partner, or its share."""
        has_share = self.conduct is not None and self.conduct.control_share is not None
        return self.judge_control is not False or has_share or self.target is not None

    @property
    def candidates(self) -> tuple[int, ...]:
        """Positions of the arms that get a verdict."""
        apart = self.set_apart  # asked once: reports ask for candidates thousands of times
        return tuple(i for i in range(len(self.arms)) if i != apart)

    @property
    def ratio(self) -> tuple[int, ...]:
        """Per arm, its patients beside those of the others where they are spread evenly."""
        given = None if self.conduct is None else self.conduct.randomisation.ratio
        parts = dict(zip(self.candidates, given or (), strict=False))
        return tuple(parts.get(arm, 1) for arm in range(len(self.arms)))

    @property
    def has_ratio(self) -> bool:
        """Whether doses get unlike numbers of patients where they are spread evenly."""
        ratio = self.ratio
        return len({ratio[arm] for arm in self.candidates}) > 1

    @property
    def most_on_candidates(self) -> int:
        """Patients that the candidates get at most: n_max without the control's share.

        Against the control K doses have at most K/(K+1) of them, each as many as the control.
        """
        share = self.conduct.control_share if self.conduct else None
        n_max, doses = self.simulation.n_max, len(self.candidates)
        if self.target is not None:
            return n_max * doses // (doses + 1)
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
        return tuple(expected_mean(mean, self.dropout) for mean in truth.means)

    def spread(self, truth: Truth) -> float:
        """Standard deviation of a score under a truth: the designs' own, unless it says another."""
        return self.outcome.spread if truth.variance is None else math.sqrt(truth.variance)

    def deviation(self, truth: Truth) -> float:
        """Standard deviation of an outcome whose mean is what a good dose reaches."""
        return math.sqrt(self.drawn(truth).variance_at(self.target_under(truth)))

    def drawn(self, truth: Truth) -> Outcome:
        """What patients are drawn from under a truth."""
        return self.outcome.with_variance(truth.variance)

    def truth(self, name: str) -> Truth:
        """The truth of that name."""
        return _named(self.truths, "truth", name)

    def design(self, name: str) -> Design:
        """The design of that name."""
        return _named(self.designs, "design", name)

    def above(self, truth: Truth) -> bool:
        """Whether a dose is above the target, so that it can be declared in the end."""
        expected = self.expected(truth)
        return max(expected[arm] for arm in self.candidates) > self.target_under(truth)

    def as_assumed(self, truth: Truth) -> bool:
        """Whether outcomes are what the designs assume: no trend, their variance, no bias, normal.

        Scores whose dropouts count as zero are not normal. Where the designs know no variance,
        any is as good.
        """
        dropout = self.dropout
        biased = dropout is not None and dropout.bends(self.outcome.all_or_nothing)
        other = truth.variance is not None and self.outcome.knows_variance
        return not (truth.trend or other or biased)

    def covered(self, truth: Truth, design: Design | None = None) -> bool:
        """Whether the guarantee covers a truth, which may not be what the designs assume.

        Of a design that rests on one rate of the control it covers no trend.
        """
        if design is not None and truth.trend and design.decision.needs_one_rate:
            return False
        return self.as_assumed(truth) if self.target is None else covered_by_pairs(self, truth)

    def good(self, truth: Truth) -> tuple[bool, ...]:
        """Which candidates meet the target under a truth: its mean is at least the threshold.

        Against the control it is above the target: a dose that does what the control does is
        none that anybody looks for, and to declare it is an error.
        """
        target, strictly = self.target_under(truth), self.target is not None
        return tuple(
            (mean > target or (mean == target and not strictly)) and arm != self.set_apart
            for arm, mean in enumerate(self.expected(truth))
        )


Named = TypeVar("Named", Truth, Design)


def _named(parts: tuple[Named, ...], kind: str, name: str) -> Named:
    for part in parts:
        if part.name == name:
            return part
    remedy = suggestion(name, (part.name for part in parts))
    raise InputError(Problem((), f"{kind} {shown(name)} is not in the study", "", remedy))
