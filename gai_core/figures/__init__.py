"""Figures drawn with Matplotlib, for files and reports, from the data that the screen shows too."""

from gai_core.figures.boundaries import draw_boundaries
from gai_core.figures.frontier import draw_frontier
from gai_core.figures.months import draw_enrolment, draw_month_declarations, draw_verdict_months
from gai_core.figures.results import draw_declarations, draw_patients, draw_times, draw_verdicts
from gai_core.figures.study import draw_dose_response
from gai_core.figures.style import COLOURS, check_format, picture, write_figure
from gai_core.figures.sweeps import draw_sweep
from gai_core.figures.trial import LAST_DRAWN, draw_trial

__all__ = [
    "COLOURS",
    "LAST_DRAWN",
    "check_format",
    "draw_boundaries",
    "draw_declarations",
    "draw_dose_response",
    "draw_enrolment",
    "draw_frontier",
    "draw_month_declarations",
    "draw_patients",
    "draw_sweep",
    "draw_times",
    "draw_trial",
    "draw_verdict_months",
    "draw_verdicts",
    "picture",
    "write_figure",
]
