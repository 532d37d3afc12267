"""What every room uses: errors, models, registries, files, caches, threads."""

from gai_core.basics.array_memory import kept_arrays
from gai_core.basics.compiling import LOOP_STEPS, MARKED, jitable, loop_step
from gai_core.basics.echo import printable, shortened, shown
from gai_core.basics.errors import Cancelled, InputError
from gai_core.basics.fingerprints import COMPUTING, differing, fingerprint, sources
from gai_core.basics.model import FrozenModel
from gai_core.basics.numerals import (
    mean_share,
    measured,
    number,
    percent,
    places_for,
    thinned,
    whole_percent,
    with_error,
)
from gai_core.basics.problem import (
    Argument,
    Name,
    Place,
    Problem,
    Words,
    first_problems,
    path,
    told,
)
from gai_core.basics.registry import (
    CHOICES,
    MATTERS,
    OF_EVIDENCE,
    PAPER,
    Entry,
    Parameters,
    Registry,
    choices_in_words,
    matters_if,
    of_evidence,
    suggestion,
)
from gai_core.basics.scratch_folders import scratch
from gai_core.basics.searching import SEARCHED, rounded, searched, values_to_search
from gai_core.basics.shares import NORMAL_95, wilson
from gai_core.basics.table_files import parquet_file
from gai_core.basics.user_cache import DRAFT, cache_folder, remembered, source_hash, write_quietly
from gai_core.basics.whole_files import (
    check_new,
    check_writable,
    reason,
    writable,
    write_text,
    written_whole,
)
from gai_core.basics.workers import (
    CancelFlag,
    Workers,
    checked_threads,
    cores,
    finished,
    own_threads,
)

__all__ = [
    "CHOICES",
    "COMPUTING",
    "DRAFT",
    "LOOP_STEPS",
    "MARKED",
    "MATTERS",
    "NORMAL_95",
    "OF_EVIDENCE",
    "PAPER",
    "SEARCHED",
    "Argument",
    "CancelFlag",
    "Cancelled",
    "Entry",
    "FrozenModel",
    "InputError",
    "Name",
    "Parameters",
    "Place",
    "Problem",
    "Registry",
    "Words",
    "Workers",
    "cache_folder",
    "check_new",
    "check_writable",
    "checked_threads",
    "choices_in_words",
    "cores",
    "differing",
    "fingerprint",
    "finished",
    "first_problems",
    "jitable",
    "kept_arrays",
    "loop_step",
    "matters_if",
    "mean_share",
    "measured",
    "number",
    "of_evidence",
    "own_threads",
    "parquet_file",
    "path",
    "percent",
    "places_for",
    "printable",
    "reason",
    "remembered",
    "rounded",
    "scratch",
    "searched",
    "shortened",
    "shown",
    "source_hash",
    "sources",
    "suggestion",
    "thinned",
    "told",
    "values_to_search",
    "whole_percent",
    "wilson",
    "with_error",
    "writable",
    "write_quietly",
    "write_text",
    "written_whole",
]
