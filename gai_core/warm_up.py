"""Compile every loop before somebody waits for it: `python -m gai_core.warm_up`.

The compiled code is kept in the user's cache, so another process finds it there.
"""

from collections.abc import Iterable, Iterator

from gai_core.designs import fixed
from gai_core.replay import choice_noise, potential_outcomes
from gai_core.rules import RULES
from gai_core.simulate import simulate
from gai_core.study import Design, Study, validated


def warm_up(first: Iterable[tuple[str, str]] = ()) -> None:
    """Compile the loop of every rule and kind of outcome, the `first` ones first."""
    every = [(rule, kind) for kind in ("bernoulli", "gaussian") for rule in RULES]
    for study in tiny_studies(dict.fromkeys([*first, *every])):
        simulate(study, threads=1)
        next(potential_outcomes(study, study.truths[0], 0, 0))
        next(choice_noise(study, study.truths[0], 0))


def tiny_studies(pairs: Iterable[tuple[str, str]]) -> Iterator[Study]:
    """A study of one trial for every rule and kind of outcome, and an exact design with it."""
    for rule, kind in pairs:
        study = validated(
            {
                "title": "warm-up",
                "threshold": 0.5,
                "delta": 0.1,
                "outcome": {"kind": kind} | ({"variance": 1.0} if kind == "gaussian" else {}),
                "simulation": {"runs": 1, "n_max": 20},
                "arms": [{"label": "a"}, {"label": "b"}],
                "truths": [{"name": "truth", "means": [0.4, 0.6]}],
                "designs": [{"name": "warm-up", "rule": rule}],
            },
            "warm-up",
        )
        exact: Design = fixed(study).model_copy(update={"rule": rule, "name": "exact"})
        yield study.model_copy(update={"designs": (*study.designs, exact)})


if __name__ == "__main__":
    warm_up()
