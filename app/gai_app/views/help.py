"""Help: words and symbols, what each design guarantees, how to read the figures, how to cite."""

import pandas as pd
import streamlit as st

from gai_app.escaping import markdown
from gai_app.pages import PAGES, link_to
from gai_app.widgets import tabs
from gai_core import CRITERIA, RULES, __version__
from gai_core.basics import PAPER
from gai_core.criteria import futilities
from gai_core.results import LOWER_BOUNDS, QUANTITIES
from gai_core.study import (
    ABOUT,
    KEPT_IN_PAIRS,
    NOT_BINDING,
    NOT_KEPT,
    NOT_KEPT_BY_SAMPLES,
    WHY_KEPT,
)

FIRST_STEPS = """
1. **Plan**: start from a shipped study or an empty one. Say what a patient's outcome is, which mean a
   good dose reaches, and what the doses might really do. The picture beside it shows at once how far
   each dose is from the target and how many patients any design needs at least.
2. **Run** it. Every design is simulated on every assumption, on the same simulated patients.
3. **Results** answers: what is the chance of having declared a dose by N patients? **Compare** sets
   the designs side by side, **One trial** shows a single trial patient by patient, and **Decision
   rules** has the table for the protocol.
   **Explore** asks the other way round, how many patients a wished chance takes, and what becomes of
   the study when its numbers vary.
4. **Download** the study file: the command line reads it too (`gai run FILE`). A **link** carries the
   whole study.
"""

GLOSSARY = {
    "dose arm": ("arm i", "A dose, or the control, to which patients are allocated."),
    "target response": (
        "xi",
        "The mean outcome that a good dose reaches: a fixed number, beside which the implied difference from the control is shown; or, against the concurrent control, what the control does in the trial plus a margin.",
    ),
    "meets the target": (
        "mu_i ≥ xi",
        "The dose's true mean is at least the target; against the concurrent control, above it.",
    ),
    "error rate": (
        "delta",
        "The chance allowed for any wrong verdict in the whole list: a declared dose that misses the target, or a dropped one that meets it. It is neither a plain type I error nor 1 minus power.",
    ),
    "false declaration": (
        "alpha",
        "With two error rates: the chance allowed for declaring any dose that misses the target, in the whole list.",
    ),
    "good dose dropped": (
        "beta",
        "With two error rates: the chance allowed for dropping any dose that meets the target. It is not 1 minus power: a good dose can also stay undecided.",
    ),
    "doses wanted": (
        "lambda",
        "The trial ends when so many doses are declared; all: when every dose has its verdict. A design that looks once, at the end, goes on to it.",
    ),
    "what drops a dose (futility)": (
        "–",
        f"The decision rule's own lower limit, another rule, or nothing. {NOT_BINDING}",
    ),
    "inert": (
        "–",
        "An assumption in which every dose does what the control does: the global null. What is enrolled then is what a drug that does nothing costs.",
    ),
    "just below the target": (
        "–",
        "An assumption in which every dose nearly meets the target, next to where false declarations are likeliest: the boundary null.",
    ),
    "equal power": (
        "–",
        "Every design at its own smallest sample size that reaches the same chance under one assumption, with the same error rates: only then are fewer patients a saving. On the Compare page.",
    ),
    "unknown variance": (
        "–",
        "Scores are judged by t-statistics, valid for any spread: the designs know none, and every assumption states the one its patients are drawn from.",
    ),
    "assumed dose-response": (
        "mu_1, …, mu_K",
        "What the doses might really do. The designs never see it; they are judged on it.",
    ),
    "verdict": (
        "output / deleted",
        "A dose is declared (it meets the target), dropped (it does not), or still undecided when the trial ends.",
    ),
    "largest sample size": (
        "n_max",
        "When so many patients are in, the trial ends; doses without a verdict stay undecided, and times not reached are reported as such, never averaged away.",
    ),
    "allocation rule": ("sampling strategy", "Which dose the next patient gets."),
    "decision rule": (
        "identification criterion",
        "When a dose is declared or dropped, given its own patients.",
    ),
    "burn-in": ("–", "Outcomes of every dose before the allocation rule begins."),
    "simulated trials": (
        "independent runs",
        "More of them make the Monte Carlo error smaller: four times as many, half the error.",
    ),
    "conduct": (
        "–",
        "How the trial is run in time. Without it, one patient comes after the other and every outcome is known at once, as in the paper.",
    ),
    "accrual": (
        "–",
        "How many patients come in a month; the rate may rise from zero while centres open (ramp-up).",
    ),
    "waiting patients (pipeline)": (
        "–",
        "Patients who are enrolled but whose outcome is not known yet: accrual × delay on average.",
    ),
    "cohort": (
        "–",
        "Patients whose doses are chosen at a time, with what is known when the cohort begins.",
    ),
    "look": ("–", "A moment at which verdicts can be given. There is one at the end in any case."),
    "dropout": (
        "–",
        "A patient without an outcome: counted as a non-responder, as no improvement, or left out.",
    ),
    "control set apart": (
        "–",
        "A control with a fixed share of the patients that gets no verdict.",
    ),
    "concurrent control": (
        "–",
        "The control treated at the same time, in the same cohorts. Doses are compared with its patients, not with a mean that was assumed: what a decision rule promises holds whatever the control does, unless its limits are for some rates of the control alone, or for one that stays the same.",
    ),
    "pair": (
        "–",
        "A patient on a dose and one on the control of the same cohort, its partner. A control may be partner to one patient of each dose. A pair counts when both outcomes are known.",
    ),
    "discordant pair": (
        "–",
        "A pair of which one patient responds: in favour of the dose if it is the dose's. At equal rates it is a fair coin.",
    ),
    "margin": (
        "–",
        "How much better than the control a good dose is. Over an assumed control it makes a fixed target, which does not move with the control's patients; over the concurrent control it does.",
    ),
    "trend": (
        "–",
        "A change of every mean per month. A verdict is right or wrong by the mean at the start.",
    ),
    "fixed design": (
        "–",
        "Equal allocation and one exact test of every dose at the end: the simplest benchmark.",
    ),
    "MCP-Mod": (
        "–",
        "The usual analysis of a dose-finding trial of fixed size: contrasts for candidate curves show whether the response depends on the dose, and the best curve says which dose reaches the target. Compare sets it beside the designs.",
    ),
    "group-sequential design": (
        "–",
        "Equal allocation over open doses and a few looks, doses observed below the target dropped: the usual benchmark.",
    ),
}

