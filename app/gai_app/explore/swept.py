"""The results of a sweep: curves or heat maps, the table behind them, files to take away."""

import io

import pandas as pd
import streamlit as st

from gai_app import recipes
from gai_app.escaping import file_name, markdown
from gai_app.explore import fields
from gai_app.explore.jobs import SweepAsked, Swept
from gai_app.plots.sweep import draw_curves, draw_maps
from gai_app.widgets import MOST_DESIGNS, choose, code, figure
from gai_core import Study
from gai_core.basics import in_a_row
from gai_core.questions import (
    Cell,
    Measure,
    heat_maps,
    measure,
    measures,
    sweep_curves,
    sweep_words,
    table_cells,
)
from gai_core.results import WordTable


def show(asked: SweepAsked, found: Swept) -> None:
    """One quantity under one truth; the files have everything."""
    study = asked.narrowed
    shown, truth, designs = _choices(study, asked.key)
    cells = [
        cell
        for cell in _cells(asked, found, asked.key, shown)
        if cell.truth == truth and cell.design in designs
    ]
    title = f"{shown.words[0].upper()}{shown.words[1:]}, assuming “{truth}”"
    st.header(markdown(title), anchor=False)
    names = [fields.name(asked.study, field) for field in asked.fields]
    about = f"{shown.words} by {in_a_row(names).lower()}"

    def table() -> WordTable:
        return sweep_words(names, cells, shown, truth)

    if len(names) == 1:
        curves = sweep_curves(cells, shown)
        figure(draw_curves(curves, shown, names[0]), "sweep-curves", about, table)
        st.caption("Shaded: 95% Monte Carlo interval at every value.")
    else:
        figure(draw_maps(heat_maps(cells, shown), shown, names), "sweep-maps", about, table)
        unit = "Per cent" if shown.chance else "Rounded"
        st.caption(f"{unit}; all maps in the same colours. Point at a cell for its standard error.")
    st.caption(
        "In the table ± is the Monte Carlo standard error; (< …%) is a 95% limit for what was "
        "never seen."
    )
    _files(asked, found)
    variations = [(variation.field, variation.values) for variation in asked.variations]
    scope = asked.truths, asked.designs, asked.runs
    code(lambda: recipes.of_sweep(asked.study, variations, scope))


def _choices(study: Study, key: str) -> tuple[Measure, str, list[str]]:
    what, under, of_arm = st.columns([3, 3, 2])
    known = measures(study)
    with what:
        quantity = choose("Quantity", list(known), "swept", words=lambda name: known[name].words)
    arm = ""
    if known[quantity].arms:
        with of_arm:
            arm = choose("Dose arm", list(known[quantity].arms), "swept-arm")
    with under:
        truth = choose("Assumed dose-response", [entry.name for entry in study.truths], "truth")
    names = [design.name for design in study.designs]
    if len(names) > MOST_DESIGNS:
        picked = st.multiselect(
            "Designs shown",
            names,
            default=names[:MOST_DESIGNS],
            max_selections=MOST_DESIGNS,
            key=f"swept-designs-{key}",
        )
        names = picked or names[:1]
    return measure(study, quantity, arm), truth, names


@st.cache_data(max_entries=32, show_spinner=False)
def _cells(_asked: SweepAsked, _found: Swept, key: str, shown: Measure) -> list[Cell]:
    """What is shown, kept; the key names the sweep, which Streamlit cannot hash."""
    del key
    return table_cells(_table(_found), _asked.fields, shown, _found.runs)


def _table(found: Swept) -> pd.DataFrame:
    return pd.read_parquet(io.BytesIO(found.parquet))


def _files(asked: SweepAsked, found: Swept) -> None:
    """The tidy table, as `gai sweep` writes it."""
    csv, parquet, _ = st.columns([2, 2, 3])
    title = asked.study.title
    csv.download_button(
        "Download all of it (CSV)",
        lambda: _table(found).to_csv(index=False, lineterminator="\n"),
        file_name=file_name(title, "-sweep.csv"),
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
        width="stretch",
        help="One tidy table: the varied fields, truth, design, quantity, arm, statistic, value, "
        "standard error.",
    )
    parquet.download_button(
        "Download all of it (Parquet)",
        found.parquet,
        file_name=file_name(title, "-sweep.parquet"),
        icon=":material/download:",
        on_click="ignore",
        width="stretch",
    )
