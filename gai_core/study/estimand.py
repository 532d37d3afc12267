"""The estimand of a trial (ICH E9(R1)): what is to be estimated, in the trialist's words.

Nothing is computed from it; the report states it, and says what is not stated.
"""

from pydantic import Field

from gai_core.basics import FrozenModel
from gai_core.study.parts import LONGEST_NOTE


class Estimand(FrozenModel):
    """The attributes of an estimand."""

    objective: str = Field(
        default="", max_length=LONGEST_NOTE, description="What the trial is to show."
    )
    population: str = Field(
        default="", max_length=LONGEST_NOTE, description="Who the answer is about."
    )
    treatment: str = Field(
        default="", max_length=LONGEST_NOTE, description="The treatments that are compared."
    )
    variable: str = Field(
        default="",
        max_length=LONGEST_NOTE,
        description="What is measured in every patient; without it, the outcome's endpoint.",
    )
    intercurrent_events: str = Field(
        default="",
        max_length=LONGEST_NOTE,
        description="Events after the start of treatment, and how each is handled.",
    )
    summary_measure: str = Field(
        default="", max_length=LONGEST_NOTE, description="What is compared between treatments."
    )
