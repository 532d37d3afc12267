"""The explore page in a real browser: how many patients, and a study over a grid."""

from browser import Visit, Visitor
from conftest import make_study
from gai_app.links import encoded
from test_browser import HOSTILE, SCRIPT

from gai_core import Study
from gai_core.questions import USUAL_POWER
from gai_core.questions.plan_values import SOLVABLE
from gai_core.questions.plan_wording import best_plan, plan_headline, plan_words
from gai_core.questions.planning import plan
from gai_core.questions.sweeping import sweep_table
from gai_core.study.variations import Variation

SMALL = make_study(
    designs=[{"name": "HDoC", "rule": "hdoc"}, {"name": "Equal", "rule": "equal"}],
    simulation={"runs": 60, "n_max": 400, "seed": 3},
)
GRID = [Variation("n_max", (100, 200, 300)), Variation("delta", (0.2, 0.1))]
COLOURED = "figure => figure.data.filter(t => t.type == 'heatmap').map(t => t.z)"


TWO_ARMS = make_study(
    arms=[{"label": "low"}, {"label": "high"}],
    truths=[{"name": "steep", "means": [0.2, 0.9]}],
    simulation={"runs": 60, "n_max": 60, "seed": 3},
    wanted=1,
)
"""A search among designs for it takes a second."""
POINT = """(figure, name) => {
  const { xaxis, yaxis } = figure._fullLayout, frame = figure.getBoundingClientRect();
  const named = figure._fullData.flatMap(trace =>
    (trace.customdata ?? []).map((of, i) => [of[0], trace.x[i], trace.y[i]]));
  const [, x, y] = named.find(point => point[0] == name);
  return [frame.x + xaxis._offset + xaxis.d2p(x), frame.y + yaxis._offset + yaxis.d2p(y), x];
}"""
"""Where the point of a design is on the screen, and its n_max."""
ONE_LARGER = """name => {
  const larger = document.querySelector(".js-plotly-plot")?.data?.flatMap(trace =>
    (trace.customdata ?? []).filter((_, i) => trace.marker.size[i] > 10).flat());
  return larger?.length == 1 && larger[0] == name;
}"""
"""Whether this design, and no other, has a large point."""


def exploring(visit: Visit, address: str, study: Study) -> Visitor:
    """Somebody on the explore page of a study."""
    visitor = visit(f"{address}/?study={encoded(study)}")
    visitor.sees(visitor.glance)
    visitor.go("Explore")
    return visitor


def sweep_two_fields(visitor: Visitor) -> None:
    """Vary n_max and delta over the grid, and wait for the maps."""
    visitor.clicks(visitor.page.get_by_text("What if the study were different?"))
    visitor.fill("Values", "100:300:100")
    visitor.sees("3 points")
    visitor.clicks(visitor.page.get_by_role("combobox", name="And vary"))
    visitor.clicks(visitor.page.get_by_role("option", name="Error rate"))
    visitor.sees("15 points")
    values = visitor.page.get_by_label("Values", exact=True).last
    values.fill("0.2, 0.1")
    values.press("Enter")
    visitor.sees("6 points")
    visitor.presses("Vary it")
    visitor.sees("all maps in the same colours")


def test_a_newcomer_asks_how_many_patients_are_needed(visit: Visit, address: str) -> None:
    visitor = exploring(visit, address, SMALL)
    visitor.presses("Find it")
    plans = plan(SMALL, USUAL_POWER, "n_max")
    best = best_plan(SMALL, plans)
    assert best is not None
    visitor.sees(visitor.page.get_by_role("heading", name=plan_headline(best)))
    rows = plan_words(plans, ["steep"]).rows
    assert visitor.cells("enough at 95% confidence") == [cell for row in rows for cell in row]
    assert "n_max" in visitor.download("Download the answer").splitlines()[1]
    visitor.fits(800, 1280)
    visitor.presses("Put it into the study")
    visitor.presses(f"{SOLVABLE['n_max'].head} {best.value:,}, which reaches it in")
    visitor.finds("Largest sample size", f"{best.value}")
    visitor.up_to_date()


