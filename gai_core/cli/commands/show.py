"""`gai show`."""

from gai_core.cli.options import StudyName
from gai_core.cli.screen import show_cautions


def command(study: StudyName) -> None:
    """Show a study: arms, truths, designs, and what to be cautious about."""
    from gai_core.cli.views import show_study
    from gai_core.study import load_study
    from gai_core.theory import cautions

    loaded = load_study(study)
    show_study(loaded)
    show_cautions(cautions(loaded))
