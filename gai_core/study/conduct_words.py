"""How a trial is run, in sentences: for the app, the command line and the report alike.

`in_words` describes a conduct, `implied` says what it means for the trial's course, and
`conduct_cautions` and `assumption_cautions` say where it breaks the guarantee.
"""

import math
from collections.abc import Iterator

from gai_core.basics import in_a_row
from gai_core.study.conduct import Conduct, Delay, Dropout
from gai_core.study.ratio import in_parts
from gai_core.study.study import Study, Truth
from gai_core.study.target_words import evidence_in_words, range_cautions, resting_on_one_rate

AT_ONCE = "One patient at a time: every outcome is known before the next patient comes."

WHY_KEPT = {
    "accrual": "How fast patients come changes when verdicts fall, not what they are based on.",
    "delay": (
        "The limits bound the chance that a dose ever crosses the wrong one, over its own "
        "outcomes; a delay that has nothing to do with the outcome only chooses at which of them "
        "it is looked at."
    ),
    "cohorts": "Deciding for several patients at a time changes who gets a dose, not its limits.",
    "looks": (
        "The limits hold at every number of outcomes that they are made for, so at any choice of "
        "looks among these, too."
    ),
    "randomisation": (
        "The limits bound what a dose's own outcomes do, whoever was given the dose; what chance "
        "decides knows no outcome."
    ),
    "dropout unrelated to the outcome": (
        "Left out, the other outcomes are as before; counted as zero, the verdict is about the "
        "mean with dropouts in it."
    ),
    "a control apart": "It gets no verdict, so it needs no part of the error rate.",
    "stopping early": "It only leaves doses without a verdict, and that is no error.",
}
"""Why each part of a conduct keeps a proven guarantee (docs/conduct.md)."""

NOT_KEPT = {
    "a delay that depends on the outcome": (
        "if responders are known sooner than others, the outcomes seen so far have another mean "
        "than the dose; count a cohort only when all its outcomes are due"
    ),
    "dropout that depends on the outcome and is left out": (
        "the outcomes that remain have another mean than the dose"
    ),
    "a variance larger than assumed": (
        "the limits were made for less spread; a study whose variance is unknown has limits that "
        "hold for any"
    ),
    "scores that are not normal": "the limits were made for normal outcomes",
    "parameters chosen after seeing data": (
        "the limits hold for rules, looks and sizes that were fixed beforehand"
    ),
    "scores whose dropouts count as no improvement": (
        "they are no longer normal, and may spread more than assumed"
    ),
    "a trend over time, with a fixed target": (
        "a dose's outcomes no longer have one mean; a verdict is right or wrong by the mean at "
        "the start. Against the concurrent control it keeps the guarantee, as said there"
    ),
}
"""What breaks the guarantee, and why."""


def months_in_words(months: float) -> str:
    """So many months, rounded as a planner would say it."""
    shown = f"{months:,.0f}" if months >= 100 else f"{months:.1f}".removesuffix(".0")
    return f"{shown} month" if shown == "1" else f"{shown} months"


def weeks_in_words(weeks: float) -> str:
    """A delay as a protocol says it: in hours, days or weeks."""
    unit, per_week = ("week", 1) if weeks >= 1 else ("day", 7) if weeks * 7 >= 1 else ("hour", 168)
    shown = f"{round(weeks * per_week, 1):g}"
    return f"{shown} {unit}" if shown == "1" else f"{shown} {unit}s"


def implied(conduct: Conduct, n_max: int) -> str:
    """What accrual and delay mean: patients who wait, months of enrolment and of follow-up."""
    about = "about " if conduct.accrual.pattern == "poisson" else ""
    enrol = f"{n_max:,} patients take {about}{months_in_words(conduct.months(n_max))} to enrol"
    if not conduct.delay.weeks:
        return f"Every outcome is known at once; {enrol}."
    if conduct.pipeline < 1.5:
        return f"Hardly anybody waits for an outcome; {enrol}."
    until = f"{enrol}, and {_more_months(conduct.delay)}"
    if nothing_to_adapt_to(conduct, n_max):
        return f"All patients are enrolled before an outcome is known: {until}."
    if slower_than_enrolment(conduct, n_max):
        return f"An outcome takes at least as long as enrolment, on average: {until}."
    when = "once all centres recruit" if conduct.accrual.ramp_up else "at any time"
    return f"About {conduct.pipeline:,.0f} patients wait for their outcome {when}; {until}."


