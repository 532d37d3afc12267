"""The form of a report: paper, fields, outline, references, what was and was not searched."""

import io
import os
import re
import zipfile
from collections.abc import Iterator
from html import escape
from pathlib import Path

import pytest
from conducted import FIXED, HDOC, USUAL, conducted_study
from docx import Document
from docx.enum.table import WD_TABLE_ALIGNMENT
from docx.oxml.ns import qn
from docx.shared import Mm
from pypdf import PdfReader
from reports import Page, texts

from gai_core import CRITERIA, RULES, InputError, simulate
from gai_core.criteria import ONLY_DROPPING
from gai_core.questions import Wish, advice_on, equal_power
from gai_core.report import FORMATS, Layout, Report, build_report, check_report, word_pages
from gai_core.report.content import Numbered, Paragraph, Picture, Table, refer
from gai_core.report.formulas import WORDS, Fraction, Root, Row, Text, in_a_line, parsed, pieces
from gai_core.report.mathml import mathml
from gai_core.report.methods import symbols
from gai_core.report.widths import column_letters
from gai_core.report.word_math import office_math
from gai_core.results import Analysis, analyse
from gai_core.study import parse_study

ZEROS, ONE_BYTE = (size.to_bytes(4, "little") for size in (word_pages.LARGEST_UNPACKED, 1))
"""How long a part of a ZIP is, in its heads."""
FORMULAS = [entry.formula for entry in (*RULES.values(), *CRITERIA.values())]


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return analyse(simulate(conducted_study(USUAL, designs=[HDOC, FIXED], wanted=None)))


@pytest.fixture(scope="module")
def report(analysis: Analysis) -> Report:
    wide = Table("Wide", tuple("abcdefghijkl"), (tuple("123456789012"),), "wide")
    built = build_report(analysis, date="2026-01-31", layout=Layout("letter"))
    first, *others = built.sections
    more = first._replace(blocks=(*first.blocks, wide, Paragraph(f"See {refer('wide')}.")))
    return built._replace(sections=(more, *others))


@pytest.fixture(scope="module")
def word(report: Report) -> bytes:
    return FORMATS[".docx"].write(report)


def test_tables_and_figures_are_counted_through_the_whole_report(report: Report) -> None:
    numbered = Numbered(report)
    labels = [s.label for part in (numbered.first, *numbered.parts) for s in part.blocks if s.label]
    for kind, block in (("Table", Table), ("Figure", Picture)):
        count = sum(isinstance(found, block) for found in report.blocks)
        assert [label for label in labels if label.startswith(kind)] == [
            f"{kind} {i}" for i in range(1, count + 1)
        ]
    assert "what this report does not have" not in " ".join(texts(report))


def test_a_word_file_has_paper_fields_dates_and_turned_pages(report: Report, word: bytes) -> None:
    document = Document(io.BytesIO(word))
    assert document.core_properties.created.date().isoformat() == "2026-01-31"
    upright, turned, *_ = document.sections
    assert abs(upright.page_width - Mm(215.9)) < Mm(0.1)
    assert abs(turned.page_width - Mm(279.4)) < Mm(0.1)
    xml = zipfile.ZipFile(io.BytesIO(word)).read("word/document.xml").decode()
    codes = re.findall(r"<w:instrText[^>]*> ?([^<]*?) ?</w:instrText>", xml)
    for code in ("TOC ", "SEQ Table", "SEQ Figure", "SEQ section", "PAGEREF "):
        assert any(found.startswith(code) for found in codes), code
    names = re.findall(r'w:bookmarkStart [^>]*w:name="([^"]+)"', xml)
    assert len(set(names)) == len(names)
    for code in codes:
        kind, name, *_ = code.split()
        assert kind not in ("REF", "PAGEREF") or name in names, code
    text_width = upright.page_width - upright.left_margin - upright.right_margin
    assert all(shape.width <= text_width for shape in document.inline_shapes)
    below = document.sections[0].footer.paragraphs[0]._p.xml
    assert "NUMPAGES" in below
    assert report.title in document.sections[0].header.paragraphs[0].text
    for table in document.tables:  # within the text, its parts in the order that Word asks for
        assert table.alignment == WD_TABLE_ALIGNMENT.CENTER
        parts = [child.tag for child in table._tbl.tblPr]
        assert parts.index(qn("w:tblCellMar")) < parts.index(qn("w:tblLook"))


