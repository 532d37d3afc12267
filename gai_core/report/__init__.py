"""Study and runs -> one Report; one small writer per format."""

from gai_core.report.build import build_report
from gai_core.report.content import Report
from gai_core.report.sections import SECTIONS, ReportSection
from gai_core.report.write import FORMATS, Format, check_report, write_report

__all__ = [
    "FORMATS",
    "SECTIONS",
    "Format",
    "Report",
    "ReportSection",
    "build_report",
    "check_report",
    "write_report",
]
