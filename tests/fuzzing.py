"""Valid studies with extreme numbers, each simulated: `python tests/fuzzing.py BASE ...`.

Every numeric field and every text of a study, found by walking the schema, takes odd values alone
and in pairs. What validation refuses is refused in words; what it takes must be simulated. The
study under way is the last line written, so that a crash has a name; after a base's studies comes
a line with its name, how many were tried and how many simulated.
"""

import copy
import faulthandler
import json
import math
import random
import resource
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, NamedTuple

from gai_core import CRITERIA, RULES, Study, characteristics, dump_study, parse_study, simulate
from gai_core.criteria import futilities
from gai_core.study import study_or_problems, validated

SECONDS_PER_STUDY = 300
"""Processor time of one study: it takes milliseconds, or what the loop takes to compile that no
study before it needed. Other processes, and the wait for one that compiles, do not count."""
BYTES = 6 * 2**30
"""Address space: the compiler and its libraries have most of it."""
PAIRS = 150
EVERY = 3
"""Of so many simulated studies one is tabulated, written and read again."""
MOST_PATIENTS = 400

FLOATS = [0.0, -0.0, 5e-324, sys.float_info.min, 1e-300, 1e-16, 1e-6, 1 / 3, 0.999999, 1.0,
          2.0**53 + 2, 1e16, 1e300, sys.float_info.max]  # fmt: skip
INTEGERS = [0, 1, 2, 7, 2**31 - 1, 2**31, 2**32, 2**63 - 1, 2**64]
TEXTS = ["x" * 120, "\u202eabc", "a\u0300" * 60, "=1+1", "<b>&amp;", "{0} %s \\", '\'"""\'']

ARMS = [{"label": "placebo", "dose": 0.0, "control": True}, {"label": "low", "dose": 1.0},
        {"label": "high", "dose": 2.5}]  # fmt: skip
