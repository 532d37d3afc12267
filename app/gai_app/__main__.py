"""Start the app: `python -m gai_app [--server.port N …]`, or `gai app`.

What the first page needs is loaded and compiled before the first browser comes.
"""

import gc
import sys
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go
from streamlit import emojis
from streamlit.web import cli

from gai_app import header, start_up
from gai_app.plots import results, study
from gai_app.settings import DEFAULT_STUDY
from gai_app.warm import begin_warm_up
from gai_core import InputError, bounds, load_study

LOADED = pd, go, emojis, header, start_up, results, study
"""Imported here so that the first session does not wait for them."""


def main() -> None:
    """Hand over to Streamlit; its own options follow."""
    try:
        bounds(load_study(DEFAULT_STUDY))  # loads what they are computed with
    except InputError as error:
        raise SystemExit(f"the study that the app opens with, GAI_APP_STUDY: {error}") from None
    begin_warm_up()
    # Streamlit collects garbage after every pass: 90 ms if it looks through all libraries, too.
    gc.freeze()
    script = Path(__file__).parent / "main.py"
    sys.argv = ["streamlit", "run", str(script), *sys.argv[1:]]
    cli.main(prog_name="streamlit")


if __name__ == "__main__":
    main()
