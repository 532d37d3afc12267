"""Dunnett's limits: when all doses of a trial are compared with the very same controls.

Only then have any two differences the correlation 1/2 that the limits rest on (`evidence/dunnett`).
Under equal allocation a cohort that is a multiple of the number of arms has as many patients on
every dose as on the control, so the n-th pairs of all doses have the same control. In other
cohorts, under other rules, and where pairs are left out, doses share fewer controls, their
differences are less correlated, and the limits would be too low.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gai_core.basics import Place, Problem

if TYPE_CHECKING:
    from gai_core.study.parts import Design
    from gai_core.study.study import Study

DUNNETT = "dunnett"
REMEDY = "choose 'bonferroni', which holds without this"


def by_dunnett(design: "Design") -> bool:
    """Whether a design counts on the correlation of differences from the same controls."""
    return design.criterion_parameters.get("share") == DUNNETT


def shared_control_problems(study: "Study", place: Place, design: "Design") -> Iterator[Problem]:
    """Dunnett's limits where they do not hold."""
    if by_dunnett(design):
        for rule, value in missing_for_dunnett(study, design):
            yield Problem((*place, "criterion_parameters", "share"), rule, value, REMEDY)
    if design.futility_parameters.get("share") == DUNNETT:
        rule = "'dunnett' is for one look at the end, after which nothing is dropped"
        yield Problem((*place, "futility_parameters", "share"), rule, remedy=REMEDY)


def missing_for_dunnett(study: "Study", design: "Design") -> Iterator[tuple[str, str]]:
    """The first thing that Dunnett's limits need and a design of the study does not have."""
    evidence, conduct = study.stream, study.conduct
    if not (evidence.paired and evidence.outcome.shifts and evidence.outcome.knows_variance):
        rule = "'dunnett' needs scores of known variance, compared with the concurrent control"
        value = "the target is fixed" if not evidence.paired else "evidence is of another kind"
        yield rule, value
        return
    assert conduct is not None
    if not design.once_at_end:
        yield "'dunnett' needs one look, at the end", 'looks is not "end"'
    elif design.rule != "equal":
        yield "'dunnett' needs the allocation rule 'equal'", f"it is {design.rule!r}"
    elif study.has_ratio:
        yield "'dunnett' needs as many patients on every dose", "they get them in a ratio"
    elif study.setting(design).missing:
        yield "'dunnett' needs all outcomes", "dropouts are left out"
    elif conduct.cohort % len(study.arms):
        rule = (
            "'dunnett' needs cohorts of a multiple of the number of arms, which is "
            f"{len(study.arms)}, so that all doses are compared with the same controls"
        )
        yield rule, f"a cohort has {conduct.cohort} patients"
