"""The app in a real browser: what a visitor sees, does and takes away.

Every test has a browser session of its own. It fails on any error in the browser's
console, on any request that leaves the machine and on any answer that is an error.
"""

import csv
import re

import pytest
from browser import PAGES, Visit, Visitor
from conftest import make_study

from gai_core import dump_study, load_study, parse_study
from gai_core.results.tidy import COLUMNS
from gai_core.study.changing import changed

DEFAULT, MEDICAL_1, MEDICAL_2 = map(load_study, ("tofacitinib", "medical-1", "medical-2"))
DESIGNS = [design.name for design in DEFAULT.designs]
SIZE = "at most 400 patients, 1,000 trials, 3 designs"
RESULTS = {
    "Time": "How many patients until each verdict?",
    "Doses": "Which verdict does each dose get?",
    "Estimates": "Can the estimates be trusted?",
    "Tables": "Operating characteristics",
    "Report": "Report and data",
}
"""The tabs of the results after the first, and a heading of each."""
HOSTILE = r"<img src=x onerror=window.hacked=1>![x](http://example.com/x.png)$\frac{1}{2}$:red[x]"
SCRIPT = "<script>window.hacked=1</script>"


def test_a_newcomer_sees_results_without_a_click_and_takes_them_away(visitor: Visitor) -> None:
    assert visitor.cells("patients in the trial")[::5] == DESIGNS
    visitor.go("Results")
    assert visitor.lines() == DESIGNS
    visitor.opens_tab("Tables", "Operating characteristics")
    rows = list(csv.reader(visitor.download("Download all characteristics").splitlines()))
    assert rows[0] == COLUMNS
    assert {row[COLUMNS.index("design")] for row in rows[1:]} == set(DESIGNS)
    visitor.go("Plan")
    assert parse_study(visitor.download("Download study")) == DEFAULT


def test_an_edited_cell_changes_the_study_and_its_results(visitor: Visitor) -> None:
    before = visitor.cells("patients in the trial")
    visitor.edit_cell("5 mg", "published", "0.9")
    visitor.sees("the best dose is assumed to reach placebo +0.68")
    assert parse_study(visitor.download("Download study")).truths[0].means[3] == 0.9
    visitor.run()
    after = visitor.cells("patients in the trial")
    assert after[::5] == before[::5]
    assert after != before


def test_a_study_that_was_run_is_not_run_again(visitor: Visitor) -> None:
    before = visitor.cells("patients in the trial")
    visitor.fill("Error rate (delta)", "0.01")
    visitor.up_to_date()
    assert visitor.cells("patients in the trial") != before
    visitor.fill("Error rate (delta)", "0.05")
    visitor.up_to_date()
    assert visitor.cells("patients in the trial") == before


def test_a_score_with_a_known_variance_can_be_planned(visitor: Visitor) -> None:
    visitor.choose_study(MEDICAL_2.title)
    visitor.finds("Standard deviation (SD)", "1.2")
    visitor.sees(visitor.page.get_by_text("Variance (sigma²) 1.44", exact=True))
    visitor.fill("Standard deviation (SD)", "2")
    visitor.sees(visitor.page.get_by_text("Variance (sigma²) 4", exact=True))
    visitor.fill("Largest sample size", "300")
    visitor.run()
    designs = [design.name for design in MEDICAL_2.designs]
    assert visitor.cells("any dose declared")[::5] == designs
    assert parse_study(visitor.download("Download study")).outcome.model_dump()["variance"] == 4


def test_a_bad_cell_is_named_among_the_doses_and_can_be_mended(visitor: Visitor) -> None:
    visitor.edit_cell("5 mg", "flatter", "1.5")
    heading = visitor.page.get_by_role("heading", name="Doses", exact=True)
    doses = visitor.page.get_by_test_id("stLayoutWrapper").filter(has=heading).last
    message = "5 mg, flatter: must lie between 0 and 1 (a response rate), but is 1.5"
    visitor.reads(doses.get_by_test_id("stAlert"), message)
    visitor.misses(visitor.button("Run"))
    assert visitor.button("Download study").is_disabled()
    visitor.edit_cell("5 mg", "flatter", "0.5")
    visitor.misses(visitor.alerts)
    assert visitor.button("Download study").is_enabled()
    visitor.sees(visitor.glance)