FIGURES = """
- **Chance of declaration by N patients**: pick a number of patients on the lower axis and read how
  likely each design has declared a dose by then. The shaded band is what simulation leaves uncertain.
- **Patients until each verdict**: a box holds the middle half of the trials, its line is the median,
  whiskers hold the middle 80%. Lines across are lower bounds on the *mean*.
- **Verdicts per dose**: hatched parts are errors. Undecided is no error, but no answer either.
- **Patients per dose**: who is treated with what. A good adaptive design spends few patients on doses
  that do not matter.
- **By month**: a study with a conduct has the same figures in months. Verdicts wait for outcomes and
  for the next look, so the curves are steps; enrolment goes on until the last verdict that ends it.
- **Compare**: both designs have seen the same simulated patients, so differences have
  small errors. An interval that leaves out 0 is hardly chance; with many comparisons a few are.
"""

WHY_VALID = """
The limits for a dose are about its own patients alone, and without a time trend the n-th patient on a dose has
the same outcome whichever allocation rule asked for it. So a proven guarantee comes from the decision rule and holds under
every allocation rule; allocation only changes how soon. Against the concurrent control the same holds of
a dose's pairs (Control).

Step-down, and doses judged in order, look at the verdicts on other doses as well: the guarantee holds whichever
of them come first. Dunnett's limits are the exception: their guarantee is about equal allocation, with all
doses compared with the same controls. What is called *simulated* was found in simulated trials of one study and
is not proven, and what is called *nothing* promises nothing.
"""

IN_TIME = """
The limits of a decision rule bound the chance that a dose *ever* crosses the wrong one, over its own
sequence of outcomes. How a trial is run mostly chooses only at which points of this sequence a dose is
looked at, and then a proven guarantee stays as it is; one that was found in simulated trials is about the
conduct that was simulated. What it costs is patients and months, and the results
say how many.
"""


AGAINST_CONTROL = """
Every patient on a dose has a partner on the control in the same cohort, and a cohort is allocated
before its outcomes. Pairs count in the order in which the dose's patients came. So what the n-th pair of
a dose shows does not depend on the allocation rule, on what is known first, or on when the trial ends:
these only choose how many pairs are seen, and the limits bound the chance that a dose at the target
*ever* crosses the wrong one. That chance is the same for every mean of the control, or is taken at its
worst. Doses share controls, so their errors are added up, as if they never came together.
"""


