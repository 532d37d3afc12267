"""What a good dose must show: a fixed mean, or more than the control treated at the same time."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, FiniteFloat

from gai_core.basics import FrozenModel, Problem
from gai_core.evidence import EXTREME_RATE, RatePairs
from gai_core.study.margin import LARGEST_MARGIN

if TYPE_CHECKING:
    from gai_core.study.parts import Truth
    from gai_core.study.study import Study

SMALLEST_COHORT = 2
USUAL_COHORT = 8
DISCORDANT = "discordant"
OF_DISCORDANT = {"amount": "0", "prior_mean": "left out"}
"""Parameters in units of the response, and what they must be where only discordant pairs count."""


class Target(FrozenModel):
    """A dose is good if its mean exceeds that of the concurrent control by more than a margin."""

    over: Literal["control"] = Field(
        description="The arm that doses are compared with: the control, treated at the same time."
    )
    margin: FiniteFloat = Field(
        default=0.0,
        gt=-LARGEST_MARGIN,
        lt=LARGEST_MARGIN,
        description="By more than this the mean of a good dose exceeds the control's.",
    )
    evidence: Literal["discordant", "differences", "likelihood", "pooled"] | None = Field(
        default=None,
        description="Response rates: what pairs are counted by. discordant: those in which one of "
        "the two responds (without a margin only, and the usual choice there); differences: all, "
        "with limits for the worst rate of the control. Differences need fewer pairs where more "
        "than half of all are discordant. likelihood: all, with limits that know how many "
        "controls respond; it mostly needs the fewest pairs, low rates or high. Scores of unknown "
        "variance: pooled, the variance from both scores of every pair, as a two-sample t-test has "
        "it, and not from their differences alone.",
    )
    control_at_least: FiniteFloat = Field(
        default=0.0,
        ge=0,
        le=1,
        description="Differences of responses, likelihood: the smallest rate of the control for "
        "which limits are made,",
    )
    control_at_most: FiniteFloat = Field(
        default=1.0,
        ge=0,
        le=1,
        description="and the largest; whatever it is where both are left out.",
    )

    @property
    def counted_by(self) -> str:
        """What pairs of responses are counted by."""
        usual = DISCORDANT if self.margin == 0 else "differences"
        return usual if self.evidence is None else self.evidence

    @property
    def control_range(self) -> tuple[float, float]:
        """Between which rates the control's is taken to lie,"""
        return self.control_at_least, self.control_at_most

    @property
    def assumes_rates(self) -> bool:
        """and whether that is an assumption."""
        return self.control_range != (0.0, 1.0)


def without_threshold(data: dict[str, Any]) -> dict[str, Any]:
    """A study against the control has no threshold, and need not say so."""
    return {"threshold": None} | data


def target_problems(study: "Study") -> Iterable[Problem]:
    """What a target against the control needs, and what it takes the place of."""
    if study.target is None:
        if study.threshold is None:
            remedy = 'give it, or target = { over = "control" }'
            yield Problem(("threshold",), "is missing", remedy=remedy)
        return
    for name in ("threshold", "margin"):
        value = getattr(study, name)
        if value is not None:
            rule = "must be left out where target is given: doses are compared with the control"
            remedy = "leave it out, or remove target for a fixed target"
            yield Problem((name,), rule, f"is {value:g}", remedy)
    if study.control is None:
        yield Problem(
            ("target", "over"),
            "needs an arm with control = true",
            "there is none",
            "mark the control, or give a fixed threshold instead of target",
        )
    if study.conduct is None:
        yield Problem(
            ("target", "over"),
            "needs a [conduct] part with a cohort, as partners are of the same cohort",
            "there is none",
            f"add conduct = {{ cohort = {USUAL_COHORT} }}, or give a fixed threshold instead",
        )
        return
    yield from _conduct_problems(study)


def _conduct_problems(study: "Study") -> Iterable[Problem]:
    """What in the conduct does not go with pairs."""
    conduct = study.conduct
    assert conduct is not None
    if conduct.cohort < SMALLEST_COHORT:
        yield Problem(
            ("conduct", "cohort"),
            "must be at least 2 against the concurrent control, a patient on a dose and one on the "
            "control",
            f"is {conduct.cohort}",
            f"choose {USUAL_COHORT}, for example",
        )
    if conduct.control_share is not None:
        yield Problem(
            ("conduct", "control_share"),
            "must be left out against the concurrent control: a cohort has as many controls as "
            "patients on its most frequent dose",
            f"is {conduct.control_share:g}",
        )
    if conduct.randomisation.kind != "blocks":
        yield Problem(
            ("conduct", "randomisation", "kind"),
            'must be "blocks" against the concurrent control: a cohort is allocated before its '
            "outcomes",
            f'is "{conduct.randomisation.kind}"',
        )
    dropout = conduct.dropout
    if dropout is not None and dropout.depends_on_outcome and not study.outcome.all_or_nothing:
        yield Problem(
            ("conduct", "dropout", "probability_on_target"),
            f"needs a fixed target if the outcome is {study.outcome.noun}",
            "doses are compared with the control",
            "leave it out, or give a threshold instead of target",
        )


