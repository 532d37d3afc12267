"""`gai bench`."""

from gai_core.cli.options import CsvFile
from gai_core.cli.screen import progress_bar


def command(csv: CsvFile) -> None:
    """Measure nanoseconds per simulated patient, against a plain Python loop in the same run."""
    import pandas as pd

    from gai_core.cli.views import (
        show_benchmark,
        show_conduct_benchmark,
        show_variance_benchmark,
    )
    from gai_core.tools import benchmark, conduct_benchmark, variance_benchmark

    with progress_bar("Measuring") as progress:
        values = benchmark(progress)
        conducted = conduct_benchmark(progress)
        unknown = variance_benchmark(progress)
    if csv.write(pd.concat([values, conducted, unknown], ignore_index=True)):
        show_benchmark(values)
        show_conduct_benchmark(conducted)
        show_variance_benchmark(unknown)
