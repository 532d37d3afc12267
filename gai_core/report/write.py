"""Report -> file, in the format of the name's ending, whole or not at all."""

from collections.abc import Callable
from pathlib import Path

from gai_core.basics import InputError, check_new, written_whole
from gai_core.report.content import Report
from gai_core.report.html import html
from gai_core.report.pdf import pdf
from gai_core.report.word import docx

FORMATS: dict[str, Callable[[Report], bytes]] = {".html": html, ".pdf": pdf, ".docx": docx}


def check_report(path: Path, *, force: bool = False) -> None:
    """Before long work: refuse a name that no report can have, or that is taken."""
    if path.suffix.lower() not in FORMATS:
        rule = f"a report's name must end in {', '.join(FORMATS)}"
        raise InputError(rule, source=str(path))
    check_new(path, force=force)


def write_report(report: Report, path: Path | str, *, force: bool = False) -> None:
    """Write the report; an existing file is replaced only with `force`."""
    path = Path(path)
    check_report(path, force=force)
    content = FORMATS[path.suffix.lower()](report)
    with written_whole(path) as draft:
        draft.write_bytes(content)
