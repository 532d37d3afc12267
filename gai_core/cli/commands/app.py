"""`gai app`."""

import importlib.util
import os
import sys
from typing import Annotated

import typer

from gai_core.basics import InputError


def command(
    port: Annotated[
        int,
        typer.Option("--port", min=0, max=65535, help="Port to listen on; 0 for any free one."),
    ] = 8501,
    address: Annotated[
        str, typer.Option("--address", help="Address to listen on; only this machine by default.")
    ] = "127.0.0.1",
) -> None:
    """Start the planner in the browser."""
    if importlib.util.find_spec("streamlit") is None:
        raise InputError("the app is not installed: pip install 'gai-planner[app]'")
    # -P: a folder named gai_app where the user happens to be is not ours.
    words = [sys.executable, "-P", "-m", "gai_app"]
    options = ["--server.port", str(port), "--server.address", address]
    os.execv(sys.executable, words + options)