def test_a_bad_number_is_refused_in_words_and_can_be_mended(visitor: Visitor) -> None:
    for label, bad, good, message in (
        ("Error rate (delta)", "0", "0.05", "Error rate (delta): must be greater than 0"),
        ("Largest sample size", "3", "400", "Largest sample size: must be at least 30"),
    ):
        visitor.fill(label, bad)
        visitor.reads(visitor.alerts, message)
        visitor.misses(visitor.button("Run"))
        visitor.fill(label, good)
        visitor.misses(visitor.alerts)
        visitor.sees(visitor.glance)


def test_a_long_run_leaves_the_pages_usable_and_can_be_cancelled(visitor: Visitor) -> None:
    visitor.choose_study(MEDICAL_1.title)
    visitor.fill("Simulated trials", "500000")  # hours: no machine ends it before it is cancelled
    visitor.presses("Run")
    visitor.reads(visitor.progress, "left")
    for name in ("Help", "Plan"):
        visitor.follow(name)
        visitor.reads(visitor.progress, "left")
    pace = visitor.progress.inner_text()
    time = r"(\d+ h )?(\d+ min )?\d+ (s|min)"
    assert re.search(rf"\d+%, {time} so far, about {time} left", pace), pace
    visitor.button("Cancel").click()
    visitor.reads(visitor.alerts, "Cancelled. What was there before is still there.")
    visitor.sees(visitor.button("Run"))
    visitor.go("Results")
    visitor.sees(f"{DEFAULT.title}: target 0.5, delta 0.05, {SIZE}")
    assert visitor.lines() == DESIGNS


def test_two_visitors_see_their_own_studies(visit: Visit) -> None:
    deltas = {"Anna's study": "0.04", "Bert's study": "0.06"}
    visitors = {title: visit() for title in deltas}
    for title, visitor in visitors.items():
        visitor.fill("Title of the study", title)
        visitor.up_to_date()
        visitor.fill("Error rate (delta)", deltas[title])
    for visitor in visitors.values():
        visitor.run()
    for title, visitor in visitors.items():
        visitor.go("Results")
        visitor.finds("Shown run", f"Run 3: delta 0.05 → {deltas[title]}")
        visitor.sees(f"{title}: target 0.5, delta {deltas[title]}, {SIZE}")
        (other,) = deltas.keys() - {title}
        assert other not in visitor.everything()


def test_a_study_file_opens_and_any_other_file_is_refused_in_words(visitor: Visitor) -> None:
    study = make_study(title="Sent by a colleague")
    good = dump_study(study).encode()
    for name, content, message in (
        ("broken.toml", b"title = ", "is not valid TOML"),
        ("latin.toml", b'title = "\xe9tude"', "must be a text file in UTF-8"),
        ("long.toml", b"# " + 500_000 * b"x", "must have at most 500,000 bytes"),
        ("study.txt", good, "files are not allowed"),
    ):
        visitor.upload(name, content)
        visitor.reads(visitor.page.get_by_test_id("stPopoverBody"), message)
        assert visitor.field("Title of the study").input_value() == DEFAULT.title
    visitor.upload("good.toml", good)
    visitor.finds("Title of the study", study.title)
    assert parse_study(visitor.download("Download study")) == study


HOSTILE_CONDUCT = {
    "delay": {"weeks": 4.0},
    "dropout": {"probability": 0.1, "counted": "left out"},
    "control_share": 0.3,
}
HOSTILE_KINDS: dict[str, dict[str, object]] = {
    "light": {},
    "dark": {"conduct": HOSTILE_CONDUCT, "outcome": {"kind": "gaussian", "variance": 0.25}},
}


