"""What a trialist writes: arms, truths, designs, conduct; read, checked, varied."""

from gai_core.study.calibrated import SIMULATED, calibration_stamp, cannot_calibrate
from gai_core.study.changes_in_words import differences
from gai_core.study.changing import changed, narrowed
from gai_core.study.conduct import NO_CONTROL, Conduct, Delay, look_numbers, terms
from gai_core.study.conduct_steps import (
    BLOCKS,
    FIXED,
    MIXED,
    ConductNumbers,
    control_patients,
    draw_delay,
    draw_gap,
    enrolment_month,
)
from gai_core.study.conduct_words import (
    AT_ONCE,
    NOT_KEPT,
    WHY_KEPT,
    assumption_cautions,
    conduct_cautions,
    dropout_cautions,
    implied,
    in_words,
    timing_cautions,
    wanted_in_words,
)
from gai_core.study.dose_order import UNORDERED, best_doses, doses_in_order, doses_of
from gai_core.study.error_words import (
    allowed_in_words,
    rates_explained,
    rates_in_formulas,
    rates_in_words,
)
from gai_core.study.estimand import Estimand
from gai_core.study.files import (
    AGAINST_CONTROL,
    dump_study,
    load_study,
    parse_study,
    scenario_groups,
    scenario_names,
    scenario_titles,
)
from gai_core.study.futility_words import (
    NOT_BINDING,
    futility_cautions,
    futility_in_words,
    linked_in_words,
    promise_of,
    promised,
)
from gai_core.study.margin import expected_mean, in_decimals, with_threshold
from gai_core.study.order import IN_ORDER, best_below_the_top
from gai_core.study.parts import LARGEST_N_MAX, LARGEST_SEED
from gai_core.study.ready_made import (
    ABOUT,
    every_ready_made,
    fits,
    fixed,
    group_sequential,
    sensible,
)
from gai_core.study.shared_control import by_dunnett
from gai_core.study.study import Design, Study, Truth
from gai_core.study.target import SMALLEST_COHORT, USUAL_COHORT
from gai_core.study.target_words import (
    KEPT_IN_PAIRS,
    NOT_KEPT_BY_SAMPLES,
    assumed_control_cautions,
    control_label,
    evidence_in_words,
    good_dose_in_words,
    kept_by_pairs,
    target_in_short,
    worst_in_words,
)
from gai_core.study.toml_text import toml_data
from gai_core.study.validating import study_or_problems, validated
from gai_core.study.variations import Grid, Number, Variation, numbers_at, parse_variation, varied

__all__ = [
    "ABOUT",
    "AGAINST_CONTROL",
    "AT_ONCE",
    "BLOCKS",
    "FIXED",
    "IN_ORDER",
    "KEPT_IN_PAIRS",
    "LARGEST_N_MAX",
    "LARGEST_SEED",
    "MIXED",
    "NOT_BINDING",
    "NOT_KEPT",
    "NOT_KEPT_BY_SAMPLES",
    "NO_CONTROL",
    "SIMULATED",
    "SMALLEST_COHORT",
    "UNORDERED",
    "USUAL_COHORT",
    "WHY_KEPT",
    "Conduct",
    "ConductNumbers",
    "Delay",
    "Design",
    "Estimand",
    "Grid",
    "Number",
    "Study",
    "Truth",
    "Variation",
    "allowed_in_words",
    "assumed_control_cautions",
    "assumption_cautions",
    "best_below_the_top",
    "best_doses",
    "by_dunnett",
    "calibration_stamp",
    "cannot_calibrate",
    "changed",
    "conduct_cautions",
    "control_label",
    "control_patients",
    "differences",
    "doses_in_order",
    "doses_of",
    "draw_delay",
    "draw_gap",
    "dropout_cautions",
    "dump_study",
    "enrolment_month",
    "every_ready_made",
    "evidence_in_words",
    "expected_mean",
    "fits",
    "fixed",
    "futility_cautions",
    "futility_in_words",
    "good_dose_in_words",
    "group_sequential",
    "implied",
    "in_decimals",
    "in_words",
    "kept_by_pairs",
    "linked_in_words",
    "load_study",
    "look_numbers",
    "narrowed",
    "numbers_at",
    "parse_study",
    "parse_variation",
    "promise_of",
    "promised",
    "rates_explained",
    "rates_in_formulas",
    "rates_in_words",
    "scenario_groups",
    "scenario_names",
    "scenario_titles",
    "sensible",
    "study_or_problems",
    "target_in_short",
    "terms",
    "timing_cautions",
    "toml_data",
    "validated",
    "varied",
    "wanted_in_words",
    "with_threshold",
    "worst_in_words",
]
