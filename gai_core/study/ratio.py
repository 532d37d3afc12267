"""Doses that get patients in a ratio, as 2:1:1: what must fit it.

The ratio is that of patients who are spread evenly: by the rule `equal`, and by every rule until
the burn-in is over. It never depends on outcomes, so it changes nothing in what limits promise; but
doses then have no number of patients in common at which all of them are judged.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gai_core.basics import Place, Problem

if TYPE_CHECKING:
    from gai_core.study.parts import Design
    from gai_core.study.study import Study

PLACE: Place = ("conduct", "randomisation", "ratio")


def in_parts(ratio: tuple[int, ...]) -> str:
    """A ratio as protocols write it."""
    return ":".join(map(str, ratio))


def ratio_problems(study: "Study") -> Iterator[Problem]:
    """A ratio of more or fewer doses than there are."""
    given = None if study.conduct is None else study.conduct.randomisation.ratio
    doses = len(study.candidates)
    if given is not None and len(given) != doses:
        yield Problem(
            PLACE,
            f"must have one number for every arm that gets a verdict, which are {doses}",
            f"is {in_parts(given)}",
            "the control's part is control_share, or that of its partners"
            if study.set_apart is not None
            else "",
        )


def looks_problems(study: "Study", place: Place, design: "Design") -> Iterator[Problem]:
    """Looks at numbers of patients that all doses have in common, where they have none."""
    if not study.has_ratio:
        return
    looks = design.criterion_parameters.get("looks")
    own = (*place, "criterion_parameters", "looks")
    remedy = ("give numbers of patients of a dose, or leave ", PLACE, " out")
    if isinstance(looks, dict):
        rule = "must not be at equal distances where doses get patients in a ratio"
        yield Problem(own, rule, f"is {{ equal = {looks.get('equal')} }}", remedy)
    elif design.once_at_end and study.stream.outcome.by_controls:
        rule = (
            "must not be 'end' where doses get patients in a ratio and pairs are judged by their "
            "likelihood"
        )
        yield Problem(own, rule, "is 'end'", remedy)
