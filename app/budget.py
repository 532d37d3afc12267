"""What a run may cost on this server, estimated before it begins."""

from app.settings import PATIENTS_PER_RUN, PATIENTS_UNASKED, RESULTS_PER_RUN
from gai_core import Study
from gai_core.simulate import patients_at_most


def refusal(study: Study) -> str | None:
    """Why the study may not be run here and what to change, None if it may."""
    settings, cells = study.simulation, len(study.designs) * len(study.truths)
    patients = patients_at_most(study)
    per_trial = len(study.arms) * cells
    allowed = RESULTS_PER_RUN // per_trial
    if patients > PATIENTS_PER_RUN:
        fewer_runs = PATIENTS_PER_RUN // (settings.n_max * cells)
        smaller = PATIENTS_PER_RUN // (settings.runs * cells)
        return _advice(
            f"This run may need {patients:,} simulated patients, but {PATIENTS_PER_RUN:,} are the "
            "limit here.",
            [
                f"at most {fewer_runs:,} simulated trials" if fewer_runs else "",
                f"a largest sample size of at most {smaller:,}" if smaller > 1 else "",
            ],
        )
    if settings.runs > allowed:
        return _advice(
            f"This run would keep {settings.runs * per_trial:,} verdicts, but {RESULTS_PER_RUN:,} "
            "are the limit here.",
            [f"at most {allowed:,} simulated trials"],
        )
    return None


def _advice(what: str, ways: list[str]) -> str:
    choices = [*filter(None, ways), "fewer designs or assumed dose-responses"]
    return (
        f"{what} Choose {', or '.join(choices)}. Or download the study file and use the command "
        "line, which has no such limit: gai run study.toml"
    )


def cheap(study: Study) -> bool:
    """Whether the study is run as soon as it is opened."""
    return patients_at_most(study) <= PATIENTS_UNASKED and refusal(study) is None
