"""How large a trial may get, and how many are simulated."""

import streamlit as st

from gai_app.draft import Data
from gai_app.editor.editing import Editing


def edit(page: Editing) -> Data:
    """Fields for n_max, runs and seed."""
    now = page.current["simulation"]
    largest, trials, start = st.columns(3)
    data = {}
    with largest:
        data["n_max"] = page.field(
            "simulation.n_max", "Largest sample size", now["n_max"], "whole",
            help="Patients in all (n_max). Doses without a verdict by then stay undecided.",
        )  # fmt: skip
    with trials:
        data["runs"] = page.field(
            "simulation.runs", "Simulated trials", now["runs"], "whole",
            help="More trials give smaller Monte Carlo errors: four times as many, half the error.",
        )  # fmt: skip
    with start:
        data["seed"] = page.field(
            "simulation.seed", "Seed", now["seed"], "whole",
            help="The same seed gives the same simulated patients, bit by bit.",
        )  # fmt: skip
    page.errors_here("simulation")
    return data
