"""Step-down: a verdict leaves its share of the error to the doses that are still open.

After j declarations the others are judged at alpha/(K-j), after j drops at beta/(K-j) (Holm).

Proof. Let m of the K doses be bad, and look at the first false declaration, however patients are
allocated, whenever doses are looked at, and whatever is dropped. Before it only good doses were
declared, at most K-m of them, so the dose crosses a limit at a level of at most alpha/m. Limits
are nested: it crosses the limit at level alpha/m as well, which a bad dose ever does with a chance
of at most alpha/m. There are m bad doses, so the chance is at most alpha; doses may depend on each
other. Drops do not relax what declares, so dropping stays non-binding; the same holds the other
way round, with the first good dose that is dropped.

With one delta for any wrong verdict this fails: every false declaration is counted against a level
that the good doses' declarations raised, and every drop of a good dose against one that the bad
doses' drops raised, so that both sums are at most delta, but not both together.
"""

from typing import Any

from gai_core.basics import Problem
from gai_core.evidence import Setting

STEP_DOWN = "step-down"
WORDS = "what a verdict leaves over goes to the other doses (Holm; needs two error rates)"


def steps_down(parameters: Any) -> bool:
    """Whether the parameters of a criterion ask for it."""
    return bool(parameters.share == STEP_DOWN)


def step_down_problem(setting: Setting, parameters: Any) -> Problem | None:
    """One rate for both errors: what declarations leave over is not there for drops."""
    if not steps_down(parameters) or not setting.errors.same:
        return None
    return Problem(
        ("share",),
        f"must not be {STEP_DOWN!r} with one rate for both errors, which it could exceed",
        f"the rate is {setting.errors.declare:g}",
        "give different rates in errors (declare and drop), or choose 'bonferroni'",
    )
