"""The code of what is on screen: Python and commands that work as they stand."""

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from gai_app.escaping import file_name
from gai_core import InputError, Study, load_study, scenario_names
from gai_core.study import Number

_HOMES = {
    "gai_core": ("analyse", "load_study", "simulate"),
    "gai_core.mcp_mod": ("mcp_mod", "mcp_mod_sentences", "mcp_mod_tables"),
    "gai_core.questions": (
        "Wish",
        "equal_power",
        "equal_power_sentences",
        "equal_power_tables",
        "optimise",
        "optimum_sentences",
        "optimum_table",
        "plan",
        "plan_sentences",
        "sweep_table",
    ),
    "gai_core.results": (
        "decision_table",
        "declaration_curves",
        "declaration_table",
        "differences_table",
        "replay",
        "truth_tables",
        "values_table",
    ),
    "gai_core.study": ("changed", "narrowed", "parse_variation"),
    "gai_core.theory": ("worst_cases",),
}
"""Where the names of a recipe are imported from."""


class Recipe(NamedTuple):
    """What to type; the command is empty where the command line has none."""

    python: str
    command: str
    file: str
    """The study file that both read; empty for a shipped study, which has a name."""


def _recipe(study: Study, lines: Sequence[str], *commands: Sequence[str]) -> Recipe:
    """All recipes begin alike: import what the lines use, load the study."""
    name = _shipped(study)
    file = "" if name else file_name(study.title, ".toml")
    body = [f"study = load_study({name or file!r})", *lines]
    words = set(re.findall(r"[A-Za-z_]+", " ".join(body)))
    imports = [
        f"from {home} import {', '.join(sorted(words & set(names)))}"
        for home, names in _HOMES.items()
        if words & set(names)
    ]
    typed = (shlex.join(["gai", verb, name or file, *more]) for verb, *more in commands)
    return Recipe("\n".join([*imports, "", *body]), "\n".join(typed), file)


def _shipped(study: Study) -> str:
    """The name of the shipped study that this is; empty if it is none."""
    for name in scenario_names():
        try:
            if load_study(name) == study:
                return name
        except InputError:  # a file that somebody broke is none
            continue
    return ""


def of_results(study: Study, truth: str, doses: int) -> Recipe:
    """The tables of a truth, and its first curve."""
    lines = [
        "found = analyse(simulate(study))",
        f"truth = study.truth({truth!r})",
        "for table in truth_tables(study, truth, found.values, found.bounds):",
        '    print(table.title, table.columns, *table.rows, sep="\\n")',
        f"curves = declaration_curves(found.runs, truth.name, {doses})",
        'print(*declaration_table(curves).rows, sep="\\n")',
    ]
    return _recipe(study, lines, ["run"], ["report", "-o", "report.html"])


def of_comparison(study: Study, quantity: str, baseline: str) -> Recipe:
    """Differences from a baseline on the same patients; the report has those that matter most."""
    lines = [
        "found = analyse(simulate(study))",
        f"compared = found.comparison({quantity!r}, {baseline!r})",
        f"for table in (differences_table(study, compared, {quantity!r}), "
        f"values_table(study, compared, {quantity!r})):",
        '    print(table.title, table.columns, *table.rows, sep="\\n")',
    ]
    return _recipe(study, lines, ["report", "-o", "report.html"])


def of_trial(study: Study, truth: str, design: str, replicate: int) -> Recipe:
    """One simulated trial, verdict by verdict."""
    lines = [
        f"trial = replay(study, study.truth({truth!r}), study.design({design!r}), {replicate})",
        "for moment in trial.moments:",
        "    print(moment.patient, study.arms[moment.arm].label, moment.verdict)",
    ]
    return _recipe(study, lines)


def of_rules(study: Study, design: str) -> Recipe:
    """The decision table of a design, and the exact errors of all."""
    lines = [
        f"print(decision_table(study, study.design({design!r})).to_string())",
        "print(worst_cases(study).to_string())",
    ]
    return _recipe(study, lines, ["boundaries", "--design", design], ["verify"])


