"""Plans in words: the answer, the chances behind it, and how sure it is."""

from collections.abc import Sequence

from gai_core.questions.plan_search import Estimate, Plan, Wish
from gai_core.questions.plan_values import SOLVABLE
from gai_core.results import WordTable
from gai_core.study import Study


def plan_sentences(found: Plan, runs: int) -> list[str]:
    """A plan in words: the answer first, then its chances and how sure it is."""
    if found.value is None:
        return [f"{found.design}: {found.why_not}."]
    sentences = [f"{found.design}: {found.field} = {found.value:,}"]
    sentences += [f"under {_chance(estimate)}" for estimate in found.at]
    if found.next_value is not None:
        lowest = min(found.at_next, key=lambda estimate: estimate.chance)
        sentences.append(f"with {found.next_value:,} it is not reached: {_chance(lowest)}")
    if found.fails_again is not None:
        sentences.append(
            f"A larger value may miss it again, as {found.fails_again:,} does: the decision "
            "rule is calibrated anew for each."
        )
    return [*sentences, how_sure(found, runs)]


def how_sure(found: Plan, runs: int) -> str:
    """What the Monte Carlo error leaves open of an answer."""
    if found.certain:
        return "More trials would not change this (at 95%)."
    if found.sure is None:
        return (
            f"With {runs:,} trials the right value may begin at {found.may:,}; no value of the "
            "range reaches it at 95% confidence."
        )
    return (
        f"With {runs:,} trials the right value lies between {found.may:,} and {found.sure:,} "
        f"(95%); {found.sure:,} reaches it at 95% confidence under each assumption."
    )


def _chance(estimate: Estimate) -> str:
    return f"{estimate.truth}: {_percent(estimate)}"


def _percent(estimate: Estimate) -> str:
    low, high = 100 * estimate.low, 100 * estimate.high
    return f"{100 * estimate.chance:.1f}% (95%: {low:.1f} to {high:.1f})"


def best_plan(study: Study, plans: Sequence[Plan], largest: bool = False) -> Plan | None:
    """The answer of the design that needs least, of those with a proven guarantee if there are any.

    None where no design reaches the wish.
    """
    reached = [found for found in plans if found.value is not None]
    promised = [found for found in reached if study.design(found.design).proven]
    if not reached:
        return None
    pick = max if largest else min
    return pick(promised or reached, key=lambda found: found.value or 0)


def plan_headline(best: Plan) -> str:
    """The answer in one sentence."""
    wish = f"{_wished(best.wish)}, with {best.design}"
    if best.field == "n_max":
        return f"At most {best.value:,} patients are enough for {wish}."
    words = SOLVABLE[best.field].words
    return f"With {best.value:,} for {words} there is {wish}."


def _wished(wish: Wish) -> str:
    chance = f"{100 * wish.chance:g}%"
    article = "an" if chance.startswith(("8", "11", "18")) else "a"
    return f"{article} {chance} chance that {wish.event}"


def interval_in_words(plan: Plan) -> str:
    """Sizes that the trials of a search cannot tell apart, in brackets; nothing if there is one."""
    if plan.certain:
        return ""
    upper = "more" if plan.sure is None else f"{plan.sure:,}"
    return f" (95% interval {plan.may:,} to {upper})"


def plan_words(plans: Sequence[Plan], truths: Sequence[str]) -> WordTable:
    """A row per design: its answer, how sure that is, and the chance under every truth."""
    field = plans[0].field
    columns = ["design", SOLVABLE[field].head, "95% interval", "enough at 95% confidence"]
    rows = []
    for found in plans:
        if found.value is None:
            answer = "not reached" if found.applies else "does not matter"
            rows.append([found.design, answer, *("–" for _ in (*columns[2:], *truths))])
            continue
        chances = {estimate.truth: _percent(estimate) for estimate in found.at}
        sure = "–" if found.sure is None else f"{found.sure:,}"
        between = f"{found.may:,} to {'more' if found.sure is None else sure}"
        rows.append(
            [found.design, f"{found.value:,}", between, sure, *(chances[name] for name in truths)]
        )
    title = f"{SOLVABLE[field].words}, {field}"
    return WordTable(title, [*columns, *(f"chance under {name}" for name in truths)], rows)
