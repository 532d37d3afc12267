"""Which chances are out of reach: bounds on the largest sample size and on the error rate.

Let a design make a false declaration with probability at most delta (alpha, where dropping
has a rate of its own, which does not matter here), whatever the means, in a trial of at most
n_max patients. Capped designs and `exact` ones do: unlike the bounds on expected times, these
are not for designs that always decide.

Let E be an event of the trial that has probability p under a truth mu and at most
delta, with delta < p, under other means mu'. With N_i the patients of arm i, the
likelihood ratio of a trial has mean sum_i E_mu[N_i] d(mu_i, mu'_i) in its logarithm, and
no event is told apart better than the trial as a whole (data processing), so

    sum_i E_mu[N_i] d(mu_i, mu'_i) >= kl(p, delta),

kl(p, q) = p log(p/q) + (1-p) log((1-p)/(1-q)); see Kaufmann, Cappe and Garivier,
JMLR 17:1, 2016. Write d_i for d(mu_i, xi), to which d(mu_i, mu'_i) tends as mu'_i
rises to xi.

any_declared, good_declared: let mu' have every good arm just below xi. Then every declaration is
false, so E = {an arm is declared}, or {a good arm is}, has probability at most delta. As the
N_i add up to at most n_max, n_max max_{i good} d_i >= kl(p, delta).

correct_list: let mu' have one good arm i just below xi. To declare exactly the good
arms of mu is then false, so E[N_i] d_i >= kl(p, delta) for every good arm, and adding up
n_max >= kl(p, delta) sum_{i good} 1/d_i.

Against the concurrent control the means mu' have a better control too, and these sums become the
linear programmes of `against_control`: for one declaration all good doses must be moved, for the
correct list any one of them.
"""

import math
from collections.abc import Callable

from gai_core.study import Study, Truth
from gai_core.theory.against_control import comparison, patients_per_evidence
from gai_core.theory.lower_bounds import instance, is_bounded

PatientsPerEvidence = Callable[[Study, Truth], float]
"""Patients that a unit of evidence takes at least.

0, which bounds nothing, where outcomes are not what the designs assume, or the control's mean is
none that they keep their error under. Infinite where a good arm that is needed lies exactly at the
threshold, or there is none.
"""


def evidence(p: float, delta: float) -> float:
    """kl(p, delta), the evidence that an event of chance p takes; 0 where p <= delta."""
    if p <= delta:
        return 0.0
    missed = (1 - p) * (math.log1p(-p) - math.log1p(-delta)) if p < 1 else 0.0
    return p * (math.log(p) - math.log(delta)) + missed


def evidence_for_any(study: Study, truth: Truth) -> float:
    """For any declaration: 1/max d_i over the good arms."""
    if not is_bounded(study, truth):
        return 0.0
    if study.target is not None:
        return patients_per_evidence(comparison(study, truth), 1)
    d = instance(study, truth).divergences
    return math.inf if d.size == 0 or d[0] == 0 else float(1 / d[0])  # the largest comes first


def evidence_for_list(study: Study, truth: Truth) -> float:
    """For the correct list: the sum of 1/d_i over the good arms, each of which is needed."""
    if not is_bounded(study, truth):
        return 0.0
    if study.target is not None:
        problem = comparison(study, truth)
        return patients_per_evidence(problem, len(problem.good)) if problem.good else 0.0
    d = instance(study, truth).divergences
    if d.size == 0:
        return 0.0
    return math.inf if d[-1] == 0 else float((1 / d).sum())


def least_n_max(study: Study, truth: Truth, each: PatientsPerEvidence, p: float) -> float:
    """Patients below which no design that keeps alpha reaches the chance p under the truth."""
    needed = evidence(p, study.error_rates.declare)
    return needed * each(study, truth) if needed else 0.0


def least_delta(study: Study, truth: Truth, each: PatientsPerEvidence, p: float) -> float:
    """Error rate below which no design reaches p with n_max patients: kl(p, delta) at most so."""
    patients = each(study, truth)
    if patients == 0:
        return 0.0
    # kl(p, delta) falls from infinity to 0 as delta rises to p: bisect log delta, from below.
    enough = study.simulation.n_max / patients
    low, high = -700.0, math.log(p)
    if evidence(p, math.exp(low)) <= enough:
        return 0.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if evidence(p, math.exp(middle)) > enough else (low, middle)
    return math.exp(low)
