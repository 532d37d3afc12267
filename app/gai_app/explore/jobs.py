"""What the explore page asks: checked at once, then worked on in the background."""

import tempfile
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import streamlit as st

from gai_app import session, widgets
from gai_app.budget import sweep_refusal
from gai_app.clicks import clicked
from gai_app.jobs import question, server_work
from gai_app.settings import PATIENTS_PER_SWEEP, PATIENTS_PER_TRY, POINTS_PER_SWEEP
from gai_core import InputError, Study
from gai_core.basics import in_a_row, parquet_file, scratch
from gai_core.engine import CancelFlag, Progress
from gai_core.questions import (
    SOLVABLE,
    USUAL_POWER,
    Advice,
    Plan,
    Wish,
    advise,
    check_equal_power,
    check_grid,
    equal_power,
    equal_power_sentences,
    equal_power_table,
    equal_power_tables,
    plan,
    searches,
    sweep,
    without_trials,
)
from gai_core.results import WordTable
from gai_core.study import Number, Variation, changed, narrowed


class Asked(Protocol):
    """A question about a study."""

    @property
    def study(self) -> Study:
        """The study it is about, as it stood when it was asked."""

    @property
    def key(self) -> str:
        """A name for the question: asked again, it has the same."""

    @property
    def label(self) -> str:
        """The work in a few words."""

    def work(self, report: Progress, cancel: CancelFlag) -> Any:
        """The answer, computed in a job."""


@dataclass(frozen=True)
class PlanAsked:
    """How much of a field reaches a wish?"""

    study: Study
    wish: Wish
    field: str
    truths: tuple[str, ...]
    designs: tuple[str, ...]
    runs: int
    among: tuple[Number, Number] | None = None
    largest: bool = False

    @property
    def key(self) -> str:
        """Its name."""
        asked = self.wish, self.field, self.truths, self.designs, self.among, self.largest
        return question(f"plan {asked}", self.sized)

    @property
    def label(self) -> str:
        """The work in a few words."""
        return f"Finding {SOLVABLE[self.field].words}"

    @property
    def sized(self) -> Study:
        """The study with so many trials as are simulated for every value."""
        if self.runs == self.study.simulation.runs:
            return self.study
        return changed(self.study, runs=self.runs)

    @property
    def _options(self) -> dict[str, Any]:
        return {
            "among": self.among,
            "truths": self.truths,
            "designs": self.designs,
            "largest": self.largest,
            "most_patients": PATIENTS_PER_TRY,
        }

    def check(self) -> None:
        """Refuse what cannot be searched for."""
        searches(self.sized, self.wish, self.field, **self._options)

    def work(self, report: Progress, cancel: CancelFlag) -> list[Plan]:
        """A plan per design."""
        with server_work(report, cancel) as work:
            return plan(self.sized, self.wish, self.field, **self._options, work=work)


@dataclass(frozen=True)
class AdviceAsked:
    """Which design should be used, and how many patients does the usual chance take?"""

    study: Study

    @property
    def key(self) -> str:
        """Its name."""
        return question(f"advice {USUAL_POWER}", self.study)

    @property
    def label(self) -> str:
        """The work in a few words."""
        return "Comparing designs at equal power"

    def check(self) -> None:
        """Refuse what cannot be searched for."""
        check_equal_power(self.study, USUAL_POWER, most_patients=PATIENTS_PER_TRY)

    def work(self, report: Progress, cancel: CancelFlag) -> Advice:
        """The recommendation, without the trials behind it, which are many."""
        with server_work(report, cancel) as work:
            advice = advise(self.study, most_patients=PATIENTS_PER_TRY, work=work)
        return replace(advice, found=without_trials(advice.found))


@dataclass(frozen=True)
class EqualPowerFound:
    """What is shown of designs at equal power, without the trials behind it, which are many."""

    sentences: list[str]
    tables: list[WordTable]
    csv: str


