"""What must fit together in a study, beyond what each field says for itself."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from gai_core.basics import Place, Problem, Registry, in_a_row, shown, suggestion
from gai_core.criteria import CRITERIA, futilities
from gai_core.evidence import OUTCOMES, DesignPart, Outcome
from gai_core.rules import RULES
from gai_core.study.calibrated import calibration_problems
from gai_core.study.judged_in_order import order_problems
from gai_core.study.parts import Design, Truth
from gai_core.study.problems import problems
from gai_core.study.ratio import looks_problems, ratio_problems
from gai_core.study.shared_control import shared_control_problems
from gai_core.study.target import design_problems, stream_problems, target_problems

if TYPE_CHECKING:
    from gai_core.study.study import Study

SMALLEST_DELTA = 1e-300


def problems_between_parts(study: "Study") -> list[Problem]:
    """Every broken rule about several parts of a study."""
    # Without error rates and a target nothing else can be checked.
    unknown = [*_check_which_errors(study), *target_problems(study)] or [*stream_problems(study)]
    return unknown or [problem for check in _CHECKS for problem in check(study)]


def _check_which_errors(study: "Study") -> Iterable[Problem]:
    if study.delta is not None and study.errors is not None:
        rule = "must be left out where errors is given, which has a rate for either error"
        yield Problem(("delta",), rule, f"is {study.delta:g}")
    if study.delta is None and study.errors is None:
        rule = "must be given, or errors with declare and drop instead"
        yield Problem(("delta",), rule)


def _duplicates(names: Iterable[str]) -> list[str]:
    return [name for name, times in Counter(names).items() if times > 1]


def _check_names(study: "Study") -> Iterable[Problem]:
    for place, key, names in (
        ("arms", "label", [arm.label for arm in study.arms]),
        ("truths", "name", [truth.name for truth in study.truths]),
        ("designs", "name", [design.name for design in study.designs]),
    ):
        for name in _duplicates(names):
            rule = f"every {key} must be given once"
            yield Problem((place,), rule, f"{shown(name)} is there twice", whole=True)
    controls = [arm.label for arm in study.arms if arm.control]
    if len(controls) > 1:
        value = f"there are {len(controls)}: {shown(controls)}"
        yield Problem(("arms",), "at most one may be the control", value, whole=True)


def _check_errors(study: "Study") -> Iterable[Problem]:
    errors = study.error_rates
    rates: dict[Place, float] = {("delta",): errors.declare}
    if study.errors is not None:
        rates = {("errors", "declare"): errors.declare, ("errors", "drop"): errors.drop}
    for place, rate in rates.items():
        if rate < SMALLEST_DELTA:
            yield Problem(place, f"must be at least {SMALLEST_DELTA:g}", f"is {rate:g}")
    if study.errors is not None and errors.declare + errors.drop >= 1:
        yield Problem(
            ("errors",),
            "must have rates that add up to less than 1, or a verdict by tossing a coin would do",
            f"{errors.declare:g} and {errors.drop:g} do not",
            (
                "lower ",
                ("errors", "declare"),
                " (usually 0.025 or 0.05) or ",
                ("errors", "drop"),
                " (usually 0.1 or 0.2)",
            ),
        )


def _check_means(study: "Study") -> Iterable[Problem]:
    yield from _check_target(study)
    for i, truth in enumerate(study.truths):
        place = "truths", i, "means"
        if len(truth.means) != len(study.arms):
            rule = f"must have one number for each of the {len(study.arms)} arms"
            yield Problem(place, rule, f"has {len(truth.means)}")
        for j, mean in enumerate(truth.means):
            impossible = _outcome_under(study, truth).mean_problem(mean)
            if impossible:
                yield Problem((*place, j), impossible, f"is {mean:g}")


def _check_target(study: "Study") -> Iterable[Problem]:
    target = study.stream.target
    place: Place = ("threshold",)
    if study.target is not None:
        if study.stream.outcome.some_count:
            return  # the rate of discordant pairs, which nobody states
        target, place = study.target.margin, ("target", "margin")
    rules = (outcome.threshold_problem(target) for outcome in _outcomes(study))
    rule = next(filter(None, rules), None)
    if rule:
        yield Problem(place, rule, f"is {target:g}")


def _outcome_under(study: "Study", truth: Truth) -> Outcome:
    """What says which means are possible: the outcome, or what a truth makes of it."""
    return study.outcome if study.outcome.knows_variance else study.drawn(truth)


def _outcomes(study: "Study") -> list[Outcome]:
    if study.outcome.knows_variance:
        return [study.stream.outcome]
    return [study.drawn(truth) for truth in study.truths]


def _check_variances(study: "Study") -> Iterable[Problem]:
    for i, truth in enumerate(study.truths):
        place = "truths", i, "variance"
        if truth.variance is not None and not study.outcome.has_variance:
            kinds = in_a_row(key for key, entry in OUTCOMES.items() if entry.has_variance)
            value = f"the outcome is {study.outcome.kind}"
            yield Problem(place, f"belongs to {kinds} outcomes", value)
        if truth.variance is None and not study.outcome.knows_variance:
            yield Problem(
                place,
                "must be given, as patients are drawn from it and the designs know none",
                "it is missing",
                ("state it, or give a number for ", ("outcome", "variance")),
            )


def _check_wanted(study: "Study") -> Iterable[Problem]:
    in_conduct = None if study.conduct is None else study.conduct.wanted
    for place, wanted in {("wanted",): study.wanted, ("conduct", "wanted"): in_conduct}.items():
        if len(study.candidates) < (wanted or 1):
            yield Problem(
                place,
                f"must be at most the {len(study.candidates)} doses that can be declared",
                f"is {wanted}",
                "lower it, or leave it out to settle every dose",
            )
    if study.wanted is not None and in_conduct is not None:
        yield Problem(
            ("conduct", "wanted"),
            "must be left out where wanted is given at the top of the study",
            f"is {in_conduct}",
        )


def _check_control(study: "Study") -> Iterable[Problem]:
    if study.judge_control is False and study.control is None:
        rule = "must be left out, or an arm must have control = true"
        yield Problem(("judge_control",), rule, "is false, and there is no control")


def _check_conduct(study: "Study") -> Iterable[Problem]:
    conduct = study.conduct
    if conduct is not None:
        for problem in conduct.problems(study.outcome, study.simulation.n_max):
            yield problem.inside(("conduct",))
        if conduct.control_share is not None and study.control is None:
            place = "conduct", "control_share"
            yield Problem(place, "needs an arm with control = true", "there is none")
    yield from ratio_problems(study)
    for i, truth in enumerate(study.truths):
        if truth.trend is not None and conduct is None:
            rule = "needs a [conduct] part, which says when patients come"
            yield Problem(("truths", i, "trend"), rule)
        low, high = study.outcome.mean_range
        if truth.trend is not None and abs(truth.trend) > high - low:
            rule = f"must lie between {low - high:g} and {high - low:g}, as far as a mean can go"
            yield Problem(("truths", i, "trend"), rule, f"is {truth.trend:g}")
        yield from _check_means_without_dropouts(study, i)


def _check_means_without_dropouts(study: "Study", i: int) -> Iterable[Problem]:
    truth = study.truths[i]
    outcome = _outcome_under(study, truth)
    for j, mean in enumerate(study.completing(truth)):
        rule = outcome.mean_problem(mean)
        if rule and not outcome.mean_problem(truth.means[j]):
            dropout: Place = ("conduct", "dropout")
            yield Problem(
                ("truths", i, "means", j),
                f"must be possible with the dropouts in it: without them it is {mean:g}, which "
                f"{rule}",
                f"is {truth.means[j]:g}",
                (
                    "lower ",
                    (*dropout, "probability"),
                    ", or set ",
                    (*dropout, "in_means"),
                    " to false",
                ),
            )


def _check_designs(study: "Study") -> Iterable[Problem]:
    for i, design in enumerate(study.designs):
        place: Place = ("designs", i)
        yield from _check_burn_in(study, place, design)
        yield from _check_entry(study, place, "rule", RULES, design.rule, design.rule_parameters)
        criterion = "criterion", CRITERIA, design.criterion, design.criterion_parameters
        found = list(_check_entry(study, place, *criterion))
        yield from found
        if not found:
            in_ratio = list(looks_problems(study, place, design))
            yield from in_ratio or _check_together(study, place, design)
            yield from _check_futility(study, place, design)
            yield from shared_control_problems(study, place, design)
            yield from order_problems(study, place, design)
            yield from calibration_problems(study, place, design)


def _check_burn_in(study: "Study", place: Place, design: Design) -> Iterable[Problem]:
    needed, most = design.burn_in * len(study.candidates), study.most_on_candidates
    if most < needed:
        beside = "" if most == study.simulation.n_max else f", which leaves {most} for them"
        arms = f" has a burn-in of {design.burn_in} for each of {len(study.candidates)} arms)"
        yield Problem(
            ("simulation", "n_max"),
            (f"must be at least {needed} (", place, arms),
            f"is {study.simulation.n_max}{beside}",
        )


def _check_together(study: "Study", place: Place, design: Design) -> Iterable[Problem]:
    """Whether a criterion fits the setting, and the allocation rule the criterion."""
    entry, parameters = design.identification
    problem = entry.problem(study.setting(design), parameters)
    if problem is not None:
        yield problem.inside((*place, "criterion_parameters"))
    elif _judged_at_end(study, design) and design.rule != "equal":
        yield Problem(
            (*place, "rule"),
            f"must be 'equal' where {_missing_in_words(study)} and every dose is judged once at "
            "the end",
            f"is {design.rule!r}: otherwise the number of outcomes would depend on the outcomes",
        )


def _check_futility(study: "Study", place: Place, design: Design) -> Iterable[Problem]:
    """Whether what drops doses is known, fits the setting, and has looks at which it can."""
    if design.futility is None:
        if design.futility_parameters:
            yield Problem((*place, "futility_parameters"), "belong to a futility, which is missing")
        return
    known = futilities()
    entry = "futility", known, design.futility, design.futility_parameters
    found = list(_check_entry(study, place, *entry))
    yield from found
    if found:
        return
    dropping, parameters = design.decision.dropping, design.decision.dropping_parameters
    assert dropping is not None
    problem = dropping.problem(study.setting(design), parameters)
    if problem is not None:
        yield problem.inside((*place, "futility_parameters"))
    elif dropping.once_at_end(parameters):
        rule = "must have looks before the end, or nothing is saved by dropping a dose"
        yield Problem((*place, "futility_parameters", "looks"), rule, 'is "end"')
    elif design.once_at_end and design.futility != "none":
        yield Problem(
            (*place, "futility"),
            "needs looks before the end",
            "the decision rule judges every dose once, at the end",
            (
                "leave it out, or give ",
                (*place, "criterion_parameters", "looks"),
                " a number of patients",
            ),
        )


def _judged_at_end(study: "Study", design: Design) -> bool:
    """Whether arms are judged once, with however many outcomes are there then."""
    return design.once_at_end and study.setting(design).missing


def _missing_in_words(study: "Study") -> str:
    """Why nobody knows how many outcomes there will be."""
    if study.stream.outcome.some_count:
        return "only discordant pairs count"
    if study.has_ratio:
        return "doses get patients in a ratio"
    return "dropouts are left out"


def _check_entry(
    study: "Study",
    place: Place,
    part: str,
    registry: Registry[Any],
    key: str,
    given: Mapping[str, Any],
) -> Iterable[Problem]:
    own = (*place, part)
    if key not in registry:
        rule = f"{shown(key)} is no known {registry.kind}"
        yield Problem(own, rule, remedy=suggestion(key, registry))
        return
    entry: DesignPart = registry[key]
    if not entry.works_for(study.stream.outcome):
        yield _unsuitable(study, own, registry, entry)
    try:
        entry.parameters(**given)
    except ValidationError as error:
        yield from problems(error, (*place, f"{part}_parameters"), {"": (entry.parameters,)})


def _unsuitable(
    study: "Study", place: Place, registry: Registry[Any], entry: DesignPart
) -> Problem:
    """An entry that does not work for the study's outcome, and those that do."""
    kind, key = study.outcome.kind, entry.key
    if kind not in entry.outcomes:
        rule = f"{key!r} works for {in_a_row(entry.outcomes)} outcomes only"
        return Problem(place, rule, f"the outcome is {kind}")
    evidence = study.stream.outcome
    fitting = [other for other, part in registry.items() if part.works_for(evidence)]
    remedy = f"choose {in_a_row(map(repr, fitting), 'or')}"
    if evidence.knows_variance:
        return Problem(place, f"{key!r} does not work for {evidence.plural}", remedy=remedy)
    return Problem(
        place, f"{key!r} needs a known variance", "that of the outcome is unknown", remedy
    )


_CHECKS: tuple[Callable[["Study"], Iterable[Problem]], ...] = (
    _check_names,
    _check_errors,
    _check_variances,
    _check_means,
    _check_control,
    _check_conduct,
    _check_wanted,
    design_problems,
    _check_designs,
)
