"""The paper's Tables 1 and 2 and its figure: published beside computed.

The published figures are data, typed from the paper (`paper/tables.csv`).
`gap` is computed minus published in units of their combined standard error;
a published mean has the error sd/sqrt(1000), being an average over 1,000 runs.
"""

import math
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gai_core.criteria import CRITERIA
from gai_core.engine import HERE, Progress, Work
from gai_core.questions import sweep
from gai_core.results import Time, Values, time_statistics, times
from gai_core.study import Design, Study, Variation, changed, load_study
from gai_core.theory import asymptotic, instance

if TYPE_CHECKING:
    import pandas as pd

TABLES = ("table1", "table2")
PUBLISHED_RUNS, SEED = 1000, 1
BURN_IN = 5
N_MAX = 100_000
LARGEST_GAP = 4.0
"""A computed figure further away than this many standard errors does not match."""

FIGURE_LOGS = range(5, 51, 5)
FIGURE_RULES = ("hdoc", "lucb-g")
FIGURE_TIMES = ("tau_1", "tau_2")
FIGURE_N_MAX = 6_000
"""Large enough for two declarations in every trial: the slowest point needs 2,500 on average."""

TABLE_COLUMNS = [
    "table",
    "setting",
    "delta",
    "rule",
    "criterion",
    "quantity",
    "published_mean",
    "published_sd",
    "mean",
    "mcse",
    "sd",
    "reached",
    "gap",
]
FIGURE_COLUMNS = [
    "log_1_over_delta",
    "rule",
    "quantity",
    "mean",
    "mcse",
    "reached",
    "asymptotic_bound",
]

HDOC_AS_PRINTED = (
    "The published HDoC figures marked here do not come out of Algorithm 1 as printed, "
    "while those of LUCB-G and APT-G do. This is Algorithm 1 as printed."
)
REMARK_1 = (
    "Medical 2's published figures do not follow Remark 1's radius "
    "sqrt(2 sigma^2 log(4Kn^2/delta)/n). They come out with a radius narrower by sqrt 2, "
    "which carries no guarantee (`union-published`)."
)


def published() -> "pd.DataFrame":
    """Means and standard deviations as printed; an empty mean stands for the paper's dash."""
    import pandas as pd

    return pd.read_csv(Path(__file__).parent / "tables.csv")


def reproduce_tables(
    tables: Iterable[str] = TABLES,
    *,
    runs: int = PUBLISHED_RUNS,
    seed: int = SEED,
    work: Work = HERE,
) -> "pd.DataFrame":
    """Every row of the paper's tables, computed again."""
    import pandas as pd

    printed = published()
    printed = printed[printed.table.isin(list(tables))]
    studies = {
        (setting, delta): _table_study(setting, delta, runs, seed)
        for setting, delta in dict.fromkeys(zip(printed.setting, printed.delta, strict=True))
    }
    steps = _Steps(work.progress, sum(len(study.designs) for study in studies.values()) * runs)
    rows = []
    for (setting, delta), study in studies.items():
        simulated = replace(work, progress=steps.part).simulate(study)
        steps.next()
        for design in study.designs:
            computed = times(simulated["published", design.name], N_MAX)
            block = printed[
                (printed.setting == setting)
                & (printed.delta == delta)
                & (printed.rule == design.rule)
            ]
            names = setting, delta, design.rule, design.criterion
            rows += [
                (
                    line.table,
                    *names,
                    line.quantity,
                    *_beside(line.mean, line.sd, computed[line.quantity]),
                )
                for line in block.itertuples()
            ]
    return pd.DataFrame(rows, columns=TABLE_COLUMNS)


def _beside(mean: float, sd: float, time: Time) -> tuple[float, ...]:
    """Published mean and sd; computed mean, mcse, sd, share reached; gap in standard errors."""
    statistics = time_statistics(time)
    computed, mcse = statistics["mean"]
    gap = (computed - mean) / math.hypot(mcse, sd / math.sqrt(PUBLISHED_RUNS))
    return mean, sd, computed, mcse, statistics["sd"][0], statistics["reached"][0], gap


def _table_study(setting: str, delta: float, runs: int, seed: int) -> Study:
    """A shipped setting with the paper's three rules under each criterion to be shown."""
    study = load_study(setting)
    criteria = [
        key for key in ("union", "union-published") if study.outcome.kind in CRITERIA[key].outcomes
    ]
    designs = [
        _design(rule, criterion) for criterion in criteria for rule in ("hdoc", "lucb-g", "apt-g")
    ]
    return _with(study, designs, delta, runs, seed, N_MAX)


def _design(rule: str, criterion: str) -> Design:
    radius = {"radius": criterion} if rule == "lucb-g" else {}
    return Design(
        name=f"{rule} {criterion}",
        rule=rule,
        rule_parameters=radius,
        criterion=criterion,
        burn_in=BURN_IN,
    )


def _with(
    study: Study, designs: list[Design], delta: float | None, runs: int, seed: int, n_max: int
) -> Study:
    only_published = study.model_copy(
        update={"designs": tuple(designs), "truths": (study.truth("published"),)}
    )
    return changed(only_published, delta=delta, runs=runs, seed=seed, n_max=n_max)


def reproduce_figure(
    *,
    runs: int = PUBLISHED_RUNS,
    seed: int = SEED,
    work: Work = HERE,
) -> "pd.DataFrame":
    """Medical 2: tau_1 and tau_2 against the asymptotic bound for log(1/delta) = 5, 10, ..., 50.

    A sweep over delta like any other, beside the bound.
    """
    import pandas as pd

    study, variation = figure_sweep(runs, seed)
    logs = dict(zip(variation.values, FIGURE_LOGS, strict=True))
    rows = []
    for point, table in sweep(study, [variation], work=work):
        values = Values(table)
        problem = instance(point.study, point.study.truths[0])
        for design in study.designs:
            for k, quantity in enumerate(FIGURE_TIMES, start=1):
                place = "published", design.name, quantity
                rows.append(
                    (
                        logs[point.values["delta"]],
                        design.rule,
                        quantity,
                        *values(*place, "mean"),
                        values(*place, "reached")[0],
                        asymptotic(problem, k).value,
                    )
                )
    return pd.DataFrame(rows, columns=FIGURE_COLUMNS)


def figure_sweep(runs: int = PUBLISHED_RUNS, seed: int = SEED) -> tuple[Study, Variation]:
    """What the paper's figure is a sweep of: Medical 2 with its two rules, over delta."""
    designs = [_design(rule, "union") for rule in FIGURE_RULES]
    study = _with(load_study("medical-2"), designs, None, runs, seed, FIGURE_N_MAX)
    return study, Variation("delta", tuple(math.exp(-log) for log in FIGURE_LOGS))


def reason(setting: str, rule: str, criterion: str) -> str:
    """Why a block does not match the paper, as far as it is known."""
    if setting == "medical-2" and criterion == "union":
        return REMARK_1
    if rule == "hdoc":
        return HDOC_AS_PRINTED
    return "No reason is known."


class _Steps:
    """One progress over several simulations."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress, self._total = progress, total
        self._before = self._within = 0

    def part(self, done: int, _total: int) -> None:
        """Progress of the simulation under way."""
        self._within = done
        if self._progress:
            self._progress(self._before + done, self._total)

    def next(self) -> None:
        """The simulation under way is done."""
        self._before += self._within
        self._within = 0
