"""Problems as values, told at the edge; errors that end; texts read in linear time."""

import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import make_study
from gai_app.links import decoded, encoded, link
from gai_app.places import located
from gai_app.settings import LINK_BYTES
from patience import PATIENCE

from gai_core import InputError, dump_study, load_study, parse_study
from gai_core.basics import Argument, Problem, path
from gai_core.cli.screen import option_name
from gai_core.study import study_or_problems, toml_data, validated

TEXT = dump_study(make_study())


def refused(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        parse_study(text, "x.toml")
    return caught.value.sentences()


# --- values, and how they are told ------------------------------------------------------------


def test_a_problem_is_a_value_that_every_edge_tells_in_its_own_words() -> None:
    data = make_study().model_dump() | {"simulation": {"n_max": 14, "runs": 1}}
    found = study_or_problems(data)
    assert isinstance(found, list)
    (problem,) = found
    assert problem.place == ("simulation", "n_max")
    assert problem.value == "is 14"
    assert problem.sentence() == (
        "simulation.n_max must be at least 15 (designs[0] has a burn-in of 5 for each of 3 arms), "
        "but is 14"
    )
    assert located(problem, data).text == (
        "Largest sample size: must be at least 15 (HDoC has a burn-in of 5 for each of 3 arms), "
        "but is 14"
    )


def test_places_are_written_as_in_a_file_and_arguments_as_options() -> None:
    assert path(("truths", 0, "means", 12)) == "truths[0].means[12]"
    problem = Problem((Argument("precision_of"),), "must be a chance", "is 3", "choose another")
    assert problem.sentence() == "precision_of must be a chance, but is 3; choose another"
    assert problem.sentence(option_name).startswith("--precision-of must be a chance")


def test_an_error_survives_the_way_from_a_worker() -> None:
    error = InputError(Problem(("delta",), "must be small", "is 5"), source="x.toml")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) == "x.toml: delta must be small, but is 5"
    assert again.problems == error.problems


# --- errors end -------------------------------------------------------------------------------

MANY: dict[str, tuple[str, int]] = {
    "unknown keys": ("".join(f"key{i} = 1\n" for i in range(9_000)) + TEXT, 8_980),
    "wrong means": (TEXT.replace("[0.2, 0.6, 0.8]", f"[{'9, ' * 5_000}]"), 4_981),
    "wrong kinds": (TEXT.replace("[0.2, 0.6, 0.8]", f"['', {'true, ' * 5_000}]"), 4_981),
}


@pytest.mark.parametrize("name", MANY)
def test_many_problems_are_told_as_twenty_and_how_many_more(name: str) -> None:
    text, more = MANY[name]
    sentences = refused(text)
    assert len(sentences) == 21
    assert sentences[-1] == f"x.toml: and {more:,} more"


LONG = "n" * 300_000


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('rule = "hdoc"', f'rule = "{LONG}"'),
        ("delta = 0.1", f'delta = "{LONG}"'),
        ("delta = 0.1", f'delta = 0.1\n"{LONG}" = 1'),
        ('rule = "hdoc"', f'rule = "hdoc"\nrule_parameters = {{ "{LONG}" = 2 }}'),
        ('label = "low"', f'label = "{LONG}"'),
        ("[0.2, 0.6, 0.8]", f"[0.2, 0.6, 0x{'f' * 9_000}]"),
        ("delta = 0.1", f"delta = 0.1\n[[a.b.c.d.{'e.' * 9}f]]"),
    ],
)
def test_what_is_echoed_is_short(old: str, new: str) -> None:
    assert old in TEXT
    for sentence in refused(TEXT.replace(old, new, 1)):
        assert len(sentence) < 400


def test_no_escape_sequence_reaches_a_terminal() -> None:
    for source, text in (
        ("\x1b[2Jx.toml", "delta = 5"),
        ("x", '"\x1b[2J" = 1'),
        ("x", "a = '\x1b'"),
    ):
        with pytest.raises(InputError) as caught:
            parse_study(text, source)
        assert all(line.isprintable() for line in str(caught.value).split("\n"))


def test_a_study_of_too_many_entries_is_refused_as_a_whole() -> None:
    data: dict[str, Any] = make_study().model_dump()
    data["truths"] = [{"name": str(i), "means": [0.5] * 400} for i in range(100)]
    with pytest.raises(InputError, match="x: a study must have at most 30,000 keys and values"):
        validated(data, "x")
    with pytest.raises(InputError, match="at most 50,000 commas"):
        parse_study("x = [" + "1," * 60_000 + "]")
    with pytest.raises(InputError, match="at most 1,000,000 characters"):
        parse_study(" " * 1_000_001)


