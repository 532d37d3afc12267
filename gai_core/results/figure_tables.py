"""The same data as the figures in words: a table for every figure, and what a figure leaves out."""

import math
from collections.abc import Iterable, Iterator, Sequence

from gai_core.basics import number, whole_percent
from gai_core.results.figure_data import (
    VERDICT_KINDS,
    BoundLine,
    DosePatients,
    DoseResponse,
    TimeBox,
    VerdictShares,
)
from gai_core.results.month_data import EnrolmentCurve, months_of_table
from gai_core.results.summary import WordTable


def boxes_table(boxes: Sequence[TimeBox]) -> WordTable:
    """Median and middle 80% of every time, and how many trials get there."""
    rows = [
        [
            box.label,
            box.design,
            *(number(value) if math.isfinite(value) else "not reached" for value in box.quantiles),
            whole_percent(box.reached),
        ]
        for box in boxes
    ]
    shares = ["10% by", "25% by", "half by", "75% by", "90% by"]
    return WordTable("times until each verdict", ["time", "design", *shares, "get there"], rows)


def reached_boxes(boxes: Sequence[TimeBox]) -> list[TimeBox]:
    """Those of the times of which a box can be drawn: the others would be empty panels.

    A whisker begins at the 10% quantile, so some design gets there in a tenth of its trials.
    """
    seen = {box.quantity for box in boxes if any(map(math.isfinite, box.quantiles))}
    return [box for box in boxes if box.quantity in seen]


def never_reached(boxes: Sequence[TimeBox]) -> str:
    """The times that are not drawn and how many trials reach them; empty where there is none."""
    drawn = {box.quantity for box in reached_boxes(boxes)}
    most: dict[str, float] = {}
    for box in boxes:
        if box.quantity not in drawn:
            most[box.label] = max(most.get(box.label, 0.0), box.reached)
    if not most:
        return ""
    each = (
        f"{label} ({'in no trial' if share == 0 else f'in at most {whole_percent(share)}'})"
        for label, share in most.items()
    )
    return f"Hardly ever reached, with any design: {'; '.join(each)}."


def bounds_beyond(lines: Iterable[BoundLine], last: float, labels: dict[str, str]) -> Iterator[str]:
    """The sharper bounds of the times with these labels that lie to the right of the figure."""
    for line in lines:
        if line.bound == "sharper" and line.value > last and line.quantity in labels:
            yield (
                "Beyond the axis: a design that always decides within its error rates needs "
                f"{number(line.value)} or more on average, {labels[line.quantity]}"
                f"{f' ({line.note})' if line.note else ''}."
            )


def verdicts_table(panels: Sequence[VerdictShares]) -> WordTable:
    """Per design and dose how often each verdict is given; a verdict nobody gets is left out."""
    kinds = [kind for kind in VERDICT_KINDS if any(any(panel.shares[kind]) for panel in panels)]
    rows = [
        [panel.design, label, *(whole_percent(panel.shares[kind][i]) for kind in kinds)]
        for panel in panels
        for i, label in enumerate(panel.labels)
    ]
    heads = [VERDICT_KINDS[kind] for kind in kinds]
    return WordTable("verdicts per dose", ["design", "dose arm", *heads], rows)


def patients_table(series: Sequence[DosePatients]) -> WordTable:
    """Doses down, designs across: mean patients, and the middle 80% of the trials."""
    rows = [
        [
            label,
            *(
                f"{number(data.mean[i])} ({number(data.low[i])} to {number(data.high[i])})"
                for data in series
            ),
        ]
        for i, label in enumerate(series[0].labels)
    ]
    columns = ["dose arm", *(data.design for data in series)]
    return WordTable("patients per dose: mean, and the middle 80% of the trials", columns, rows)


def course_table(curves: Sequence[EnrolmentCurve]) -> WordTable:
    """Patients enrolled, doses declared and dropped at a few months."""
    months = months_of_table(curves[0].months)
    places = [curves[0].months.index(month) for month in months]
    rows = [
        [curve.design, words, *(number(values[place]) for place in places)]
        for curve in curves
        for words, values in (
            ("patients enrolled", curve.enrolled),
            ("doses declared", curve.declared),
            ("doses dropped", curve.dropped),
        )
    ]
    heads = [f"by month {month:.3g}" for month in months]
    return WordTable("the course of the trial, on average", ["design", "what", *heads], rows)


def response_table(data: DoseResponse) -> WordTable:
    """Per arm the assumed mean, its distance from the target and from the control."""
    rows = []
    for i, label in enumerate(data.labels):
        effect = [] if data.effects is None else [f"{data.effects[i]:+.3g}"]
        rows.append([label, f"{data.means[i]:.4g}", f"{data.margins[i]:+.3g}", *effect])
    more = [] if data.effects is None else ["from the control"]
    columns = ["dose arm", "assumed mean", "from the target", *more]
    return WordTable("assumed dose-response", columns, rows)
