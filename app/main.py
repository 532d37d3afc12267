"""Start page: what the planner is, and the studies it ships with."""

import streamlit as st

from gai_core import load_study, scenario_names

st.set_page_config(page_title="Dose-finding planner", page_icon="⚕️", layout="wide")
st.title("Dose-finding planner")
st.write(
    "Plan a trial that finds the doses meeting a target response: simulate adaptive designs "
    "on the same patients and see how many they need, against bounds that no design can beat."
)
st.subheader("Studies")
studies = {name: load_study(name) for name in scenario_names()}
st.dataframe(
    [
        {
            "study": name,
            "title": study.title,
            "arms": len(study.arms),
            "outcome": study.outcome.kind,
            "target": study.threshold,
            "error rate": study.delta,
        }
        for name, study in studies.items()
    ],
    hide_index=True,
    width="stretch",
)
st.caption("Run one from the command line: `gai run medical-1`.")
