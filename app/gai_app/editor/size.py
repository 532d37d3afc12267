"""How large a trial may get, and how many are simulated."""

import streamlit as st

from gai_app import draft
from gai_app.draft import Data
from gai_app.editor.editing import Editing


def edit(page: Editing) -> Data:
    """Widgets for n_max, runs and seed."""
    base = page.base["simulation"]
    largest, trials, start = st.columns(3)
    with largest:
        n_max = st.number_input(
            "Largest sample size", value=int(base["n_max"]), step=50, key=draft.key("n_max"),
            help="Patients in all (n_max). Doses without a verdict by then stay undecided.",
        )  # fmt: skip
    with trials:
        runs = st.number_input(
            "Simulated trials", value=int(base["runs"]), step=500, key=draft.key("runs"),
            help="More trials give smaller Monte Carlo errors: four times as many, half the error.",
        )  # fmt: skip
    with start:
        # A text: seeds may be larger than the numbers a browser can hold.
        seed = st.text_input(
            "Seed", str(base["seed"]), max_chars=19, key=draft.key("seed"),
            help="The same seed gives the same simulated patients, bit by bit.",
        )  # fmt: skip
    page.errors_here("simulation")
    whole = int(seed) if seed.strip().isdecimal() and len(seed) <= 19 else seed
    return {"n_max": n_max, "runs": runs, "seed": whole}
