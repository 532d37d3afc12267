"""Somebody who types numbers in every style, and knows what each of them means.

What a text means is said here, beside the way it was made: nothing of the app is asked.
"""

import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from browser import Visitor
from playwright.sync_api import Locator, expect

from gai_core import Study

PAUSES = 30, 60, 100, 150, 200
"""Milliseconds between two keys."""
PASTE = """([text]) => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    const event = { clipboardData: data, bubbles: true, cancelable: true };
    const input = document.activeElement;
    if (input.dispatchEvent(new ClipboardEvent("paste", event))) {
        input.select();
        document.execCommand("insertText", false, text);
    }
}"""
Style = Callable[[int], str]
"""Hundredths, from 101 on for scores -> a text that means so many hundredths."""
STYLES: dict[str, Style] = {
    "point": lambda hundredths: f"{hundredths // 100}.{hundredths % 100:02d}",
    "comma": lambda hundredths: f"{hundredths // 100},{hundredths % 100:02d}",
    "spaces": lambda hundredths: f"  {hundredths // 100}.{hundredths % 100:02d} ",
    "exponent": lambda hundredths: f"{hundredths}e-2",
    "large exponent": lambda hundredths: f"0,{hundredths:03d}E+1",
    "more digits": lambda hundredths: f"{hundredths // 100}.{hundredths % 100:02d}0",
}
OF_RATES: dict[str, Style] = STYLES | {
    "leading point": lambda hundredths: f".{hundredths:02d}",
    "leading comma": lambda hundredths: f",{hundredths:02d}",
    "percent": lambda hundredths: f"{hundredths}%",
    "spaced percent": lambda hundredths: f"{hundredths} %",
}
REFUSED = "1,234", "0.4.5", "abc", "1 000", "--1"
REFUSED_AS_RATE = *REFUSED, "45", "-.4", "120%"
REFUSED_AS_SCORE = *REFUSED, "45%"

Cell = tuple[int, int]
"""A dose and an assumption."""


@contextmanager
def busy(processes: int = 2) -> Iterator[None]:
    """A machine that has something else to do."""
    spinning = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)
    ]
    try:
        yield
    finally:
        for process in spinning:
            process.kill()
            process.wait()


@dataclass
class Typist:
    """Types into the table of doses, and remembers what was meant."""

    visitor: Visitor
    study: Study
    dice: random.Random
    meant: dict[Cell, float] = field(default_factory=dict)
    """What was typed since `forget`."""
    refused: int = 0
    at: Cell | None = None
    """Where the cursor is, if it went there by a key."""

    def forget(self) -> None:
        """What was typed is checked; the cursor may be anywhere."""
        self.meant.clear()
        self.at = None

    @property
    def is_rate(self) -> bool:
        return self.study.outcome.mean_range == (0.0, 1.0)

    def cell(self, cell: Cell) -> Locator:
        arm, truth = cell
        return self.visitor.cell(self.study.arms[arm].label, self.study.truths[truth].name)

    def text(self) -> tuple[str, float]:
        """A number in any style, and what it means."""
        styles = OF_RATES if self.is_rate else STYLES
        hundredths = self.dice.randint(10, 99) if self.is_rate else self.dice.randint(101, 290)
        return self.dice.choice(list(styles.values()))(hundredths), hundredths / 100

    def free(self) -> list[Cell]:
        """The cells that were not typed into yet."""
        arms, truths = len(self.study.arms), len(self.study.truths)
        return [c for a in range(arms) for t in range(truths) if (c := (a, t)) not in self.meant]

    def go(self) -> Cell:
        """Be in a cell that is free: where the last key led to, or by a click."""
        if self.at is None or self.at in self.meant or self.at not in self.free():
            self.at = self.dice.choice(self.free())
            self.cell(self.at).click()
        return self.at

    def one(self) -> None:
        """One number, and then Tab, Enter, or a click somewhere else; or it is pasted."""
        arm, truth = here = self.go()
        text, value = self.text()
        self.keys("Control+A")
        way = self.dice.choice(["Tab", "Enter", "click", "paste"])
        if way == "paste":
            self.visitor.page.evaluate(PASTE, [text])
        else:
            self.type(text)
        self.meant[here] = value
        self.at = None
        if way == "Tab" and truth + 1 < len(self.study.truths):
            self.at = arm, truth + 1
            self.keys("Tab")
        elif way == "Enter" and arm + 1 < len(self.study.arms):
            self.at = arm + 1, truth
            self.keys("Enter")

    def block(self, rows: int, columns: int) -> None:
        """A column or a table, copied from a spreadsheet."""
        arm = self.dice.randrange(len(self.study.arms) - rows + 1)
        truth = self.dice.randrange(len(self.study.truths) - columns + 1)
        lines = []
        self.cell((arm, truth)).click()
        for down in range(rows):
            line = [self.text() for _ in range(columns)]
            lines.append("\t".join(text for text, _ in line))
            for across, (_, value) in enumerate(line):
                self.meant[arm + down, truth + across] = value
        ending = self.dice.choice(["\n", "\r\n"])
        self.visitor.page.evaluate(PASTE, [ending.join(lines) + ending])
        self.at = None

    def wrong(self) -> tuple[Cell, str]:
        """Something that is no such number, in a free cell."""
        here = self.go()
        text = self.dice.choice(REFUSED_AS_RATE if self.is_rate else REFUSED_AS_SCORE)
        self.keys("Control+A")
        self.type(text)
        self.refused += 1
        return here, text

    def sees_refusal(self, cell: Cell, text: str) -> None:
        """The text is still there, its cell is marked, and words at its place say why."""
        found = self.cell(cell)
        expect(found).to_have_value(text)
        expect(found).to_have_attribute("aria-invalid", "true")
        note = self.visitor.page.locator(f"#{found.get_attribute('aria-describedby')}")
        expect(note).not_to_be_empty()
        label = self.study.arms[cell[0]].label
        self.visitor.reads(self.visitor.alerts, f"{label}, {self.study.truths[cell[1]].name}:")

    def type(self, text: str) -> None:
        self.visitor.page.keyboard.type(text, delay=self.dice.choice(PAUSES))

    def keys(self, name: str) -> None:
        self.visitor.page.keyboard.press(name)

    def check(self, found: Study, way: str) -> int:
        """All that was typed must be in the study as meant; gives how many these are."""
        wrong = {
            (self.study.arms[arm].label, self.study.truths[truth].name, value): is_now
            for (arm, truth), value in self.meant.items()
            if (is_now := found.truths[truth].means[arm]) != value
        }
        assert not wrong, f"left by {way}: {wrong}"
        return len(self.meant)
