"""`gai cache`."""

from typing import Annotated

import typer

from gai_core.basics import cache_folder
from gai_core.cli.screen import say


def command(clear: Annotated[bool, typer.Option("--clear", help="Empty it.")] = False) -> None:
    """Show the cache of finished runs: where it is, how much it holds, and how much it may."""
    from gai_core.engine import run_cache

    limit = run_cache.size_limit() / 1e6
    if clear:
        say(f"{run_cache.clear():,} entries removed")
    found = run_cache.entries()
    size = sum(entry.size for entry in found) / 1e6
    say(f"{cache_folder('runs')}: {len(found):,} entries, {size:,.1f} MB of {limit:,.0f} MB")
    say(f"{run_cache.LIMIT} sets the limit in MB; 0 switches the cache off")