def _more_months(delay: Delay) -> str:
    """The follow-up after enrolment; the last outcome is the last patient's if all take as long."""
    more = months_in_words(delay.months).rpartition(" ")[0]
    if delay.varies:
        return f"{more} more on average until the last patient's outcome; others may come later"
    return f"{more} more until the last outcome"


def nothing_to_adapt_to(conduct: Conduct, n_max: int) -> bool:
    """Whether enrolment is over before the first outcome in every trial, whatever chance does."""
    even = conduct.accrual.pattern == "constant"
    return even and conduct.delay.least_months >= conduct.months(n_max)


def slower_than_enrolment(conduct: Conduct, n_max: int) -> bool:
    """Whether an outcome takes as long as all enrolment, on average."""
    return conduct.delay.months >= conduct.months(n_max)


def in_words(study: Study) -> list[str]:
    """How the trials of a study are run, a sentence for each part of the conduct."""
    conduct = study.conduct
    if conduct is None:
        return [AT_ONCE]
    return [
        *coming_in_words(conduct),
        implied(conduct, study.simulation.n_max),
        _cohort(conduct),
        looks_in_words(conduct),
        _randomisation(conduct),
        *_ratio(study),
        *([] if conduct.dropout is None else [dropout_in_words(conduct.dropout)]),
        *_control(study, conduct),
        *evidence_in_words(study),
        *wanted_in_words(study),
    ]


def coming_in_words(conduct: Conduct) -> list[str]:
    """How patients come, and when their outcomes are known."""
    return [_accrual(conduct), _delay(conduct)]


def looks_in_words(conduct: Conduct) -> str:
    """When verdicts can be given."""
    return f"Verdicts can be given {_looks(conduct)}, and at the end."


def _accrual(conduct: Conduct) -> str:
    accrual = conduct.accrual
    how = "at even intervals" if accrual.pattern == "constant" else "at random"
    rise = (
        f", after {months_in_words(accrual.ramp_up)} in which the rate rises evenly from zero"
        if accrual.ramp_up
        else ""
    )
    return f"{accrual.per_month:g} patients come in a month, {how}{rise}."


def _delay(conduct: Conduct) -> str:
    delay = conduct.delay
    if not delay.weeks:
        return "An outcome is known as soon as the patient is enrolled."
    spread = weeks_in_words(delay.spread)
    how = {
        "fixed": "",
        "uniform": f", up to {spread} sooner or later",
        "exponential": " on average, with an exponential distribution",
        "lognormal": f" on average, with a standard deviation of {spread} (lognormal)",
    }[delay.pattern]
    return f"An outcome is known {weeks_in_words(delay.weeks)} after enrolment{how}."


def _cohort(conduct: Conduct) -> str:
    if conduct.cohort == 1:
        return "Every patient is allocated with what is known on the day."
    return (
        f"Patients are allocated in cohorts of {conduct.cohort:,}, with what is known when a "
        "cohort begins."
    )


def _looks(conduct: Conduct) -> str:
    looks = conduct.looks
    if looks.weeks is not None:
        return f"every {looks.weeks:g} weeks"
    if looks.at is not None:
        return f"when {_listed(sorted(looks.at))} outcomes are in"
    every = conduct.look_outcomes
    return "after every outcome" if every == 1 else f"after every {every:,} outcomes"


def _listed(numbers: list[int]) -> str:
    *first, last = (f"{number:,}" for number in numbers)
    return f"{', '.join(first)} and {last}" if first else last


