"""Several people at once: everybody gets the results of their own study."""

import asyncio
from pathlib import Path

import pytest
import serving
from load import come, crowd, own_studies
from patience import PATIENCE

from gai_core.study import changed, narrowed

PEOPLE = 5


def test_everybody_gets_results_and_another_goes_on_working(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with serving.server(log) as address:
        seen = asyncio.run(crowd(address, PEOPLE, PATIENCE))
    assert len(seen.waits) == PEOPLE
    assert seen.redraws
    said = log.read_text(encoding="utf-8")
    assert not serving.faults(said), said


@pytest.mark.parametrize(
    ("end", "count"),
    [
        ("ConnectionResetError: [Errno 104] Connection reset by peer", 0),
        ("uvicorn.protocols.utils.ClientDisconnected", 0),
        ("ValueError: BrokenPipeError", 1),
        ("gai_core.basics.errors.InputError: a dose", 1),
    ],
)
def test_a_fault_of_a_server_is_found_and_a_browser_that_left_is_none(end: str, count: int) -> None:
    before = "2026-01-01 Uvicorn server started\nTraceback (most recent call last):\n"
    said = f'{before}  File "main.py", line 3, in page\n    draw()\n{end}\n'
    assert len(serving.faults(said)) == count
    assert len(serving.faults(said + said)) == 2 * count
    boxed = "╭──── Traceback (most recent call last) ────╮\n│ main.py:3 in page │\n"
    assert len(serving.faults(said + boxed)) == count + 1
    assert len(serving.faults(before)) == 1


def test_no_two_people_have_the_same_study() -> None:
    studies = own_studies(PEOPLE)
    assert len({study.model_dump_json() for study in studies}) == PEOPLE
    assert studies == own_studies(PEOPLE)  # and tomorrow they are those of today
    assert not {study.simulation.seed for study in studies} & {
        study.simulation.seed for study in own_studies(PEOPLE, 1 + PEOPLE)
    }


def test_a_closed_browser_frees_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAI_APP_JOBS_AT_ONCE", "1")
    endless, small = own_studies(2)
    truth, design = endless.truths[2].name, endless.designs[0].name
    endless = narrowed(endless, [truth], [design])
    at_the_target = max(endless.truths[0].means)  # so no trial ends before its last patient
    endless = endless.model_copy(update={"threshold": at_the_target})
    endless = changed(endless, runs=1_000_000, n_max=100_000)

    async def visits(address: str) -> None:
        first = await come(address, endless, run=True)
        async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
            group.create_task(first.listen())
            await first.at_work.wait()
            second = await come(address, small)
            group.create_task(second.listen())
            await second.drawn.wait()
            assert not second.results.is_set()
            await first.leave()
            await second.results.wait()
            await second.leave()

    with serving.server(tmp_path / "log") as address:
        asyncio.run(visits(address))
