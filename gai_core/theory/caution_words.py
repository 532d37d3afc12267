"""What a trialist should know before running a study, in words."""

import math
from collections.abc import Iterator
from itertools import islice

from gai_core.basics import in_a_row, set_off
from gai_core.study import (
    Design,
    Study,
    Truth,
    assumed_control_cautions,
    assumption_cautions,
    best_below_the_top,
    conduct_cautions,
    control_label,
    futility_cautions,
    plus_in_words,
)
from gai_core.theory.exact_errors import chance_in_order
from gai_core.theory.lower_bounds import is_bounded, sharper_bounds, within_rates

ROUNDING = 1e-9
"""What 1 - alpha - beta may lose in the last bit."""


def cautions(study: Study) -> list[str]:
    """What a trialist should know before running the study, in words."""
    return [
        *(caution for truth in study.truths for caution in truth_cautions(study, truth)),
        *(caution for truth in study.truths for caution in assumption_cautions(study, truth)),
        *assumed_control_cautions(study),
        *no_control_cautions(study),
        *conduct_cautions(study),
        *design_cautions(study),
        *futility_cautions(study),
    ]


def no_control_cautions(study: Study) -> Iterator[str]:
    """A control that nobody is allocated to."""
    if study.control is not None and not study.control_has_patients:
        label = study.arms[study.control].label
        yield f"{label} is not judged and gets no patients: the trial will say nothing about it."


def design_cautions(study: Study) -> Iterator[str]:
    """Designs without a proven guarantee, and rules that stall on what the study assumes."""
    at_threshold = any(_at_target(study, truth) for truth in study.truths)
    for design in study.designs:
        criterion, rule = design.identification[0], design.sampling[0]
        if not design.proven:
            yield f"{design.name}: {criterion.guarantee_text}"
        if at_threshold and rule.caution:
            yield f"{design.name}: {rule.caution}"
        if design.order is not None:
            yield from order_cautions(study, design)


def order_cautions(study: Study, design: Design) -> Iterator[str]:
    """Truths under which responses fall with the dose, and what that costs a design in order."""
    for truth in study.truths:
        best = best_below_the_top(study, truth)
        if best is not None:
            label = set_off(study.arms[best].label)
            higher = [set_off(study.arms[arm].label) for arm in study.candidates if arm > best]
            known = ""
            if is_bounded(study, truth):  # else doses do not stay as far below the target
                chance = 100 * chance_in_order(study, design, truth, best)
                known = f", which are at most {chance:.3g}%"
            yield (
                f"{truth.name}: responses fall after {label}, and {design.name} judges doses in "
                f"order: it can declare {label} only in trials in which it declares "
                f"{in_a_row(higher)}, too{known}."
            )


def _at_target(study: Study, truth: Truth) -> list[str]:
    """Labels of the candidates whose mean is exactly the threshold."""
    expected, target = study.expected(truth), study.target_under(truth)
    return [set_off(study.arms[i].label) for i in study.candidates if expected[i] == target]


def _left_undecided(study: Study, truth: Truth, doses: int) -> str:
    """How often doses at the target get no verdict with the designs that bound both errors.

    Any of them is declared in at most alpha of the trials, as just below the target, and dropped in
    at most beta, as just above it: all are undecided in 1 - alpha - beta or more.
    """
    errors = study.error_rates
    whole = math.floor(100 * (1 - errors.declare - errors.drop) + ROUNDING)
    kept = [one.name for one in study.designs if one.proven and one.decision.bounds_dropping]
    if whole <= 0 or not kept or not is_bounded(study, truth):
        return ""
    rates = "the error rate" if errors.same else "both error rates"
    them = "it" if doses == 1 else "all of them"
    names = in_a_row(kept) if len(kept) < len(study.designs) else "all of this study"
    return (
        f", and designs that keep {rates} ({names}) leave {them} undecided in {whole}% of the "
        "trials or more"
    )


def _control_in_words(study: Study) -> str:
    margin = study.target.margin if study.target else 0.0
    return f"what {control_label(study)} does" + (f" {plus_in_words(margin)}" if margin else "")


def truth_cautions(study: Study, truth: Truth) -> Iterator[str]:
    """What one truth asks for that no design can do, or not with so few patients.

    Of a study that ends with so many doses, nothing is said of more.
    """
    n_max, wanted = study.simulation.n_max, study.doses_wanted
    found = list(islice(sharper_bounds(study, truth), wanted))  # each may take a moment
    of_doses = [bound.value for quantity, bound in found if quantity != "tau_stop"]
    at_threshold = _at_target(study, truth)
    undecided = _left_undecided(study, truth, len(at_threshold))
    if at_threshold and study.target is not None:
        yield (
            f"{truth.name}: {', '.join(at_threshold)} exactly at the target, which is "
            f"{_control_in_words(study)}: not good{undecided}."
        )
    elif at_threshold:
        doses = "a dose" if len(at_threshold) == 1 else f"{len(at_threshold)} doses"
        yield (
            f"{truth.name}: {doses} exactly at the target ({', '.join(at_threshold)}): good by "
            f"definition{undecided}."
        )
    if not of_doses:
        yield f"{truth.name}: no dose meets the target, so nothing is there to be declared."
    yield from control_cautions(study, truth)
    for k, value in enumerate(of_doses, start=1):
        if n_max < value < math.inf:
            yield (
                f"{truth.name}: declaring {k} good dose{'s' * (k > 1)} takes at least {value:,.0f} "
                f"patients on average with any design that always decides {within_rates(study)}. "
                f"With at most {n_max:,} some trials must end without."
            )
            return
    if wanted is None and n_max < (value := found[-1][1].value) < math.inf:
        yield (
            f"{truth.name}: settling every dose takes at least {value:,.0f} patients on average "
            f"with any design that always decides {within_rates(study)}. "
            f"With at most {n_max:,} some doses must stay undecided in some trials."
        )


def control_cautions(study: Study, truth: Truth) -> Iterator[str]:
    """A target that the control itself meets, so that a dose without any effect counts as good."""
    if study.control is None or study.target is not None:
        return
    mean = study.expected(truth)[study.control]
    if mean >= study.stream.target:
        yield (
            f"{truth.name}: the control itself ({study.arms[study.control].label}, {mean:.4g}) "
            f"meets the target of {study.stream.target:g}, so a dose that does nothing counts as "
            "good."
        )
