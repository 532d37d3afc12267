"""What a trialist asks of the simulator: sweep, plan, compare, advise, optimise, verify."""

from gai_core.questions.advice import (
    Advice,
    advice_on,
    advise,
    average_ratio,
    quick_to_advise,
    unasked_advice,
)
from gai_core.questions.answering import answer_sentences, shown_design
from gai_core.questions.at_the_target import errors_at_the_target
from gai_core.questions.calibrating import calibrate, calibrated_in_words
from gai_core.questions.comparing import (
    USUAL_POWER,
    EqualPower,
    check_equal_power,
    equal_power,
    equal_power_table,
    with_benchmarks,
)
from gai_core.questions.comparing_words import equal_power_sentences, equal_power_tables
from gai_core.questions.design_candidate import Candidate
from gai_core.questions.design_race import EFFORTS, Effort
from gai_core.questions.design_space import Space
from gai_core.questions.design_trials import Minimise, Worth
from gai_core.questions.kept_comparison import without_trials
from gai_core.questions.optimise_texts import read_optimise
from gai_core.questions.optimise_words import (
    FrontierPoint,
    design_in_words,
    frontier_points,
    optimum_sentences,
    optimum_table,
    optimum_tables,
)
from gai_core.questions.optimising import JUDGED_RUNS, check_optimise, optimise
from gai_core.questions.optimum import Optimum
from gai_core.questions.plan_search import Plan, Wish
from gai_core.questions.plan_values import SOLVABLE, parse_among, solvable
from gai_core.questions.plan_wording import (
    best_plan,
    how_sure,
    interval_in_words,
    plan_headline,
    plan_sentences,
    plan_words,
)
from gai_core.questions.planning import parse_wish, plan, plan_table, searches, with_answer
from gai_core.questions.precision import check_precision, simulate_to
from gai_core.questions.several_runs import side_by_side
from gai_core.questions.small_runs import (
    FULL_FACTOR,
    Changed,
    Robustness,
    effect_over_target,
    robustness,
)
from gai_core.questions.sweep_data import (
    Cell,
    HeatMap,
    Measure,
    SweepCurve,
    cells,
    check_figure,
    heat_maps,
    measure,
    measures,
    sweep_curves,
    sweep_words,
    table_cells,
    wide,
)
from gai_core.questions.sweeping import check_grid, sweep, sweep_table
from gai_core.questions.truth_weights import inert_truth, judged_truths
from gai_core.questions.verification import errors_by_truth

__all__ = [
    "EFFORTS",
    "FULL_FACTOR",
    "JUDGED_RUNS",
    "SOLVABLE",
    "USUAL_POWER",
    "Advice",
    "Candidate",
    "Cell",
    "Changed",
    "Effort",
    "EqualPower",
    "FrontierPoint",
    "HeatMap",
    "Measure",
    "Minimise",
    "Optimum",
    "Plan",
    "Robustness",
    "Space",
    "SweepCurve",
    "Wish",
    "Worth",
    "advice_on",
    "advise",
    "answer_sentences",
    "average_ratio",
    "best_plan",
    "calibrate",
    "calibrated_in_words",
    "cells",
    "check_equal_power",
    "check_figure",
    "check_grid",
    "check_optimise",
    "check_precision",
    "design_in_words",
    "effect_over_target",
    "equal_power",
    "equal_power_sentences",
    "equal_power_table",
    "equal_power_tables",
    "errors_at_the_target",
    "errors_by_truth",
    "frontier_points",
    "heat_maps",
    "how_sure",
    "inert_truth",
    "interval_in_words",
    "judged_truths",
    "measure",
    "measures",
    "optimise",
    "optimum_sentences",
    "optimum_table",
    "optimum_tables",
    "parse_among",
    "parse_wish",
    "plan",
    "plan_headline",
    "plan_sentences",
    "plan_table",
    "plan_words",
    "quick_to_advise",
    "read_optimise",
    "robustness",
    "searches",
    "shown_design",
    "side_by_side",
    "simulate_to",
    "solvable",
    "sweep",
    "sweep_curves",
    "sweep_table",
    "sweep_words",
    "table_cells",
    "unasked_advice",
    "wide",
    "with_answer",
    "with_benchmarks",
    "without_trials",
]
