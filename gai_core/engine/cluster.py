"""Clusters: the workers of a Dask scheduler take the place of threads.

Dask schedules, carries the data and gives the work of a worker that died to
another one. Here is only how a cluster is named, found and checked: a worker
whose fingerprint is another one could give other bits, and is refused.
"""

import asyncio
import importlib
import importlib.util
import logging
import os
import signal
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from multiprocessing import resource_tracker
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gai_core.basics import (
    COMPUTING,
    Argument,
    InputError,
    Problem,
    Words,
    Workers,
    cores,
    differing,
    fingerprint,
    read_within,
    reason,
    shortened,
    shown,
)
from gai_core.engine.cluster_security import security
from gai_core.engine.cluster_watch import Watch

if TYPE_CHECKING:
    from distributed import Client, Security

PATIENCE = "GAI_CLUSTER_SECONDS"
"""The environment variable with the seconds after which a scheduler that does not answer is not
there."""
SECONDS_TO_ANSWER = 5
"""The same where the variable is not set."""
SECONDS_TO_START = 60
"""A cluster that a file describes has its first worker by then, unless the file says `wait`."""
RETRIES = 3
"""How often a call is tried again when a worker fails at it."""
LARGEST_FILE = 1_000_000
"""Bytes of a file that describes a cluster."""
KEYS = ("version", "module", "class", "args", "kwargs", "wait")


@contextmanager
def connected(where: str | None) -> Iterator[Workers | None]:
    """The checked workers of a cluster; None where none is named, for threads of this process.

    `where` is `local` (a worker for every core), the address of a Dask scheduler, or
    a file with a cluster specification. What was started here ends here.
    """
    if where is None:
        yield None
        return
    if importlib.util.find_spec("distributed") is None:
        raise InputError("clusters are not installed: pip install 'gai-planner[cluster]'")
    source: Words = (Argument("cluster"),), f" {where}"
    with ExitStack() as stack:
        stack.enter_context(_quiet())
        client = _client(where, source, stack)
        threads = client.nthreads()
        if not threads:
            raise InputError(
                "the scheduler has no workers; start some: dask worker …", source=source
            )
        _check_workers(client, source)
        executor = client.get_executor(pure=False, retries=RETRIES)
        with _lost(source):
            watch = Watch(lambda: _has_workers(client), source)
            yield Workers(executor, sum(threads.values()), remote=True, watch=watch)


def _has_workers(client: "Client") -> bool:
    """Whether anybody works; where the scheduler is gone its calls are cancelled by themselves."""
    try:
        return bool(client.nthreads())
    except OSError:
        return True


@contextmanager
def _quiet() -> Iterator[None]:
    """What Dask would log about workers that come and go is not for the user of a planner."""
    logger = logging.getLogger("distributed")
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(before)


@contextmanager
def _lost(source: Words) -> Iterator[None]:
    """A cluster that breaks down for good is a sentence, not a traceback."""
    from distributed import KilledWorker
    from distributed.comm import CommClosedError

    try:
        yield
    except (CancelledError, CommClosedError):
        raise InputError("the scheduler is gone; start it again", source=source) from None
    except TypeError as error:
        if not _cancelled_by_dask(error):
            raise
        raise InputError("the scheduler is gone; start it again", source=source) from None
    except KilledWorker:
        raise InputError(
            "workers died again and again; have they enough memory?", source=source
        ) from (None)
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("gai_core"):
            raise
        raise InputError("a worker has no gai-planner, or an old one", source=source) from None


def _cancelled_by_dask(error: TypeError) -> bool:
    """Whether Dask took a result for an exception: its call was cancelled while it came in."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    return frame is not None and frame.tb_frame.f_globals["__name__"] == "distributed.cfexecutor"


def _client(where: str, source: Words, stack: ExitStack) -> "Client":
    """A connection to the cluster, which is started first where that is wanted."""
    if where == "local":
        cluster, wait = _started("distributed", "LocalCluster", [], _local(), source), 0.0
    elif "://" in where:
        return _connect(where, source, stack)
    else:
        specification = _specification(Path(where), source)
        cluster = _started(
            specification["module"],
            specification["class"],
            specification.get("args") or [],
            specification.get("kwargs") or {},
            source,
        )
        wait = specification.get("wait", SECONDS_TO_START)
    stack.enter_context(cluster)
    client = _connect(cluster, source, stack)
    if wait:
        try:
            client.wait_for_workers(1, timeout=wait)
        except TimeoutError:
            raise InputError(
                f"no worker came within {wait:g} seconds; `wait` in the file allows more",
                source=source,
            ) from None
    return client


def _local() -> dict[str, Any]:
    """One process of one thread for every core, and no port that other machines can see."""
    return {
        "n_workers": cores(),
        "threads_per_worker": 1,
        "processes": True,
        "host": "127.0.0.1",
        "dashboard_address": "127.0.0.1:0",
        "silence_logs": logging.CRITICAL,
    }


def _connect(target: Any, source: Words, stack: ExitStack) -> "Client":
    """A connection that does not become the process's own default one."""
    from distributed import Client

    seconds = seconds_to_answer()
    try:
        options: dict[str, Any] = {"timeout": seconds, "set_as_default": False}
        if isinstance(target, str):
            options["security"] = secured = security(target, source)
            with ThreadPoolExecutor(1) as thread:  # this one may have an event loop: a notebook
                thread.submit(asyncio.run, _greet(target, secured, seconds)).result()
        return stack.enter_context(Client(target, **options))
    except (OSError, ValueError, TimeoutError):
        start: Words = (
            "start one (dask scheduler), or use ",
            (Argument("cluster"),),
            " local",
        )
        problem = Problem((), "no Dask scheduler answers there", remedy=start)
        raise InputError(problem, source=source) from None


