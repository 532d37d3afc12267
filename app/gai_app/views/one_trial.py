"""One trial: replay a single simulated trial patient by patient."""

import math

import streamlit as st

from gai_app import recipes
from gai_app.escaping import markdown
from gai_app.given_up import void_if_given_up
from gai_app.jobs import Results
from gai_app.pages import PAGES
from gai_app.plots.trial import MOST_POINTS, VERDICTS, draw_allocations, draw_means
from gai_app.settings import REPLAYED_SCORES
from gai_app.widgets import choose, choose_truth, code, figure, with_results, word_table
from gai_core.results import (
    ArmState,
    Limits,
    Moment,
    Replay,
    WordTable,
    limits,
    replay,
    spread_rows,
    typical,
    unlucky,
)
from gai_core.study import Design, Study, Truth

ON_THE_WAY = 8  # rows of a dose in the table of means
WAYS = ("a typical one", "an unlucky one", "by number")


@st.cache_data(max_entries=20, show_spinner="Replaying the trial")
def replayed(_study: Study, key: str, truth: str, design: str, replicate: int) -> Replay:
    """The replay, kept: moving the slider must not repeat the trial."""
    del key  # names the study, which Streamlit cannot hash
    return replay(_study, _study.truth(truth), _study.design(design), replicate)


def choose_trial(results: Results, truth: Truth, design: Design) -> int:
    """The replicate to look at, by luck or by number."""
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    way = left.segmented_control("Trial", WAYS, default=WAYS[0], key="way", required=True)
    if way == "by number":
        runs = results.study.simulation.runs
        number = right.number_input("Number of the trial", 1, runs, 1, key="trial-number")
        return int(number) - 1
    pick = unlucky if way == "an unlucky one" else typical
    example = pick(results.runs, truth.name, design.name)
    right.markdown(f"Trial {example.replicate + 1:,}: {example.why}.")
    return example.replicate


@st.fragment
@void_if_given_up()
def show(study: Study, truth: Truth, trial: Replay, boundary: Limits, name: str) -> None:
    """The trial up to a patient that a slider chooses."""
    total = len(trial.arms)
    patients = st.slider("Patients so far", 1, total, total, key=f"patients-{name}")
    if trial.times is not None:
        st.caption(standing(trial, patients))
    st.header("Who was allocated where", anchor=False)
    figure(
        draw_allocations(study, trial, patients),
        "allocations",
        f"dose and outcome of each of the first {patients:,} patients",
        lambda: every_patient(study, trial, patients),
    )
    what = study.stream.outcome.path_name
    st.header(f"Every dose's {what}, and the limits that decide", anchor=False)
    figure(
        draw_means(study, trial, boundary, patients),
        "running-means",
        f"{what} of each dose as its patients come",
        lambda: means_on_the_way(study, trial, patients),
    )
    st.header("Where every dose stands", anchor=False)
    states, paths = trial.after(patients), trial.paths(study, patients)
    rows = [
        row(study, truth, trial, arm, state) | pairs(study, arm, *paths[arm])
        for arm, state in enumerate(states)
    ]
    cells = [[str(cell) for cell in line.values()] for line in rows]
    word_table(WordTable(f"every dose after {patients:,} patients", list(rows[0]), cells))


def standing(trial: Replay, patients: int) -> str:
    """Where a conducted trial stands after so many patients."""
    waiting, month = set(trial.waiting(patients)), trial.month(patients) or 0.0
    dropped = sum(
        time.dropped_out and t not in waiting
        for t, time in enumerate((trial.times or ())[:patients])
    )
    when = "At the end, in" if patients == len(trial.arms) else "In"
    return (
        f"{when} month {month:.1f}: {patients:,} patients enrolled, {len(waiting):,} waiting for "
        f"their outcome, {dropped:,} dropped out."
    )


def row(study: Study, truth: Truth, trial: Replay, arm: int, state: ArmState) -> dict[str, object]:
    """An arm after so many patients, in words."""
    good = study.good(truth)[arm]
    verdict = VERDICTS[state.verdict].words if state.verdict in VERDICTS else "undecided"
    wrong = {1: not good, -1: good}.get(state.verdict, False)
    apart = arm == study.set_apart
    mean = study.expected(truth)[arm]
    known = {} if trial.times is None else {"outcomes known": state.seen}
    month = next((moment.month for moment in trial.moments if moment.arm == arm), None)
    decided = state.verdict in VERDICTS and month is not None
    when = {} if trial.times is None else {"in month": f"{month:.1f}" if decided else "–"}
    return {
        "dose arm": study.arms[arm].label,
        "assumed mean": f"{mean:.4g}" if study.dropout else f"{mean:g}",
        "patients": state.assigned,
        **known,
        "mean so far": f"{state.mean:.3f}" if state.seen else "–",
        "verdict": "control, no verdict" if apart else f"{verdict}, wrongly" if wrong else verdict,
        **when,
    }


