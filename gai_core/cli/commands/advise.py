"""`gai advise`."""

from gai_core.cli.options import Asked, CsvFile, Power, Simulating, Under
from gai_core.cli.screen import show_cautions


def command(
    *,
    at: Power = "good_declared=0.9",
    under: Under = None,
    asked: Asked,
    simulating: Simulating,
    csv: CsvFile,
) -> None:
    """Compare ready-made designs at equal error and power, and recommend one."""
    from gai_core.cli.explore_views import show_advice
    from gai_core.questions import advise, parse_wish
    from gai_core.theory import cautions

    study = asked.load()
    wish = parse_wish(at, "at")
    show_cautions(cautions(study))
    with simulating.at_work("Comparing designs") as work:
        advice = advise(study, wish, under=under, work=work)
    if csv.write(advice.table):
        show_advice(advice)
