"""Long tables written piece by piece, in a memory that does not grow, whole or not at all."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from gai_core.basics.whole_files import written_whole_or_piped

if TYPE_CHECKING:
    import pandas as pd

ROWS_PER_GROUP = 50_000
"""Rows of a Parquet file that are packed together."""

Write = Callable[["pd.DataFrame"], None]
"""Adds a piece of the table; all pieces have the same columns."""


@contextmanager
def csv_file(path: Path) -> Iterator[Write]:
    """A CSV file; it is in its place when the block ends without an error."""
    with (
        written_whole_or_piped(path) as draft,
        draft.open("w", encoding="utf-8", newline="") as file,
    ):
        first = True

        def write(piece: "pd.DataFrame") -> None:
            nonlocal first
            piece.to_csv(file, index=False, header=first, lineterminator="\n")
            first = False

        yield write


@contextmanager
def parquet_file(path: Path) -> Iterator[Write]:
    """A Parquet file; it is in its place when the block ends without an error."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    waiting: list[pd.DataFrame] = []
    with written_whole_or_piped(path) as draft, ExitStack() as stack:
        writer: pq.ParquetWriter | None = None

        def flush() -> None:
            nonlocal writer
            if not waiting:
                return
            table = pa.Table.from_pandas(pd.concat(waiting), preserve_index=False)
            writer = writer or stack.enter_context(pq.ParquetWriter(draft, table.schema))
            writer.write_table(table.cast(writer.schema))
            waiting.clear()

        def write(piece: pd.DataFrame) -> None:
            waiting.append(piece)
            if sum(map(len, waiting)) >= ROWS_PER_GROUP:
                flush()

        yield write
        flush()
        stack.close()