def pairs(study: Study, arm: int, counts: list[int], values: list[float]) -> dict[str, object]:
    """What an arm's pairs with the control say so far, where doses are compared with it."""
    stream = study.stream
    if not stream.paired:
        return {}
    there = arm != study.set_apart
    return {
        stream.outcome.count_name.replace(" of the dose", ""): f"{counts[-1] if counts else 0:,}"
        if there
        else "–",
        stream.outcome.path_name: _value(values[-1]) if values else "–",
    }


def every_patient(study: Study, trial: Replay, patients: int) -> WordTable:
    """The last patients: when each came, when the outcome was known, who dropped out."""
    first = max(0, patients - MOST_POINTS)
    waiting = set(trial.waiting(patients))
    rows = [
        [
            f"{t + 1:,}",
            study.arms[trial.arms[t]].label,
            *_months(trial, t),
            *_partner(trial, t, patients),
            _outcome(trial, t, waiting=t in waiting),
        ]
        for t in range(first, patients)
    ]
    months = [] if trial.times is None else ["enrolled in month", "outcome in month"]
    partner = [] if trial.partners is None else ["partner"]
    title = f"patients {first + 1:,} to {patients:,}"
    return WordTable(title, ["patient", "dose arm", *months, *partner, "outcome"], rows)


def _partner(trial: Replay, patient: int, patients: int) -> list[str]:
    """Which patient on the control is the partner, once enrolled."""
    if trial.partners is None:
        return []
    other = trial.partners[patient]
    return ["–" if other is None or other >= patients else f"{other + 1:,}"]


def _months(trial: Replay, patient: int) -> list[str]:
    if trial.times is None:
        return []
    time = trial.times[patient]
    return [f"{time.enrolled:.2f}", f"{time.known:.2f}"]


def _outcome(trial: Replay, patient: int, *, waiting: bool) -> str:
    if waiting:
        return "not known yet"
    value = f"{trial.outcomes[patient]:.3g}"
    if trial.times is None:
        return value
    time = trial.times[patient]
    if time.left_out:
        return "dropped out, left out"
    return f"dropped out, counts as {value}" if time.dropped_out else value


def means_on_the_way(study: Study, trial: Replay, patients: int) -> WordTable:
    """Every dose's mean, or t-statistic, after some of its patients, the last ones too."""
    rows, what = [], study.stream.outcome.path_name
    for arm, (counts, values) in zip(study.arms, trial.paths(study, patients), strict=True):
        rows += [
            [arm.label, f"{counts[place]:,}", _value(values[place])]
            for place in spread_rows(len(counts), ON_THE_WAY)
        ]
    return WordTable(f"{what} on the way", ["dose arm", "after patients", f"{what} so far"], rows)


def _value(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}"


def story(study: Study, trial: Replay) -> None:
    """The verdicts in the order in which they came."""
    if not trial.moments:
        st.markdown(f"No dose gets a verdict within {len(trial.arms):,} patients.")
        return
    lines = [
        f"1. {_after(moment)}: {markdown(study.arms[moment.arm].label)} is "
        f"**{VERDICTS[moment.verdict].words}**"
        for moment in trial.moments
    ]
    st.markdown("\n".join(lines))
    left = len(study.candidates) - len(trial.moments)
    if left:
        st.markdown(
            f"After {len(trial.arms):,} patients the trial ends with {left} undecided "
            f"dose{'s' * (left > 1)}."
        )


def _after(moment: Moment) -> str:
    if moment.month is None:
        return f"after patient {moment.patient:,}"
    return f"in month {moment.month:.1f}, with {moment.patient:,} patients enrolled"


def page(results: Results) -> None:
    """Choose truth, design and trial; then walk through it."""
    study = results.study
    left, right = st.columns(2)
    with left:
        truth = choose_truth(results)
    with right:
        names = [design.name for design in study.designs]
        design = study.design(choose("Design", names, "design"))
    replicate = choose_trial(results, truth, design)
    patients = int(results.runs[truth.name, design.name].patients[replicate])
    if patients * len(study.arms) > REPLAYED_SCORES:
        st.info(
            f"This trial has {patients:,} patients on {len(study.arms)} arms: too long to be "
            "replayed here. Choose a smaller largest sample size.",
            icon=":material/info:",
        )
        return
    trial = replayed(study, results.key, truth.name, design.name, replicate)
    story(study, trial)
    name = f"{results.key[:12]}-{truth.name}-{design.name}-{replicate}"
    show(study, truth, trial, limits(study, design), name)
    code(lambda: recipes.of_trial(study, truth.name, design.name, replicate))


st.title(PAGES["one_trial"].heading)
with_results(page)