def of_plan(
    study: Study,
    wish: tuple[str, float],
    field: str,
    scope: tuple[Sequence[str], Sequence[str], int],
    among: tuple[Number, Number] | None,
    largest: bool,
) -> Recipe:
    """The search for the value of a field that reaches a wished chance."""
    (quantity, chance), (truths, designs, runs) = wish, scope
    lines = [
        f"study = changed(study, runs={runs})",
        "plans = plan(",
        f"    study, Wish({quantity!r}, {chance!r}), {field!r}, among={among!r},",
        f"    truths={list(truths)!r}, designs={list(designs)!r}, largest={largest!r},",
        ")",
        "for found in plans:",
        '    print(*plan_sentences(found, study.simulation.runs), sep="\\n")',
    ]
    options = ["--want", f"{quantity}={chance!r}", "--solve", field, "--runs", str(runs)]
    options += [part for name in truths for part in ("--truth", name)]
    options += [part for name in designs for part in ("--design", name)]
    options += [] if among is None else ["--among", f"{among[0]!r}:{among[1]!r}"]
    return _recipe(study, lines, ["plan", *options, *(["--largest"] if largest else [])])


def of_equal_power(study: Study, wish: tuple[str, float], under: str) -> Recipe:
    """Designs at equal error and power, each at its own smallest sample size."""
    quantity, chance = wish
    lines = [
        f"found = equal_power(study, Wish({quantity!r}, {chance!r}), under={under!r})",
        'print(*equal_power_sentences(found), sep="\\n")',
        "for table in equal_power_tables(found):",
        '    print(table.title, table.columns, *table.rows, sep="\\n")',
    ]
    return _recipe(study, lines, ["compare", "--at", f"{quantity}={chance!r}", "--under", under])


def of_optimise(study: Study, wish: tuple[str, float], asked: Mapping[str, Any]) -> Recipe:
    """The best design, the frontier and the benchmarks."""
    quantity, chance = wish
    within = f"within={{'n_max': [{asked['n_max']}]}}"
    rest = f"under={asked['under']!r}, minimise={asked['minimise']!r}, effort={asked['effort']!r}"
    lines = [
        f"found = optimise(study, Wish({quantity!r}, {chance!r}), {rest}, {within})",
        'print(*optimum_sentences(found), sep="\\n")',
        "print(optimum_table(found).to_string())",
    ]
    options = ["--want", f"{quantity}={chance!r}", "--under", asked["under"]]
    options += ["--minimise", asked["minimise"], "--within", f"n_max={asked['n_max']}"]
    return _recipe(study, lines, ["optimise", *options, "--effort", asked["effort"]])


def of_mcp_mod(study: Study) -> Recipe:
    """MCP-Mod beside the designs, on the same patients."""
    lines = [
        "found = mcp_mod(study)",
        'print(*mcp_mod_sentences(found), sep="\\n")',
        "designs = analyse(simulate(study))",
        "for table in mcp_mod_tables(found, study, designs.values):",
        '    print(table.title, table.columns, *table.rows, sep="\\n")',
    ]
    return _recipe(study, lines, ["mcp-mod"])


def of_sweep(
    study: Study,
    variations: Sequence[tuple[str, Sequence[Number]]],
    scope: tuple[Sequence[str], Sequence[str], int],
) -> Recipe:
    """The study at every point of a grid; the command line has all truths and designs."""
    truths, designs, runs = scope
    texts = [f"{field}={','.join(map(repr, values))}" for field, values in variations]
    lines = [
        f"study = narrowed(study, {list(truths)!r}, {list(designs)!r})",
        f"study = changed(study, runs={runs})",
        f"variations = [parse_variation(study, text) for text in {texts!r}]",
        "print(sweep_table(study, variations).to_string())",
    ]
    varied = [part for text in texts for part in ("--vary", text)]
    return _recipe(study, lines, ["sweep", *varied, "--runs", str(runs)])
