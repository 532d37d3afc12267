"""What a kind of outcome must answer, so that nobody else needs to know which kinds there are.

A dose's evidence is a stream of numbers, and its state after n patients is their sum S. A kind
says what one number is: how it is drawn, which sums it can have, the exact law of a crossing of
limits, what means and targets make sense, and how all that is called. Everything else asks.
"""

import math
import random
import re
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field, field_validator
from pydantic_core import PydanticCustomError

from gai_core.basics import CONTROL, FrozenModel
from gai_core.evidence.bookkeeping import SUMS, Bookkeeping
from gai_core.evidence.lowering import lower_each
from gai_core.evidence.seen import Seen

if TYPE_CHECKING:
    from gai_core.evidence.setting import Curves

Numbers = NDArray[np.float64]


class NumberField(NamedTuple):
    """A number that a kind has beside its endpoint, as an editor asks for it."""

    label: str
    symbol: str
    usual: float
    step: float
    help: str
    caption: Callable[[float], str]
    """What the number means in other words; empty where there is nothing to say."""
    root: str = ""
    """What its square root is called, where people know that one and not the number itself."""


class Outcome(FrozenModel):
    """What one patient's outcome is, and so what a dose's evidence is made of."""

    endpoint: str = Field(
        default="",
        max_length=1_000,
        description="What is measured, for example ACR20 at week 12.",
    )
    kind: str

    @field_validator("endpoint")
    @classmethod
    def _can_be_printed(cls, endpoint: str) -> str:
        """Lines are no harm: a text over several of them in TOML ends with one."""
        if re.search(f"[{CONTROL}]", re.sub(r"[\t\n]", "", endpoint)):
            rule = "must have no control characters or noncharacters (such as U+FFFE)"
            raise PydanticCustomError("control_characters", rule)
        return endpoint

    # Words.
    key: ClassVar[str]
    """The kind's name in study files: the only value of the field `kind`."""
    variant: ClassVar[str] = ""
    """Which model of its kind it is, where the kind has several; empty for the first."""
    label: ClassVar[str]
    """In a trialist's words, with an example."""
    noun: ClassVar[str]
    """One outcome, with its article: a response, a score."""
    plural: ClassVar[str]
    scale_formula: ClassVar[str]
    """What s2 is."""
    endpoint_example: ClassVar[str]
    marks: ClassVar[tuple[str, ...]] = ("patient",)
    """What a patient with an outcome can be in a figure of one trial; see `mark`."""
    limit_name: ClassVar[str] = "mean"
    """What a decision table compares with its limits; see `limits_shown`."""
    count_name: ClassVar[str] = "patients on the dose"
    """What n counts."""
    path_name: ClassVar[str] = "mean"
    """What a figure draws beside the limits; see `running`."""

    # What an editor offers.
    numbers: ClassVar[Mapping[str, NumberField]] = {}
    """The kind's own fields."""
    usual_targets: ClassVar[Mapping[str, float]]
    """Targets worth a button, by their names."""
    usual_margin: ClassVar[float | None] = None
    """A usual distance of the target from the control's mean, if there is one."""
    target_step: ClassVar[float] = 0.1
    variation_step: ClassVar[float] = 0.2
    """Between two means that differ enough to matter."""
    mean_range: ClassVar[tuple[float, float]] = (-math.inf, math.inf)
    mean_name: ClassVar[str] = "mean"
    """What is estimated."""
    usual_interval_name: ClassVar[str] = "the usual interval"
    """What `usual_interval` is called."""

    # Numbers in the runs and in the loop.
    sum_type: ClassVar[type]
    """NumPy type of an arm's outcome sum in the runs."""
    curve_type: ClassVar[type]
    """NumPy type of the curves that sums are compared with."""
    draw: ClassVar[Callable[..., Any]]
    """(stream, location, spread) -> an outcome and the stream after it. Compiled into the loop."""
    move: ClassVar[Callable[..., Any]]
    """(location, shift) -> the location of a shifted mean, for time trends. Compiled."""
    largest_mean: ClassVar[Callable[..., float]]
    """(m, width, x) -> the largest q with d(m, q) <= (width x)^2 / (2 s2). Compiled."""

    bookkeeping: ClassVar[Bookkeeping] = SUMS
    """What the loops keep of an arm's outcomes, and how they read it."""
    least_count: ClassVar[int] = 1
    """Outcomes of an arm before it can be judged at all."""
    combine: ClassVar[Callable[..., Any] | None] = None
    """(x, y) -> whether a pair with a control counts, and for what; see `pairs`. Compiled."""
    by_controls: ClassVar[bool] = False
    """Whether a limit is a row of numbers, by how many controls of a dose's pairs respond."""
    some_count: ClassVar[bool] = False
    """Whether only some pairs count, so that nobody knows beforehand how many will."""

    # Abilities that criteria ask for.
    knows_variance: ClassVar[bool] = True
    """Whether the designs know how much outcomes spread; then limits are on sums, else on R."""
    whole: ClassVar[bool] = False
    """Whether sums are whole numbers, so that chances change in steps."""
    shifts: ClassVar[bool] = False
    """Whether another mean shifts the outcomes and changes nothing else."""
    mirrors: ClassVar[bool] = False
    """Whether the mirrored outcome is of the same kind: then one boundary gives both sides."""
    sub_gaussian: ClassVar[bool] = False
    """Whether E exp(l (X-m)) <= exp(l^2 s2 / 2) for every l and mean m: Hoeffding's bounds hold."""

    shares_patients: ClassVar[bool] = False
    """Whether what doses that share the patients can err together is computed."""

    # Dropout, and what a truth may contradict.
    dropouts_count_as: ClassVar[str]
    """How a dropout counts that is not left out: the word of study files for the outcome zero."""
    dropouts_in_words: ClassVar[str]
    all_or_nothing: ClassVar[bool] = False
    """Whether an outcome is on target or zero: dropouts that count as zero keep it of its kind."""
    has_variance: ClassVar[bool] = False
    """Whether a truth may state a variance: another than the designs assume, or any at all."""
    usual_variance: ClassVar[float | None] = None
    """What a truth may start from, where each must state its variance."""

    # The exact law.
    largest_count: ClassVar[int]
    """Patients on an arm up to which the law of its verdict is computed within seconds."""
    largest_calibration: ClassVar[int]
    """The same for a calibration, which needs the law many times."""
    law_takes_long: ClassVar[bool] = False
    """Whether a calibration takes about a second, so that it is kept between runs."""
    law_accuracy: ClassVar[float] = 0.0
    """Share by which the chances of the law may be wrong; a calibration stays so far below."""
    in_closed_form: ClassVar[bool] = False
    """Whether a calibration for one look is the test's own limit."""
    smallest_calibration: ClassVar[float] = 0.0
    """The smallest error of one arm for which limits are calibrated."""

    @classmethod
    def describes(cls, data: Mapping[str, Any]) -> bool:
        """Whether data of this kind mean this model, where the kind has several."""
        return True

    @classmethod
    def example(cls) -> dict[str, Any]:
        """The data of an outcome with usual numbers."""
        return {"kind": cls.key} | {name: field.usual for name, field in cls.numbers.items()}

    @property
    def numbers_in_words(self) -> list[str]:
        """The kind's own numbers."""
        return [f"{name} {getattr(self, name):g}" for name in self.numbers]

    @property
    @abstractmethod
    def s2(self) -> float:
        """The scale of the paper's formulas (Remark 1); a variance proxy where `sub_gaussian`."""

    @property
    def spread(self) -> float:
        """What `draw` is told beside the location."""
        return 0.0

    @property
    @abstractmethod
    def drawn(self) -> str:
        """What one simulated outcome is, in words."""

    @abstractmethod
    def variance_at(self, mean: float) -> float:
        """The variance of one outcome with that mean."""

    @abstractmethod
    def mean_problem(self, mean: float) -> str | None:
        """Why `mean` cannot be a mean of this outcome, if so."""

    def threshold_problem(self, threshold: float) -> str | None:
        """Why `threshold` cannot be a target of this outcome, if so."""
        return self.mean_problem(threshold)

    @abstractmethod
    def divergence(self, x: ArrayLike, y: ArrayLike) -> Numbers:
        """d(x,y), the Kullback-Leibler divergence of the mean x from the mean y."""

    @abstractmethod
    def locations(self, means: Sequence[float]) -> NDArray[Any]:
        """The means as `draw` wants them."""

    @abstractmethod
    def sample(self, generator: random.Random, mean: float) -> float:
        """One outcome by other means than `draw`: the second opinion of benchmark and tests."""

    @abstractmethod
    def remaining_mean(self, mean: float, dropout: float, on_target: float) -> float:
        """Mean of those who stay on a dose at the target `mean`, given both chances of dropout."""

    def under(self, control: float) -> "Outcome":
        """What a stream of pairs is made of if the control has that mean."""
        return self

    def with_variance(self, variance: float | None) -> "Outcome":
        """What patients are drawn from under a truth that states this variance, or none."""
        return self

    def on_limits(self, mean: float, target: float, spread: float) -> float:
        """Where a mean stands on the scale of the limits, for a target and a spread of outcomes."""
        return mean

    def least_divergence(self, means: Numbers, target: float | Numbers, spread: float) -> Numbers:
        """The divergence of each mean from the nearest law with the target for a mean."""
        return self.divergence(means, target)

    def limit_at_level(self, n: Numbers, sums: Numbers) -> Numbers:
        """The limit that is as strict as one on sums of known spread about the target."""
        return sums

    def limit_below(self, n: Numbers, target: float, amount: float) -> Numbers:
        """The limit at which the mean lies so much below the target."""
        return n * (target - amount)

    def never(self, n: Numbers) -> tuple[NDArray[Any], NDArray[Any]]:
        """Limits after n patients that no sum reaches from below, or from above."""
        return np.full_like(n, np.inf, float), np.full_like(n, -np.inf, float)

    def rows_at(self, n: Numbers, target: float, needed: Numbers) -> Numbers:
        """Limits for so much log evidence after each of n pairs; asked only where `by_controls`."""
        raise NotImplementedError

    def least_sum(self, n: Numbers, sums: Numbers) -> Numbers:
        """The least possible sum not below a boundary."""
        return sums

    def least_that(
        self, n: Numbers, guess: Numbers, holds: Callable[[Numbers], NDArray[np.bool_]]
    ) -> Numbers:
        """The least possible sum for which `holds`; the guess is right up to rounding."""
        return guess

    @property
    def mirrored(self) -> "Outcome":
        """The mirrored outcomes, where these are of the same kind."""
        return self

    def mirrored_target(self, target: float) -> float:
        """The target of the mirrored outcomes."""
        return -target

    def mirrored_sum(self, n: Numbers, sums: Numbers) -> Numbers:
        """The sum of n outcomes whose mirrored sum is given."""
        return -sums

    @abstractmethod
    def crossing(
        self, mean: float, accept: Numbers, reject: Numbers, smallest: float, step: float
    ) -> tuple[Numbers, Numbers]:
        """Chance that the sum first leaves the limits above, and below, at n = 0, 1, ...

        Chances much below `smallest` need not be right; `step` is the fineness of a quadrature.
        """

    def law_functions(self) -> tuple[Callable[..., Any], ...]:
        """What `crossing` rests on beside the module `crossing`: kept calibrations depend on it."""
        return ()

    @abstractmethod
    def test_limit(self, alpha: float, n: Numbers, mean: float) -> Numbers:
        """The greatest sum after n patients that one exact test at level alpha does not reject."""

    @abstractmethod
    def tails(
        self, n: NDArray[Any], mean: float, accept: NDArray[Any], reject: NDArray[Any]
    ) -> tuple[Numbers, Numbers]:
        """P(S >= accept) and P(S <= reject) after n patients."""

    def used_up(self, sums: Numbers, target: float, alpha: float) -> Numbers:
        """Limits after n = 1, 2, ... without what their constant leaves unspent of alpha.

        Those on single counts have that from `lower_counts`; of others it is hardly anything.
        """
        return sums

    def lower_counts(
        self,
        mean: float,
        upper: "Curves",
        looks: NDArray[np.int64],
        counts: NDArray[np.int64],
        alpha: float,
    ) -> NDArray[np.bool_]:
        """Lower limits at the looks, the last first, to the counts, each one less than before.

        A look stays as it is where the chance to cross would be more than alpha. Which were
        lowered? Here the law is computed anew for each.
        """
        from gai_core.evidence.crossing import law

        def chance(limits: "Curves") -> float:
            return float(law(self, mean, limits, smallest=alpha).good.sum())

        return lower_each(upper, looks, counts, alpha, chance)

    def usual_interval(self, seen: Seen) -> tuple[Numbers, Numbers]:
        """The 95% interval that is usual after a fixed number of outcomes; nan where there is none.

        It knows nothing of looks: at an end that depends on the outcomes it may cover less.
        """
        return np.full(seen.n.shape, np.nan), np.full(seen.n.shape, np.nan)

    def mark(self, value: float) -> str:
        """Which of `marks` a patient with this outcome gets."""
        return self.marks[0]

    def limits_shown(self, n: NDArray[Any], sums: Numbers) -> Numbers:
        """Limits on the sum as a decision table shows them: as means."""
        return np.asarray(sums / n)

    def limits_drawn(
        self, n: NDArray[Any], declare: Numbers, drop: Numbers, target: float
    ) -> tuple[Numbers, Numbers]:
        """Both limits as a figure draws them beside `running`: as means."""
        return np.asarray(declare / n), np.asarray(drop / n)

    def running(self, outcomes: Numbers, target: float, controls: Numbers) -> Numbers:
        """What a figure draws of a dose after each of its outcomes: their mean.

        `controls` are the outcomes of the controls where these are pairs.
        """
        return np.asarray(np.cumsum(outcomes) / np.arange(1, outcomes.size + 1))

    @property
    def axis_name(self) -> str:
        """What is on the axis of such a figure."""
        return self.endpoint or "mean outcome"

    def target_drawn(self, target: float) -> float:
        """Where the target is in such a figure."""
        return target

    def limit_in_words(self, limit: float) -> str:
        """A limit of a decision table."""
        return f"{limit:.3f}"
