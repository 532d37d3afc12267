"""The start page lists the shipped studies."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

from gai_core import scenario_names

MAIN = Path(__file__).parent.parent / "app" / "main.py"


def test_the_start_page_lists_every_shipped_study() -> None:
    page = AppTest.from_file(str(MAIN)).run(timeout=60)
    assert not page.exception
    assert page.dataframe[0].value["study"].tolist() == scenario_names()
