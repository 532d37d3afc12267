"""Figures as SVG: the same data as Plotly draws, in a few kilobytes."""

import xml.etree.ElementTree as ElementTree

import plotly.graph_objects as go
import pytest
from gai_app.plots.results import draw_declarations
from gai_app.plots.sketch import Sketch
from gai_app.plots.still import Axis, svg
from gai_app.plots.study import draw_dose_response

from gai_core import load_study, scenario_names, simulate
from gai_core.results import LOG_FROM, analyse, bound_lines, declaration_curves, dose_response
from gai_core.study import changed


def _read(figure: go.Figure, title: str = "a figure") -> ElementTree.Element:
    return ElementTree.fromstring(svg(figure, title))


def _texts(picture: ElementTree.Element) -> list[str]:
    return [part.text or "" for part in picture.iter() if part.tag.endswith("text")]


@pytest.mark.parametrize("name", scenario_names())
def test_the_assumptions_of_every_shipped_study_can_be_drawn(name: str) -> None:
    study = load_study(name)
    for truth in study.truths:
        data = dose_response(study, truth)
        figure = draw_dose_response(study, data)
        assert svg(draw_dose_response(study, data, Sketch), "means") == svg(figure, "means")
        words = _texts(_read(figure))
        assert f"target {study.target_under(truth):g}" in words
        assert {f"{data.margins[i]:+.3g}" for i in study.candidates} <= set(words)


def test_chances_are_drawn_where_they_are() -> None:
    study = changed(load_study("tofacitinib"), runs=50)
    found = analyse(simulate(study, threads=1))
    truth = study.truths[0].name
    curves = declaration_curves(found.runs, truth, 1)
    lines = bound_lines(found.bounds, truth)
    figure = draw_declarations(study, 1, curves, lines)
    for size in (study.simulation.n_max, LOG_FROM):  # a logarithmic axis, too
        sized = changed(study, n_max=size)
        drawn = (draw_declarations(sized, 1, curves, lines, on) for on in (Sketch, go.Figure))
        assert len({svg(one, "chance") for one in drawn}) == 1
    picture = _read(figure, "chance & patients")
    assert picture.get("aria-label") == "Figure: chance & patients"
    assert [design.name for design in study.designs] == [
        text for text in _texts(picture) if text in {design.name for design in study.designs}
    ]
    said = [part.text for part in picture.iter() if part.tag.endswith("title")]
    for curve in curves:
        assert f"{curve.design}: {curve.patients[0]:,g}, {curve.chance[0]:.3g}" in said
    assert len(svg(figure, "chance")) < 60_000


def test_labels_are_data() -> None:
    study = load_study("tofacitinib")
    arms = (study.arms[0].model_copy(update={"label": "<b>x</b>"}), *study.arms[1:])
    study = study.model_copy(update={"arms": arms})
    drawn = draw_dose_response(study, dose_response(study, study.truths[0]))
    assert "<b>x</b>" in _texts(_read(drawn, '"><script>'))


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0.13, 0.81), (-3, 12), (0, 4e4)])
def test_ticks_are_few_round_and_inside(low: float, high: float) -> None:
    axis = Axis((low, high), 0, 100)
    ticks = axis.ticks()
    assert 3 <= len(ticks) <= 7
    assert all(-1e-6 <= axis(tick) <= 100 + 1e-6 for tick in ticks)


def test_a_logarithmic_axis_has_equal_room_for_every_factor() -> None:
    axis = Axis((0, 4), 0, 100, log=True)
    assert [axis(value) for value in (1, 10, 100, 10_000)] == [0, 25, 50, 100]
