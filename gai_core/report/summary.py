"""The findings in sentences: what was found under every truth, each number from the analysis."""

import math
from collections.abc import Iterator

import numpy as np

from gai_core.basics import in_a_row, number, percent, so_many, with_error
from gai_core.results import Analysis, judged, mean, quantities_of
from gai_core.study import (
    Study,
    Truth,
    allowed_in_words,
    assumption_cautions,
    control_label,
    dropout_cautions,
    good_dose_in_words,
    wanted_in_words,
)
from gai_core.theory import sharper_bounds, within_rates

FIRST = "first_declaration"
SURE = 2.0
"""Standard errors from which on a difference is called one."""


def summary(analysis: Analysis, considered: Study | None = None) -> Iterator[str]:
    """What was simulated, what the guarantee does not cover, and a paragraph for every truth.

    What is not covered is said of the designs of `considered`, if that has more of them.
    """
    study, size = analysis.study, analysis.study.simulation
    designs = len(study.designs)
    yield (
        f"{so_many(designs, 'design')} {'was' if designs == 1 else 'were'} simulated on "
        f"{so_many(len(study.truths), 'assumed dose-response')} of {len(study.arms)} arms, "
        f"{so_many(size.runs, 'trial')} each of at most {size.n_max:,} patients. A good dose has "
        f"{good_dose_in_words(study)}; {allowed_in_words(study.error_rates)}."
    )
    if study.conduct is None:
        yield from wanted_in_words(study)
    yield from dropout_cautions(study)
    for truth in study.truths:
        yield from assumption_cautions(considered or study, truth)
        yield " ".join(_on_truth(analysis, truth))


def _chance(analysis: Analysis, truth: Truth, design: str, quantity: str) -> str:
    value = analysis.values(truth.name, design, quantity, "probability")
    return percent(*value, analysis.study.simulation.runs)


def _on_truth(analysis: Analysis, truth: Truth) -> Iterator[str]:
    study = analysis.study
    if not any(study.good(truth)):
        yield _without_a_dose(analysis, truth)
        return
    best = soonest(analysis, truth)
    if analysis.values(truth.name, best, "any_declared", "probability")[0] == 0:
        yield (
            f"If “{truth.name}” is true, no design declares a dose within "
            f"{study.simulation.n_max:,} patients in any simulated trial."
        )
    else:
        yield _first(analysis, truth, best)
        yield from _not_told_apart(analysis, truth, best)
        yield from _months(analysis, truth, best)
    yield _errors(analysis, truth, best)
    if analysis.baseline != best:
        baseline = analysis.baseline
        yield f"{baseline} declares one in {_chance(analysis, truth, baseline, 'any_declared')}."
    yield from _bound(analysis, truth)


def _without_a_dose(analysis: Analysis, truth: Truth) -> str:
    """False declarations of the design that makes the most, or of those."""
    rates = {
        design.name: analysis.values(truth.name, design.name, "false_declaration", "probability")[0]
        for design in analysis.study.designs
    }
    most = max(rates, key=rates.__getitem__)
    text = f"If “{truth.name}” is true, no dose meets the target, and any declaration is false."
    if rates[most] == 0:
        never = _chance(analysis, truth, most, "false_declaration")
        return f"{text} No design made one in any simulated trial: {never}."
    often = _chance(analysis, truth, most, "false_declaration")
    alike = [name for name, rate in rates.items() if rate == rates[most]]
    if len(alike) == len(rates):
        who = most if len(alike) == 1 else "Every design"
        return f"{text} {who} makes one in {often} of the trials."
    makes = "makes" if len(alike) == 1 else "make"
    return f"{text} {in_a_row(alike)} {makes} one most often, in {often} of the trials."


def soonest(analysis: Analysis, truth: Truth) -> str:
    """The design with the fewest patients until the first declaration, n_max where there is none.

    Of equals the one that declares more often.
    """

    def rank(design: str) -> tuple[float, float]:
        declared = analysis.values(truth.name, design, "any_declared", "probability")[0]
        return _until(analysis, truth, design)[0], -declared

    return min((design.name for design in analysis.study.designs), key=rank)


def _until(analysis: Analysis, truth: Truth, design: str) -> tuple[float, float]:
    """Mean patients until the first declaration, n_max where there is none, and its error."""
    return analysis.values(truth.name, design, FIRST, "restricted_mean")


def _first_declarations(analysis: Analysis, truth: Truth, design: str) -> np.ndarray:
    trials = judged(analysis.runs, truth.name, design)
    return quantities_of(analysis.study)[FIRST].per_trial(trials)


def _first(analysis: Analysis, truth: Truth, best: str) -> str:
    until = with_error(*_until(analysis, truth, best))
    declared = _chance(analysis, truth, best, "any_declared")
    always = analysis.values(truth.name, best, "any_declared", "probability")[0] == 1
    study = analysis.study
    counting = "" if always else f" (counting {study.simulation.n_max:,} where there is none)"
    # Where time passes, the fewest patients may come with the latest month.
    how = "soonest" if study.conduct is None else "with the fewest patients"
    ranked = f" {how}:" if len(study.designs) > 1 else ""
    return (
        f"If “{truth.name}” is true, {best} declares a dose{ranked} in {declared} of the trials, "
        f"after {until} patients on average{counting}."
    )


def _not_told_apart(analysis: Analysis, truth: Truth, best: str) -> Iterator[str]:
    """Designs that these trials cannot tell from the soonest one."""
    ours = _first_declarations(analysis, truth, best)
    near = []
    for design in analysis.study.designs:
        if design.name != best:
            later = mean(_first_declarations(analysis, truth, design.name) - ours)
            if not later[0] > SURE * later[1]:
                near.append(design.name)
    if near:
        yield f"These trials cannot tell it from {in_a_row(near, 'or')} in that."


def _months(analysis: Analysis, truth: Truth, best: str) -> Iterator[str]:
    if analysis.study.conduct is None:
        return
    month = with_error(*analysis.values(truth.name, best, "months_first_declaration", "mean"))
    end = with_error(*analysis.values(truth.name, best, "months_end", "mean"))
    yield (
        f"Where there is one, the first declaration is in month {month}; the last outcome is in "
        f"month {end}."
    )


def _errors(analysis: Analysis, truth: Truth, best: str) -> str:
    wrong, false, dropped = (
        _chance(analysis, truth, best, quantity)
        for quantity in ("any_error", "false_declaration", "missed_dose")
    )
    return (
        f"{best} gives any wrong verdict in {wrong} of the trials: a false declaration in {false}, "
        f"a good dose wrongly dropped in {dropped}."
    )


def _bound(analysis: Analysis, truth: Truth) -> Iterator[str]:
    bound = next(iter(sharper_bounds(analysis.study, truth)))[1].value
    if 0 < bound < math.inf:
        yield (
            f"No design that always decides {within_rates(analysis.study)} needs fewer than "
            f"{number(bound)} patients on average until its first declaration"
            f"{_counted_by_the_bound(analysis.study)}."
        )


def _counted_by_the_bound(study: Study) -> str:
    """Which patients the bound counts: those whose outcomes verdicts need."""
    if study.conduct is None:
        return ""
    left = ["patients waiting for their outcome"]
    if study.dropout is not None and study.dropout.left_out:
        left.append("dropouts")
    counted = ""
    if study.target is not None:
        counted = f"patients on {control_label(study)} counted, "
    elif study.set_apart is not None and study.control_has_patients:
        left.insert(0, f"patients on {control_label(study)}")
    return f", {counted}{in_a_row(left)} not counted"
