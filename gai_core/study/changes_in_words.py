"""What changed from one study to another, in words: `delta 0.05 → 0.1`, `HDoC added`.

Apart from a few names nothing here knows the fields of a study: a new one is compared as well.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from gai_core.basics import given_in_words
from gai_core.study.estimand import Estimand
from gai_core.study.parts import Design, Truth
from gai_core.study.study import Study

Entries = dict[tuple[str, ...], Any]
"""The single values of a part of a study, by their places."""
NAMES = {
    "threshold": "target",
    "n_max": "largest sample size",
    "runs": "simulated trials",
    "rule": "allocation rule",
    "criterion": "decision rule",
    "kind": "kind of outcome",
    "wanted": "doses wanted",
    "judge_control": "control judged like a dose",
    "declare": "error rate of declaring (alpha)",
    "drop": "error rate of dropping (beta)",
}
"""What fields are called where their own name says little."""
UNSAID = {"wanted": "all", "futility": "as the decision rule"}
"""What it means that a field is not given, if that is not nothing."""
TEXTS = {"source", "notes", "note", *Estimand.model_fields}
"""Fields whose text is too long to be repeated."""
SINGLE_MEANS = 2
"""Means under one truth up to which each is said."""


def differences(before: Study, after: Study) -> list[str]:
    """What changed, in the order of a study file; nothing if the studies are the same."""
    rates = not (before.errors is None and after.errors is None)
    return [
        *_comparator(before, after),
        *_changes(_plan(before, after, rates), _plan(after, before, rates)),
        *(f"estimand: {change}" for change in _changes(_estimand(before), _estimand(after))),
        *_of_list("dose arm", _arms(before), _arms(after)),
        *_of_list("assumption", _truths(before), _truths(after)),
        *_means(before, after),
        *_of_list("design", _designs(before), _designs(after)),
        *_conduct(before, after),
    ]


def _comparator(before: Study, after: Study) -> Iterator[str]:
    """What doses are compared with, if that is something else."""
    if (before.target is None) != (after.target is None):
        fixed, control = "a fixed target", "the concurrent control"
        yield f"target: {f'{fixed} → {control}' if after.target else f'{control} → {fixed}'}"


def _plan(study: Study, other: Study, rates: bool) -> Entries:
    """What is no list; with either error rate where one of the studies has two.

    Without the target where the other study has another kind of it: that is said already.
    """
    apart = {"errors", "estimand", "arms", "truths", "designs", "conduct"}
    if (study.target is None) != (other.target is None):
        apart |= {"threshold", "margin", "target"}
    data = study.model_dump(exclude=apart)
    if rates:
        data["delta"] = study.error_rates.model_dump()
    return _entries(data)


def _estimand(study: Study) -> Entries:
    """What is not stated is an empty text, as in a study that states nothing."""
    return _entries((study.estimand or Estimand()).model_dump())


def _arms(study: Study) -> dict[str, Entries]:
    return {arm.label: _entries(arm.model_dump(exclude={"label"})) for arm in study.arms}


def _truths(study: Study) -> dict[str, Entries]:
    apart = {"name", "means"}
    return {truth.name: _entries(truth.model_dump(exclude=apart)) for truth in study.truths}


def _designs(study: Study) -> dict[str, Entries]:
    return {design.name: _design(design) for design in study.designs}


def _design(design: Design) -> Entries:
    """With all parameters, also those left to their defaults, each under its rule's name."""
    apart = {"name", "rule_parameters", "criterion_parameters", "futility_parameters"}
    given = {
        design.rule: design.sampling[1],
        design.criterion: design.identification[1],
    }
    if design.futility is not None:
        given[f"futility {design.futility}"] = design.decision.dropping_parameters
    parameters = {
        (entry, field): value
        for entry, model in given.items()
        for field, value in model.model_dump().items()
    }
    return _entries(design.model_dump(exclude=apart)) | parameters


def _entries(data: Mapping[str, Any], place: tuple[str, ...] = ()) -> Entries:
    found: Entries = {}
    for key, value in data.items():
        if isinstance(value, dict):
            found |= _entries(value, (*place, key))
        else:
            found[(*place, key)] = value
    return found


def _changes(before: Entries, after: Entries) -> Iterator[str]:
    """Entries of both that differ: what only one has goes with something else that is said."""
    for place, old in before.items():
        new = after.get(place, old)
        if old != new:
            yield _change(place[-1], old, new)


def _change(field: str, old: Any, new: Any) -> str:
    if field == "title":
        return f"now called {new}"
    name = NAMES.get(field, field.replace("_", " "))
    unsaid = UNSAID.get(field)
    old, new = (unsaid if value is None else value for value in (old, new))
    return f"{name} changed" if field in TEXTS else f"{name} {_step(old, new)}"


def _step(old: Any, new: Any) -> str:
    return f"{given_in_words(old)} → {given_in_words(new)}"


def _of_list(
    kind: str, before: Mapping[str, Entries], after: Mapping[str, Entries]
) -> Iterator[str]:
    """Entries of a list by their names: gone, new, changed, in another order."""
    gone = [name for name in before if name not in after]
    for name in [name for name in after if name not in before]:
        same = next((old for old in gone if before[old] == after[name]), None)
        if same is None:
            yield f"{kind} {name} added"
        else:
            gone.remove(same)
            yield f"{kind} {same} renamed {name}"
    yield from (f"{kind} {name} removed" for name in gone)
    kept = [name for name in before if name in after]
    for name in kept:
        yield from (f"{name}: {change}" for change in _changes(before[name], after[name]))
    if kept != [name for name in after if name in before]:
        yield f"{kind}s in another order"


def _means(before: Study, after: Study) -> Iterator[str]:
    """Means of doses and truths that both studies have."""
    earlier = {truth.name: truth for truth in before.truths}
    for truth in after.truths:
        if truth.name not in earlier:
            continue
        old, new = _by_label(before, earlier[truth.name]), _by_label(after, truth)
        moved = [label for label in new if label in old and old[label] != new[label]]
        if len(moved) > SINGLE_MEANS:
            yield f"{len(moved)} means under {truth.name}"
        else:
            yield from (
                f"{label}: {_step(old[label], new[label])} under {truth.name}" for label in moved
            )


def _by_label(study: Study, truth: Truth) -> dict[str, float]:
    return {arm.label: mean for arm, mean in zip(study.arms, truth.means, strict=True)}


def _conduct(before: Study, after: Study) -> Iterator[str]:
    """How the trial is run, part by part."""
    if before.conduct is None or after.conduct is None:
        if before.conduct is not after.conduct:
            yield "run in time" if before.conduct is None else "no longer run in time"
        return
    old, new = before.conduct.model_dump(), after.conduct.model_dump()
    for part, value in old.items():
        words = part.replace("_", " ")
        if isinstance(value, dict) and isinstance(new[part], dict):
            changes = _changes(_entries(value), _entries(new[part]))
            yield from (f"{words}: {change}" for change in changes)
        elif isinstance(value, dict) or isinstance(new[part], dict):
            yield f"{words} {'removed' if new[part] is None else 'added'}"
        elif value != new[part]:
            yield f"{words} {_step(value, new[part])}"