def _randomisation(conduct: Conduct) -> str:
    how = conduct.randomisation
    if how.kind == "mixed":
        return (
            f"The allocation rule chooses the dose, but {100 * how.share:g}% of the patients get "
            "any undecided dose at random."
        )
    if how.kind == "softened":
        chance = math.exp(-1 / how.softness)
        return (
            "The dose is drawn at random, and the allocation rule sets the chances: its last "
            f"choice has {chance:.2g} times the chance of its first."
        )
    if how.kind == "blocks" and conduct.cohort > 1:
        control = "" if conduct.control_share is None else ", the control's places among them"
        return (
            "The allocation rule chooses the doses of a cohort when it begins; its patients get "
            f"them in random order{control} (permuted blocks)."
        )
    return "Every patient gets the dose that the allocation rule chooses."


def _ratio(study: Study) -> Iterator[str]:
    if study.has_ratio:
        labels = ", ".join(study.arms[arm].label for arm in study.candidates)
        ratio = in_parts(tuple(study.ratio[arm] for arm in study.candidates))
        yield (
            f"Where the rule spreads patients evenly, {labels} get them in the ratio {ratio}; an "
            "adaptive rule does so until the burn-in is over."
        )


def dropout_in_words(dropout: Dropout) -> str:
    """Who drops out, and how they are counted."""
    fate = {
        "non-response": "count as non-responders",
        "baseline": "count as no improvement",
        "left out": "are left out",
    }[dropout.counted]
    others = (
        f" who would not reach the target and {100 * dropout.on_target:g}% of those who would"
        if dropout.depends_on_outcome
        else ""
    )
    stated = "contain" if dropout.in_means else "do not contain"
    return (
        f"{100 * dropout.probability:g}% of the patients{others} drop out and {fate}; the stated "
        f"means {stated} dropouts counted as zero."
    )


def _control(study: Study, conduct: Conduct) -> Iterator[str]:
    if study.set_apart is not None and conduct.control_share is not None:
        yield (
            f"{study.arms[study.set_apart].label} has {100 * conduct.control_share:.3g}% of all "
            "patients and gets no verdict."
        )


def wanted_in_words(study: Study) -> Iterator[str]:
    """When the trial ends because it has what it wanted, and with which designs it goes on."""
    wanted = study.doses_wanted
    if wanted is None:
        return
    doses = "one dose is" if wanted == 1 else f"{wanted} doses are"
    yield f"{'The trial' if study.conduct is None else 'Enrolment'} ends when {doses} declared."
    yield from going_on_in_words(study)


def going_on_in_words(study: Study) -> Iterator[str]:
    """The designs whose trials do not end early, whatever is found."""
    at_end = [design.name for design in study.designs if design.once_at_end]
    if at_end:
        one = len(at_end) == 1
        looks, enrols = ("looks", "enrols all its") if one else ("look", "enrol all their")
        yield f"{in_a_row(at_end)} {looks} once, at the end, and {enrols} patients before that."


def conduct_cautions(study: Study) -> Iterator[str]:
    """What in the conduct leaves nothing to adapt to, or breaks the guarantee."""
    yield from timing_cautions(study)
    yield from dropout_cautions(study)
    yield from stated_mean_cautions(study)


def timing_cautions(study: Study) -> Iterator[str]:
    """Outcomes that come too late for an adaptive design."""
    conduct, n_max = study.conduct, study.simulation.n_max
    if conduct is None or not slower_than_enrolment(conduct, n_max):
        return
    if nothing_to_adapt_to(conduct, n_max):
        yield (
            f"{n_max:,} patients are enrolled before an outcome is known, so no allocation rule "
            "can adapt to one."
        )
    else:
        yield (
            f"Enrolling {n_max:,} patients takes no longer than an outcome does on average, so an "
            "allocation rule can adapt to early outcomes alone."
        )


