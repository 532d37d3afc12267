"""Designs found for ten shipped studies, judged on trials that no search has seen.

The tests search three of them among few designs. `make fresh-seeds` searches all ten among more,
says what fresh trials say, and fails where they do not confirm it.
"""

import math
import sys
from collections.abc import Iterator
from typing import Any

from gai_core import load_study
from gai_core.engine import simulate
from gai_core.questions import Effort, Optimum, Wish, optimise
from gai_core.results import judged, quantities_of
from gai_core.study import changed

WISH = Wish("any_declared", 0.8)
STUDIES = (
    "tofacitinib-one-dose", "sirukumab-das28", "tofacitinib-placebo", "mk-3207-placebo",
    "irritable-bowel-placebo", "baricitinib-placebo", "clazakizumab-control", "tofacitinib-conduct",
    "tofacitinib", "sirukumab-das28-unknown",
)  # fmt: skip
"""Rates and scores, a fixed target and the control, a margin, an unknown variance, no conduct."""
FEW_DESIGNS: dict[str, list[Any]] = {
    "rule": ["equal"], "criterion": ["exact"], "futility": ["below"], "burn_in": [1],
    "shape": ["pocock", "obrien-fleming"], "looks": [{"equal": 3}], "amount": [0.0],
    "after": [1], "share": ["bonferroni"], "declare_from": [0.0, 1.0], "up_to": ["n_max"],
    "largest_share": [None],
}  # fmt: skip
MORE_DESIGNS = FEW_DESIGNS | {
    "rule": ["equal", "hdoc"], "futility": ["below", None], "largest_share": [None, 2.0],
}  # fmt: skip
SMALL = Effort(few=60, more=100, many=200, children=3, generations=1, last=2, go_on=4)
LARGER = Effort(few=150, more=400, many=1_000, children=8, generations=1, last=3, go_on=4)
RUNS, FURTHER_RUNS = 2_000, 5_000
FURTHER = 1_000
"""What is added to a study's seed for trials beside those that the search judges by."""
LAST_DIGITS = 1 + 1e-12
"""One normal test at the end uses the whole error, up to the last digits of a float."""
SURELY = 3.3
"""Standard errors: one in a thousand by chance."""


def problems(found: Optimum) -> Iterator[str]:
    """What fresh trials do not confirm of the designs: the wish, and the error under all truths."""
    study, compared = found.aim.study, found.compared
    allowed = study.error_rates.declare
    if found.best is None:
        yield "no design was found"
    for name in found.names:
        chance, error = compared.value(found.aim.under, name, found.aim.wish.quantity)
        if chance + SURELY * error < found.aim.wish.chance:
            yield f"{name}: a chance of {chance:.3f} ± {error:.3f}"
        if compared.exact_error(name) > allowed * LAST_DIGITS:
            yield f"{name}: an exact error of {compared.exact_error(name):.4f}"
        for truth in study.truths:
            if study.as_assumed(truth):
                false, error = compared.value(truth.name, name, "false_declaration")
                if false - SURELY * error > allowed:
                    yield f"{name}: an error of {false:.4f} ± {error:.4f} under {truth.name}"


def _further(found: Optimum, best: str) -> tuple[float, float]:
    """Of the best design on further trials: the chance, and the largest error where truths are as
    assumed; nan where none is."""
    study = found.study(best)
    runs = simulate(changed(study, runs=FURTHER_RUNS, seed=study.simulation.seed + FURTHER))

    def share(truth: str, quantity: str) -> float:
        return float(quantities_of(study)[quantity].value(judged(runs, truth, best)).mean())

    errors = [share(one.name, "false_declaration") for one in study.truths if study.as_assumed(one)]
    return share(found.aim.under, found.aim.wish.quantity), max(errors, default=math.nan)


def main() -> int:
    """A line for every study; 1 if something is not confirmed."""
    failed = False
    for name in STUDIES:
        study = load_study(name)
        within = MORE_DESIGNS | {"n_max": [2 * study.simulation.n_max]}
        found = optimise(study, WISH, within=within, effort=LARGER, runs=RUNS)
        wrong = list(problems(found))
        failed |= bool(wrong)
        if found.best is not None:
            chance, error = found.compared.value(found.aim.under, found.best, WISH.quantity)
            further, false = _further(found, found.best)
            print(
                f"{name}: {found.tried} tried; {found.best}, n_max {found.n_max(found.best)}, "
                f"{found.enrolled(found.best)[0]:.0f} patients; chance {chance:.3f} ± {error:.3f}, "
                f"on further trials {further:.3f}; error exactly at most "
                f"{found.compared.exact_error(found.best):.4f} of {study.error_rates.declare:g}, "
                f"simulated at most {false:.4f}",
                flush=True,
            )
        for problem in wrong:
            print(f"  NOT CONFIRMED {problem}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
