"""Planner for clinical dose-finding trials by good arm identification.

    study = load_study("tofacitinib")
    runs = simulate(study)
    table = characteristics(runs)

A name is loaded when it is first used, so that `import gai_core` takes no time.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gai_core.version import __version__

if TYPE_CHECKING:
    from gai_core.basics import Cancelled, InputError
    from gai_core.criteria import CRITERIA
    from gai_core.engine import Runs, simulate
    from gai_core.results import Analysis, analyse, characteristics, paired_differences
    from gai_core.rules import RULES
    from gai_core.study import Study, dump_study, load_study, parse_study, scenario_names
    from gai_core.theory import bounds, cautions

_ROOMS = {
    "basics": ("Cancelled", "InputError"),
    "criteria": ("CRITERIA",),
    "engine": ("Runs", "simulate"),
    "results": ("Analysis", "analyse", "characteristics", "paired_differences"),
    "rules": ("RULES",),
    "study": ("Study", "dump_study", "load_study", "parse_study", "scenario_names"),
    "theory": ("bounds", "cautions"),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "CRITERIA",
    "RULES",
    "Analysis",
    "Cancelled",
    "InputError",
    "Runs",
    "Study",
    "__version__",
    "analyse",
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


def __getattr__(name: str) -> Any:
    if name not in _ROOM_OF:
        raise AttributeError(f"module 'gai_core' has no attribute {name!r}")
    return getattr(import_module(f"gai_core.{_ROOM_OF[name]}"), name)
