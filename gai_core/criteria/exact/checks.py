"""Which parameters do not fit a setting."""

from gai_core.basics import Problem, in_a_row, shown
from gai_core.criteria.boundary_shapes import SHAPES
from gai_core.criteria.exact.allowances import allowances
from gai_core.criteria.exact.parameters import ExactParameters
from gai_core.criteria.exact.schedule import last_look
from gai_core.criteria.looks import EqualLooks
from gai_core.criteria.step_down import step_down_problem
from gai_core.evidence import Setting


def problem(setting: Setting, parameters: ExactParameters) -> Problem | None:
    """What does not fit limits by controls, an error that cannot be shared so, or such looks."""
    unfit = _unfit_for_rows(setting, parameters) if setting.outcome.by_controls else None
    unfit = unfit or _unfit_for_samples(setting, parameters)
    shared = _sharing_problem(setting, parameters)
    return unfit or shared or _look_problem(setting, parameters)


def _unfit_for_rows(setting: Setting, parameters: ExactParameters) -> Problem | None:
    """What limits by the responders among the controls cannot have."""
    if parameters.shape == "posterior":
        others = in_a_row((repr(key) for key in SHAPES if key != "posterior"), "or")
        rule = "must be another one where pairs are judged by their likelihood"
        return Problem(("shape",), rule, "is 'posterior'", f"choose {others}")
    if parameters.once_at_end and setting.missing:
        rule = "must not be 'end' where pairs are judged by their likelihood and dropouts left out"
        remedy = "choose numbers of pairs, or count pairs by differences"
        return Problem(("looks",), rule, "is 'end'", remedy)
    return None


def _unfit_for_samples(setting: Setting, parameters: ExactParameters) -> Problem | None:
    """Two samples where there are none."""
    if not parameters.by_samples:
        return None
    remedy = "choose 'pairs'"
    if not setting.outcome.by_controls:
        rule = "must be 'pairs' where responders on dose and control are not both counted"
        remedy += ', or target.evidence = "likelihood" for response rates'
        return Problem(("compared",), rule, "is 'samples'", remedy)
    return None


def _look_problem(setting: Setting, parameters: ExactParameters) -> Problem | None:
    """Looks beyond n_max, no look at all, or more than can be calibrated in seconds."""
    looks, end = parameters.looks, last_look(setting, parameters)
    listed = isinstance(looks, tuple)
    if listed and parameters.largest is not None:
        rule = "must not be given with a list of looks"
        return Problem(("largest",), rule, f"is {parameters.largest}")
    if parameters.largest_share is not None and (listed or parameters.largest is not None):
        other = "a list of looks" if listed else "largest"
        value = f"is {parameters.largest_share:g}"
        return Problem(("largest_share",), f"must not be given with {other}", value)
    if end > setting.largest_count:
        rule = f"must not go beyond n_max = {setting.most_patients}"
        if setting.most_on_one is not None:
            rule = f"must not go beyond the {setting.most_on_one} pairs that a dose gets at most"
        return Problem(("looks",), rule, f"goes to {shown(end)}")
    if isinstance(looks, int) and looks > end:
        rule = f"must not go beyond the {end} patients an arm gets at most"
        return Problem(("looks",), rule, f"is {shown(looks)}")
    if isinstance(looks, EqualLooks) and looks.equal > end:
        rule = f"must not be more than the {end} patients an arm gets under equal allocation"
        return Problem(("looks", "equal"), rule, f"is {looks.equal}")
    first, least = setting.first_verdict, setting.outcome.smallest_calibration
    if end < first:
        name = "looks" if parameters.largest is None else "largest"
        name = name if parameters.largest_share is None else "largest_share"
        why = "burn-in of" if first == setting.burn_in else "first possible verdict, at"
        return Problem((name,), f"must reach the {why} {first}", f"ends at {end}")
    if min(allowances(setting, parameters)) < least:
        return Problem(
            ("share",),
            f"must leave one dose an error of at least {least:g} where the variance is unknown",
            f"{parameters.share} leaves it {min(allowances(setting, parameters)):.3g}",
            "raise the error rate, or choose the criterion mixture, which needs no calibration",
        )
    limit = setting.outcome.largest_calibration
    if end > limit:
        return Problem(
            ("looks" if listed else "largest",),
            f"must be at most {limit} for {setting.outcome.kind} outcomes, because the calibration "
            "would take minutes",
            f"is {end}",
            "set largest to the patients that one arm can get at most, or choose the criterion "
            "mixture, which needs no calibration",
        )
    return None


def _sharing_problem(setting: Setting, parameters: ExactParameters) -> Problem | None:
    """What a verdict leaves over, or a budget, where it cannot be used."""
    if not parameters.budgeted:
        return step_down_problem(setting, parameters)
    if not setting.outcome.shares_patients:
        return Problem(
            ("share",),
            f"must be bonferroni or sidak for {setting.outcome.plural}",
            "is budget",
            "what doses can err together is computed for responses and discordant pairs",
        )
    if parameters.once_at_end or isinstance(parameters.looks, EqualLooks):
        return Problem(
            ("share",),
            "must be bonferroni or sidak where looks end at an equal share of the patients",
            "is budget",
            "no dose can take patients from another, so there is nothing to share",
        )
    return None
