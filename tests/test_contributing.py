"""Every file and name to which CONTRIBUTING sends somebody with a change is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TYPED = re.compile(r"`([^`]+)`")
FILE = re.compile(r"[\w.-]+/[\w./{},-]+\.(py|c|md|toml|txt|ipynb)")
IN_FILE = re.compile(r"((?:`\w+`(?:, | and ))*`\w+`) of `([\w./{},]+\.py)`")
INDEX, EVERY = "index", "Every change"


def sections() -> dict[str, str]:
    """What CONTRIBUTING says of every kind of change, each on one line; first the index of them."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    part = text.split("## Where do I put ...?")[1].split("\n## ")[0]
    index, *others = part.split("\n### ")
    named = {other.partition("\n")[0]: other for other in others}
    return {name: " ".join(words.split()) for name, words in ({INDEX: index} | named).items()}


def paths(name: str) -> list[str]:
    """The paths that a name means: a/{b,c}.py are two."""
    before, brace, rest = name.partition("{")
    if not brace:
        return [name]
    inside, _, after = rest.partition("}")
    return [path for one in inside.split(",") for path in paths(f"{before}{one}{after}")]


@pytest.mark.parametrize("words", sections().values(), ids=list(sections()))
def test_every_file_and_name_is_there(words: str) -> None:
    files = [
        path for typed in TYPED.findall(words) if FILE.fullmatch(typed) for path in paths(typed)
    ]
    real = [path for path in files if "my_" not in path and not path.startswith("a/")]
    assert real
    assert [path for path in real if not (ROOT / path).exists()] == []
    for names, file in IN_FILE.findall(words):
        for path in paths(file):
            text = (ROOT / path).read_text(encoding="utf-8") if "my_" not in path else names
            missing = [one for one in TYPED.findall(names) if not re.search(rf"\b{one}\b", text)]
            assert missing == [], path


def test_the_index_has_every_section_and_no_other() -> None:
    of_index = re.findall(r"\| [^|]+ \| ([^|]+) \|", sections()[INDEX])
    assert {*of_index} - {"section"} - {"---"} == {*sections()} - {INDEX, EVERY}
