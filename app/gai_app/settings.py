"""The app's limits and defaults, all in one place; each can be set in the environment.

For example `GAI_APP_PATIENTS_PER_RUN=1000000000 gai app`.
"""

import os

DEFAULT_STUDY = os.environ.get("GAI_APP_STUDY") or "tofacitinib-placebo"
"""Open when the app starts: the name of a shipped study, or the path of a study file."""


def _whole_number(name: str, default: int) -> int:
    text = os.environ.get(f"GAI_APP_{name}", str(default))
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise SystemExit(f"GAI_APP_{name} must be a whole number from 1 on, but is {text!r}")
    return value


CLUSTER = os.environ.get("GAI_APP_CLUSTER") or None
"""Where runs are simulated instead of here: the address of a Dask scheduler (tcp://…)."""
COMPILE_AHEAD = os.environ.get("GAI_APP_COMPILE_AHEAD") != "0"
"""Compile all loops in the background when the server starts; with 0, each when it is needed."""
PATIENTS_PER_RUN = _whole_number("PATIENTS_PER_RUN", 5_000_000_000)
"""Simulated patients that one run may need at most: a minute or two on two cores."""
RESULTS_PER_RUN = _whole_number("RESULTS_PER_RUN", 10_000_000)
"""Verdicts that one run may keep (trials x designs x truths x arms): about 200 MB."""
PATIENTS_UNASKED = _whole_number("PATIENTS_UNASKED", 10_000_000)
"""A study that needs no more than this is run as soon as a session or a link opens it."""
PATIENTS_SEARCHED_UNASKED = _whole_number("PATIENTS_SEARCHED_UNASKED", 100_000_000)
"""The search for the patients that 80% takes begins without a click if it needs no more."""
ROWS_PER_RUN = _whole_number("ROWS_PER_RUN", 300_000)
"""Rows of operating characteristics that one run may have: half a minute to compute."""
ROWS_UNASKED = _whole_number("ROWS_UNASKED", 20_000)
"""The same for a study that is run without a click."""
PATIENTS_PER_TRY = _whole_number("PATIENTS_PER_TRY", 5_000_000_000)
"""Simulated patients that one value of a plan may need at most: as for a run."""
MCP_MOD_TRIALS = _whole_number("MCP_MOD_TRIALS", 20_000)
"""Trials under every assumption that MCP-Mod is asked of: the first ones of the study."""
POINTS_PER_SWEEP = _whole_number("POINTS_PER_SWEEP", 400)
"""Points of a grid."""
PATIENTS_PER_SWEEP = _whole_number("PATIENTS_PER_SWEEP", 5_000_000_000)
"""Simulated patients that all points of a grid may need at most."""
ROWS_PER_SWEEP = _whole_number("ROWS_PER_SWEEP", 1_000_000)
"""Rows of operating characteristics of all points: a minute or two to compute, about 10 MB."""
JOBS_AT_ONCE = _whole_number("JOBS_AT_ONCE", 3)
"""Jobs that compute at the same time; others wait for their turn. One place is for short ones."""
DRAWN_AT_ONCE = _whole_number("DRAWN_AT_ONCE", 2)
"""Pages that are drawn at the same time; Python computes in one thread at a time anyway."""
SECONDS_AWAY = _whole_number("SECONDS_AWAY", 5)
"""A job whose browser has been gone for so long is cancelled."""
REPLAYED_SCORES = _whole_number("REPLAYED_SCORES", 5_000_000)
"""Patients times doses of a trial that can be replayed: a few seconds."""
RUNS_PER_SESSION = _whole_number("RUNS_PER_SESSION", 4)
"""Finished runs that a session keeps, and how many more it may pin."""
STUDIES_PER_SESSION = _whole_number("STUDIES_PER_SESSION", 8)
"""Studies that a session has open side by side."""
ANSWERS_SHARED = _whole_number("ANSWERS_SHARED", 12)
"""Answers that the server keeps for everybody, so that nobody waits for the same one twice."""
VERDICTS_SHARED = _whole_number("VERDICTS_SHARED", 500_000)
"""Verdicts of a run that may be among these; a larger one belongs to its session alone."""
LINK_CHARACTERS = _whole_number("LINK_CHARACTERS", 16_000)
"""Longest study in a link; browsers and mail programs cut longer ones."""
LINK_BYTES = _whole_number("LINK_BYTES", 100_000)
"""Largest study file that a link may unfold into."""
UPLOAD_BYTES = _whole_number("UPLOAD_BYTES", 500_000)
"""Largest uploaded study file."""
DESK_BYTES = _whole_number("DESK_BYTES", 20_000_000)
"""All studies of a session with their steps, as the browser's tab keeps them for a reload."""
DESK_PARTS = _whole_number("DESK_PARTS", 1_000_000)
"""Their values, lists and tables: a reader's memory grows with these, not with the bytes."""
EXACT_COUNTS = _whole_number("EXACT_COUNTS", 2_000)
"""Patients on an arm up to which exact errors are computed without being asked."""
