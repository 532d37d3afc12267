"""Report -> file, in the format of the name's ending, whole or not at all."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gai_core.basics import InputError, Registry, check_new, written_whole
from gai_core.report.content import Layout, Report
from gai_core.report.html import html
from gai_core.report.pdf import pdf
from gai_core.report.word import docx
from gai_core.report.word_pages import check_template


@dataclass(frozen=True)
class Format:
    """A format of reports: a file's ending, its name for people and for browsers, its writer."""

    key: str
    """The ending, in small letters, with its dot."""
    label: str
    mime: str
    write: Callable[[Report], bytes]


WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
FORMATS = Registry(
    "report format",
    [
        Format(".html", "web page", "text/html", html),
        Format(".pdf", "PDF", "application/pdf", pdf),
        Format(".docx", "Word", WORD, docx),
    ],
)


def check_report(path: Path, *, force: bool = False, layout: Layout | None = None) -> None:
    """Before long work: refuse a name that no report can have, or that is taken; a bad template."""
    if path.suffix.lower() not in FORMATS:
        rule = f"a report's name must end in {', '.join(FORMATS)}"
        raise InputError(rule, source=str(path))
    if layout is not None:
        check_template(layout)
    check_new(path, force=force)


def write_report(report: Report, path: Path | str, *, force: bool = False) -> None:
    """Write the report; an existing file is replaced only with `force`."""
    path = Path(path)
    check_report(path, force=force)
    content = FORMATS[path.suffix.lower()].write(report)
    with written_whole(path) as draft:
        draft.write_bytes(content)
