"""What a good dose must show, in words: for the command line, the report and the app alike."""

from collections.abc import Iterator

from gai_core.basics import in_a_row, so_many
from gai_core.study.parts import Truth
from gai_core.study.shared_control import by_dunnett
from gai_core.study.study import Study

KEPT_IN_PAIRS = {
    "response rates, discordant pairs": (
        "If dose and control have the same rate p, whatever it is in that cohort, either of the "
        "two is the one who responds with the chance p (1-p): a fair coin. A trend changes p from "
        "cohort to cohort, and no coin. A dose with a lower rate than the control has fewer in its "
        "favour."
    ),
    "response rates, differences": (
        "With the rate p of the control and p + m of the dose, m the margin, a difference is 1 "
        "with the chance m + g and -1 with g, g = p (1-p-m). The limits of exact are for the worst "
        "g of every single pair, chosen by somebody who knows all outcomes so far, so for every "
        "course of the rate: trends and jumps are such courses. That chance is linear in g, so the "
        "worst is the largest or the smallest, and is computed backwards, exactly. For other "
        "decision rules a difference is sub-Gaussian with the variance 1/2, whatever p is."
    ),
    "response rates, likelihood": (
        "With the rate c of the control at that time, and at most c + m of the dose, the evidence "
        "of a pair has a mean of at most (1 + z)(1 - z), z proportional to c less a fixed rate: at "
        "most 1, given all outcomes so far. So it reaches K/alpha with a chance of at most "
        "alpha/K, whenever it is read and whatever course c takes; exact computes the worst "
        "course backwards."
    ),
    "scores": (
        "What a trend adds to all scores at a time is in both patients of a pair, and so not in "
        "their difference."
    ),
    "scores, variance from both": (
        "It is not in the difference, and can only make the variance larger: with it and without "
        "it on the same patients, the t-statistic is nowhere farther from 0."
    ),
}
"""Why a trend that all arms share cannot break what pairs with the control promise, by evidence."""
NOT_KEPT_BY_SAMPLES = (
    "Designs that compare dose and control as two samples (compared = samples, of response rates) "
    "rest on one rate of the control throughout: limits are for the worst such rate, and nothing "
    "is promised under a trend."
)


def control_label(study: Study) -> str:
    """The name of the control."""
    assert study.control is not None
    return study.arms[study.control].label


def what_n_counts(study: Study) -> str:
    """What n counts of a dose; where dropouts are left out, it has more patients than that."""
    left_out = study.dropout is not None and study.dropout.left_out
    plain = study.stream.outcome.count_name
    return "outcomes of the dose" if left_out and study.target is None else plain


def doses_in_words(study: Study) -> str:
    """How many doses get a verdict; a control that gets one, too, is none of them."""
    judged = study.control is not None and study.set_apart is None
    doses = so_many(len(study.candidates) - judged, "dose")
    return f"{doses} and {control_label(study)} (judged like a dose)" if judged else doses


def beyond_in_words(margin: float) -> str:
    """Where a good dose's mean lies from the control's: with a negative margin it may be lower."""
    if not margin:
        return "above"
    return f"more than {margin:g} above" if margin > 0 else f"less than {-margin:g} below"


def plus_in_words(margin: float) -> str:
    """A margin as it is added to the control's mean."""
    return f"less {-margin:g}" if margin < 0 else f"plus {margin:g}"


def good_dose_in_words(study: Study) -> str:
    """What a good dose has."""
    if study.target is None:
        return f"a mean of at least {study.stream.target:g}"
    beyond = beyond_in_words(study.target.margin)
    return f"a mean {beyond} that of {control_label(study)} treated at the same time"


def target_in_short(study: Study) -> str:
    """The target in a few words."""
    if study.target is None:
        return f"{study.stream.target:g}"
    by = f" {study.target.margin:+g}" if study.target.margin else ""
    return f"above concurrent {control_label(study)}{by}"


