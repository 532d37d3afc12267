"""Many people at once: sessions as browsers hold them, each with a study of its own.

`python tests/load.py [SESSIONS]` starts a server and says who got results and when, how long
another visitor waited for a page meanwhile, and how much memory the server had. Visitors speak
Streamlit's own protocol over websockets, and send again what a browser sends again by itself.

Waits are given twice: on the clock, and by how long the server computed meanwhile. The two are
about the same on a machine that does nothing else; on a busy one the second still says what the
server needs.
"""

import asyncio
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import psutil
import serving
from gai_app.links import encoded
from patience import PATIENCE
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from gai_core import Study, load_study
from gai_core.study import changed

RESULTS = "Results at a glance"
UNDER_WAY = "so far"
REST = 60.0
"""Seconds after which memory is looked at again."""
WHOLE_PAGE = ForwardMsg.ScriptFinishedStatus.FINISHED_SUCCESSFULLY


@dataclass
class Guest:
    """A session: what it has been sent so far, and what it sends by itself."""

    connection: ClientConnection
    query: str = ""
    results: asyncio.Event = field(default_factory=asyncio.Event)
    drawn: asyncio.Event = field(default_factory=asyncio.Event)
    at_work: asyncio.Event = field(default_factory=asyncio.Event)
    """A run of this session has begun and is not done."""
    timers: "dict[str, asyncio.Task[None]]" = field(default_factory=dict)

    async def ask(self, fragment: str = "") -> None:
        """Ask for the page, or for one of its parts."""
        message = BackMsg()
        message.rerun_script.query_string = self.query
        message.rerun_script.fragment_id = fragment
        message.rerun_script.is_auto_rerun = bool(fragment)
        await self.connection.send(message.SerializeToString())

    async def listen(self) -> None:
        """Take what the server sends, until the connection is closed."""
        async for data in self.connection:
            if isinstance(data, bytes):
                self._take(ForwardMsg.FromString(data))

    def _take(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "new_session" and not message.metadata.run.fragment_ids:
            self._stop_timers()  # a whole page: its parts say anew when they are to be drawn
        elif kind == "auto_rerun":
            again = message.auto_rerun
            self._stop_timer(again.fragment_id)
            self.timers[again.fragment_id] = asyncio.create_task(
                self._ask_again(again.fragment_id, again.interval)
            )
        elif kind == "delta" and RESULTS in message.delta.new_element.heading.body:
            self.results.set()
        elif kind == "delta" and UNDER_WAY in message.delta.new_element.progress.text:
            self.at_work.set()
        elif kind == "stop_auto_rerun":
            for fragment in message.stop_auto_rerun.fragment_ids:
                self._stop_timer(fragment)
        elif kind == "script_finished" and message.script_finished == WHOLE_PAGE:
            self.drawn.set()

    async def _ask_again(self, fragment: str, interval: float) -> None:
        while True:
            await asyncio.sleep(interval)
            with suppress(ConnectionClosed):  # the guest has left
                await self.ask(fragment)

    def _stop_timer(self, fragment: str) -> None:
        task = self.timers.pop(fragment, None)
        if task is not None:
            task.cancel()

    def _stop_timers(self) -> None:
        for fragment in list(self.timers):
            self._stop_timer(fragment)

    async def leave(self) -> None:
        """Close the browser."""
        self._stop_timers()
        await self.connection.close()


async def come(address: str, study: Study | None = None, *, run: bool = False) -> Guest:
    """Open the app in a session of its own; with a study, by its link, which may say to run it."""
    place = address.replace("http", "ws", 1) + "/_stcore/stream"
    connection = await connect(
        place,
        subprotocols=[Subprotocol("streamlit")],
        max_size=None,
        ping_interval=None,
        open_timeout=PATIENCE,
    )
    query = {"study": encoded(study)} if study else {}
    guest = Guest(connection, urlencode(query | ({"run": "1"} if run else {})))
    await guest.ask()
    return guest


def own_studies(count: int, first: int = 1) -> list[Study]:
    """As many studies, no two of them the same, each small enough to be run unasked.

    They differ in the seed, and have the `first` one and those after it.
    """
    study = load_study("tofacitinib")
    return [changed(study, seed=first + i) for i in range(count)]


Waits = list[tuple[float, float]]
"""Seconds on the clock, and seconds that the server computed meanwhile."""


@dataclass
class Seen:
    """What a crowd met with."""

    waits: Waits
    """Until each got its results; those who never did have none."""
    redraws: Waits
    """What the pages of another visitor took meanwhile."""


async def crowd(
    address: str,
    count: int,
    patience: float,
    work: Callable[[], float] = time.process_time,
    first: int = 1,
) -> Seen:
    """So many people at once, and one who was there before and goes on working.

    `work` says how long the server has computed so far; `first` is the seed of the first study.
    """

    def now() -> tuple[float, float]:
        return time.monotonic(), work()

    def since(then: tuple[float, float]) -> tuple[float, float]:
        clock, computed = now()
        return clock - then[0], computed - then[1]

    other = await come(address)
    listening = [asyncio.create_task(other.listen())]
    await asyncio.wait_for(other.results.wait(), patience)
    begin = now()
    waits: Waits = []
    redraws: Waits = []
    guests: list[Guest] = []
    all_there = asyncio.Event()

    async def visit(study: Study) -> None:
        guest = await come(address, study)
        guests.append(guest)
        listening.append(asyncio.create_task(guest.listen()))
        await asyncio.wait_for(guest.results.wait(), patience)
        waits.append(since(begin))

    async def go_on() -> None:
        while not all_there.is_set():
            other.drawn.clear()
            asked = now()
            await other.ask()
            await other.drawn.wait()
            redraws.append(since(asked))
            await asyncio.sleep(0.5)

    working = asyncio.create_task(go_on())
    await asyncio.gather(*map(visit, own_studies(count, first)), return_exceptions=True)
    all_there.set()
    await working  # also its last redraw counts
    for guest in (*guests, other):
        await guest.leave()
    for task in listening:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    return Seen(sorted(waits), redraws)


def server_process(address: str) -> psutil.Process:
    """The process that answers at an address."""
    port = int(address.rpartition(":")[2])
    for process in psutil.Process().children(recursive=True):
        if any(c.laddr.port == port for c in process.net_connections() if c.status == "LISTEN"):
            return process
    raise AssertionError(f"nobody listens at {address}")


async def measured(address: str, count: int) -> None:
    """Let a crowd come, and another, and say what each met with.

    The first one fills what the server keeps for everybody; after the second one the memory must
    be what it was before.
    """
    server = server_process(address)
    await crowd(address, 1, 120)  # so that everything is loaded and compiled
    await asyncio.sleep(REST)
    for which in ("first", "second"):
        print(f"the {which} crowd")
        await _one_crowd(address, count, server)


async def _one_crowd(address: str, count: int, server: psutil.Process) -> None:
    first = random.randrange(10**8)  # nobody has run these before: that would be in the cache
    print(f"seeds of the studies     from {first} on")
    before = server.memory_info().rss
    peak = [before]

    async def watch() -> None:
        while True:
            peak.append(server.memory_info().rss)
            await asyncio.sleep(0.1)

    def work() -> float:
        times = server.cpu_times()
        return float(times.user + times.system)

    watching = asyncio.create_task(watch())
    seen = await crowd(address, count, 120, work, first)
    watching.cancel()
    print(f"load of the machine      {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(f"got results              {len(seen.waits)} of {count}")
    for name, which in (("first", 0), ("median", len(seen.waits) // 2), ("last", -1)):
        print(f"{name:24} {_words(seen.waits[which])}")
    slowest = max(seen.redraws)
    print(f"longest redraw of another {_words(slowest)}, of {len(seen.redraws)}")
    await asyncio.sleep(REST)
    sizes = before, max(peak), server.memory_info().rss
    print("memory before, at most, a minute later " + ", ".join(f"{s / 1e6:.0f} MB" for s in sizes))


def _words(wait: tuple[float, float]) -> str:
    return f"{wait[0]:.1f} s, of which the server computed {wait[1]:.1f} s"


if __name__ == "__main__":
    people = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    with (
        tempfile.TemporaryDirectory() as folder,
        serving.server(Path(folder) / "log", leave_a_core=False) as home,
    ):
        asyncio.run(measured(home, people))
