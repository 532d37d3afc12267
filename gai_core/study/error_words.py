"""The error rates of a study in words: one delta, or alpha and beta where they differ."""

from gai_core.evidence import ErrorRates


def rates_in_words(errors: ErrorRates) -> str:
    """In a line: `delta 0.05`, or `alpha 0.025, beta 0.1`."""
    if errors.same:
        return f"delta {errors.declare:g}"
    return f"alpha {errors.declare:g}, beta {errors.drop:g}"


def rates_explained(errors: ErrorRates) -> str:
    """What the rates bound, and their values."""
    if errors.same:
        return f"Error rate of the whole list of verdicts (delta): {errors.declare:g}"
    return (
        f"Chance allowed for any false declaration (alpha): {errors.declare:g}; for dropping any "
        f"good dose (beta): {errors.drop:g}"
    )


def allowed_in_words(errors: ErrorRates) -> str:
    """How often verdicts may be wrong, as the end of a sentence."""
    if errors.same:
        return f"any wrong verdict is allowed in {100 * errors.declare:g}% of the trials"
    return (
        f"any false declaration is allowed in {100 * errors.declare:g}% of the trials (alpha), "
        f"dropping any good dose in {100 * errors.drop:g}% (beta)"
    )


def rates_in_formulas(errors: ErrorRates) -> str:
    """What delta stands for in formulas; nothing where it is the study's own delta."""
    if errors.same:
        return ""
    return (
        f"In the formulas delta is alpha = {errors.declare:g} for the limit from which a dose is "
        f"declared, and beta = {errors.drop:g} for the limit up to which it is dropped."
    )