def conduct() -> None:
    """Why the conduct of a trial keeps the guarantee, and what breaks it."""
    st.header("Trials as they are run")
    st.markdown(IN_TIME)
    words_table(["keeps the guarantee", "because"], [[key, why] for key, why in WHY_KEPT.items()])
    words_table(["breaks the guarantee", "because"], [[key, why] for key, why in NOT_KEPT.items()])
    st.markdown(
        "Where a study has one of the latter, the plan says so. The simulation shows what it costs: "
        "compare *any wrong verdict* with delta, or either error with its own rate."
    )


def concurrent_control() -> None:
    """Why what is promised against the concurrent control holds, whatever the control does."""
    st.header("Against the concurrent control")
    st.markdown(AGAINST_CONTROL)
    words_table(
        ["what counts", "why no trend that all arms share breaks it"],
        [[what, why] for what, why in KEPT_IN_PAIRS.items()],
    )
    st.markdown(NOT_KEPT_BY_SAMPLES)


def registry() -> None:
    """What is in the registries, as it describes itself."""
    st.header("Decision rules and what they guarantee")
    st.markdown(WHY_VALID)
    words_table(
        ["decision rule", "guarantee", "in words", "declares a dose when", "source"],
        [
            [f"{e.label} ({e.key})", e.guarantee, e.guarantee_text, e.formula, e.citation]
            for e in CRITERIA.values()
        ],
    )
    st.subheader("Dropping a dose")
    st.markdown(
        f"A dose is dropped by the lower limit of any of these, or as follows. {NOT_BINDING}"
    )
    words_table(
        ["what drops a dose", "guarantee", "in words", "drops a dose when"],
        [
            [f"{e.label} ({e.key})", e.guarantee, e.guarantee_text, e.formula]
            for e in futilities().values()
            if e.key not in CRITERIA
        ],
    )
    st.header("Ready-made designs")
    words_table(["design", "what it is"], [[name, about] for name, about in ABOUT.items()])
    st.header("Allocation rules")
    words_table(
        ["allocation rule", "next patient", "beware", "source"],
        [[f"{e.label} ({e.key})", e.formula, e.caution or "–", e.citation] for e in RULES.values()],
    )


def words_table(columns: list[str], rows: list[list[str]]) -> None:
    """A table whose cells may be sentences."""
    cells = [[markdown(cell) for cell in row] for row in rows]
    st.table(pd.DataFrame(cells, columns=columns), hide_index=True)


def first_steps() -> None:
    """What to do, where, and how to cite it."""
    st.header("First steps")
    st.markdown(FIRST_STEPS)
    st.header("The pages")
    words_table(["page", "what it is for"], [[page.title, page.about] for page in PAGES.values()])
    for page in PAGES.values():
        if page.under == "help":
            link_to(page.key, f"{page.title}: {page.about[0].lower()}{page.about[1:]}")
    st.header("How to cite")
    st.markdown(
        f"The method: {markdown(PAPER)}. Rules has the source of every design, Figures that of every bound."
    )
    st.code(f"gai-planner {__version__}: planner for clinical dose-finding trials", language=None)


def words() -> None:
    """What words mean here, and what the paper calls it."""
    st.header("Words and symbols")
    words_table(
        ["here", "in the paper", "meaning"], [[word, *about] for word, about in GLOSSARY.items()]
    )


def quantities() -> None:
    """Every number of a table, explained."""
    st.header("What trials are judged by")
    words_table(
        ["here", "in tables", "meaning"],
        [[entry.label, key, entry.meaning] for key, entry in QUANTITIES.items()],
    )


def figures() -> None:
    """How figures and bounds are read."""
    st.header("How to read the figures")
    st.markdown(FIGURES)
    st.subheader("The lower bounds")
    st.markdown("\n".join(f"- {text}" for text in LOWER_BOUNDS.values()))


TABS = {
    "First steps": first_steps,
    "Words": words,
    "Quantities": quantities,
    "Figures": figures,
    "Rules": registry,
    "Conduct": conduct,
    "Control": concurrent_control,
}

st.title(PAGES["help"].heading)
shown, place = tabs(list(TABS), "help-tab")
with place:
    TABS[shown]()
