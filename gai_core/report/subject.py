"""What a report is about: the analysis, and what was asked beside it.

Nothing is stated that was not computed. Designs are set side by side at equal power if somebody
searched for that (`questions/comparing.py`); else they have the study's own largest sample size.
"""

from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from gai_core.engine import HERE, Work
from gai_core.questions import (
    Advice,
    EqualPower,
    Robustness,
    average_ratio,
    effect_over_target,
    inert_truth,
    robustness,
    shown_design,
)
from gai_core.results import (
    FIXED,
    Analysis,
    benchmark_of,
    judged,
    kind_of_benchmark,
    quantities_of,
)
from gai_core.study import Design, Study, Truth, doses_in_words

HOPED_FOR, LESS, INERT = "hoped for", "less favourable", "inert"


class Source(Protocol):
    """Where the numbers of the first page come from."""

    @property
    def study(self) -> Study:
        """The study that was simulated."""

    @property
    def trials(self) -> int:
        """Simulated trials per design and truth."""

    def value(self, truth: str, design: str, key: str) -> tuple[float, float]:
        """Mean or chance of a quantity, and its standard error."""

    def enrolled(self, truth: str, design: str) -> NDArray[np.float64]:
        """Patients of every trial."""

    def n_max(self, design: str) -> int:
        """The most patients that a trial of the design may enrol."""


@dataclass(frozen=True)
class AtOwnSize:
    """The study's designs at its own largest sample size."""

    analysis: Analysis

    @property
    def study(self) -> Study:
        """The study itself."""
        return self.analysis.study

    @property
    def trials(self) -> int:
        """As many as the study asks for."""
        return self.study.simulation.runs

    def value(self, truth: str, design: str, key: str) -> tuple[float, float]:
        """From the trials of the analysis."""
        return quantities_of(self.study)[key].summary(judged(self.analysis.runs, truth, design))

    def enrolled(self, truth: str, design: str) -> NDArray[np.float64]:
        """In every trial of the analysis."""
        quantity = quantities_of(self.study)["enrolled"]
        return quantity.per_trial(judged(self.analysis.runs, truth, design))

    def n_max(self, _design: str) -> int:
        """The study's own."""
        return self.study.simulation.n_max


@dataclass(frozen=True)
class AtEqualPower:
    """Every design at its own smallest sample size that reaches a wish."""

    found: EqualPower

    @property
    def study(self) -> Study:
        """With the benchmarks that the study lacked."""
        return self.found.study

    @property
    def trials(self) -> int:
        """Fresh ones."""
        return self.found.fresh_runs

    def value(self, truth: str, design: str, key: str) -> tuple[float, float]:
        """From fresh trials."""
        return self.found.value(truth, design, key)

    def enrolled(self, truth: str, design: str) -> NDArray[np.float64]:
        """In every fresh trial."""
        return self.found.per_trial(truth, design, "enrolled")

    def n_max(self, design: str) -> int:
        """The smallest that reaches the wish."""
        value = self.found.plan(design).value
        assert value is not None
        return int(value)


class Role(NamedTuple):
    """What a truth stands for on the first page."""

    name: str
    truth: Truth
    words: str
    """The same for a reader."""


