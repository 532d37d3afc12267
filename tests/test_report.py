"""Reports as they are written: opened again, complete, the same numbers in every format."""

import errno
import functools
import io
import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from string import ascii_uppercase

import pytest
from conftest import make_study
from docx import Document
from reports import Page, in_words, squeezed, text_of

from gai_core import InputError, Runs, Study, bounds, characteristics, simulate
from gai_core.report import FORMATS, Report, build_report, check_report, write_report
from gai_core.report.content import Numbered, Picture, Table
from gai_core.report.tables import TABLE_FORMATS
from gai_core.results.summary import Values, chances_table, times_table

LABELS = [
    "placebo", "α-blocker 10 µg/kg", "用量 二十ミリグラム", "<script>alert(1)</script>",
    "a & b < c", "50% of #1 $5 $x^2$", "under_score ^caret ~tilde {brace} \\back",
    "[link](http://x) *bold*",
    "L" * 118, "'quoted' \"double\"", "é ü ñ ø Ω ≤ ≥", "end",
]  # fmt: skip


def hostile(**changes: object) -> Study:
    """Twelve arms with labels that mean something to HTML, LaTeX, Markdown, typst or Word."""
    data: dict[str, object] = {
        "title": "Title <b>x</b> & 日本語 $x$ % # _",
        "source": "Source <i>x</i> & $y$\nsecond line\x07",
        "outcome": {"kind": "bernoulli", "endpoint": "ACR20 <b>β</b> $z$"},
        "simulation": {"runs": 30, "n_max": 300, "seed": 1},
        "arms": [{"label": label, "control": i == 0} for i, label in enumerate(LABELS)],
        "truths": [
            {"name": "公表 <script>", "means": [0.1 + 0.06 * i for i in range(12)], "note": "&"},
            {"name": "null % # $", "means": [0.1] * 12},
        ],
        "designs": [
            {"name": "A <script> & 設計 $q$", "rule": "hdoc"},
            {"name": "Fixed", "rule": "equal", "criterion": "exact", "burn_in": 1,
             "criterion_parameters": {"looks": "end"}},
        ],
    }  # fmt: skip
    return make_study(**(data | changes))


STUDIES: dict[str, Callable[[], Study]] = {
    "hostile": hostile,
    "one run, no good arm, an arm at the target": lambda: hostile(
        simulation={"runs": 1, "n_max": 60, "seed": 1},
        truths=[{"name": "none", "means": [0.1] * 12}, {"name": "at", "means": [0.5] * 12}],
    ),
    "score": lambda: make_study(
        outcome={"kind": "gaussian", "variance": 1.44},
        threshold=1.2,
        truths=[{"name": "rising", "means": [0.5, 1.2, 1.8]}],
        simulation={"runs": 20, "n_max": 200, "seed": 2},
    ),
}


@pytest.fixture(scope="module", params=STUDIES)
def runs(request: pytest.FixtureRequest) -> Runs:
    return simulate(STUDIES[request.param]())


@pytest.fixture(scope="module")
def report(runs: Runs) -> Report:
    return build_report(runs, date="2026-01-31", full=True)


@pytest.fixture(scope="module")
def file(report: Report) -> Callable[[str], bytes]:
    """The report as a file of a format, written once."""
    return functools.cache(lambda ending: FORMATS[ending].write(report))


@pytest.fixture(scope="module", params=FORMATS)
def written(request: pytest.FixtureRequest, file: Callable[[str], bytes]) -> tuple[str, str]:
    """Format and text of the report."""
    return request.param, squeezed(text_of(request.param, file(request.param)))


def numbers_and_titles(report: Report) -> tuple[list[str], list[str]]:
    """The headings of the sections, and of the appendices."""
    return (
        [f"{i} {part.title}" for i, part in enumerate(report.sections, start=1)],
        [f"{ascii_uppercase[i]} {part.title}" for i, part in enumerate(report.appendix)],
    )


def test_every_format_has_all_sections_in_order(written: tuple[str, str], report: Report) -> None:
    _, text = written
    place, (body, appendix) = 0, numbers_and_titles(report)
    assert len(body) > 15
    assert len(appendix) > 5
    for heading in map(squeezed, (*body, *appendix)):
        assert heading in text[place:], heading
        place = text.index(heading, place)


def test_every_format_has_the_numbers_of_the_tidy_table(
    runs: Runs, written: tuple[str, str]
) -> None:
    _, text = written
    study, values = runs.study, Values(characteristics(runs))
    shown = 0
    for truth in study.truths:
        for words in (
            chances_table(study, truth, values),
            times_table(study, truth, values, bounds(study)),
        ):
            for cell in (cell for row in words.rows for cell in row[1:]):
                assert squeezed(cell) in text
                shown += any(char.isdigit() for char in cell)
    assert shown > 5


def test_every_format_shows_labels_as_they_are(runs: Runs, written: tuple[str, str]) -> None:
    _, text = written
    study = runs.study
    for label in (
        study.title,
        *(arm.label for arm in study.arms),
        *(d.name for d in study.designs),
    ):
        assert squeezed(label) in text, label


def test_no_format_says_nan_or_inf(written: tuple[str, str], report: Report) -> None:
    for block in report.blocks:
        if isinstance(block, Table):
            cells = " ".join(cell for row in block.rows for cell in row)
            assert not re.search(r"\b(nan|inf)\b", cells), block.caption
    assert "nan," not in written[1]


