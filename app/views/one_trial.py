"""One trial: replay a single simulated trial patient by patient."""

import streamlit as st

from app.jobs import Results
from app.plain import markdown
from app.plots.style import draw
from app.plots.trial import VERDICTS, draw_allocations, draw_means
from app.settings import REPLAYED_SCORES
from app.widgets import choose, choose_truth, with_results
from gai_core.decisions import Limits, limits
from gai_core.replay import ArmState, Replay, replay, typical, unlucky
from gai_core.study import Design, Study, Truth

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
def show(study: Study, truth: Truth, trial: Replay, boundary: Limits, name: str) -> None:
    """The trial up to a patient that a slider chooses."""
    total = len(trial.arms)
    patients = st.slider("Patients so far", 1, total, total, key=f"patients-{name}")
    st.subheader("Who was allocated where")
    draw(draw_allocations(study, trial, patients), "allocations")
    st.subheader("Every dose's mean, and the limits that decide")
    draw(draw_means(study, trial, boundary, patients), "running-means")
    st.dataframe(
        [row(study, truth, arm, state) for arm, state in enumerate(trial.after(patients))],
        hide_index=True,
        width="stretch",
    )


def row(study: Study, truth: Truth, arm: int, state: ArmState) -> dict[str, object]:
    """A dose after so many patients, in words."""
    good = study.good(truth)[arm]
    verdict = VERDICTS[state.verdict].words if state.verdict in VERDICTS else "undecided"
    wrong = {1: not good, -1: good}.get(state.verdict, False)
    return {
        "dose arm": study.arms[arm].label,
        "assumed mean": f"{truth.means[arm]:g}",
        "patients": state.assigned,
        "mean so far": f"{state.mean:.3f}" if state.assigned else "–",
        "verdict": f"{verdict}, wrongly" if wrong else verdict,
    }


def story(study: Study, trial: Replay) -> None:
    """The verdicts in the order in which they came."""
    if not trial.moments:
        st.markdown(f"No dose gets a verdict within {len(trial.arms):,} patients.")
        return
    lines = [
        f"1. after patient {moment.patient:,}: {markdown(study.arms[moment.arm].label)} is "
        f"**{VERDICTS[moment.verdict].words}**"
        for moment in trial.moments
    ]
    st.markdown("\n".join(lines))
    left = len(study.arms) - len(trial.moments)
    if left:
        st.markdown(
            f"After {len(trial.arms):,} patients the trial ends with {left} undecided "
            f"dose{'s' * (left > 1)}."
        )


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


st.title("One trial, patient by patient")
with_results(page)
