"""What can be chosen of calibrated limits."""

from typing import Literal

from pydantic import Field, PositiveInt

from gai_core.basics import (
    Parameters,
    choices_in_words,
    declaring,
    matters_if,
    of_evidence,
    searched,
)
from gai_core.criteria.boundary_shapes import SHAPES
from gai_core.criteria.looks import LookNumbers
from gai_core.criteria.posterior import USUAL_PRIOR_PATIENTS
from gai_core.criteria.step_down import STEP_DOWN, WORDS

USUAL_EXPONENT = 0.4


class ExactParameters(Parameters):
    """Shape of the curves, how the error is shared, when an arm is looked at."""

    shape: Literal["pocock", "obrien-fleming", "wang-tsiatis", "mixture", "posterior"] = Field(
        default="pocock",
        title="How strict early looks are",
        json_schema_extra=choices_in_words({key: shape.words for key, shape in SHAPES.items()}),
        description="Early looks: as strict as late ones, very strict, or between.",
    )
    exponent: float = Field(
        default=USUAL_EXPONENT,
        ge=0,
        le=0.5,
        title="Exponent: from 0, early looks very strict, to 0.5, as strict as late ones",
        description="Shape wang-tsiatis: 0.5 is pocock and 0 obrien-fleming; between them for "
        "trials that should end early, but not at any price.",
        json_schema_extra=matters_if(shape="wang-tsiatis")
        | searched(0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45),
    )
    share: Literal["bonferroni", "sidak", "dunnett", "budget", "step-down"] = Field(
        default="bonferroni",
        title="Error allowed to one dose",
        json_schema_extra=choices_in_words(
            {
                "bonferroni": "equal parts of the error rate (Bonferroni)",
                "sidak": "a little more, as doses are independent (Sidak)",
                "dunnett": "a little more, as all are compared with the same controls (Dunnett)",
                "budget": "more still, as doses share the patients (responses only)",
                STEP_DOWN: WORDS,
            }
        ),
        description="Error of one arm: delta/K, or 1-(1-delta)^(1/K) as the arms are independent; "
        "dunnett: scores of known variance against the concurrent control, equal allocation, one "
        "look at the end; budget: all arms together keep delta because they share n_max patients; "
        "step-down: alpha/(K-j) after j declarations, beta/(K-j) after j drops.",
    )
    compared: Literal["pairs", "samples"] = Field(
        default="pairs",
        title="Dose and control compared",
        json_schema_extra=choices_in_words(
            {
                "pairs": "pair by pair, as the study counts pairs",
                "samples": "as two samples (z-test, one rate of the control throughout)",
            }
        )
        | of_evidence("likelihood")
        | searched(),  # it rests on a further assumption
        description='samples: where target.evidence is "likelihood": limits on the pooled z, with '
        "a margin on the score z, calibrated exactly for the worst rate of the control, if that is "
        "one rate throughout.",
    )
    looks: LookNumbers = Field(
        default=1,
        title="Looks at a dose",
        json_schema_extra=searched(
            1, 2, 3, 5, 8, 12, *({"equal": looks} for looks in (2, 3, 4, 5, 6, 8, 10)), "end"
        ),
        description="Judged after every so many patients, at these numbers, at the end, or so many "
        "times at equal distances: { equal = 4 }.",
    )
    declare_from: float = Field(
        default=0.0,
        ge=0,
        le=1,
        title="Declared from this share of the last look on",
        json_schema_extra=searched(0.0, 0.5, 0.75, 1.0) | declaring(),
        description="Looks before this share of the last one can only drop a dose, and cost no "
        "error: 1 is one test at the end, with looks for futility before it.",
    )
    largest: PositiveInt | None = Field(
        default=None,
        title="Patients on one dose at most",
        json_schema_extra=searched(),  # as a share it follows n_max
        description="Patients on an arm at most, if less than n_max. Not with a list of looks.",
    )
    largest_share: float | None = Field(
        default=None,
        ge=1,
        le=100,
        title="Patients on one dose at most, in equal shares",
        json_schema_extra=searched(None, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.5, 3.0, 4.0),
        description="Instead of largest: as a multiple of n_max/K, so that it grows with n_max.",
    )
    up_to: Literal["n_max", "possible"] = Field(
        default="n_max",
        title="Patients on one dose that limits are made for",
        json_schema_extra=choices_in_words(
            {
                "n_max": "all patients of the trial",
                "possible": "as many as one dose can get: all less the burn-in of the others",
            }
        ),
        description="Where largest and largest_share leave more: n_max, or n_max - (K-1) burn_in.",
    )
    prior_patients: float = Field(
        default=USUAL_PRIOR_PATIENTS,
        ge=0.01,
        le=1e4,
        title="Patients that the prior is worth",
        description="Shape posterior: weight of the prior, which is centred on the target.",
        json_schema_extra=matters_if(shape="posterior") | searched(0.5, 2.0, 5.0, 10.0, 20.0),
    )

    @property
    def budgeted(self) -> bool:
        """Whether doses share the error as they share the patients."""
        return self.share == "budget"

    @property
    def by_samples(self) -> bool:
        """Whether dose and control are compared as two samples."""
        return self.compared == "samples"

    @property
    def once_at_end(self) -> bool:
        """Whether every arm is judged once, when it has all its patients."""
        return self.looks == "end"