def test_the_page_needs_no_network_and_runs_no_script(
    report: Report, file: Callable[[str], bytes]
) -> None:
    page = Page(file(".html").decode())
    assert "script" not in page.tags
    assert all(reference.startswith(("#", "data:image/svg+xml")) for reference in page.references)
    pictures = sum(isinstance(block, Picture) for block in report.blocks)
    assert page.tags.count("img") == pictures > 4


def test_the_document_has_real_headings_tables_and_captions(
    report: Report, file: Callable[[str], bytes]
) -> None:
    document = Document(io.BytesIO(file(".docx")))
    headings = [p.text for p in document.paragraphs if p.style.name == "Heading 1"]
    body, appendix = numbers_and_titles(report)
    assert headings == body
    letters = [p.text for p in document.paragraphs if p.style.name == "Appendix heading"]
    assert letters == appendix
    blocks = list(report.blocks)
    assert len(document.tables) == sum(isinstance(block, Table) for block in blocks)
    assert len(document.inline_shapes) == sum(isinstance(block, Picture) for block in blocks)
    captions = [p.text for p in document.paragraphs if p.style.name == "Caption"]
    assert any(text.startswith("Figure ") for text in captions)


def test_the_same_runs_give_the_same_bytes(runs: Runs, file: Callable[[str], bytes]) -> None:
    again = build_report(simulate(runs.study, threads=1), date="2026-01-31", full=True)
    assert FORMATS[".html"].write(again) == file(".html")
    values, limits = characteristics(runs), bounds(runs.study)
    for form in TABLE_FORMATS.values():
        first = form.write(runs.study, values, limits)
        assert first == form.write(runs.study, characteristics(simulate(runs.study)), limits)


def test_tables_escape_what_their_language_would_read() -> None:
    runs = simulate(hostile())
    values, limits = characteristics(runs), bounds(runs.study)
    markdown = TABLE_FORMATS["md"].write(runs.study, values, limits)
    assert r"\<script\>alert(1)\</script\>" in markdown
    assert r"50% of \#1 \$5 \$x^2\$" in markdown
    latex = TABLE_FORMATS["latex"].write(runs.study, values, limits)
    assert r"50\% of \#1 \$5 \$x\textasciicircum{}2\$" in latex
    assert r"\textless{}script\textgreater{}" in latex
    drawn = re.findall(r"\\begin\{tabular\}\{l(r+)\}(.*?)\\end\{tabular\}", latex, re.DOTALL)
    assert len(drawn) == latex.count(r"\caption") > 4
    for columns, body in drawn:
        lines = [line for line in body.splitlines() if line.endswith(r"\\")]
        assert len(lines) > 1
        assert {line.count(" & ") for line in lines} == {len(columns)}


def test_the_checklist_points_to_sections_that_are_there(report: Report) -> None:
    (table,) = [block for block in report.sections[-1].blocks if isinstance(block, Table)]
    words = Numbered(report).words
    places = [row[2] for row in table.rows if row[2] not in ("not addressed", "first page")]
    assert len(places) >= 10
    for place in map(words, places):
        number, _, name = place.removeprefix("section ").partition(", ")
        assert report.sections[int(number) - 1].title == name


def test_hashes_of_the_report_are_those_of_study_and_results(runs: Runs, report: Report) -> None:
    import hashlib

    from gai_core import dump_study

    text = str(next(part for part in report.sections if part.title == "How to recreate"))
    table = characteristics(runs).to_csv(index=False, lineterminator="\n")
    for content in (dump_study(runs.study), table):
        assert hashlib.sha256(content.encode()).hexdigest() in text


def test_an_existing_report_is_replaced_only_when_forced(tmp_path: Path, report: Report) -> None:
    path = tmp_path / "report.html"
    path.write_text("before")
    with pytest.raises(InputError, match="exists already; force replaces it"):
        write_report(report, path)
    assert path.read_text() == "before"
    write_report(report, path, force=True)
    assert path.read_bytes().startswith(b"<!DOCTYPE html>")


def test_a_report_needs_an_ending_that_names_a_format(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"must end in \.html, \.pdf, \.docx"):
        check_report(tmp_path / "report.odt")
    with pytest.raises(InputError, match="cannot be written"):
        check_report(tmp_path / "no" / "report.pdf")


@pytest.mark.parametrize("ending", FORMATS)
def test_a_full_disk_leaves_nothing_behind(
    tmp_path: Path,
    report: Report,
    file: Callable[[str], bytes],
    ending: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(_path: Path, _content: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    content = file(ending)
    ready = replace(FORMATS[ending], write=lambda _report: content)
    monkeypatch.setattr(Path, "write_bytes", full)
    monkeypatch.setitem(FORMATS._entries, ending, ready)
    with pytest.raises(InputError, match="No space left"):
        write_report(report, tmp_path / f"report{ending}")
    assert list(tmp_path.iterdir()) == []


def test_the_summary_names_the_soonest_design_its_chance_and_the_bound() -> None:
    designs = [{"name": "HDoC", "rule": "hdoc"}, {"name": "Equal", "rule": "equal"}]
    runs = simulate(make_study(designs=designs))
    text = in_words(build_report(runs))[1]
    value, _ = Values(characteristics(runs))("steep", "HDoC", "tau_1", "restricted_mean")
    assert "HDoC declares a dose soonest" in text
    assert f"{value:,.0f}" in text or f"{value:,.1f}" in text
    lower = bounds(runs.study)
    (sharper,) = lower[(lower.quantity == "tau_1") & (lower.bound == "sharper")].value
    assert math.isfinite(sharper)
    assert f"{sharper:,.1f}" in text
