"""Planner for clinical dose-finding trials by good arm identification."""

from gai_core.bounds import bounds, cautions
from gai_core.characteristics import characteristics, paired_differences
from gai_core.criteria import CRITERIA
from gai_core.errors import Cancelled, InputError
from gai_core.files import dump_study, load_study, parse_study, scenario_names
from gai_core.rules import RULES
from gai_core.simulate import simulate
from gai_core.study import Study
from gai_core.trials import Runs
from gai_core.version import __version__

__all__ = [
    "CRITERIA",
    "RULES",
    "Cancelled",
    "InputError",
    "Runs",
    "Study",
    "__version__",
    "bounds",
    "cautions",
    "characteristics",
    "dump_study",
    "load_study",
    "paired_differences",
    "parse_study",
    "scenario_names",
    "simulate",
]