def test_commands_are_set_apart_and_announcements_stay_with_what_they_announce(
    report: Report, word: bytes
) -> None:
    document = Document(io.BytesIO(word))
    runs = [run for paragraph in document.paragraphs for run in paragraph.runs]
    commands = [run.text for run in runs if run.style.name == "Command"]
    assert "gai run study.toml --csv characteristics.csv" in commands
    page = FORMATS[".html"].write(report).decode()
    assert [f"<code>{escape(command)}</code>" in page for command in commands] == [True] * len(
        commands
    )
    written = " ".join(p.text for p in document.paragraphs) + Page(page).text
    assert "`" not in written
    announced = [p for p in document.paragraphs if p.text.endswith(":")]
    assert "A text to adapt for the charter:" in [p.text for p in announced]
    assert all(p.paragraph_format.keep_with_next for p in announced)
    assert page.count('<p class="leads">') == len(announced)


def test_a_number_stays_in_its_line_and_a_short_table_on_its_page(report: Report) -> None:
    cells = ("5 mg", "0.592", "117", "+0.096 ± 0.004", "100% (> 99.57%)", "0.2219 ± 0.0008")
    table = Table("Estimates", ("dose", "true response rate", *"abcd"), (cells,))
    numbered = Numbered(report)
    letters = column_letters(table, numbered)
    assert all(room > len(cell) for room, cell in zip(letters, cells, strict=True))
    assert table.short
    assert table._replace(rows=(cells,) * 18).short
    assert not table._replace(rows=(cells,) * 19).short
    assert not table._replace(rows=(("many words " * 20, *cells[1:]),) * 3).short
    page = FORMATS[".html"].write(report._replace(first=(table,), sections=(), appendix=()))
    assert '<td class="number">+0.096 ± 0.004</td>' in page.decode()
    assert '<div class="wide short">' in page.decode()


def test_a_template_gives_its_styles_and_keeps_its_footer(
    analysis: Analysis, tmp_path: Path
) -> None:
    template = Document()
    template.add_paragraph("text of the template")
    template.styles["Normal"].font.name = "Georgia"
    template.sections[0].footer.paragraphs[0].text = "Company, confidential"
    path = tmp_path / "template.docx"
    template.save(str(path))
    report = build_report(analysis, layout=Layout(template=path))
    found = Document(io.BytesIO(FORMATS[".docx"].write(report)))
    assert found.styles["Normal"].font.name == "Georgia"
    assert found.sections[0].footer.paragraphs[0].text == "Company, confidential"
    assert "text of the template" not in "".join(p.text for p in found.paragraphs)
    for content in (b"no document", None):
        if content is None:
            path.unlink()
        else:
            path.write_bytes(content)
        with pytest.raises(InputError, match=r"must be a Word document|cannot be read"):
            check_report(tmp_path / "report.docx", layout=Layout(template=path))


def test_a_template_is_read_within_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusal(template: Path) -> str:
        with pytest.raises(InputError) as caught:
            check_report(tmp_path / "report.docx", layout=Layout(template=template))
        return str(caught.value)

    path = tmp_path / "template.docx"
    Document().save(str(path))
    honest = path.read_bytes()
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/zeros.bin", bytes(word_pages.LARGEST_UNPACKED))
    assert "must have at most 100,000,000 bytes unpacked, but has 100," in refusal(path)
    path.write_bytes(path.read_bytes().replace(ZEROS, ONE_BYTE))  # its heads say less
    assert "must be a Word document" in refusal(path)
    assert "cannot be read (it is no regular file)" in refusal(Path(os.devnull))
    path.write_bytes(honest)
    check_report(tmp_path / "report.docx", layout=Layout(template=path))
    monkeypatch.setattr(word_pages, "LARGEST_TEMPLATE", 1_000)
    assert "cannot be read (it has more than 1,000 bytes)" in refusal(path)


def test_a_pdf_has_an_outline_metadata_and_its_first_page_alone(report: Report) -> None:
    pdf = PdfReader(io.BytesIO(FORMATS[".pdf"].write(report)))
    assert pdf.metadata is not None
    assert pdf.metadata.title == report.title
    assert len(pdf.outline) == len(report.sections)
    assert "/MarkInfo" in pdf.root_object
    first, second = (re.sub(r"\s", "", page.extract_text()) for page in pdf.pages[:2])
    assert "Whatisnotguaranteed" in first
    assert "Contents" in second
    assert len(pdf.pages) <= 12


def test_the_first_page_states_only_what_was_searched_for(analysis: Analysis) -> None:
    study = analysis.study
    plain = " ".join(texts(build_report(analysis)))
    assert "This report was made without that comparison" in plain
    assert "Use " not in plain
    found = equal_power(study, Wish("good_declared", 0.5), fresh_runs=50)
    advice = advice_on(found)
    told = build_report(analysis, advice=advice)
    said = " ".join(texts(told))
    assert "without that comparison" not in said
    assert advice.answer[0].startswith(f"Use {advice.recommended}: for a chance of 50% that a")
    assert " ".join(advice.answer) in said
    (table, *_) = [block for block in told.first if isinstance(block, Table)]
    for row in table.rows:
        value = found.plan(row[1]).value
        assert value is not None
        assert row[2] == f"{value:,}"
    truth = study.truths[0].name
    mean = found.value(truth, table.rows[0][1], "enrolled")[0]
    assert table.rows[0][3].startswith(f"{mean:,.0f}" if mean >= 100 else f"{mean:.1f}")


