"""What a run may cost on this server, estimated before it begins."""

from gai_app.settings import (
    PATIENTS_PER_RUN,
    PATIENTS_UNASKED,
    RESULTS_PER_RUN,
    ROWS_PER_RUN,
    ROWS_PER_SWEEP,
    ROWS_UNASKED,
    VERDICTS_SHARED,
)
from gai_core import Study
from gai_core.engine import patients_at_most
from gai_core.results import table_rows


def refusal(study: Study) -> str | None:
    """Why the study may not be run here and what to change, None if it may."""
    settings, cells = study.simulation, len(study.designs) * len(study.truths)
    patients, verdicts = patients_at_most(study), settings.runs * cells * len(study.arms)
    rows = table_rows(study)
    too_much = [
        f"{number:,} {what}, but {limit:,} are the limit here"
        for number, limit, what in (
            (patients, PATIENTS_PER_RUN, "simulated patients"),
            (verdicts, RESULTS_PER_RUN, "verdicts to be kept"),
            (rows, ROWS_PER_RUN, "rows of operating characteristics"),
        )
        if number > limit
    ]
    if not too_much:
        return None
    fewer_runs = min(
        PATIENTS_PER_RUN // (settings.n_max * cells), RESULTS_PER_RUN // (cells * len(study.arms))
    )
    ways = []
    if fewer_runs and rows <= ROWS_PER_RUN:
        ways.append(f"at most {fewer_runs:,} simulated trials")
    smaller = PATIENTS_PER_RUN // (settings.runs * cells)
    if rows <= ROWS_PER_RUN and verdicts <= RESULTS_PER_RUN and smaller > 1:
        ways.append(f"a largest sample size of at most {smaller:,}")
    ways.append("fewer designs or assumed dose-responses")
    return (
        f"This run may need {'; '.join(too_much)}. Choose {', or '.join(ways)}. Or download the "
        "study file and use the command line, which has no such limit: gai run study.toml"
    )


def sweep_refusal(study: Study, points: int) -> str | None:
    """Why a grid of so many points may not be swept here, None if it may."""
    each = table_rows(study)
    if each * points <= ROWS_PER_SWEEP:
        return None
    fewer = ROWS_PER_SWEEP // each
    ways = f"at most {fewer:,} points, or " if fewer else ""
    return (
        f"The {points:,} points of this grid have {each * points:,} rows of operating "
        f"characteristics, but {ROWS_PER_SWEEP:,} are the limit here. Choose {ways}fewer designs "
        "or assumed dose-responses. Or use the command line, which has no such limit: gai sweep"
    )


def effort(study: Study) -> float:
    """About how many seconds a run takes: 20 ns a patient at most, and 50 µs a row of its table."""
    return 2e-8 * patients_at_most(study) + 5e-5 * table_rows(study)


def small(study: Study) -> bool:
    """Whether the results of a run may be kept for everybody."""
    cells = len(study.designs) * len(study.truths)
    return study.simulation.runs * cells * len(study.arms) <= VERDICTS_SHARED


def cheap(study: Study) -> bool:
    """Whether the study is run as soon as the session or a link opens it."""
    few_rows = table_rows(study) <= ROWS_UNASKED
    return few_rows and patients_at_most(study) <= PATIENTS_UNASKED and refusal(study) is None
