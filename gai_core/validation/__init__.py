"""Requirement, risk, test, result: what a quality department files about an installation."""

from gai_core.validation.check import Check, Effort, Found
from gai_core.validation.checks import CHECKS
from gai_core.validation.documents import (
    check_new_folder,
    outcome_in_words,
    results_table,
    validation_report,
    write_validation,
)
from gai_core.validation.requirement import Requirement, requirements
from gai_core.validation.validating import Validation, run_check, validate

__all__ = [
    "CHECKS",
    "Check",
    "Effort",
    "Found",
    "Requirement",
    "Validation",
    "check_new_folder",
    "outcome_in_words",
    "requirements",
    "results_table",
    "run_check",
    "validate",
    "validation_report",
    "write_validation",
]
