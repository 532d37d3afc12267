"""Another study from one that there is: other numbers, or fewer truths and designs."""

from collections.abc import Iterable

from gai_core.basics import Words
from gai_core.study.study import Study
from gai_core.study.validating import validated


def changed(
    study: Study,
    source: Words = "study",
    *,
    delta: float | None = None,
    declare: float | None = None,
    drop: float | None = None,
    wanted: int | None = None,
    **simulation: int | None,
) -> Study:
    """The same study with other error rates, doses wanted, runs, n_max or seed.

    None leaves a value as it is.

    A delta takes the place of two rates, and either of these that of delta.
    """
    data = study.model_dump()
    given = {"declare": declare, "drop": drop}
    rates = {name: value for name, value in given.items() if value is not None}
    if rates:
        data |= {"delta": delta, "errors": study.error_rates.model_dump() | rates}
    elif delta is not None:
        data |= {"delta": delta, "errors": None}
    if wanted is not None:
        data["wanted"] = wanted
        if data["conduct"] is not None:
            data["conduct"]["wanted"] = None
    data["simulation"] |= {key: value for key, value in simulation.items() if value is not None}
    return validated(data, source)


def narrowed(study: Study, truths: Iterable[str], designs: Iterable[str]) -> Study:
    """The study with these truths and designs alone; its target stays where it is.

    A margin is over the control under the first truth: without that, only the threshold is left.
    """
    chosen = tuple(map(study.truth, truths))
    return study.model_copy(
        update={
            "truths": chosen,
            "designs": tuple(map(study.design, designs)),
            "margin": study.margin if chosen[:1] == study.truths[:1] else None,
        }
    )
