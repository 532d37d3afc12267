"""The parts of a study that are lists: arms, truths and designs; and the simulation's size."""

from typing import Annotated, Any, Literal

from pydantic import Field, FiniteFloat
from pydantic import StringConstraints as Text

from gai_core.basics import CONTROL, FrozenModel, Parameters, searched
from gai_core.criteria import CRITERIA, PROVEN, Criterion, Decision, Guarantee, futilities
from gai_core.evidence import LARGEST_VARIANCE, SMALLEST_VARIANCE
from gai_core.rules import RULES, Rule

LARGEST_RUNS = 10_000_000
LARGEST_N_MAX = 1_000_000
LARGEST_SEED = 2**63 - 1
LARGEST_DOSE = 1e12
LONGEST_NOTES, LONGEST_NOTE = 100_000, 5_000
"""Characters of a study's notes, and of a remark on one of its parts."""

Label = Annotated[
    str,
    Text(min_length=1, max_length=120, pattern=rf"^[^{CONTROL}]*[^\s{CONTROL}][^{CONTROL}]*$"),
]


class Arm(FrozenModel):
    """One dose arm."""

    label: Label = Field(description="Name of the arm, as it appears in tables and figures.")
    dose: FiniteFloat | None = Field(
        default=None,
        ge=-LARGEST_DOSE,
        le=LARGEST_DOSE,
        description="Amount of the drug, in `unit`.",
    )
    unit: str = Field(default="", max_length=120, description="Unit of the dose, for example mg.")
    control: bool = Field(default=False, description="Whether this arm is the control (placebo).")


class Truth(FrozenModel):
    """One assumption about what the doses really do."""

    name: Label = Field(description="Name of the assumption. It also seeds its patients.")
    means: Annotated[tuple[FiniteFloat, ...], Field(strict=False)] = Field(
        description="Assumed mean outcome of every arm, in the order of the arms."
    )
    note: str = Field(default="", max_length=LONGEST_NOTE, description="Where the means come from.")
    variance: FiniteFloat | None = Field(
        default=None,
        ge=SMALLEST_VARIANCE,
        le=LARGEST_VARIANCE,
        description=(
            "sigma^2 of a score, if it is not the one that the designs assume; always where they "
            "know none."
        ),
    )
    trend: FiniteFloat | None = Field(
        default=None,
        ge=-1e6,
        le=1e6,
        description="Change of every mean per month; the stated means are those at the start.",
    )


class Design(FrozenModel):
    """How the trial would be run: allocation rule, decision rule, burn-in."""

    name: Label = Field(description="Name of the design, as it appears in tables and figures.")
    rule: str = Field(description=f"Allocation rule: {', '.join(RULES)}.")
    rule_parameters: dict[str, Any] = Field(default_factory=dict)
    criterion: str = Field(default="union", description=f"Decision rule: {', '.join(CRITERIA)}.")
    criterion_parameters: dict[str, Any] = Field(default_factory=dict)
    futility: str | None = Field(
        default=None,
        description=(
            f"What drops a dose, if not the decision rule itself: {', '.join(futilities())}."
        ),
    )
    futility_parameters: dict[str, Any] = Field(default_factory=dict)
    burn_in: int = Field(
        default=5,
        ge=1,
        le=1_000_000,
        description="Outcomes of every arm before the rule begins.",
        json_schema_extra=searched(1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30),
    )

    order: Literal["increasing"] | None = Field(
        default=None,
        description="Doses judged in order, from the highest down, as responses are assumed not to "
        "fall with the dose.",
        json_schema_extra=searched(),  # an assumption, which a search must not make
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

    @property
    def decision(self) -> Decision:
        """What declares and what drops, with parameters."""
        if self.futility is None:
            return Decision(*self.identification)
        dropping = futilities()[self.futility]
        parameters = dropping.parameters(**self.futility_parameters)
        return Decision(*self.identification, dropping, parameters)

    @property
    def guarantee(self) -> Guarantee:
        """How far the promise of its decision rule goes."""
        criterion, parameters = self.identification
        return criterion.guarantee_with(parameters)

    @property
    def proven(self) -> bool:
        """Whether its bound on any false declaration is proven, not just kept in simulation."""
        return self.guarantee in PROVEN

    @property
    def needs_equal(self) -> bool:
        """Whether its guarantee is about equal allocation alone."""
        criterion, parameters = self.identification
        return criterion.needs_equal(parameters)

    @property
    def once_at_end(self) -> bool:
        """Whether every arm is judged once, when it has all its patients."""
        criterion, parameters = self.identification
        return criterion.once_at_end(parameters)


class Simulation(FrozenModel):
    """How many trials are simulated, how large they may get, and from which seed."""

    runs: int = Field(default=1000, ge=1, le=LARGEST_RUNS, description="Simulated trials.")
    n_max: int = Field(ge=2, le=LARGEST_N_MAX, description="Largest number of patients in a trial.")
    seed: int = Field(default=1, ge=0, le=LARGEST_SEED, description="Start of all random streams.")
