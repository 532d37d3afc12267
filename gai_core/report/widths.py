"""How wide the columns of a table are, in letters, alike in every format that is told so."""

from gai_core.report.content import Numbered, Table

LEAST, WORDS, NUMBERS, MOST = 9, 32, 20, 60
"""A text counts in full up to so many letters; of a longer one the rest counts a quarter."""


def column_letters(table: Table, numbered: Numbered) -> list[float]:
    """The room that every column needs: for its longest word, and for its longest text."""
    found = []
    for i in range(len(table.columns)):
        texts = [numbered.words(row[i]) for row in (table.columns, *table.rows)]
        word = max(len(part) for text in texts for part in (text.split() or [""]))
        whole = max(map(len, texts))
        full = WORDS if i < table.words else NUMBERS
        room = min(whole, full) + max(0, whole - full) / 4
        found.append(min(MOST, max(LEAST, min(word, full) + 3, room)))
    return found