@pytest.mark.parametrize("scheme", HOSTILE_KINDS)
def test_a_hostile_file_is_shown_as_text_on_every_page(visit: Visit, scheme: str) -> None:
    visitor = visit(scheme=scheme)
    arms = [{"label": f"{i} {HOSTILE}", "control": i == 0} for i in range(2)]
    study = make_study(
        title=HOSTILE,
        arms=[*arms, {"label": SCRIPT}],
        truths=[{"name": f"T {HOSTILE}", "means": [0.2, 0.6, 0.8], "note": HOSTILE}],
        designs=[{"name": HOSTILE, "rule": "hdoc"}, {"name": SCRIPT, "rule": "equal"}],
        **HOSTILE_KINDS[scheme],
    )
    visitor.upload("hostile.toml", dump_study(study).encode())
    visitor.finds("Title of the study", HOSTILE)
    visitor.run()
    for name in ("Results", "Compare", "One trial", "Decision rules", "Plan"):
        visitor.go(name)
        _ = visitor.still() if name == "Plan" else visitor.picture()
        assert HOSTILE in visitor.everything()
        assert visitor.page.evaluate("window.hacked") is None
        for what in ("img[src=x]", "[src*=example]", "[href*=example]", ".katex", "main script"):
            assert visitor.page.locator(what).count() == 0, (name, what)
        if study.conduct is not None:  # months and scores, under the longest names, in the dark
            visitor.fits(800, 1280)
            visitor.can_be_read()


def test_a_shared_link_opens_the_same_page_with_the_same_study(visit: Visit) -> None:
    sender = visit()
    sender.fill("Error rate (delta)", "0.2")
    sender.run()
    sender.go("Results")
    sender.presses("Share")
    link = sender.sees(sender.page.get_by_test_id("stCode")).inner_text().strip()
    sender.page.close()
    receiver = visit(link)
    assert receiver.lines() == DESIGNS
    receiver.sees(f"{DEFAULT.title}: target 0.5, delta 0.2, {SIZE}")
    receiver.go("Plan")
    assert parse_study(receiver.download("Download study")) == changed(DEFAULT, delta=0.2)


def test_a_damaged_link_opens_the_default_study_and_says_so(visit: Visit, address: str) -> None:
    visitor = visit(f"{address}/?study=eJxLTEpOSU1Lz8jMys7JzcsHADF5BlU")
    visitor.reads(visitor.alerts, "The study of this link cannot be opened")
    visitor.finds("Title of the study", DEFAULT.title)
    visitor.sees(visitor.glance)


def test_a_study_over_the_budget_is_refused_with_what_to_change(visitor: Visitor) -> None:
    visitor.fill("Simulated trials", "10000000")
    visitor.reads(visitor.alerts, "verdicts to be kept, but 100,000,000 are the limit here")
    visitor.misses(visitor.button("Run"))
    advice = re.search(r"at most ([\d,]+) simulated trials", visitor.alerts.first.inner_text())
    assert advice
    visitor.fill("Simulated trials", advice[1].replace(",", ""))
    visitor.sees(visitor.button("Run"))
    visitor.misses(visitor.alerts)


@pytest.mark.parametrize(("scheme", "ground"), [("light", (255, 255, 255)), ("dark", (17, 22, 28))])
def test_every_page_opens_fits_and_can_be_read(
    visit: Visit, scheme: str, ground: tuple[int, ...]
) -> None:
    visitor = visit(scheme=scheme)
    visitor.sees(visitor.glance)
    colour = "e => getComputedStyle(e).backgroundColor"
    assert visitor.page.get_by_test_id("stApp").evaluate(colour) == f"rgb{ground}"
    # Room does not depend on colours; 640 is a usual window at 200%.
    widths = (640, 800, 1280) if scheme == "light" else ()
    for name in PAGES:
        visitor.go(name)
        visitor.fits(*widths)
        visitor.can_be_read()
        visitor.is_called(f"{name} · Dose-finding planner")
    visitor.go("Results")
    for tab, heading in RESULTS.items():
        visitor.opens_tab(tab, heading)
        visitor.fits(*widths[::2])
        visitor.can_be_read()


