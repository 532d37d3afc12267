"""`gai advise`."""

from gai_core.cli.options import Asked, CsvFile, Simulating
from gai_core.cli.screen import show_cautions


def command(asked: Asked, simulating: Simulating, csv: CsvFile) -> None:
    """Simulate a short list of sensible designs on all truths and recommend one."""
    from gai_core.cli.views import show_advice
    from gai_core.questions.advice import advise
    from gai_core.theory import cautions

    study = asked.load()
    show_cautions(cautions(study))
    with simulating.at_work("Comparing designs") as work:
        advice = advise(study, work=work)
    if csv.write(advice.table):
        show_advice(advice.sentences, advice.table, study.simulation.runs)
