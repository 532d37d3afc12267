"""Which chances are out of reach: bounds on the largest sample size and on the error rate.

Let a design make a false declaration with probability at most delta, whatever the
means, in a trial of at most n_max patients. Capped designs and `exact` ones do: unlike
the bounds on expected times, these are not for designs that always decide.

Let E be an event of the trial that has probability p under a truth mu and at most
delta, with delta < p, under other means mu'. With N_i the patients of arm i, the
likelihood ratio of a trial has mean sum_i E_mu[N_i] d(mu_i, mu'_i) in its logarithm, and
no event is told apart better than the trial as a whole (data processing), so

    sum_i E_mu[N_i] d(mu_i, mu'_i) >= kl(p, delta),

kl(p, q) = p log(p/q) + (1-p) log((1-p)/(1-q)); see Kaufmann, Cappe and Garivier,
JMLR 17:1, 2016. Write d_i for d(mu_i, xi), to which d(mu_i, mu'_i) tends as mu'_i
rises to xi.

any_declared: let mu' have every good arm just below xi. Then every declaration is
false, so E = {an arm is declared} has probability at most delta. As the N_i add up to
at most n_max, n_max max_{i good} d_i >= kl(p, delta).

correct_list: let mu' have one good arm i just below xi. To declare exactly the good
arms of mu is then false, so E[N_i] d_i >= kl(p, delta) for every good arm, and adding up
n_max >= kl(p, delta) sum_{i good} 1/d_i.
"""

import math

from gai_core.basics import Argument, InputError, Problem, shown, suggestion
from gai_core.study import Study, Truth
from gai_core.theory.lower_bounds import instance

WISHES = ("any_declared", "correct_list")
"""Chances that a trial is planned to reach."""


def evidence(p: float, delta: float) -> float:
    """kl(p, delta), the evidence that an event of chance p takes; 0 where p <= delta."""
    if p <= delta:
        return 0.0
    missed = (1 - p) * (math.log1p(-p) - math.log1p(-delta)) if p < 1 else 0.0
    return p * (math.log(p) - math.log(delta)) + missed


def unknown_wish(quantity: str) -> InputError:
    """What to say about a quantity that is not in WISHES."""
    rule, remedy = f": {shown(quantity)} cannot be wished for", suggestion(quantity, WISHES)
    return InputError(Problem((Argument("want"),), rule, remedy=remedy))


def patients_per_evidence(study: Study, truth: Truth, quantity: str) -> float:
    """Patients that a unit of evidence takes at least: 1/max d_i, or the sum of 1/d_i.

    0, which bounds nothing, where outcomes are not what the designs assume. Infinite where a
    good arm that is needed lies exactly at the threshold, or there is none.
    """
    if quantity not in WISHES:
        raise unknown_wish(quantity)
    if not study.as_assumed(truth):
        return 0.0
    d = instance(study, truth).divergences
    if quantity == "any_declared":
        d = d[:1]  # the largest comes first
    if d.size == 0:
        return math.inf if quantity == "any_declared" else 0.0
    return math.inf if d[-1] == 0 else float((1 / d).sum())


def least_n_max(study: Study, truth: Truth, quantity: str, p: float) -> float:
    """Patients below which no design that keeps delta reaches the chance p under the truth."""
    needed = evidence(p, study.delta)
    return needed * patients_per_evidence(study, truth, quantity) if needed else 0.0


def least_delta(study: Study, truth: Truth, quantity: str, p: float) -> float:
    """Error rate below which no design reaches p with n_max patients: kl(p, delta) at most so."""
    each = patients_per_evidence(study, truth, quantity)
    if each == 0:
        return 0.0
    # kl(p, delta) falls from infinity to 0 as delta rises to p: bisect log delta, from below.
    enough = study.simulation.n_max / each
    low, high = -700.0, math.log(p)
    if evidence(p, math.exp(low)) <= enough:
        return 0.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if evidence(p, math.exp(middle)) > enough else (low, middle)
    return math.exp(low)
