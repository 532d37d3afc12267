"""MCP-Mod in words: what was done, what a signal is, and the designs beside it."""

import math
from collections.abc import Iterator

from gai_core.basics import percent, with_error
from gai_core.mcp_mod.asking import per_arm
from gai_core.mcp_mod.benchmark import NAME, McpMod
from gai_core.mcp_mod.critical_value import critical_value
from gai_core.results import Values, WordTable, quantities_of, share
from gai_core.study import Study, beyond_in_words

SURE = 3.0
"""Standard errors by which a simulated rate must exceed alpha to be called above it."""
COLUMNS = ["right", "too low", "too high"]
KEYS = ["med_right", "med_too_low", "med_too_high"]
DIFFERENT_CLAIMS = (
    "A signal says that the response depends on the dose; a declaration says that a dose meets the "
    "target. The dose that MCP-Mod finds is an estimate: no error rate bounds the chance that it "
    "is too low."
)


def mcp_mod_sentences(found: McpMod) -> Iterator[str]:
    """What was done, how a dose is found, and what was left out."""
    study = found.study
    yield (
        f"MCP-Mod at the end of a fixed trial of {found.patients:,} patients, {per_arm(study):,} "
        f"on each of {len(study.arms)} arms: the same simulated patients as under the designs, "
        f"{study.simulation.runs:,} trials."
    )
    yield _tested(found)
    yield from _false_signals(found)
    yield _found(study)
    if study.target is not None and study.target.margin == 0:
        yield (
            "With a margin of 0 any rising curve is above the control from the lowest dose on, so "
            "MCP-Mod says little about which dose: state a margin."
        )
    if found.left_out:
        names = ", ".join(f"“{name}”" for name in found.left_out)
        yield f"Left out, for their trend over time needs a calendar: {names}."
    yield DIFFERENT_CLAIMS


def _tested(found: McpMod) -> str:
    study, method = found.study, found.method
    shapes = ", ".join(candidate.shape.label for candidate in method.candidates)
    rates = study.outcome.all_or_nothing
    df = math.inf if rates else float((per_arm(study) - 1) * len(study.arms))
    limit = critical_value(method.alpha, method.units, df)
    scale = (
        "Rates are compared as logits, half a responder and half a non-responder added to every "
        "arm, and normal quantiles hold approximately"
        if rates
        else "The variance is pooled over the arms"
    )
    return (
        f"Candidate shapes: {shapes}. A signal is a contrast of at least {limit:.3f} standard "
        f"errors, so that without a dose-response any has a chance of {100 * method.alpha:g}%. "
        f"{scale}."
    )


def _false_signals(found: McpMod) -> Iterator[str]:
    for truth, trials in found.trials.items():
        if not found.flat(truth):
            continue
        seen, error = share(trials.signal)
        above = seen - SURE * error > found.method.alpha
        yield (
            f"Assuming “{truth}” every dose does what the control does, so any signal is false: "
            f"{percent(seen, error, trials.signal.size)} of the trials, "
            f"{'more than' if above else 'beside'} the {100 * found.method.alpha:g}% allowed."
        )


def _found(study: Study) -> str:
    if study.target is None:
        meets = f"is at least the target of {study.stream.target:g}"
    else:
        meets = f"is {beyond_in_words(study.target.margin)} the control's"
    return (
        "Of the shapes with a signal the fitted curve with the smallest AIC is taken. The minimum "
        f"effective dose is the lowest dose arm whose mean on this curve {meets}; there may be "
        "none. It is right if it is the lowest good dose."
    )


def mcp_mod_summary(found: McpMod) -> WordTable:
    """Truths down: the chance of a signal, and which dose is found."""
    rows = [[truth, *_chances(found, truth)] for truth in found.trials]
    columns = ["assumed", "signal", *(f"dose {name}" for name in COLUMNS)]
    return WordTable(f"{NAME} on the same patients", columns, rows)


def _chances(found: McpMod, truth: str) -> list[str]:
    runs = found.study.simulation.runs
    return [percent(*share(happened), runs) for happened in found.chances(truth).values()]


def mcp_mod_tables(found: McpMod, study: Study, values: Values) -> list[WordTable]:
    """Per truth, MCP-Mod and the designs of the simulated study: success, dose found, patients."""
    known = quantities_of(study)
    columns = ["design", "signal, or any dose declared", *COLUMNS, known["enrolled"].head]
    tables = []
    for truth in found.trials:
        rows = [[NAME, *_chances(found, truth), f"{found.patients:,}"]]
        for design in study.designs:
            cells = [
                percent(*values(truth, design.name, key, "probability"), study.simulation.runs)
                for key in ("any_declared", *KEYS)
            ]
            size = with_error(*values(truth, design.name, "enrolled", "mean"))
            rows.append([design.name, *cells, size])
        tables.append(WordTable(f"{truth}: which dose is found", columns, rows))
    return tables
