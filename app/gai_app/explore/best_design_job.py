"""The search for the best design as a job: what is asked, and what is kept of the answer."""

from dataclasses import dataclass
from typing import Any

from gai_app.jobs import question, server_work
from gai_app.line import Job
from gai_app.settings import PATIENTS_PER_TRY
from gai_core import Study
from gai_core.engine import CancelFlag, Progress
from gai_core.questions import (
    JUDGED_RUNS,
    FrontierPoint,
    Minimise,
    Wish,
    Worth,
    check_optimise,
    design_in_words,
    frontier_points,
    optimise,
    optimum_sentences,
    optimum_table,
    optimum_tables,
)
from gai_core.results import WordTable


@dataclass(frozen=True)
class OptimiseFound:
    """What is shown of a search for the best design, without the trials behind it."""

    sentences: list[str]
    tables: list[WordTable]
    points: list[FrontierPoint]
    studies: dict[str, Study]
    """Every design that was judged, as a study."""
    csv: str


@dataclass(frozen=True)
class OptimiseAsked:
    """Which design reaches a wish with the fewest patients?"""

    study: Study
    wish: Wish
    under: str
    minimise: Minimise
    n_max: int
    effort: str

    @property
    def key(self) -> str:
        """Its name."""
        asked = self.wish, self.under, self.minimise, self.n_max, self.effort
        return question(f"best design {asked}", self.study)

    @property
    def label(self) -> str:
        """The work in a few words."""
        return "Searching for the best design"

    @property
    def asked(self) -> dict[str, Any]:
        """What is asked beside the wish, as a recipe has it."""
        return {name: getattr(self, name) for name in ("under", "minimise", "n_max", "effort")}

    @property
    def _options(self) -> dict[str, Any]:
        return {
            "under": self.under,
            "minimise": self.minimise,
            "within": {"n_max": [self.n_max]},
            "effort": self.effort,
            "runs": JUDGED_RUNS,
            "most_patients": PATIENTS_PER_TRY,
        }

    def check(self) -> None:
        """Refuse what cannot be searched for."""
        check_optimise(self.study, self.wish, **self._options)

    def work(self, report: Progress, cancel: CancelFlag) -> OptimiseFound:
        """The best design, the frontier and the benchmarks, judged on fresh trials."""

        def tell(best: Worth, tried: int) -> None:
            if isinstance(cancel, Job):
                needs = f"{best.cost:.0f} with {design_in_words(best.candidate.design())}"
                cancel.news = f"{tried:,} designs tried, best so far {needs}"

        with server_work(report, cancel) as work:
            found = optimise(self.study, self.wish, **self._options, work=work, tell=tell)
        return OptimiseFound(
            list(optimum_sentences(found)),
            optimum_tables(found),
            frontier_points(found),
            {name: found.study(name) for name in found.names},
            optimum_table(found).to_csv(index=False, lineterminator="\n"),
        )