RATES: dict[str, Any] = {
    "title": "fuzz",
    "delta": 0.1,
    "threshold": 0.5,
    "outcome": {"kind": "bernoulli"},
    "simulation": {"runs": 2, "n_max": 60, "seed": 1},
    "arms": ARMS,
    "truths": [{"name": "t", "means": [0.3, 0.45, 0.7]}],
    "designs": [
        {"name": "A", "rule": "hdoc", "burn_in": 2},
        {"name": "B", "rule": "nearest-finish", "criterion": "mixture", "burn_in": 2},
    ],
}
SCORES = RATES | {
    "outcome": {"kind": "gaussian", "variance": 1.0},
    "truths": [{"name": "t", "means": [0.0, 0.5, 1.5], "variance": 1.5}],
}
DELAYED = {"accrual": {"per_month": 10.0, "pattern": "poisson", "ramp_up": 2.0}}
BASES: dict[str, dict[str, Any]] = {
    "rates": RATES,
    "scores": SCORES,
    "exact": SCORES
    | {
        "designs": [
            {"name": "A", "rule": "hdoc", "criterion": "exact", "burn_in": 2},
            {"name": "B", "rule": "hdoc", "criterion": "exact",
             "criterion_parameters": {"looks": [9, 30]}},
            {"name": "C", "rule": "equal", "criterion": "exact", "futility": "below",
             "criterion_parameters": {"looks": {"equal": 3}}, "burn_in": 1},
        ]
    },
    "unknown variance": SCORES
    | {
        "outcome": {"kind": "gaussian", "variance": "unknown"},
        "designs": [
            {"name": "A", "rule": "nearest-finish", "criterion": "mixture", "burn_in": 2},
            {"name": "B", "rule": "hdoc", "criterion": "exact", "burn_in": 2,
             "criterion_parameters": {"looks": [9, 30]}, "futility": "below"},
        ],
    },
    "two error rates": {key: value for key, value in SCORES.items() if key != "delta"}
    | {
        "errors": {"declare": 0.05, "drop": 0.2},
        "wanted": 1,
        "designs": [
            {"name": "A", "rule": "hdoc", "criterion": "mixture", "burn_in": 2,
             "futility": "below", "futility_parameters": {"amount": 0.1, "after": 3}},
            {"name": "B", "rule": "lucb-g", "criterion": "mixture", "futility": "mixture"},
        ],
    },
    "margin": {key: value for key, value in RATES.items() if key != "threshold"}
    | {
        "margin": 0.2,
        "truths": [{"name": "t", "means": [0.3, 0.45, 0.7], "trend": 0.01}],
        "conduct": DELAYED
        | {
            "delay": {"weeks": 4.0, "pattern": "uniform", "spread": 2.0},
            "looks": {"weeks": 4.0},
            "randomisation": {"kind": "mixed", "ratio": [1, 2]},
            "dropout": {"probability": 0.1, "counted": "non-response"},
            "control_share": 0.3,
        },
    },
    "conducted scores": SCORES
    | {
        "truths": [{"name": "t", "means": [0.0, 0.5, 1.5], "variance": 1.5, "trend": -0.02}],
        "conduct": DELAYED
        | {
            "delay": {"weeks": 4.0, "pattern": "lognormal", "spread": 2.0},
            "looks": {"at": [20, 40]},
            "cohort": 3,
            "randomisation": {"kind": "softened"},
            "dropout": {"probability": 0.1, "counted": "left out", "in_means": False},
            "wanted": 1,
        },
    },
    "against the control": {key: value for key, value in SCORES.items() if key != "threshold"}
    | {
        "target": {"over": "control", "margin": 0.1},
        "truths": [{"name": "t", "means": [0.0, 0.5, 1.5], "variance": 1.5, "trend": -0.02}],
        "conduct": DELAYED
        | {
            "delay": {"weeks": 4.0, "pattern": "uniform", "spread": 2.0},
            "cohort": 5,
            "dropout": {"probability": 0.1, "counted": "left out", "in_means": False},
        },
    },
    "discordant pairs": {key: value for key, value in RATES.items() if key != "threshold"}
    | {
        "target": {"over": "control"},
        "designs": [
            {"name": "A", "rule": "thompson", "criterion": "exact", "burn_in": 1},
            {"name": "B", "rule": "nearest-finish", "criterion": "mixture", "burn_in": 2},
        ],
        "conduct": {"cohort": 4, "looks": {"outcomes": 1}},
    },
    "pairs by likelihood": {key: value for key, value in RATES.items() if key != "threshold"}
    | {
        "target": {"over": "control", "margin": 0.1, "evidence": "likelihood"},
        "designs": [
            {"name": "A", "rule": "thompson", "criterion": "exact", "burn_in": 1,
             "futility": "mixture"},
        ],
        "conduct": {"cohort": 4, "looks": {"outcomes": 1}},
    },
    "conducted rates": RATES
    | {
        "conduct": {
            "delay": {"weeks": 4.0, "pattern": "exponential"},
            "looks": {"outcomes": 5},
        },
    },
}  # fmt: skip

Place = tuple[str | int, ...]


class Leaf(NamedTuple):
    """A field of a study, and odd values for it."""

    place: Place
    values: list[Any]


def leaves(node: dict[str, Any], place: Place, parts: dict[str, Any]) -> Iterator[Leaf]:
    """Every numeric field and text of a JSON schema; the first entry stands for a list."""
    if "$ref" in node:
        yield from leaves(parts[node["$ref"].rpartition("/")[2]], place, parts)
    for choice in (*node.get("anyOf", ()), *node.get("oneOf", ())):
        yield from leaves(choice, place, parts)
    kind = node.get("type")
    for key, part in node.get("properties", {}).items():
        yield from leaves(part, (*place, key), parts)
    if kind == "array":
        yield from leaves(node.get("items", {}), (*place, 0), parts)
    if kind in ("number", "integer"):
        yield Leaf(place, _numbers(node, kind))
    if kind == "string" and not {"enum", "const"} & set(node):
        yield Leaf(place, list(TEXTS))


