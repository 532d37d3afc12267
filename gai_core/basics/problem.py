"""A broken rule as a value: where, what must be, what is, and the way out.

A sentence is made of it where somebody reads it. `name` says how a place is called there: the
key of a file, an option of the command line, the label of a field.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import islice

from gai_core.basics.echo import shortened

MOST_PROBLEMS = 20
"""Problems that are told at a time; of the others, how many they are."""
LONGEST_SENTENCE = 800


class Argument(str):
    """The first step of a place that is an argument of a function, not a key of a study."""

    __slots__ = ()


Place = tuple[str | int, ...]
"""Keys and positions: ("truths", 0, "means", 1). The study as a whole is ()."""
Words = str | tuple[str | Place, ...]
"""A text, or pieces of text between the places that it speaks of."""
Name = Callable[[Place], str]


def path(place: Place) -> str:
    """A place as it is written in a study file: truths[0].means[1]."""
    text = ""
    for step in place:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{shortened(step)}" if text else shortened(step)
    return text


def told(words: Words, name: Name = path) -> str:
    """The words with every place by its name."""
    if isinstance(words, str):
        return words
    return "".join(part if isinstance(part, str) else name(part) for part in words)


@dataclass(frozen=True)
class Problem:
    """A rule that the input breaks at a place."""

    place: Place
    rule: Words
    """What must be: "must be less than 1"."""
    value: str = ""
    """What is instead: "is 5", "has 2"."""
    remedy: Words = ""
    """The way out, where the rule does not say it: "choose a larger step"."""
    whole: bool = False
    """Whether the rule is a sentence with a subject of its own, which stands after the place and a
    colon; others begin with a verb and are about the place."""

    def inside(self, place: Place) -> "Problem":
        """The same problem in a part of something larger."""
        return replace(self, place=place + self.place)

    def what(self, name: Name = path) -> str:
        """All but the place."""
        text = told(self.rule, name)
        if self.value:
            text += f", but {self.value}"
        if self.remedy:
            text += f"; {told(self.remedy, name)}"
        return shortened(text, LONGEST_SENTENCE)

    def sentence(self, name: Name = path) -> str:
        """The place, the rule, the value, the way out."""
        if not self.place:
            return self.what(name)
        return f"{name(self.place)}{':' if self.whole else ''} {self.what(name)}"

    def __str__(self) -> str:
        return self.sentence()


def first_problems(problems: Iterable[Problem], count: int | None = None) -> list[Problem]:
    """The first problems, and in place of two or more others how many they are.

    Where they are counted, the others need not be made.
    """
    if count is None:
        problems = list(problems)
        count = len(problems)
    if count <= MOST_PROBLEMS + 1:  # such a list may have been shortened already
        return list(problems)
    more = Problem((), f"and {count - MOST_PROBLEMS:,} more")
    return [*islice(problems, MOST_PROBLEMS), more]
