"""How wide the columns of a table are, in letters, alike in every format that is told so."""

from gai_core.report.content import Numbered, Table

LEAST, WHOLE, MOST = 6, 22, 60
"""A text counts in full up to so many letters; of a longer one the rest counts a quarter."""


def column_letters(table: Table, numbered: Numbered) -> list[float]:
    """The room that every column needs: for its longest word, and for its longest text."""
    found = []
    for i in range(len(table.columns)):
        texts = [numbered.words(row[i]) for row in (table.columns, *table.rows)]
        word = max(len(part) for text in texts for part in (text.split() or [""]))
        whole = max(map(len, texts))
        room = min(whole, WHOLE) + max(0, whole - WHOLE) / 4
        found.append(min(MOST, max(LEAST, min(word, WHOLE) + 1.5, room)))
    return found
