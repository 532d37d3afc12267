"""Ready-made designs: the paper's, the fixed benchmark, and the tight ones."""

from gai_core.criteria import CRITERIA
from gai_core.study.study import Design, Study


def fixed(study: Study) -> Design:
    """Equal allocation, and one exact test of every arm when all patients are in."""
    per_arm = study.most_on_candidates // len(study.candidates)
    limit = study.outcome.largest_calibration
    return Design(
        name="Fixed",
        rule="equal",
        criterion="exact",
        criterion_parameters={"looks": "end"} | ({"largest": limit} if per_arm > limit else {}),
        burn_in=1,
    )


def sensible(study: Study) -> list[Design]:
    """A short list worth simulating: the paper's, the benchmark, and what needs fewer patients."""
    limit = study.outcome.largest_calibration
    exact = {"largest": limit} if study.most_on_candidates > limit else {}
    burn_in = max(1, min(5, study.most_on_candidates // len(study.candidates)))

    def design(name: str, rule: str, criterion: str, **parameters: object) -> Design:
        return Design(
            name=name,
            rule=rule,
            criterion=criterion,
            criterion_parameters=parameters,
            burn_in=burn_in,
        )

    ready = [
        design("HDoC, the paper's", "hdoc", "union"),
        fixed(study),
        design("Equal, exact", "equal", "exact", **exact),
        design("HDoC, mixture", "hdoc", "mixture"),
        design("Nearest finish, mixture", "nearest-finish", "mixture"),
        design("HDoC, exact", "hdoc", "exact", **exact),
        design("Nearest finish, exact", "nearest-finish", "exact", **exact),
        design("Thompson, exact", "thompson", "exact", **exact),
    ]
    kind = study.outcome.kind
    return [entry for entry in ready if kind in CRITERIA[entry.criterion].outcomes]