def test_an_estimand_is_stated_and_changes_no_trial() -> None:
    study = conducted_study(USUAL, estimand={"population": "adults <b>", "summary_measure": ""})
    report = build_report(simulate(study))
    (table,) = [b for b in report.sections[1].blocks if isinstance(b, Table)]
    stated = {row[0]: row[1] for row in table.rows}
    assert stated["Population"] == "adults <b>"
    assert stated["Summary measure"] == stated["Intercurrent events"] == "not stated"
    from gai_core import dump_study

    assert parse_study(dump_study(study)) == study
    empty = conducted_study(USUAL, estimand={})
    assert empty.estimand is None


def test_formulas_have_fractions_roots_powers_and_indices() -> None:
    words, tree = pieces("argmax m_i + sqrt(2 s2 log(t) / n_i)")
    assert words == "the dose with the largest "
    assert isinstance(tree, Row)
    root = tree.parts[-1]
    assert isinstance(root, Root)
    (fraction,) = root.inside.parts
    assert isinstance(fraction, Fraction)
    assert mathml("x (n / 2)^(1/2-e)").count("<mfrac>") == 1  # a power stays in its line
    assert "<msubsup><mrow><mo>(</mo>" in mathml("(m_i - xi)_+^2")
    assert mathml("<b> & argmin n_i").startswith('<math displaystyle="true"><mrow><mo>&lt;</mo>')
    assert in_a_line("c N^(1/2-e) >= xi") == "c N^1/2-e ≥ ξ"
    assert "<mo>−</mo><mi>e</mi>" in mathml("N^(1/2-e)")  # a minus, not a hyphen


@pytest.mark.parametrize("formula", FORMULAS)
def test_every_formula_of_the_registries_is_set_alike_in_all_formats(formula: str) -> None:
    """Letters, roots and fractions: none is lost on the way to a browser or to Word."""
    found = pieces(formula)
    word = [office_math(piece) for piece in found if isinstance(piece, Row)]
    letters = "".join("".join(element.itertext()) for element in word)
    brackets = sum(letters.count(sign) for sign in "()[]{}")
    assert brackets == 0  # they are parts of their own, and grow
    web = mathml(formula)
    for tag, ours in (("rad", "<msqrt>"), ("f", "<mfrac>")):
        count = sum(len(list(element.iter(qn(f"m:{tag}")))) for element in word)
        assert count == web.count(ours), tag
    assert web.count("<msqrt>") == formula.count("sqrt")
    powers = re.sub(r"\^\([^()]*\)", "", formula)
    assert web.count("<mfrac>") == powers.count("/")


ERROR_RATES = {"δ", "α"}
"""Said with the errors that a study allows."""
TYPED = {letter.removesuffix("_i"): word.removesuffix("_i") for word, letter in WORDS.items()}


def signs(part: object) -> Iterator[Text]:
    """The letters, numbers, signs and words of a formula."""
    if isinstance(part, Text):
        yield part
    elif isinstance(part, tuple):
        for inside in part:
            yield from signs(inside)


@pytest.mark.parametrize("formula", [*FORMULAS, *(way.formula for way in ONLY_DROPPING)])
def test_every_letter_of_a_formula_is_explained(formula: str) -> None:
    """By the sentence below the formulas, or where it is defined in the formula itself."""
    found = list(signs(parsed(formula)))
    assert {sign.text for sign in found if sign.role == "words" and len(sign.text) == 1} <= {"a"}
    below = re.sub(r"\(.*? for .*?\)", "", symbols(formula)).replace("²", "")
    for letter in {sign.text for sign in found if sign.role == "letter"} - ERROR_RATES:
        typed = TYPED.get(letter, letter)
        defined = rf"\b{typed}(\(\w\)|_i)? (=|~|the|a) |the \w+ {typed}\b"
        assert re.search(rf"\b{letter}\b", below) or re.search(defined, formula), letter


def test_a_letter_that_only_some_formulas_have_is_explained_there_alone() -> None:
    assert "N the last look" in symbols(CRITERIA["simulated"].formula)
    assert "N the last look" not in symbols(CRITERIA["exact"].formula)  # the formula says it
    assert "σ the standard deviation of an outcome" in symbols(CRITERIA["mixture"].formula)
    assert "σ the" not in symbols(CRITERIA["union"].formula)
