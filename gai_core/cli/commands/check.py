"""`gai check`."""

from typing import Annotated

import typer

from gai_core.cli.screen import say, show_cautions


def command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A study file (TOML).")],
) -> None:
    """Check a study file: every broken rule is named; nothing is run."""
    from gai_core.study import load_study
    from gai_core.theory import cautions

    loaded = load_study(file)
    parts = len(loaded.arms), len(loaded.truths), len(loaded.designs)
    say("{}: valid (arms: {}, truths: {}, designs: {})".format(file, *parts))
    show_cautions(cautions(loaded))