@dataclass(frozen=True)
class Subject(Analysis):
    """An analysis with what the report needs beside it."""

    advice: Advice | None = None
    """The recommendation at equal error and power, if somebody searched."""
    full: bool = False
    work: Work = HERE

    @property
    def equal(self) -> EqualPower | None:
        """The designs at equal error and power."""
        return None if self.advice is None else self.advice.found

    @property
    def recommended(self) -> str | None:
        """The design to use; None where none was recommended."""
        return (self.advice.recommended or None) if self.advice is not None else None

    @property
    def reaches(self) -> bool:
        """Whether a guaranteed design reaches the power that was searched for."""
        return self.recommended is not None

    @property
    def design(self) -> str:
        """The design that the first page is about: the one to use, or one of the study."""
        return self.recommended or shown_design(self.study)

    @cached_property
    def source(self) -> Source:
        """Trials at equal power, or else those of the study."""
        if self.reaches:
            assert self.equal is not None
            return AtEqualPower(self.equal)
        return AtOwnSize(self)

    @property
    def usual(self) -> str | None:
        """The usual design that is set beside the recommended one; that itself if it is one."""
        if self.reaches:
            assert self.equal is not None
            return self.equal.benchmark
        return benchmark_of(self.study)

    @property
    def beside(self) -> tuple[str, ...]:
        """The design to use and the usual one; the runner-up where these are the same."""
        other = self.runner_up if self.design == self.usual else self.usual
        return tuple(dict.fromkeys(name for name in (self.design, other) if name))

    @property
    def tabled(self) -> tuple[str, ...]:
        """The designs of the first table: those, and the fixed one, which everybody knows."""
        study = self.source.study
        names = self.equal.reached if self.reaches and self.equal is not None else None
        names = [design.name for design in study.designs] if names is None else names
        fixed = [name for name in names if kind_of_benchmark(study, name) == FIXED]
        return tuple(dict.fromkeys((*self.beside, *fixed[:1])))

    @cached_property
    def runner_up(self) -> str | None:
        """The best guaranteed design that is not the usual one, where designs were compared."""
        found = self.equal
        if found is None:
            return None
        others = [n for n in found.reached if found.promised(n) and n != found.benchmark]
        return min(others, key=lambda name: average_ratio(found, name)[0], default=None)

    @property
    def shown_design(self) -> str:
        """A design of the study that rules and examples are shown of."""
        own = {design.name for design in self.study.designs}
        return self.design if self.design in own else shown_design(self.study)

    @cached_property
    def planned(self) -> tuple[Study, Design]:
        """The design to use, in the study with its largest sample size."""
        if self.equal is not None and self.recommended is not None:
            sized = self.equal.fresh[self.recommended].study
            return sized, sized.design(self.recommended)
        return self.study, self.study.design(self.shown_design)

    @property
    def _adds_a_design(self) -> bool:
        """Whether the design to use is none of the study's own."""
        return all(own.name != self.planned[1].name for own in self.study.designs)

    @cached_property
    def considered(self) -> Study:
        """The study with the design to use among its own: what is promised is said of that, too."""
        if not self._adds_a_design:
            return self.study
        return self.study.model_copy(update={"designs": (*self.study.designs, self.planned[1])})

    @property
    def planned_apart(self) -> bool:
        """Whether the design to use, at the size that is planned, is none of the study's own."""
        sizes = (of.simulation.n_max for of in (self.planned[0], self.study))
        return self._adds_a_design or len(set(sizes)) > 1

    @property
    def with_limits(self) -> list[tuple[Study, Design]]:
        """The study's designs, and the one to use as it is planned."""
        own = [(self.study, design) for design in self.study.designs]
        return [*own, self.planned] if self.planned_apart else own

    def kind_of_usual(self) -> str:
        """Group-sequential or fixed."""
        assert self.usual is not None
        return kind_of_benchmark(self.source.study, self.usual) or "usual"

    @cached_property
    def roles(self) -> list[Role]:
        """Up to three truths: the hoped-for one, a less favourable one, an inert drug."""
        return _roles(self.study)

    def role(self, name: str) -> Truth | None:
        """The truth of a role, if the study has one."""
        return next((role.truth for role in self.roles if role.name == name), None)

    @cached_property
    def robustness(self) -> Robustness | None:
        """Small runs of changed studies; None where there is nothing to find or they cost much."""
        hoped, names = self.role(HOPED_FOR), [d.name for d in self.study.designs]
        designs = [name for name in self.beside if name in names]
        if hoped is None:
            return None
        designs = designs or [self.shown_design]
        inert = self.role(INERT)
        others = [] if inert is None else [inert.name]
        return robustness(self, designs, [hoped.name, *others], full=self.full, work=self.work)


def every_dose(study: Study) -> str:
    """All that can be declared."""
    doses = doses_in_words(study)
    return f"the one {doses.removeprefix('1 ')}" if doses.startswith("1 ") else f"all {doses}"


def middle(enrolled: NDArray[np.float64]) -> tuple[int, int]:
    """The 10th and the 90th percentile, each a number that a trial had."""
    low, high = np.quantile(enrolled, (0.1, 0.9), method="inverted_cdf")
    return int(low), int(high)


def _roles(study: Study) -> list[Role]:
    effect = partial(effect_over_target, study)
    hoped = next((truth for truth in study.truths if study.above(truth)), None)
    inert = inert_truth(study)
    taken = [truth for truth in (hoped, inert) if truth is not None]
    below = [
        truth
        for truth in study.truths
        if truth not in taken and (hoped is None or effect(truth) < effect(hoped))
    ]
    less = max(below, key=lambda truth: (study.covered(truth), effect(truth)), default=None)
    does_nothing = inert is not None and _like_control(study, inert)
    named = (
        (HOPED_FOR, hoped, HOPED_FOR),
        (LESS, less, LESS if hoped is not None else "no dose above the target"),
        (INERT, inert, "drug inert" if does_nothing else "no dose meets the target"),
    )
    return [Role(name, truth, words) for name, truth, words in named if truth is not None]


def _like_control(study: Study, truth: Truth) -> bool:
    """Whether every dose does what the control does."""
    control, expected = study.control_mean(truth), study.expected(truth)
    return control is not None and {expected[arm] for arm in study.candidates} == {control}
