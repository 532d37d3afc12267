"""What a run may cost on this server, estimated before it begins."""

from app.settings import PATIENTS_PER_RUN, PATIENTS_UNASKED, RESULTS_PER_RUN
from gai_core import Study
from gai_core.simulate import patients_at_most


def refusal(study: Study) -> str | None:
    """Why the study may not be run here and what to change, None if it may."""
    settings, cells = study.simulation, len(study.designs) * len(study.truths)
    patients, verdicts = patients_at_most(study), settings.runs * cells * len(study.arms)
    too_much = [
        f"{number:,} {what}, but {limit:,} are the limit here"
        for number, limit, what in (
            (patients, PATIENTS_PER_RUN, "simulated patients"),
            (verdicts, RESULTS_PER_RUN, "verdicts to be kept"),
        )
        if number > limit
    ]
    if not too_much:
        return None
    fewer_runs = min(
        PATIENTS_PER_RUN // (settings.n_max * cells), RESULTS_PER_RUN // (cells * len(study.arms))
    )
    ways = [f"at most {fewer_runs:,} simulated trials"] if fewer_runs else []
    smaller = PATIENTS_PER_RUN // (settings.runs * cells)
    if verdicts <= RESULTS_PER_RUN and smaller > 1:
        ways.append(f"a largest sample size of at most {smaller:,}")
    ways.append("fewer designs or assumed dose-responses")
    return (
        f"This run may need {'; '.join(too_much)}. Choose {', or '.join(ways)}. Or download the "
        "study file and use the command line, which has no such limit: gai run study.toml"
    )


def cheap(study: Study) -> bool:
    """Whether the study is run as soon as it is opened."""
    return patients_at_most(study) <= PATIENTS_UNASKED and refusal(study) is None