def stream_problems(study: "Study") -> Iterable[Problem]:
    """Outcomes for which there is no stream of pairs, and ranges that no control can have."""
    target = study.target
    if target is None:
        return
    if study.pairs is None:
        yield Problem(
            ("target", "over"),
            f"is not there for {study.outcome.kind} outcomes yet",
            remedy="give a threshold instead of target",
        )
        return
    rates = study.outcome.all_or_nothing
    pools, unknown = target.evidence == "pooled", not study.outcome.knows_variance
    if target.evidence is not None and not (pools if unknown else rates and not pools):
        rule = f"must be left out if the outcome is {study.outcome.noun}: all differences count"
        if rates:
            rule = "is for scores of unknown variance"
        elif unknown:
            rule = 'must be "pooled" or left out if the outcome is a score of unknown variance'
        yield Problem(("target", "evidence"), rule, f'is "{target.evidence}"')
    if target.evidence == DISCORDANT and target.margin != 0:
        rule = f'must be "differences" or "likelihood" with a margin, which is {target.margin:g}'
        yield Problem(("target", "evidence"), rule, 'is "discordant"')
    most = 2 * RatePairs.most_pairs
    if rates and target.evidence == "likelihood" and study.simulation.n_max > most:
        yield Problem(
            ("simulation", "n_max"),
            f'must be at most {most:,} where target.evidence is "likelihood": its limits are a '
            "table of pairs by controls",
            f"is {study.simulation.n_max:,}",
            'lower it, or choose target.evidence = "differences"',
        )
    if target.assumes_rates:
        yield from _range_problems(target, matters=rates and target.counted_by != DISCORDANT)


def _range_problems(target: Target, *, matters: bool) -> Iterable[Problem]:
    low, high = target.control_range
    place = "target", "control_at_most" if high < 1 else "control_at_least"
    value = f"is {high if high < 1 else low:g}"
    if not matters:
        rule = "must be left out: the control's mean does not matter for the limits"
        yield Problem(place, rule, value, "it matters where all pairs of responses count")
    elif low > high:
        yield Problem(place, f"must not be less than control_at_least = {low:g}", value)
    elif max(low, -target.margin) + EXTREME_RATE > min(high, 1 - target.margin):
        room = f"room for a dose {target.margin:+g} from the control, from 0 to 1"
        yield Problem(place, f"must leave {room}, at more than one rate of the control", value)


def covered_by_pairs(study: "Study", truth: "Truth") -> bool:
    """Whether what is promised of pairs with the control holds under a truth.

    A trend that all arms share is in both patients of a pair. Without a margin it covers dropouts
    among those of a response, too: who responds on a dose that does what the control does leaves
    as often. With one, or with a range of the control's rate, that has to stay in its range, and no
    rate may reach 0 or 1 on its way, where the arms would move no longer alike.
    """
    steady = truth.model_copy(update={"trend": None})
    if not study.outcome.all_or_nothing:
        return study.as_assumed(steady)
    assert study.target is not None
    if study.target.margin == 0 and not study.target.assumes_rates:
        return True
    return study.as_assumed(steady) and _rates_stay(study, truth)


def _rates_stay(study: "Study", truth: "Truth") -> bool:
    """Whether the control's rate stays in its range, and all rates from 0 to 1."""
    target, conduct, before = study.target, study.conduct, study.control_mean(truth)
    assert target is not None
    assert conduct is not None
    assert before is not None
    shift = (truth.trend or 0.0) * conduct.months(study.simulation.n_max)
    rates = study.expected(truth)
    low, high = target.control_range
    in_range = all(low <= rate <= high for rate in (before, before + shift))
    return in_range and all(0 <= rate + shift <= 1 for rate in rates)


def design_problems(study: "Study") -> Iterable[Problem]:
    """What designs must not ask of pairs: streams share controls, and not every pair counts."""
    if study.target is None:
        return
    for i, design in enumerate(study.designs):
        given = {
            "criterion_parameters": design.criterion_parameters,
            "futility_parameters": design.futility_parameters,
        }
        for part, parameters in given.items():
            yield from _parameter_problems(study, ("designs", i, part), parameters)


def _parameter_problems(
    study: "Study", place: tuple[str | int, ...], parameters: dict[str, Any]
) -> Iterable[Problem]:
    if parameters.get("share") == "sidak":
        yield Problem(
            (*place, "share"),
            "must be 'bonferroni' against the concurrent control: doses share controls, so their "
            "errors are not independent",
            "is 'sidak'",
        )
    if study.stream.outcome.some_count:
        for name, why in OF_DISCORDANT.items():
            if parameters.get(name):
                rule = f"must be {why} against the concurrent control, where a dose's share of the "
                yield Problem(
                    (*place, name), f"{rule}discordant pairs is looked at", f"is {parameters[name]}"
                )
