"""Which arms are doses, and which of them is lower: by the amounts, not by the places in the file.

The control is no dose. Amounts order doses only where every dose has one, all in the same unit, and
no two are alike: of two regimens of the same amount nobody can say which is the lower one.
"""

from gai_core.study.study import Study, Truth

UNORDERED = "doses whose amounts differ, all stated in one unit"
"""What a study needs whose doses are ordered; the end of "needs a study with …"."""


def doses_of(study: Study) -> tuple[int, ...]:
    """Positions of the arms that can be found: candidates that are not the control."""
    return tuple(arm for arm in study.candidates if arm != study.control)


def doses_in_order(study: Study) -> tuple[int, ...]:
    """The same from the lowest amount to the highest; empty where amounts do not order them."""
    doses = doses_of(study)
    amounts = {arm: study.arms[arm].dose for arm in doses}
    known = {arm: amount for arm, amount in amounts.items() if amount is not None}
    units = {study.arms[arm].unit.strip() for arm in doses}
    if len(known) < len(doses) or len(set(known.values())) < len(doses) or len(units) > 1:
        return ()
    return tuple(sorted(doses, key=lambda arm: known[arm]))


def best_doses(study: Study, truth: Truth) -> tuple[int, ...]:
    """The good dose with the largest mean under a truth; all that share it, none if none is."""
    good, means = study.good(truth), study.expected(truth)
    found = [arm for arm in doses_of(study) if good[arm]]
    largest = max((means[arm] for arm in found), default=0.0)
    return tuple(arm for arm in found if means[arm] == largest)