def _numbers(node: dict[str, Any], kind: str) -> list[Any]:
    """The ends of the field's range, their neighbours, and odd numbers."""
    ends = [node[key] for key in ("minimum", "maximum") if key in node]
    ends += [node[key] for key in ("exclusiveMinimum", "exclusiveMaximum") if key in node]
    if kind == "integer":
        return sorted({*INTEGERS, *(end + k for end in ends for k in (-1, 0, 1)), -1})
    beside = [math.nextafter(end, way) for end in ends for way in (-math.inf, math.inf)]
    numbers = [*FLOATS, *(-number for number in FLOATS), *map(float, ends), *beside]
    return list({repr(number): number for number in numbers}.values())  # 0.0 and -0.0 are two


def all_leaves(base: dict[str, Any]) -> list[Leaf]:
    """The fields of a study, and the parameters of its designs' rules and criteria."""
    schema = Study.model_json_schema()
    keys = {
        "rule": [design["rule"] for design in RATES["designs"]],
        "criterion": [*CRITERIA],
        "futility": [*futilities()],
    }
    found = [
        Leaf(place, keys.get(str(place[-1]), values))
        for place, values in leaves(schema, (), schema["$defs"])
    ]
    for i, design in enumerate(base["designs"]):
        for part, entry in (
            ("rule_parameters", RULES[design["rule"]]),
            ("criterion_parameters", CRITERIA[design.get("criterion", "union")]),
            ("futility_parameters", futilities()[design.get("futility", "none")]),
        ):
            of_entry = entry.parameters.model_json_schema()
            found += leaves(of_entry, ("designs", i, part), of_entry.get("$defs", {}))
    return found


def changed(base: dict[str, Any], changes: dict[Place, Any]) -> dict[str, Any]:
    """The base with other values at these places."""
    data = copy.deepcopy(base)
    for place, value in changes.items():
        part: Any = data
        for step, after in pairwise(place):
            needed = list if isinstance(after, int) else dict
            if isinstance(part, dict) and not isinstance(part.get(str(step)), needed):
                part[step] = [0] if needed is list else {}
            part = part[step]
        part[place[-1]] = value
    return data


def cases(base: dict[str, Any]) -> Iterator[dict[Place, Any]]:
    """Every value of every field alone; then pairs of fields, drawn with a fixed seed."""
    found = all_leaves(base)
    for leaf in found:
        for value in leaf.values:
            if base is RATES or not isinstance(value, str):  # texts once: they are only carried
                yield {leaf.place: value}
    draw = random.Random(20)
    for _ in range(PAIRS):
        one, other = draw.sample(found, 2)
        short, long = sorted((one.place, other.place), key=len)
        if short == long[: len(short)]:
            continue  # a number, or a list of such numbers
        yield {one.place: draw.choice(one.values), other.place: draw.choice(other.values)}


def say(what: Any) -> None:
    """One line, written before anything else happens."""
    sys.stdout.write(f"{json.dumps(what)}\n")
    sys.stdout.flush()


@contextmanager
def ends(seconds: float = SECONDS_PER_STUDY) -> Iterator[None]:
    """End this process, and say where it was, if what is inside computes for longer."""
    faulthandler.register(signal.SIGPROF, chain=True)  # then as ever: the signal ends the process
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def run(name: str) -> None:
    """Try all cases of a base."""
    base, simulated = BASES[name], 0
    simulate(validated(base, name), threads=1)  # compiles, which may take long
    tried = list(cases(base))
    for changes in tried:
        data = changed(base, changes)
        study = study_or_problems(data)
        say(data)
        if not isinstance(study, Study):
            assert study, "refused without a problem"
            assert all(str(problem) for problem in study)
            continue
        few = study.model_dump() | {
            "simulation": study.simulation.model_dump()
            | {"runs": 2, "n_max": min(study.simulation.n_max, MOST_PATIENTS)}
        }
        smaller = study_or_problems(few)
        if isinstance(smaller, Study):
            with ends():
                runs = simulate(smaller, threads=1)
                if simulated % EVERY == 0:  # tables take longer than the trials
                    characteristics(runs)
                    assert parse_study(dump_study(study)) == study
            simulated += 1
    say([name, len(tried), simulated])


if __name__ == "__main__":
    faulthandler.enable()
    warnings.simplefilter("error", RuntimeWarning)  # no number of a valid study overflows
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    for named in sys.argv[1:]:
        run(named)
