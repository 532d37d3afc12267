"""Study and runs -> one Report; one small writer per format."""

from gai_core.report.build import build_report
from gai_core.report.content import (
    PAPERS,
    Block,
    Heading,
    Layout,
    Paper,
    Paragraph,
    Report,
    Section,
    Table,
)
from gai_core.report.sections import SECTIONS, ReportSection
from gai_core.report.tables import TABLE_FORMATS, TableFormat
from gai_core.report.write import FORMATS, Format, check_report, write_report

__all__ = [
    "FORMATS",
    "PAPERS",
    "SECTIONS",
    "TABLE_FORMATS",
    "Block",
    "Format",
    "Heading",
    "Layout",
    "Paper",
    "Paragraph",
    "Report",
    "ReportSection",
    "Section",
    "Table",
    "TableFormat",
    "build_report",
    "check_report",
    "write_report",
]
