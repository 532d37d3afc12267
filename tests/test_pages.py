"""Docs cannot go stale: what stands on a page is what its commands print, to the letter."""

import json
from pathlib import Path

import pages
import pytest


@pytest.mark.parametrize("page", pages.pages(), ids=lambda path: path.stem)
def test_a_page_has_what_its_commands_print_and_draw(page: Path, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert pages.executed(text, tmp_path) == text, "make figures writes the page anew"
    for name, content in pages.figures(text, tmp_path):
        assert (pages.DOCS / name).read_bytes() == content, name


@pytest.mark.parametrize("page", pages.pages(), ids=lambda path: path.stem)
def test_every_number_of_a_sentence_stands_in_an_output_or_a_study_of_the_page(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert not pages.numbers_from_nowhere(text)
    assert pages.numbers_from_nowhere(f"{text}\nIt takes 98,765 patients.") == {"98,765"}


@pytest.mark.parametrize("path", pages.notebooks(), ids=lambda path: path.stem)
def test_a_notebook_has_what_its_cells_print(path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = pages.executed_notebook(json.loads(text), tmp_path)
    assert pages.dumped(found) == text, "make figures writes the notebook anew"


def test_there_is_a_tutorial_three_examples_and_a_notebook() -> None:
    names = [path.stem for path in pages.pages()]
    assert names == ["example-best-design", "example-placebo", "example-score", "tutorial"]
    assert pages.notebooks()


@pytest.mark.parametrize("name", pages.DRAWINGS)
def test_a_drawing_of_the_readme_is_what_the_product_draws(name: str) -> None:
    assert f"(docs/{name})" in (pages.DOCS.parent / "README.md").read_text(encoding="utf-8")
    drawn = pages.DRAWINGS[name]()
    assert (pages.DOCS / name).read_bytes() == drawn, "make figures writes it anew"