def dropout_cautions(study: Study) -> Iterator[str]:
    """Dropout that changes what the outcomes say about a dose."""
    dropout, assumed = study.dropout, study.outcome.spread
    biased = dropout is not None and dropout.left_out and dropout.depends_on_outcome
    if biased and study.target is None:  # in pairs it is on both sides
        assert dropout is not None
        yield (
            "Dropout depends on the outcome and dropouts are left out: the outcomes that remain "
            f"have another mean. A dose exactly at the target of {study.stream.target:g} would "
            f"show {remaining_mean(study, dropout):.3g}, so the error rate is no longer guaranteed."
        )
    if dropout is None or dropout.left_out or not dropout.bends(study.outcome.all_or_nothing):
        return  # a response that is none is a response of another rate
    spread = max(counted_spread(study, truth) for truth in study.truths)
    if spread > assumed and study.outcome.knows_variance:
        yield (
            "Dropouts that count as no improvement raise the standard deviation of "
            f"{study.outcome.plural} to {spread:.3g}, but the designs assume {assumed:.3g}: "
            "their error rate is no longer guaranteed."
        )
    else:
        yield (
            f"Where dropouts count as no improvement, {study.outcome.plural} are not distributed "
            "as the designs assume: their error rate is no longer guaranteed."
        )


def stated_mean_cautions(study: Study) -> Iterator[str]:
    """Stated means that contain dropouts which the trial leaves out: verdicts are about others."""
    dropout, first = study.dropout, study.truths[0]
    if dropout is None or not (dropout.left_out and dropout.in_means and dropout.on_target):
        return
    stated, about = max(zip(first.means, study.expected(first), strict=True))
    yield (
        "Dropouts are left out, but the stated means are taken to contain them as zero, so "
        f"verdicts are about the means of those who stay: {stated:g} becomes {about:.4g} under "
        f"{first.name}. If the stated means are those of patients who stay, set "
        "conduct.dropout.in_means to false."
    )


def remaining_mean(study: Study, dropout: Dropout) -> float:
    """Mean outcome of those who stay on a dose whose mean is the target."""
    known = study.outcome if study.outcome.knows_variance else study.drawn(study.truths[0])
    return known.remaining_mean(study.stream.target, dropout.probability, dropout.on_target)


def counted_spread(study: Study, truth: Truth) -> float:
    """Largest standard deviation of a score on a candidate with dropouts counted as zero.

    If a share q counts as zero and the others have mean m and the assumed variance v, the
    variance is (1-q) v + q (1-q) m^2.
    """
    assumed, dropout = study.outcome.spread, study.dropout
    if not study.outcome.has_variance or dropout is None or dropout.left_out:
        return assumed
    q, means = dropout.probability, study.completing(truth)
    return max(math.sqrt((1 - q) * (assumed**2 + q * means[arm] ** 2)) for arm in study.candidates)


NOT_COVERED = (
    "but rates leave the range that limits were made for, or reach 0 or 1, so that the error rate "
    "is not guaranteed"
)


def assumption_cautions(study: Study, truth: Truth) -> Iterator[str]:
    """Where a truth leaves what the designs assume, so that their guarantee does not cover it."""
    yield from range_cautions(study, truth)
    assumed, spread = study.outcome.spread, study.spread(truth)
    if spread > assumed and study.outcome.knows_variance:
        yield (
            f"{truth.name}: {study.outcome.plural} have a standard deviation of {spread:.3g}, but "
            f"the designs assume {assumed:.3g}: their error rate is no longer guaranteed."
        )
    if truth.trend and study.conduct is not None:
        shift = truth.trend * study.conduct.months(study.simulation.n_max)
        moves = (
            f"{truth.name}: every mean moves by {truth.trend:+g} a month, {shift:+.3g} by the time "
            "the last patient is enrolled."
        )
        if study.target is not None:
            kept = "so proven error rates are kept" if study.covered(truth) else NOT_COVERED
            names = resting_on_one_rate(study)
            if names and study.covered(truth):
                kept += f" (not surely by {names}, where it must be the same throughout)"
            yield (
                f"{moves} Partners are of the same cohort, {kept}; whether a dose is better is "
                "told by the means at the start."
            )
            return
        yield (
            f"{moves} No design guarantees its error rate under a trend; a verdict is right or "
            "wrong by the mean at the start."
        )
