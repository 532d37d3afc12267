"""The fields that are usually varied: what they are called, and values worth a try."""

from itertools import pairwise

from gai_app.places import WORDS
from gai_core import InputError, Study
from gai_core.study import Number, numbers_at, varied

USUAL = {
    "n_max": "Largest sample size",
    "delta": "Error rate",
    "threshold": "Target response",
    "margin": "Margin above the control",
    "target.margin": WORDS["target.margin"],
    "truth.shift": "Shift of all assumed means",
    "truth.scale": "Scale of all assumed means",
    "errors.declare": WORDS["errors.declare"],
    "errors.drop": WORDS["errors.drop"],
    "wanted": WORDS["wanted"],
    "burn_in": "Burn-in of every design",
}
HELPS = {
    "n_max": "n_max in a study file.",
    "delta": "delta in the paper and in a study file.",
    "truth.shift": "Added to every assumed mean, the control's too: patients who respond better or "
    "worse than was thought.",
    "truth.scale": "Multiplies every assumed mean, the control's too.",
    "burn_in": "Outcomes of every dose before the allocation rule begins.",
}
LISTED = {
    "delta": (0.2, 0.1, 0.05, 0.02, 0.01),
    "burn_in": (1, 5, 10, 20),
    "truth.scale": (0.8, 0.9, 1, 1.1, 1.2),
    "conduct.dropout.probability": (0, 0.05, 0.1, 0.2),
    "conduct.control_share": (0.1, 0.2, 0.3, 0.4),
    "conduct.accrual.ramp_up": (0, 3, 6, 12),
}
RANDOMISED = {
    "mixed": "conduct.randomisation.share",
    "softened": "conduct.randomisation.softness",
}
"""What each way of randomising has a number for."""


def menu(study: Study) -> dict[str, str]:
    """The fields that this study has, and their names in a trialist's words."""
    in_time = {place: words for place, words in WORDS.items() if place.startswith("conduct.")}
    own = {f"outcome.{name}": field.label for name, field in study.outcome.numbers.items()}
    every = USUAL | _of_control(study) | own | in_time
    return {field: words for field, words in every.items() if _given(study, field)}


def _of_control(study: Study) -> dict[str, str]:
    """The control's mean, where doses are compared with it: it may be another than was thought."""
    if study.target is None or study.control is None:
        return {}
    label = study.arms[study.control].label
    return {f"truths.means[{study.control}]": f"Mean of {label} under every assumption"}


def _given(study: Study, field: str) -> bool:
    """Whether the study has a number there, and it does something."""
    if field in _idle(study):
        return False
    try:
        return any(value is not None for _, value in numbers_at(study, field))
    except InputError:
        return False


def _idle(study: Study) -> set[str]:
    """Numbers that are lists, follow from others, or belong to a way that was not chosen."""
    found = {"conduct.looks.at", "conduct.randomisation.ratio"}
    if study.margin is not None:
        found.add("threshold")
    if study.target is not None:
        found.add("margin")  # the same number by a shorter name
    if study.conduct is not None:
        chosen = study.conduct.randomisation.kind
        found |= {field for kind, field in RANDOMISED.items() if kind != chosen}
        if study.conduct.delay.pattern in ("fixed", "exponential"):
            found.add("conduct.delay.spread")
    return found


def name(study: Study, field: str) -> str:
    """A field in words, where there are some."""
    return menu(study).get(field, field)


def suggested(study: Study, field: str) -> str:
    """Values around the study's own that are valid for it, as somebody would type them."""
    return _written([value for value in _values(study, field) if _valid(study, field, value)])


def _values(study: Study, field: str) -> list[Number]:
    if field in LISTED:
        return list(LISTED[field])
    step = study.outcome.variation_step
    own = next(value for _, value in numbers_at(study, field) if value is not None)
    if field in ("threshold", "margin", "target.margin", "truth.shift", *_of_control(study)):
        return [round(own + k * step, 9) for k in range(-2, 3)]
    if field == "n_max":
        return [own * k // 4 for k in range(2, 9)]
    if isinstance(own, int):
        return sorted({max(1, own // 2), own, 2 * own, 4 * own})
    return [0.5 * own, own, 1.5 * own, 2 * own] if own else [0, 1, 2, 4]


def _valid(study: Study, field: str, value: Number) -> bool:
    try:
        varied(study, {field: value})
    except InputError:
        return False
    return True


def _written(values: list[Number]) -> str:
    """A range where the steps are even, else a list."""
    steps = {round(b - a, 9) for a, b in pairwise(values)}
    if len(values) > 2 and len(steps) == 1:
        return f"{values[0]:g}:{values[-1]:g}:{steps.pop():g}"
    return ", ".join(f"{value:g}" for value in values)
