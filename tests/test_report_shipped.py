"""No report of a shipped study says nan, None, a key of a registry, or a table of dashes."""

import re

import pytest
from reports import texts

from gai_core import CRITERIA, RULES, load_study, scenario_names, simulate
from gai_core.criteria import futilities
from gai_core.report import build_report
from gai_core.report.content import Table
from gai_core.results.quantities import QUANTITIES
from gai_core.study.changing import changed

KEYS = {
    key
    for registry in (RULES, CRITERIA, futilities(), QUANTITIES)
    for key in registry
    if "_" in key or "-" in key
} | {"n_max", "hdoc", "apgai", "obrien-fleming", "wang-tsiatis", "None", "nan", "inf"}
"""Keys that are no words; `exact`, `mixture` and `equal` are."""
RAW = re.compile("|".join(rf"(?<![\w-]){re.escape(key)}(?![\w-])" for key in sorted(KEYS)))
TYPED = re.compile(r"`[^`]*`")
NAMES = re.compile(r"group-sequential|good arm")
"""Words that a key shares with the trialists' language."""


@pytest.mark.parametrize("name", scenario_names())
def test_a_shipped_study_has_a_report_in_words(name: str) -> None:
    shipped = load_study(name)
    study = changed(shipped, runs=4, n_max=min(300, shipped.simulation.n_max))
    report = build_report(simulate(study), date="2026-01-31")
    own = {text for part in (*study.arms, *study.truths, *study.designs)
           for text in part.model_dump().values() if isinstance(text, str)}  # fmt: skip
    own |= {study.title, study.source, study.notes}
    for text in texts(report):
        said = TYPED.sub("", text)
        for mine in own:
            said = said.replace(mine, "") if mine else said
        assert not RAW.search(NAMES.sub("", said)), text
    for block in report.blocks:
        if isinstance(block, Table):
            assert block.rows, block.caption
            for row in block.rows:
                assert len(row) == block.words or set(row[block.words :]) - {"–", ""}, block.caption