def evidence_in_words(study: Study) -> Iterator[str]:
    """What a verdict is based on where doses are compared with the control; else nothing."""
    if study.target is None:
        return
    label, stream = control_label(study), study.stream.outcome
    yield (
        f"Every patient on a dose has a partner on {label} in the same cohort; one on {label} may "
        "be partner to one patient of each dose, so a cohort has as many of them as patients on "
        "its most frequent dose."
    )
    if stream.some_count:
        yield (
            "A verdict is based on the discordant pairs, in which one of the two responds: at "
            "equal rates each is a fair coin, whatever the rates are."
        )
        return
    if stream.by_controls:
        yield (
            "A verdict is based on the likelihood of both responses of every pair: how far a dose "
            f"must be ahead depends on how many of its partners on {label} respond. Evidence that "
            "may be read at any time has a mean of at most 1 for a dose at the target, whatever "
            f"the rate of {label} is at that time."
        )
    else:
        yield "A verdict is based on the differences between the two patients of every pair."
        if study.target.evidence == "pooled":
            yield (
                f"The variance is that of both, on a dose and on {label}, taken to be the same: a "
                "two-sample t-test. A trend over time that all arms share makes it larger, and so "
                "errors rarer."
            )
    if study.outcome.all_or_nothing:
        yield f"Limits are made for the worst course of {_control_rate(study)}."
    names = resting_on_one_rate(study)
    if names:
        yield (
            f"Another comparison is that of {names}: the responders on a dose and those among its "
            f"partners are two samples, compared by the {_which_z(study)}, with limits for the "
            f"worst rate of {label}, if that is the same throughout."
        )


def _which_z(study: Study) -> str:
    assert study.target is not None
    return "score z (Farrington and Manning)" if study.target.margin else "pooled z"


def _control_rate(study: Study) -> str:
    """Which rates of the control the limits are made for."""
    assert study.target is not None
    label, (low, high) = control_label(study), study.target.control_range
    if not study.target.assumes_rates:
        return f"the rate of {label}, whatever it is"
    return f"the rate of {label} between {low:g} and {high:g}, which is an assumption"


def range_cautions(study: Study, truth: Truth) -> Iterator[str]:
    """A control's rate under a truth for which the limits were not made."""
    rate = study.control_mean(truth)
    if study.target is None or rate is None:
        return
    low, high = study.target.control_range
    if study.target.assumes_rates and not low <= rate <= high:
        yield (
            f"{truth.name}: the rate of {control_label(study)} is {rate:g}, but limits are made "
            f"for {low:g} to {high:g}: the error rate is no longer guaranteed."
        )


def worst_in_words(study: Study) -> str:
    """What the worst case of an exact error is, where doses are compared with the control."""
    label = control_label(study)
    same = (
        f"It is the same whatever the mean of {label} is, and under a trend over time that all "
        "arms share"
    )
    if study.outcome.all_or_nothing and not study.stream.outcome.some_count:
        same = f"It is the worst one over every course of {_control_rate(study)}"
        if resting_on_one_rate(study):
            names = resting_on_one_rate(study)
            same += f", and for {names} over every rate that stays the same"
    return (
        f"The worst case is a dose at the target: {label} plus the margin. {same}; doses share "
        f"controls, so the chances of all are added up{_unless_correlated(study)}."
    )


def resting_on_one_rate(study: Study) -> str:
    """The designs whose limits take one rate of the control throughout; empty if none does."""
    return in_a_row(d.name for d in study.designs if d.decision.needs_one_rate)


def kept_by_pairs(study: Study) -> str:
    """What a trend that all arms share does to the guarantee of a study against the control."""
    text = (
        "A trend over time that all arms share is in both patients of a pair, so it keeps the "
        "guarantee, too"
    )
    assert study.target is not None
    if study.outcome.all_or_nothing and (study.target.margin or study.target.assumes_rates):
        text += ", while rates stay in the range that limits are made for and nowhere all respond"
        text += ", or none"
    names = resting_on_one_rate(study)
    if names:
        text += (
            f"; not surely that of {names}, whose limits take one rate of the control throughout"
        )
    return f"{text}."


def _unless_correlated(study: Study) -> str:
    """The designs for which they are not."""
    names = [design.name for design in study.designs if by_dunnett(design)]
    how = "whose limits are Dunnett's: there the correlation of the doses is counted"
    return f", but not for {in_a_row(names)}, {how}" if names else ""


def assumed_control_cautions(study: Study) -> Iterator[str]:
    """A target that was made from an assumed mean of the control."""
    if study.margin is None or study.control is None:
        return
    mean = study.expected(study.truths[0])[study.control]
    yield (
        f"The target of {study.stream.target:g} is a fixed target, from an assumed control "
        f"({control_label(study)} {mean:g}, {plus_in_words(study.margin)}). It does not protect "
        "against another response of the control: if that is higher, doses that do nothing are "
        "declared. "
        'With target = { over = "control" } doses are compared with the control treated at the '
        "same time."
    )