@dataclass(frozen=True)
class EqualPowerAsked:
    """What do designs need, and save, at equal error and power?"""

    study: Study
    wish: Wish
    under: str

    @property
    def key(self) -> str:
        """Its name."""
        return question(f"equal power {self.wish} {self.under}", self.study)

    @property
    def label(self) -> str:
        """The work in a few words."""
        return "Comparing at equal power"

    def check(self) -> None:
        """Refuse what cannot be searched for."""
        check_equal_power(self.study, self.wish, under=self.under, most_patients=PATIENTS_PER_TRY)

    def work(self, report: Progress, cancel: CancelFlag) -> EqualPowerFound:
        """Every design at its own smallest sample size."""
        with server_work(report, cancel) as work:
            found = equal_power(
                self.study, self.wish, under=self.under, most_patients=PATIENTS_PER_TRY, work=work
            )
        return EqualPowerFound(
            list(equal_power_sentences(found)),
            equal_power_tables(found),
            equal_power_table(found).to_csv(index=False, lineterminator="\n"),
        )


@dataclass(frozen=True)
class Swept:
    """The tidy table of a sweep, packed, and the trials of every point."""

    parquet: bytes
    runs: Mapping[tuple[Number, ...], int]


@dataclass(frozen=True)
class SweepAsked:
    """What becomes of a study when one or two of its fields vary?"""

    study: Study
    variations: tuple[Variation, ...]
    truths: tuple[str, ...]
    designs: tuple[str, ...]
    runs: int

    @property
    def fields(self) -> list[str]:
        """What varies."""
        return [variation.field for variation in self.variations]

    @property
    def key(self) -> str:
        """Its name."""
        return question(f"sweep {self.variations}", self.narrowed)

    @property
    def label(self) -> str:
        """The work in a few words."""
        return f"Varying {in_a_row(self.fields)}"

    @property
    def narrowed(self) -> Study:
        """The study with the chosen truths, designs and number of trials."""
        return changed(narrowed(self.study, self.truths, self.designs), runs=self.runs)

    @property
    def points(self) -> int:
        """Points of the grid."""
        size = 1
        for variation in self.variations:
            size *= len(variation.values)
        return size

    def check(self) -> None:
        """Refuse a grid that is not valid at every point, or is too large for this server."""
        check_grid(
            self.narrowed,
            self.variations,
            most_points=POINTS_PER_SWEEP,
            most_patients=PATIENTS_PER_SWEEP,
        )
        too_much = sweep_refusal(self.narrowed, self.points)
        if too_much:
            raise InputError(too_much)

    def work(self, report: Progress, cancel: CancelFlag) -> Swept:
        """The table, written point by point."""
        runs = {}
        with (
            scratch(Path(tempfile.gettempdir())) as folder,
            server_work(report, cancel) as work,
        ):
            path = folder / "sweep.parquet"
            points = sweep(
                self.narrowed,
                self.variations,
                work=work,
                most_points=POINTS_PER_SWEEP,
                most_patients=PATIENTS_PER_SWEEP,
            )
            with closing(points), parquet_file(path) as write:
                for point, table in points:
                    runs[tuple(point.values.values())] = point.study.simulation.runs
                    write(table)
            return Swept(path.read_bytes(), runs)


def offer(kind: str, words: str, asked: Asked | None) -> None:
    """The button that asks, or how far the work is."""
    job, progress = session.job(kind), st.container()
    if job is not None and not job.ended:
        widgets.watch(kind, progress)
        return
    if clicked(
        words,
        type="primary",
        icon=":material/play_arrow:",
        disabled=asked is None,
        key=f"go-{kind}",
    ):
        begin(kind, asked)
    widgets.ended_badly(kind)


def begin(kind: str, asked: Asked | None) -> None:
    """Answer the question, unless that was done before."""
    if asked is None:
        return
    st.session_state[f"asked-{kind}"] = asked
    if session.answer(kind, asked.key) is None:
        session.start(kind, asked.key, asked.label, asked.work)
    st.rerun()


def answered(kind: str) -> tuple[Any, Any] | None:
    """The last question that has an answer, and the answer; the session keeps both."""
    asked: Asked | None = st.session_state.get(f"asked-{kind}")
    if asked is not None:
        found = session.answer(kind, asked.key)
        if found is not None:
            st.session_state[f"answered-{kind}"] = asked, found
    kept: tuple[Any, Any] | None = st.session_state.get(f"answered-{kind}")
    return kept
