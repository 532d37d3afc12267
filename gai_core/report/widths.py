"""How wide the columns of a table are, in letters, alike in every format that is told so."""

from gai_core.report.content import Numbered, Table

LEAST, WORDS, NUMBERS, MOST = 7, 32, 20, 60
"""A text counts in full up to so many letters; of a longer one the rest counts a quarter."""
HEADER_LINES = 3
"""Lines that the head of a column of numbers may take."""
LINE = 100.0
"""Letters of a table's line; beyond that words are broken into lines, and numbers are not."""
MARGINS = 1.5
"""Letters that the margins of a cell take."""


def column_letters(table: Table, numbered: Numbered) -> list[float]:
    """The room that every column needs: for its longest word, and for its longest text."""
    columns = [_room(table, numbered, i) for i in range(len(table.columns))]
    too_much = sum(room for room, _ in columns) - LINE
    spare = sum(room - least for room, least in columns)
    given = min(1.0, too_much / spare) if too_much > 0 and spare > 0 else 0.0
    return [room - given * (room - least) + MARGINS for room, least in columns]


def _room(table: Table, numbered: Numbered, column: int) -> tuple[float, float]:
    """The letters that a column would have, and the fewest it can do with."""
    of_words = column < table.words
    head, *texts = (numbered.words(row[column]) for row in (table.columns, *table.rows))
    word = max(len(part) for text in (head, *texts) for part in (text.split() or [""]))
    whole = max(len(head) // (1 if of_words else HEADER_LINES), *map(len, texts), 0)
    full = WORDS if of_words else NUMBERS
    least = max(LEAST, min(word, full) + 1.5)
    room = min(MOST, max(least, min(whole, full) + max(0, whole - full) / 4))
    return room, least if of_words else room
