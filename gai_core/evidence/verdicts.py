"""The verdicts that an arm can get."""

GOOD, BAD, UNDECIDED, NO_CANDIDATE = 1, -1, 0, 2
"""Verdicts on an arm; a control that is set apart gets none."""