def test_a_bad_wish_is_refused_at_its_field_and_can_be_mended(visit: Visit, address: str) -> None:
    visitor = exploring(visit, address, SMALL)
    visitor.fill("Search range (optional)", "900:100")
    visitor.reads(visitor.alerts, "the first value must be the smaller one")
    assert visitor.button("Find it").is_disabled()
    visitor.fill("Search range (optional)", "30:60")
    visitor.misses(visitor.alerts)
    visitor.presses("Find it")
    visitor.reads(visitor.alerts, "Equal: not reached from 30 to 60")


def test_a_study_over_a_grid_is_a_map_per_design(visit: Visit, address: str) -> None:
    visitor = exploring(visit, address, SMALL)
    sweep_two_fields(visitor)
    table = sweep_table(SMALL, GRID)
    expected = [
        [
            table[
                (table.n_max == n_max) & (table.delta == delta) & (table.design == design.name)
                & (table.quantity == "any_declared")
            ].value.item()
            for delta in (0.1, 0.2) for n_max in (100, 200, 300)
        ]
        for design in SMALL.designs
    ]  # fmt: skip
    maps = visitor.picture().evaluate(COLOURED)
    assert [[value for row in rows for value in row] for rows in maps] == expected
    assert visitor.download("(CSV)") == table.to_csv(index=False, lineterminator="\n")
    visitor.fits(800, 1280)
    visitor.go("Results")
    visitor.go("Explore")
    visitor.sees("all maps in the same colours")


def test_hostile_labels_are_shown_as_text(visit: Visit, address: str) -> None:
    study = make_study(
        title=HOSTILE,
        arms=[{"label": f"{i} {HOSTILE}"} for i in range(3)],
        truths=[{"name": HOSTILE, "means": [0.2, 0.6, 0.8], "note": HOSTILE}],
        designs=[{"name": HOSTILE, "rule": "hdoc"}, {"name": SCRIPT, "rule": "equal"}],
        simulation={"runs": 20, "n_max": 300, "seed": 3},
    )
    visitor = exploring(visit, address, study)
    visitor.fill("Search range (optional)", "30:300")
    visitor.presses("Find it")
    visitor.sees(visitor.button("Download the answer"))
    assert HOSTILE in visitor.everything()
    sweep_two_fields(visitor)
    visitor.picture()
    assert HOSTILE in visitor.everything()
    assert visitor.page.evaluate("window.hacked") is None
    for what in ("img[src=x]", "[src*=example]", "[href*=example]", ".katex", "main script"):
        assert visitor.page.locator(what).count() == 0, what


def test_a_design_is_chosen_by_a_click_in_the_figure_or_from_the_menu(
    visit: Visit, address: str
) -> None:
    visitor = exploring(visit, address, TWO_ARMS)
    visitor.clicks(visitor.page.get_by_role("radio", name="Find the best design"))
    visitor.chooses("How long to search", "quick")
    visitor.presses("Find the best design")
    visitor.sees("What they are")
    visitor.picture()
    visitor.settles()

    def is_chosen(name: str) -> None:
        visitor.finds("Design", name)
        visitor.page.wait_for_function(ONE_LARGER, arg=name)

    def click(name: str) -> int:
        visitor.settles()
        visitor.picture().scroll_into_view_if_needed()
        x, y, n_max = visitor.picture().evaluate(POINT, name)
        visitor.page.mouse.click(x, y)
        return int(n_max)

    is_chosen("Best found")
    click("Fixed")
    is_chosen("Fixed")
    visitor.chooses("Design", "Best found")
    is_chosen("Best found")
    n_max = click("Fixed")  # which was clicked before
    is_chosen("Fixed")
    visitor.presses("Open it as a study")
    visitor.sees(visitor.page.get_by_role("heading", name="Plan a dose-finding trial"))
    visitor.finds("Largest sample size", f"{n_max}")
