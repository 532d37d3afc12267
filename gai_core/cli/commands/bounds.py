"""`gai bounds`."""

from gai_core.cli.options import CsvFile, StudyName


def command(study: StudyName, csv: CsvFile) -> None:
    """Show what no design can beat, and the paper's upper bound for HDoC."""
    from gai_core.cli.views import show_bounds
    from gai_core.study import load_study
    from gai_core.theory import bounds

    loaded = load_study(study)
    values = bounds(loaded)
    if csv.write(values):
        show_bounds(loaded, values)
