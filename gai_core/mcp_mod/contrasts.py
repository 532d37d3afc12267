"""Contrasts that are best for a shape, and how they go together.

For estimates of the means with covariance S, the contrast c that is most likely to show a curve g,
with the largest (c'g)^2 / c'Sc and c'1 = 0, is c = S^-1 (g - 1 g'S^-1 1 / 1'S^-1 1), up to a factor
(Pinheiro et al. 2014). S is diagonal here: the arms' patients are different ones.
"""

from collections.abc import Sequence

import numpy as np

from gai_core.mcp_mod.curve_shapes import Candidate, Numbers


def best_contrasts(curves: Numbers, variances: Numbers) -> Numbers:
    """A row of unit length per curve, which rises with it; `variances` up to a common factor."""
    weights = 1 / variances
    centred = curves - (curves @ weights / weights.sum())[:, None]
    rows = centred * weights
    return np.asarray(rows / np.linalg.norm(rows, axis=1)[:, None])


def directions(contrasts: Numbers, variances: Numbers) -> Numbers:
    """The contrasts' statistics as unit vectors: their products are the correlations.

    A statistic c'm / sqrt(c'Sc) is the product of such a vector with independent normal numbers. As
    few coordinates as the contrasts span: seven shapes at five doses span no more than four.
    """
    rows = contrasts * np.sqrt(variances)
    rows = rows / np.linalg.norm(rows, axis=1)[:, None]
    _, sizes, basis = np.linalg.svd(rows)
    rank = int((sizes > sizes[0] * 1e-9).sum())
    return np.asarray(rows @ basis[:rank].T)


def curves_of(candidates: Sequence[Candidate], doses: Numbers) -> Numbers:
    """g of every candidate at doses in units of the largest."""
    return np.array([candidate.curve(doses) for candidate in candidates])
