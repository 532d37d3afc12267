"""The commands, one file each, in the order in which they are shown.

A file has a function `command`: its docstring is the help, its parameters are the options.
It is loaded when the command is asked for, so what it imports costs the others nothing.
"""

COMMANDS = {
    name: f"{__name__}.{name.replace('-', '_')}"
    for name in (
        "list",
        "show",
        "check",
        "schema",
        "bounds",
        "boundaries",
        "run",
        "verify",
        "compare",
        "advise",
        "optimise",
        "calibrate",
        "mcp-mod",
        "sweep",
        "plan",
        "report",
        "table",
        "rerun",
        "extend",
        "reproduce",
        "validate",
        "cache",
        "bench",
        "app",
    )
}
"""Name -> module."""