def test_a_newcomer_runs_the_trial_in_time_and_reads_months(visitor: Visitor) -> None:
    visitor.clicks(visitor.page.get_by_text("Patients come month by month"))
    visitor.reads(visitor.alerts, "About 55 patients wait for their outcome at any time")
    visitor.fill("Patients a month", "40")
    visitor.reads(visitor.alerts, "400 patients take 10 months to enrol, and 2.8 more until")
    visitor.run()
    rows = visitor.cells("months until the last outcome")
    assert rows[::6] == DESIGNS
    # The fixed design runs to its end: 10 months of enrolment and 12 weeks.
    assert [float(months.split(" ± ")[0]) for months in rows[5::6]][1] == pytest.approx(
        12.7, abs=0.2
    )
    downloaded = parse_study(visitor.download("Download study"))
    assert downloaded.conduct is not None
    assert downloaded.conduct.accrual.per_month == 40
    visitor.go("Results")
    visitor.sees(visitor.page.get_by_role("heading", name="By which month is a dose declared?"))
    visitor.go("One trial")
    visitor.sees("in month")
    visitor.go("Plan")
    visitor.clicks(visitor.page.get_by_text("Patients come month by month"))
    visitor.cell_reads("patients in the trial", 5, DESIGNS[1])  # five columns again, not seven
    assert visitor.cells("patients in the trial")[::5] == DESIGNS


def test_one_trial_can_be_walked_through(visitor: Visitor) -> None:
    visitor.go("One trial")
    visitor.sees("the one in the middle")
    typical = visitor.cells("mean so far")
    visitor.clicks(visitor.page.get_by_text("an unlucky one", exact=True))
    visitor.sees("no trial errs; this one is among the last 5%")
    visitor.cells_other_than("mean so far", typical)
    slider = visitor.page.get_by_role("slider", name="Patients so far")
    slider.press("Home")
    visitor.cell_reads("mean so far", 2, "1")
    slider.press("ArrowRight")
    visitor.cell_reads("mean so far", 2, "2")
    assert [int(count) for count in visitor.cells("mean so far")[2::5]] == [2, 0, 0, 0, 0, 0]


def test_exact_errors_are_computed_beside_the_promised_ones(visitor: Visitor) -> None:
    visitor.go("Decision rules")
    assert visitor.lines() == DESIGNS
    rows = visitor.cells("promised (delta)")
    assert rows[::8] == DESIGNS
    for exact, promised in zip(rows[4::8], rows[5::8], strict=True):
        assert 0 < float(exact) <= float(promised) == DEFAULT.delta


def test_the_paper_can_be_recomputed_and_that_cancelled(visitor: Visitor) -> None:
    visitor.go("The paper")
    visitor.presses("Recompute")
    visitor.reads(visitor.progress, "Recomputing the paper")
    visitor.presses("Cancel")
    visitor.reads(visitor.alerts, "Cancelled")
    visitor.sees(visitor.button("Recompute"))


def test_a_report_is_one_click_away_and_shows_all_its_pictures(visitor: Visitor) -> None:
    visitor.go("Results")
    visitor.opens_tab("Report", "Report and data")
    visitor.page.set_content(visitor.download("Report (web page)"))
    visitor.sees(visitor.page.get_by_role("heading", name=DEFAULT.title, level=1))
    pictures = visitor.page.locator("img")
    assert pictures.count() == visitor.page.locator("figcaption").count() > 3
    assert min(pictures.evaluate_all("all => all.map(picture => picture.naturalWidth)")) > 100


def test_a_figure_is_saved_as_svg_and_a_page_is_printed_whole(visitor: Visitor) -> None:
    visitor.go("Results")
    visitor.picture().hover()
    with visitor.page.expect_download() as waiting:
        visitor.page.locator(".modebar-btn.gai-svg").first.click()
    assert waiting.value.suggested_filename == "chance-of-declaration.svg"
    drawing = waiting.value.path().read_text(encoding="utf-8")
    assert drawing.startswith("<svg")
    assert all(name in drawing for name in ("Fixed", "patients in the trial"))
    visitor.page.emulate_media(media="print")
    visitor.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert not visitor.page.get_by_test_id("stHeader").is_visible()
    assert not visitor.button("Share").is_visible()
    assert not visitor.button("Undo").is_visible()
    width = "figure => figure.querySelector('.main-svg').getBoundingClientRect().width"
    assert visitor.picture().evaluate(width) <= 700
    whole = "main => main.scrollHeight <= main.clientHeight + 1"
    assert visitor.page.get_by_test_id("stMain").evaluate(whole)
    visitor.page.evaluate("dispatchEvent(new Event('afterprint'))")
    visitor.page.emulate_media(media="screen")
    assert visitor.picture().evaluate(width) > 700