def seconds_to_answer() -> float:
    """How long a scheduler may take to answer."""
    text = os.environ.get(PATIENCE, str(SECONDS_TO_ANSWER))
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e6:
        raise InputError(f"{PATIENCE} must be a number of seconds above 0, but is {text!r}")
    return seconds


async def _greet(address: str, secured: "Security", seconds: float) -> None:
    """Exchange a greeting with the scheduler: a Client would wait for one that says nothing."""
    from distributed.comm import connect

    as_client = secured.get_connection_args("client")
    async with asyncio.timeout(seconds):
        comm = await connect(address, timeout=seconds, **as_client)
        await comm.close()


def _specification(path: Path, source: Words) -> Mapping[str, Any]:
    """A cluster in YAML: module, class, args, kwargs, and wait for its first worker."""
    import yaml

    try:
        content = read_within(path, LARGEST_FILE)
    except OSError as error:
        raise InputError(
            f"must be local, the address of a Dask scheduler (tcp://…), or a file "
            f"({reason(error)})",
            source=source,
        ) from None
    try:
        found = yaml.safe_load(content.decode("utf-8"))
    except Exception:  # of dates, numbers and deep nesting PyYAML raises what Python does
        raise InputError("is not a YAML file", source=source) from None
    if not isinstance(found, dict) or not {"module", "class"} <= found.keys():
        raise InputError("must have `module` and `class`, and may have `kwargs`", source=source)
    _check_specification(found, source)
    return found


def _check_specification(found: dict[Any, Any], source: Words) -> None:
    for key, value in found.items():
        if key not in KEYS:
            raise InputError(
                f"{shortened(str(key))} is unknown; known: {', '.join(KEYS)}", source=source
            )
        fits, words = _FORMS.get(key, (lambda _: True, ""))
        if not fits(value):
            raise InputError(f"{key} must be {words}, but is {shown(value)}", source=source)


def _names_module(value: Any) -> bool:
    """Whether it is a module's whole name, with a dot only between parts."""
    return isinstance(value, str) and all(part.isidentifier() for part in value.split("."))


_FORMS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "module": (_names_module, "the whole name of a Python module"),
    "class": (
        lambda value: isinstance(value, str) and value.isidentifier(),
        "the name of a class of the module",
    ),
    "args": (lambda value: isinstance(value, list), "a list"),
    "kwargs": (
        lambda value: isinstance(value, dict) and all(isinstance(name, str) for name in value),
        "names with their values",
    ),
    "wait": (
        lambda value: isinstance(value, int | float) and value > 0,
        "a number of seconds above 0",
    ),
}
"""What the parts of a file may be, and what that is in words."""


def _started(module: str, name: str, args: list[Any], kwargs: dict[str, Any], source: Words) -> Any:
    """A cluster object of the named class; nothing but a cluster is made."""
    from distributed.deploy import Cluster

    try:
        kind = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError):
        raise InputError(
            f"there is no {module}.{name} here; is it installed?", source=source
        ) from None
    if not (isinstance(kind, type) and issubclass(kind, Cluster)):
        raise InputError(f"{module}.{name} is not a Dask cluster", source=source)
    try:
        with _interrupts_for_us_alone():
            return kind(*args, **kwargs)
    except Exception as error:  # a class of somebody else's, which may raise anything
        raise InputError(f"{module}.{name} could not be started ({error})", source=source) from None


@contextmanager
def _interrupts_for_us_alone() -> Iterator[None]:
    """Ctrl-C goes to all processes of a terminal; those begun here leave it to this one."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # would lift the mask
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _check_workers(client: "Client", source: Words) -> None:
    """Refuse workers that could give other bits; their versions are asked for by Dask itself.

    A worker that joins later is checked by what it is asked to do (`remote_chunk`).
    """
    found = client.get_versions(packages=["gai-planner", *COMPUTING])
    mine = {name: found["client"]["packages"][name] for name in ("gai-planner", *COMPUTING)}
    for address, versions in found["workers"].items():
        _refuse(differing(mine, versions["packages"]), address, source)
    with _lost(source):
        for address, other in client.run(fingerprint).items():
            _refuse(differing(fingerprint(), other), address, source)


def _refuse(unlike: list[str], address: str, source: Words) -> None:
    if unlike:
        raise InputError(
            f"the worker {address} differs and might give other numbers "
            f"({'; '.join(unlike)}); install the same versions on both sides",
            source=source,
        )
