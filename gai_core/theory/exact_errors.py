"""Exact answers about a design, without simulation.

An arm's verdict depends on its own outcomes alone, whichever rule asks for them.
So the law of the verdict follows from the curves and the mean (`crossing.law`),
and for the whole list any sampling rule obeys

  P(any false declaration) <= 1 - prod over bad arms (1 - P(arm ever accepted)),

likewise for misses: the arms' outcomes are independent. Where limits rely on sharing the patients,
the bound on the sum of these chances that follows from that is taken if it is less. Doses that are
compared with the same controls are not independent: there the chances are added up, unless all
have the same controls and their correlation is known (`evidence/dunnett`). The law of a dose's
pairs at the target does not depend on the control's mean, nor on a trend that all arms share, so
its error is the worst over all of them; that of response rates with a margin does, and is taken at
its worst.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gai_core.criteria import Decision
from gai_core.evidence import (
    BAD,
    GOOD,
    Curves,
    ErrorRates,
    Outcome,
    Setting,
    any_with_shared_control,
)
from gai_core.study import Design, Study, Truth, by_dunnett

if TYPE_CHECKING:
    import pandas as pd

Numbers = NDArray[np.float64]

STEP = 0.15
"""Of the quadrature: finer than the one that limits are calibrated with, which it checks."""


@dataclass(frozen=True)
class ArmLaw:
    """Chance of each verdict by n = 0, 1, ... patients of the arm, and of stopping at n."""

    good_by: Numbers
    bad_by: Numbers

    @property
    def stopping(self) -> Numbers:
        """P(the arm gets its verdict after exactly n patients)."""
        return np.diff(self.good_by + self.bad_by, prepend=0.0)

    @property
    def ever_good(self) -> float:
        """P(declared good)."""
        return float(self.good_by[-1])

    @property
    def ever_bad(self) -> float:
        """P(declared bad)."""
        return float(self.bad_by[-1])


@dataclass(frozen=True)
class WorstCase:
    """The largest errors a design can make, over all means, and what it is allowed."""

    false_declaration: float
    """Of one arm: sup over means below xi of P(declared), reached as the mean goes to xi."""
    miss: float
    """Of one arm: sup over means from xi on of P(dropped), reached at xi."""
    arm_allowance: float
    """What one arm may err in being declared,"""
    drop_allowance: float
    """and in being dropped; nan where nothing is promised of that."""
    any_false_declaration: float
    """P(any false declaration) at most, if every arm is bad and has its worst mean."""
    any_miss: float
    """P(any good arm dropped) at most, if every arm is good and has its worst mean."""
    errors: ErrorRates
    largest_count: int
    """Patients on an arm up to which this was computed."""
    apart: bool = False
    """Whether either error is kept by itself, not both together."""

    @property
    def whole_list(self) -> float:
        """P(any error) at most: every arm is good or bad, so it has one error to make.

        With step-down good arms raise what bad ones may err, and the other way round: both add up.
        So they do in order, where one arm of either kind may err.
        """
        if self.apart:
            return min(1.0, self.any_false_declaration + self.any_miss)
        return max(self.any_false_declaration, self.any_miss)

    @property
    def bounds_dropping(self) -> bool:
        """Whether the design promises anything about good doses that it drops."""
        return not math.isnan(self.drop_allowance)

    @property
    def arm_share(self) -> float:
        """The larger error of one arm, as a share of its allowance."""
        declare = self.false_declaration / self.arm_allowance
        return max(declare, self.miss / self.drop_allowance) if self.bounds_dropping else declare

    @property
    def list_share(self) -> float:
        """The error of the whole list as a share of its rate, the larger one of the two.

        That of declaring alone where nothing is promised about dropping.
        """
        declare = self.any_false_declaration / self.errors.declare
        if self.apart and self.errors.same and self.bounds_dropping:
            return self.whole_list / self.errors.largest
        return max(declare, self.any_miss / self.errors.drop) if self.bounds_dropping else declare


def arm_law(
    study: Study,
    design: Design,
    mean: float,
    spread: float | None = None,
    control: float | None = None,
    stage: tuple[int, int] = (0, 0),
) -> ArmLaw:
    """The law of an arm's verdict under a mean, up to the patients that one arm can get.

    It is judged by the limits after so many declarations and drops of others.

    Mean and spread are those of its stream. Where the designs know no variance, `spread` is the
    standard deviation of its outcomes. Where the law of pairs depends on the control's mean, it is
    the one under that mean, or the worst one over all if it is not given.
    """
    outcome, target = study.stream.outcome, study.stream.target
    spread = outcome.spread if spread is None else spread
    mean = outcome.on_limits(mean, target, spread)
    read = design.decision.evidence(outcome)
    drawn = read if control is None else read.under(control)
    return _arm_law(study.setting(design), design.decision, mean, drawn, stage)


@lru_cache(maxsize=512)
def _arm_law(
    setting: Setting, decision: Decision, mean: float, drawn: Outcome, stage: tuple[int, int]
) -> ArmLaw:
    from gai_core.evidence.crossing import law

    curves = decision.stages(setting).at(*stage)
    most = setting.most_patients - (setting.arms - 1) * setting.burn_in
    end = min(most, setting.largest_count, len(curves.accept) - 1, setting.outcome.largest_count)
    cut = Curves(curves.accept[: end + 1], curves.reject[: end + 1])
    if curves.only_at_end:
        return _worst_test(drawn, mean, cut)
    least = min(setting.errors.declare, setting.errors.drop) / setting.arms
    found = law(drawn, mean, cut, smallest=least * 1e-3, step=STEP)
    return ArmLaw(np.cumsum(found.good), np.cumsum(found.bad))


def _worst_test(outcome: Outcome, mean: float, curves: Curves) -> ArmLaw:
    """The most that one test can err with n or fewer outcomes, however many there are in the end.

    Each number of outcomes has its own test. Off the target a test on few errs most, so the
    last one does not stand for all.
    """
    n = np.arange(1, len(curves.accept))
    accept, reject = curves.accept[1:], curves.reject[1:]
    chances = outcome.tails(n, mean, accept, reject)
    good, bad = (np.maximum.accumulate(np.concatenate([[0.0], chance])) for chance in chances)
    return ArmLaw(good, bad)


def any_of(chances: Sequence[float]) -> float:
    """1 - prod (1 - p): the chance of at least one of several independent events."""
    none = sum(math.log1p(-min(p, 1 - 1e-16)) for p in chances)
    return abs(math.expm1(none))  # none <= 0; abs, because -expm1(0) would be shown as -0


def any_arm(study: Study, design: Design, chances: Sequence[float]) -> float:
    """The chance that any arm errs, at most: doses that share controls are not independent."""
    if by_dunnett(design):
        return any_with_shared_control(chances)
    return min(1.0, sum(chances)) if study.stream.paired else any_of(chances)


def error_bounds(study: Study, design: Design, truth: Truth) -> tuple[float, float]:
    """Bounds on P(any false declaration) and P(any miss) under any sampling rule."""
    is_good, spread = study.good(truth), study.stream.spread(study.spread(truth))
    # Covered, but not as assumed: pairs under a trend, whose law is between this truth's and the
    # one at the target.
    exactly, target = study.as_assumed(truth), study.stream.target
    doses = [
        (study.stream_mean(truth, arm) if exactly else target, is_good[arm])
        for arm in study.candidates
    ]
    control = study.control_mean(truth) if exactly else None
    return _bounds(study, design, doses, spread, control)


def error_below(study: Study, design: Design, truth: Truth, step: float) -> float:
    """P(any false declaration) at most, if every dose is a step below the target.

    Outcomes are what the designs assume; a truth says the control's mean, and the variance where
    they know none.
    """
    control = study.control_mean(truth)
    mean = study.stream.mean(study.target_under(truth) - step, control)
    doses = [(mean, False)] * len(study.candidates)
    return _bounds(study, design, doses, study.stream.spread(study.spread(truth)), control)[0]


def _bounds(
    study: Study,
    design: Design,
    doses: Sequence[tuple[float, bool]],
    spread: float,
    control: float | None,
) -> tuple[float, float]:
    """The same of doses of which the mean of the stream is given, and whether they are good."""
    bad, good = ([mean for mean, is_it in doses if is_it is kind] for kind in (False, True))
    # Before the first error all verdicts of its kind were right: at most so many (step-down).
    declared, dropped = (len(good), 0), (0, len(bad))
    if design.order is not None:
        chances = [arm_law(study, design, mean, spread, control) for mean, _ in doses]
        return _in_order(study, chances, [is_it for _, is_it in doses])
    false = [arm_law(study, design, mean, spread, control, declared).ever_good for mean in bad]
    misses = [arm_law(study, design, mean, spread, control, dropped).ever_bad for mean in good]
    return (
        _together(study, design, bad, false, GOOD),
        _together(study, design, good, misses, BAD),
    )


def chance_in_order(study: Study, design: Design, truth: Truth, arm: int) -> float:
    """P(all doses above an arm are declared) at most, where doses are judged in order."""
    spread, control = study.stream.spread(study.spread(truth)), study.control_mean(truth)
    means = [study.stream_mean(truth, other) for other in study.candidates if other > arm]
    return _all_of(
        study, [arm_law(study, design, mean, spread, control).ever_good for mean in means]
    )


def _all_of(study: Study, chances: Sequence[float]) -> float:
    """P(all of several events) at most: doses that share controls are not independent."""
    return min(chances) if study.stream.paired else math.prod(chances)


def _in_order(study: Study, laws: Sequence[ArmLaw], good: Sequence[bool]) -> tuple[float, float]:
    """The errors where doses are judged in order (`study/judged_in_order.py`).

    Any false declaration needs that of the highest bad dose and of all above it; any miss that of
    the lowest good dose and all below it.
    """
    bad, good_ones = (
        [place for place, is_it in enumerate(good) if is_it is kind] for kind in (False, True)
    )
    false = [law.ever_good for law in laws[max(bad) :]] if bad else [0.0]
    missed = [law.ever_bad for law in laws[: min(good_ones) + 1]] if good_ones else [0.0]
    return _all_of(study, false), _all_of(study, missed)


def _together(
    study: Study, design: Design, means: Sequence[float], chances: Sequence[float], verdict: int
) -> float:
    """P(any of the arms gets the verdict) at most: from each by itself, or as they share."""
    each = any_arm(study, design, chances)
    declares, drops = design.decision.shares_patients
    if not means or not (declares if verdict == GOOD else drops):
        return each
    from gai_core.theory.shared_errors import shared_error

    return min(each, shared_error(study, design, means, verdict))


def wrong_allowed(study: Study, design: Design) -> float:
    """What bounds the chance of any wrong verdict: one delta, or the larger of two rates.

    Where verdicts depend on each other either error is kept by itself, and both rates add up.
    """
    errors = study.error_rates
    linked = design.order is not None or any(design.decision.steps_down)
    return errors.declare + errors.drop if linked and not errors.same else errors.largest


def worst_case(study: Study, design: Design) -> WorstCase:
    """The design's errors at their worst: by monotone coupling, for arms at the threshold.

    With step-down also over how many of the arms can err: the more of them get a right verdict, the
    more each of the others may err.
    """
    setting = study.setting(design)
    allowances = design.decision.allowances(setting)
    declares, drops = design.decision.stage_counts(setting)
    false = [_at_threshold(study, design, (stage, 0)).ever_good for stage in range(declares)]
    misses = [_at_threshold(study, design, (0, stage)).ever_bad for stage in range(drops)]
    return WorstCase(
        false_declaration=max(false),
        miss=max(misses),
        arm_allowance=allowances[0],
        drop_allowance=allowances[1],
        any_false_declaration=_worst_number(study, design, false, GOOD),
        any_miss=_worst_number(study, design, misses, BAD),
        errors=study.error_rates,
        largest_count=_at_threshold(study, design, (0, 0)).good_by.size - 1,
        apart=design.order is not None or any(design.decision.steps_down),
    )


def _at_threshold(study: Study, design: Design, stage: tuple[int, int]) -> ArmLaw:
    return arm_law(study, design, study.stream.target, stage=stage)


def _worst_number(study: Study, design: Design, chances: Sequence[float], verdict: int) -> float:
    """P(any arm gets the wrong verdict) at most, over how many of them can.

    `chances` has that of one arm at the threshold after 0, 1, ... right verdicts on others.
    """
    if design.order is not None:
        return max(chances)
    arms, target = len(study.candidates), study.stream.target
    return max(
        _together(study, design, [target] * (arms - right), [chance] * (arms - right), verdict)
        for right, chance in enumerate(chances)
    )


WORST_COLUMNS = [
    "design",
    "guarantee",
    "delta",
    "arm_allowance",
    "false_declaration",
    "miss",
    "share_of_arm_allowance",
    "whole_list",
    "share_of_delta",
    "largest_count",
    "alpha",
    "beta",
    "drop_allowance",
    "any_false_declaration",
    "any_miss",
]
"""`delta` bounds any wrong verdict: it is the larger of alpha and beta. `arm_allowance` is for
declaring. The two shares are of the rate, or allowance, of the error that uses more of its own."""
ROUNDING = 1e-9
"""Share of delta by which a test that uses all of it may exceed it in the last bits."""


def is_broken(share_of_delta: float) -> bool:
    """Whether a design's exact worst error, of either kind, is more than its rate."""
    return share_of_delta > 1 + ROUNDING


def worst_cases(study: Study) -> "pd.DataFrame":
    """Per design: its promise, the exact worst error of one arm and of the whole list."""
    import pandas as pd

    rows = []
    for design in study.designs:
        worst = worst_case(study, design)
        rows.append(
            (
                design.name,
                design.guarantee,
                worst.errors.largest,
                worst.arm_allowance,
                worst.false_declaration,
                worst.miss,
                worst.arm_share,
                worst.whole_list,
                worst.list_share,
                worst.largest_count,
                worst.errors.declare,
                worst.errors.drop,
                worst.drop_allowance,
                worst.any_false_declaration,
                worst.any_miss,
            )
        )
    return pd.DataFrame(rows, columns=WORST_COLUMNS)
