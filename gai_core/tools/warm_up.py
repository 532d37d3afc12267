"""Compile loops before somebody waits for them.

`python -m gai_core.tools [RULE:OUTCOME ...]`, or `--study STUDY ...` for all that a study needs.
The compiled code is kept in the user's cache, where other processes find it. Without arguments
everything is compiled, which takes a few minutes, and a mark is left so that it is not done again.
"""

import contextlib
import os
from collections.abc import Iterable, Iterator
from importlib import metadata
from itertools import product
from pathlib import Path

from rich.progress import track

from gai_core.basics import cache_folder, sources
from gai_core.criteria import CRITERIA
from gai_core.engine import simulate
from gai_core.evidence import named_outcomes
from gai_core.results import replay
from gai_core.rules import RULES
from gai_core.study import (
    AGAINST_CONTROL,
    Conduct,
    Study,
    changed,
    fixed,
    load_study,
    narrowed,
    scenario_groups,
    validated,
)

Pair = tuple[str, str]
"""A rule and a kind of outcome, by its own name: what a loop is compiled for."""


def everything() -> list[Pair]:
    """Every rule with every kind of outcome that it works for."""
    models = named_outcomes().items()
    return [(key, name) for key, rule in RULES.items() for name, kind in models if rule.suits(kind)]


def warm_up(pairs: Iterable[Pair], conduct: Conduct | None = None) -> None:
    """Compile the loops of these rules and outcomes, and what exact designs need for them."""
    for study in tiny_studies(pairs):
        simulate(study.model_copy(update={"conduct": conduct}), threads=1)


def warm_up_study(study: Study) -> None:
    """Compile the loops of a study, and calibrate its limits."""
    designs = [design.name for design in study.designs]
    simulate(narrowed(changed(study, runs=1), [study.truths[0].name], designs), threads=1)


def warm_up_everything() -> None:
    """Compile all there is, first what plain trials need, and leave the mark.

    Of the loops that compare with a control, those that shipped studies need.
    """
    steps = list(product((None, Conduct()), everything()))
    for conduct, pair in track(steps, "Compiling ahead"):
        warm_up([pair], conduct)
    paired = (load_study(name) for name in scenario_groups()[AGAINST_CONTROL])
    for study in track([*paired], "Compiling comparisons with a control"):
        warm_up_study(study)
    for study in tiny_studies(pair for pair in everything() if pair[0] == "hdoc"):
        replay(study, study.truths[0], study.designs[0], 0)
    with contextlib.suppress(OSError):
        mark().touch()


def tiny_studies(pairs: Iterable[Pair]) -> Iterator[Study]:
    """Studies of one trial for every pair of rule and kind of outcome: plain, conducted."""
    for rule, kind in pairs:
        outcome = named_outcomes()[kind]
        spread = {} if outcome.knows_variance else {"variance": 1.0}
        target = next(iter(outcome.usual_targets.values()))
        criterion = next(key for key, entry in CRITERIA.items() if entry.suits(outcome))
        study = validated(
            {
                "title": "warm-up",
                "threshold": target,
                "delta": 0.1,
                "outcome": outcome.example(),
                "simulation": {"runs": 1, "n_max": 20},
                "arms": [{"label": "a"}, {"label": "b"}],
                "truths": [{"name": "truth", "means": [0.8 * target, 1.2 * target]} | spread],
                "designs": [{"name": "warm-up", "rule": rule, "criterion": criterion}],
            },
            "warm-up",
        )
        if CRITERIA["exact"].suits(outcome):
            exact = fixed(study).model_copy(update={"rule": rule, "name": "exact"})
            yield study.model_copy(update={"designs": (*study.designs, exact)})
        else:
            yield study
        yield study.model_copy(update={"conduct": Conduct()})


def mark() -> Path:
    """The file that says: with these sources and this compiler, everything is compiled."""
    return cache_folder("compiled") / f"warm-{sources()}-{metadata.version('numba')}"


def main(arguments: list[str]) -> None:
    """Compile what the arguments name; without any, everything, giving way to other processes."""
    if arguments[:1] == ["--study"]:
        for name in arguments[1:]:
            warm_up_study(load_study(name))
        return
    if arguments:
        warm_up(argument.partition(":")[::2] for argument in arguments)
        return
    with contextlib.suppress(AttributeError, OSError):
        os.nice(10)
    warm_up_everything()
