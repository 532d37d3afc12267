"""Several people at once: everybody gets the results of their own study."""

import asyncio
from pathlib import Path

import browser
from load import crowd, own_studies

PEOPLE = 5


def test_everybody_gets_results_and_another_goes_on_working(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with browser.server(log) as address:
        seen = asyncio.run(crowd(address, PEOPLE, browser.PATIENCE))
    assert len(seen.waits) == PEOPLE
    assert seen.redraws
    assert "Traceback" not in log.read_text(encoding="utf-8")


def test_no_two_people_have_the_same_study() -> None:
    studies = own_studies(PEOPLE)
    assert len({study.model_dump_json() for study in studies}) == PEOPLE
