"""`gai verify`."""

from gai_core.cli.options import Asked, CsvFile, Simulating
from gai_core.cli.screen import fail


def command(asked: Asked, simulating: Simulating, csv: CsvFile) -> None:
    """Show what every design promises, its exact worst error, and the simulated rate beside it.

    Against the concurrent control also with every dose at the target, under other means of the
    control and trends of both signs.
    """
    import pandas as pd

    from gai_core.cli.views import show_errors, show_errors_at_the_target, show_worst_cases
    from gai_core.criteria import PROVEN
    from gai_core.questions import errors_at_the_target, errors_by_truth
    from gai_core.theory import is_broken, worst_cases

    study = asked.load()
    with simulating.at_work("Verifying") as work:
        worst = worst_cases(study)
        errors = errors_by_truth(study, work=work)
        at_target = errors_at_the_target(study, work=work) if study.target else None
    every = errors if at_target is None else pd.concat([errors, at_target], ignore_index=True)
    if csv.write(every.merge(worst, on="design", suffixes=("", "_worst"))):
        show_worst_cases(study, worst)
        show_errors(study, errors)
        if at_target is not None:
            show_errors_at_the_target(study, at_target)
    proven = worst.guarantee.isin(PROVEN)
    broken = worst[worst.share_of_delta.map(is_broken) & proven]
    if not broken.empty:
        names = ", ".join(broken.design)
        fail(1, f"a guaranteed design errs more than it may ({names}): please report this")