def test_the_largest_study_is_not_too_large() -> None:
    """A hundred arms, truths and designs, with long names and notes."""
    data: dict[str, Any] = {
        "title": "t" * 120,
        "notes": "n, " * 20_000,
        "threshold": 0.5,
        "delta": 0.05,
        "outcome": {"kind": "bernoulli", "endpoint": "e" * 200},
        "simulation": {"n_max": 10_000},
        "arms": [{"label": f"{'a' * 100}{i}", "dose": i + 0.5, "unit": "mg"} for i in range(100)],
        "truths": [
            {"name": f"{'t' * 100}{i}", "means": [j / 123 for j in range(100)], "note": "n" * 1_000}
            for i in range(100)
        ],
        "designs": [{"name": f"{'d' * 100}{i}", "rule": "hdoc"} for i in range(100)],
    }
    study = validated(data, "x")
    assert parse_study(dump_study(study)) == study


# --- links ------------------------------------------------------------------------------------


def test_a_short_link_does_not_unfold_into_a_long_study() -> None:
    small = make_study(notes="n" * (LINK_BYTES // 2))
    assert decoded(encoded(small)) == small
    large = make_study(notes="n" * (LINK_BYTES - 100))
    assert len(encoded(large)) < 1_000
    assert link(large, "http://127.0.0.1/", "") is None
    with pytest.raises(InputError, match="too long for a link"):
        decoded(encoded(large))


# --- linear time ------------------------------------------------------------------------------

GROWING: dict[str, Callable[[int], str]] = {
    "letters in notes": lambda n: f'notes = "{"a" * n}"',
    "letters": lambda n: "a" * n,
    "digits": lambda n: f"x = {'1' * n}",
    "hexadecimal digits": lambda n: f"x = 0x{'f' * n}",
    "underscores": lambda n: f"x = {'1_' * (n // 2)}1",
    "digits after the point": lambda n: f"x = 1.{'1' * n}",
    "quotes": lambda n: '"' * n,
    "apostrophes": lambda n: "'" * n,
    "escaped quotes": lambda n: f'x = "{chr(92)}"' * (n // 6),
    "escaped quotes, open": lambda n: 'x = "' + '\\"' * (n // 2),
    "long texts that end in a backslash": lambda n: '\\"""\n' * (n // 5) + "\\",
    "open texts": lambda n: "x = '''a''\n" * (n // 11),
    "dots": lambda n: "a." * (n // 2),
    "quoted dots": lambda n: '"a b".' * (n // 6),
    "keys": lambda n: "a.b.c.d.e = 1\n" * (n // 14),
    "words": lambda n: "ab " * (n // 3),
    "brackets": lambda n: f"x = {'[' * n}",
    "comments": lambda n: "# a\n" * (n // 4),
}


LENGTHS = 9_000, 240_000, 900_000
"""Of the longest some are refused for their lines or commas alone, of the others none."""
MOMENT = 60.0
"""Seconds of processor time. The longest text takes a tenth of one; where the time is quadratic,
and 40,000 letters take ten seconds, 240,000 take six minutes."""


def test_the_longest_texts_are_read_in_a_moment() -> None:
    program = f"""
from fuzzing import ends
from test_problems import GROWING, LENGTHS, refused
for name, text in GROWING.items():
    for length in LENGTHS:
        print(name, length, flush=True)
        with ends({MOMENT}):
            assert refused(text(length))
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    tried = done.stdout.splitlines()
    assert done.returncode == 0, f"{tried[-1:]}\n{done.stderr[-2000:]}"
    assert len(tried) == len(GROWING) * len(LENGTHS)


@pytest.mark.parametrize("kind", ['"', '"""', "'", "'''"])
def test_dots_and_numbers_in_texts_are_no_keys(kind: str) -> None:
    notes = "a.b.c.d.e.f.g.h.i.j.k.l 1.2.3.4.5.6.7.8.9.10 " * 50 + "1" * 20_000
    text = TEXT.replace("threshold = 0.5", f"threshold = 0.5\nnotes = {kind}{notes}{kind}", 1)
    assert parse_study(text).notes == notes


@pytest.mark.parametrize(
    "key", ["a.b.c.d.e.f.g.h.i", '"a b" . c.d.\'e f\'.g.h.i."".k', '"\\"".a.b.c.d.e.f.g.h']
)
@pytest.mark.parametrize(
    "before", ["", 'x = """a""""\n', "y = 'a # b'\n", "# '''\n", 'z = "\\\\"\n']
)
def test_a_deep_key_is_found_wherever_it_stands(key: str, before: str) -> None:
    for text in (f"{before}{key} = 1", f"{before}[{key}]", f"{before}t = {{ a = 1, {key} = 2 }}"):
        with pytest.raises(InputError, match="a key of more than 8 parts"):
            toml_data(text, "x")


def test_shipped_studies_are_far_from_the_limits() -> None:
    for name in ("tofacitinib-conduct", "medical-1"):
        assert len(dump_study(load_study(name))) < 10_000
