"""Limits beside their formulas, written here a second time."""

import math

from gai_core.study import Study, validated
from gai_core.validation.check import Check, Effort, Found

DELTA, ARMS, TARGET, N_MAX = 0.05, 3, 0.4, 200
COUNTS = (8, 30, 75, 200)
WEIGHTS = (10.0, 200.0)
"""Of the beta mixtures of `mixture`."""
POINTS = 4000


def _study() -> Study:
    criteria = ("union", "kl-union", "mixture")
    designs = [{"name": key, "rule": "equal", "criterion": key, "burn_in": 1} for key in criteria]
    return validated(
        {
            "title": "Limits",
            "threshold": TARGET,
            "delta": DELTA,
            "outcome": {"kind": "bernoulli"},
            "simulation": {"runs": 1, "n_max": N_MAX, "seed": 1},
            "arms": [{"label": str(arm)} for arm in range(ARMS)],
            "truths": [{"name": "any", "means": [0.2, 0.4, 0.6]}],
            "designs": designs,
        },
        "validation",
    )


def _union(s: int, n: int) -> bool:
    """S/n - sqrt(log(4 K n^2/delta)/(2 n)) >= xi."""
    return s / n - math.sqrt(math.log(4 * ARMS * n * n / DELTA) / (2 * n)) >= TARGET


def _kl_union(s: int, n: int) -> bool:
    """n d(S/n, xi) >= log(4 K n^2/delta), S/n > xi."""
    m = s / n
    rest = (1 - m) * math.log((1 - m) / (1 - TARGET)) if m < 1 else 0.0
    return m > TARGET and n * (m * math.log(m / TARGET) + rest) >= math.log(
        4 * ARMS * n * n / DELTA
    )


def _mixture(s: int, n: int) -> bool:
    """The likelihood ratio against xi, averaged over rates above it by sums of small steps."""
    evidence = 0.0
    step = (1 - TARGET) / POINTS
    for r in WEIGHTS:
        above, weights = 0.0, 0.0
        for k in range(POINTS):
            p = TARGET + (k + 0.5) * step
            prior = (r * TARGET - 1) * math.log(p) + (r * (1 - TARGET) - 1) * math.log1p(-p)
            ratio = s * math.log(p / TARGET) + (n - s) * math.log((1 - p) / (1 - TARGET))
            weights += math.exp(prior + r)
            above += math.exp(prior + r + ratio)
        evidence += above / weights / len(WEIGHTS)
    return evidence >= ARMS / DELTA


FORMULAS = {"union": _union, "kl-union": _kl_union, "mixture": _mixture}


def _limits_by_formula(_effort: Effort) -> Found:
    study, wrong = _study(), []
    for design in study.designs:
        declares, accept = FORMULAS[design.name], study.curves(design).accept
        for n in COUNTS:
            limit = int(accept[n])
            least = limit > n or declares(limit, n)
            if not least or (limit <= n + 1 and declares(min(limit, n + 1) - 1, n)):
                wrong.append(f"{design.name} after {n} patients: {limit}")
    checked = len(FORMULAS) * len(COUNTS)
    if wrong:
        return Found(False, f"not the least count that the formula accepts: {'; '.join(wrong)}")
    return Found(True, f"{checked} limits are the least counts that their formulas accept")


LIMITS_BY_FORMULA = Check(
    key="limits-by-formula",
    test=(
        f"For {', '.join(FORMULAS)} after {', '.join(map(str, COUNTS))} patients, put the limit "
        "and the count below it into the formula, the mixture's integral as a sum of small steps."
    ),
    expected="the limit declares a dose, one responder less does not",
    run=_limits_by_formula,
)
