"""What can go wrong in ways that are the user's to mend."""


class InputError(ValueError):
    """The input breaks a rule. The message names the place, the rule and the value."""


class Cancelled(Exception):
    """The user stopped a simulation before its end."""
