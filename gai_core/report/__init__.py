"""Study and runs -> one Report; one small writer per format."""

from gai_core.report.build import build_report
from gai_core.report.content import Report
from gai_core.report.write import FORMATS, check_report, write_report

__all__ = ["FORMATS", "Report", "build_report", "check_report", "write_report"]
