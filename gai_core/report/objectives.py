"""What the trial is to show and what is estimated: objectives, estimand, intercurrent events."""

from gai_core.report.content import Block, Bullets, Paragraph, Section, Table
from gai_core.report.subject import Subject
from gai_core.study import (
    Estimand,
    Study,
    allowed_in_words,
    doses_in_words,
    dropout_in_words,
    good_dose_in_words,
)

NOT_STATED = "not stated"


def objectives(subject: Subject) -> Section:
    """The questions that the simulation answers."""
    study = subject.study
    endpoint = study.outcome.endpoint or "outcome"
    stated = "" if study.estimand is None else study.estimand.objective
    blocks: list[Block] = [Paragraph(f"Objective as stated: {stated}")] if stated else []
    blocks += [
        Paragraph(
            "The trial is to find the doses that meet a target response. The simulation asks, for "
            "every design and every assumed dose-response:"
        ),
        Bullets(
            (
                f"{_which(study)} {good_dose_in_words(study)} ({endpoint})?",
                "How many patients are enrolled, on average and at most, and how long does it "
                "take?",
                "What is the chance of declaring a good dose?",
                "How often is a verdict wrong? A false declaration and a good dose wrongly "
                f"dropped are counted apart; {_allowed(study)}.",
                "What does the design that would be used otherwise need?",
            )
        ),
    ]
    return Section("Objectives", tuple(blocks))


def _which(study: Study) -> str:
    several = len(study.candidates) > 1
    return f"Which of {doses_in_words(study)} have" if several else "Does the one dose have"


def _allowed(study: Study) -> str:
    errors = study.error_rates
    if errors.same:
        return f"together they are allowed in {100 * errors.declare:g}% of the trials (delta)"
    return allowed_in_words(errors)


def estimand(subject: Subject) -> Section:
    """The attributes of the estimand as the study states them."""
    study = subject.study
    stated = study.estimand or Estimand()
    otherwise = {
        "treatment": ", ".join(arm.label for arm in study.arms),
        "variable": study.outcome.endpoint,
    }
    rows = tuple(
        (name.replace("_", " ").capitalize(), text or otherwise.get(name) or NOT_STATED)
        for name, text in stated.model_dump(exclude={"objective"}).items()
    )
    return Section(
        "Estimand and intercurrent events",
        (
            Table(
                "Attributes of the estimand",
                ("attribute", "as stated in the study"),
                rows,
                words=2,
            ),
            Paragraph(" ".join(_modelled(study))),
        ),
    )


def _modelled(study: Study) -> list[str]:
    """What the simulation takes a verdict to be about."""
    about = f"A verdict in the simulation is about a dose with {good_dose_in_words(study)}."
    if study.dropout is None:
        return [about, "No intercurrent event is simulated: every patient has an outcome."]
    return [about, "Simulated as an intercurrent event:", dropout_in_words(study.dropout)]


def states_events(study: Study) -> bool:
    """Whether the study says what happens with intercurrent events."""
    return study.estimand is not None and bool(study.estimand.intercurrent_events)
