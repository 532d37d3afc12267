"""Whether everything is there."""

import importlib
import platform
import sys
from importlib import metadata

from gai_core.study import load_study, scenario_names
from gai_core.validation.check import Check, Effort, Found
from gai_core.version import LIBRARIES, __version__

LEAST_PYTHON = (3, 11)


def _libraries(_effort: Effort) -> Found:
    missing = []
    for name in LIBRARIES:
        try:
            importlib.import_module(name)
        except ImportError:
            missing.append(name)
    if missing:
        return Found(False, f"cannot be loaded: {', '.join(missing)}")
    if sys.version_info < LEAST_PYTHON:
        return Found(False, f"Python is {platform.python_version()}")
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in LIBRARIES)
    return Found(True, f"gai-planner {__version__}, Python {platform.python_version()}, {versions}")


def _shipped_studies(_effort: Effort) -> Found:
    names = scenario_names()
    designs = sum(len(load_study(name).designs) for name in names)
    return Found(len(names) > 0, f"{len(names)} studies with {designs} designs are valid")


LIBRARIES_THERE = Check(
    key="libraries",
    test="Load every library that the numbers depend on.",
    expected=f"all are there, and Python is {'.'.join(map(str, LEAST_PYTHON))} or newer",
    run=_libraries,
)
SHIPPED_STUDIES = Check(
    key="shipped-studies",
    test="Read every shipped study, with all rules of validation.",
    expected="every study is valid",
    run=_shipped_studies,
)
