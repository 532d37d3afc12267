"""Study files: round trips, and errors that name the file, the place, the rule and the value."""

import json
from pathlib import Path

import pytest
from conftest import make_study
from hypothesis import given, settings
from hypothesis import strategies as st

from gai_core import (
    CRITERIA,
    RULES,
    InputError,
    Study,
    dump_study,
    load_study,
    parse_study,
    scenario_names,
)
from gai_core.evidence import OUTCOMES
from gai_core.study.changing import changed
from gai_core.study.validating import validated

TEXT = dump_study(make_study())
KINDS = " or ".join([", ".join([*OUTCOMES][:-1]), [*OUTCOMES][-1]])


def refused(text: str) -> str:
    with pytest.raises(InputError) as caught:
        parse_study(text, "x.toml")
    return str(caught.value)


# --- round trip -------------------------------------------------------------------------------


characters = st.characters(codec="utf-8", exclude_categories=["Cc", "Cn", "Cs", "Zl", "Zp"])
labels = st.text(characters, min_size=1, max_size=30).filter(lambda text: bool(text.strip()))


@st.composite
def studies(draw: st.DrawFn) -> Study:
    gaussian = draw(st.booleans())
    arms = draw(st.lists(labels, min_size=2, max_size=6, unique=True))
    control = draw(st.none() | st.integers(0, len(arms) - 1))
    mean = st.floats(-1000, 1000) if gaussian else st.floats(0, 1)
    outcome = (
        {"kind": "gaussian", "variance": draw(st.floats(1e-4, 1e6))}
        if gaussian
        else {"kind": "bernoulli"}
    )
    rules = [key for key, rule in RULES.items() if outcome["kind"] in rule.outcomes]
    criteria = [key for key, entry in CRITERIA.items() if outcome["kind"] in entry.outcomes]
    data = {
        "title": draw(labels),
        "notes": draw(st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=40)),
        "threshold": draw(mean) if gaussian else draw(st.floats(0.001, 0.999)),
        "delta": draw(st.floats(1e-300, 0.999)),
        "outcome": outcome | {"endpoint": draw(st.text(characters | st.sampled_from("\t\n"), max_size=20))},
        "simulation": {"runs": draw(st.integers(1, 10**7)), "n_max": 15_000, "seed": draw(st.integers(0, 2**63 - 1))},
        "arms": [
            {"label": label, "dose": draw(st.none() | st.floats(-1e12, 1e12)), "control": i == control}
            for i, label in enumerate(arms)
        ],
        "truths": [
            {"name": name, "means": draw(st.lists(mean, min_size=len(arms), max_size=len(arms)))}
            for name in draw(st.lists(labels, min_size=1, max_size=3, unique=True))
        ],
        "designs": [
            {"name": name, "rule": draw(st.sampled_from(rules)), "criterion": draw(st.sampled_from(criteria)),
             "burn_in": draw(st.integers(1, 50))}
            for name in draw(st.lists(labels, min_size=1, max_size=3, unique=True))
        ],
    }  # fmt: skip
    return validated(data, "hypothesis")


@given(study=studies())
@settings(max_examples=150)
def test_load_dump_load_gives_the_same_study(study: Study) -> None:
    text = dump_study(study)
    assert parse_study(text) == study
    assert dump_study(parse_study(text)) == text


@pytest.mark.parametrize("name", scenario_names())
def test_shipped_studies_load_and_round_trip(name: str) -> None:
    study = load_study(name)
    assert parse_study(dump_study(study)) == study
    assert study.source
    rules = {design.rule for design in study.designs}
    papers = {"hdoc", "lucb-g", "apt-g"} if "Kano" in study.source else {"hdoc", "equal"}
    assert papers <= rules


def test_the_papers_five_settings_are_shipped() -> None:
    assert {"threshold-1", "threshold-2", "threshold-3", "medical-1", "medical-2"} <= set(
        scenario_names()
    )
    assert (
        load_study("threshold-1").truth("published").means
        == (0.1,) * 3 + (0.35, 0.45, 0.55, 0.65) + (0.9,) * 3
    )
    assert load_study("threshold-2").threshold == 0.35
    assert load_study("medical-2").outcome.s2 == 1.44
    assert load_study("medical-1").control == 0


# --- errors -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("delta = 0.1", "delta = 5", "x.toml: delta must be less than 1.0, but is 5"),
        ("delta = 0.1", "delta = 0", "x.toml: delta must be greater than 0.0, but is 0"),
        ("delta = 0.1", "delta = 1e-310", "x.toml: delta must be at least 1e-300, but is 1e-310"),
        ("delta = 0.1", "delta = 1", "x.toml: delta must be less than 1.0, but is 1"),
        ("delta = 0.1", "delta = nan", "x.toml: delta must be a finite number, but is nan"),
        ("delta = 0.1", 'delta = "small"', "x.toml: delta must be a number, but is 'small'"),
        ("delta = 0.1", "", "x.toml: delta is missing"),
        ("delta = 0.1", "delta = 0.1\ndleta = 2", "x.toml: dleta is not a known key; did you mean 'delta'?"),
        ("threshold = 0.5", "threshold = 1.5", "x.toml: threshold must lie between 0 and 1, both excluded, but is 1.5"),
        ("[0.2, 0.6, 0.8]", "[0.2, 1.2, 0.8]", "x.toml: truths[0].means[1] must lie between 0 and 1 (a response rate), but is 1.2"),
        ("[0.2, 0.6, 0.8]", "[0.2, nan, 0.8]", "x.toml: truths[0].means[1] must be a finite number, but is nan"),
        ("[0.2, 0.6, 0.8]", "[0.2, 0.6]", "x.toml: truths[0].means must have one number for each of the 3 arms, but has 2"),
        ('label = "middle"', 'label = "low"', "x.toml: arms: every label must be given once, but 'low' is there twice"),
        ('label = "middle"', 'label = "  "', "x.toml: arms[1].label must have a visible character"),
        ('label = "middle"', 'label = "middle"\ncolour = "red"', "x.toml: arms[1].colour is not a known key; choose one of"),
        ('kind = "bernoulli"', 'kind = "gaussian"', "x.toml: outcome.variance is missing"),
        ('kind = "bernoulli"', 'kind = "gaussian"\nvariance = 0', "x.toml: outcome.variance must be at least 1e-12, but is 0"),
        ('kind = "bernoulli"', 'kind = "gaussian"\nvariance = "1.0"', "x.toml: outcome.variance must be a number, or \"unknown\", but is '1.0'"),
        ('kind = "bernoulli"', 'kind = "bernoulli"\nvariance = 1.0', "x.toml: outcome.variance belongs to another kind of outcome"),
        ("threshold = 0.5", "threshold = 1e-320", "x.toml: threshold must not be closer than 1e-06 to 0 or 1"),
        ("seed = 3", "seed = " + "9" * 5000, "x.toml: has a number or a nesting beyond all measure"),
        ("seed = 3", "seed = 0x" + "f" * 5000, "x.toml: simulation.seed must be"),
        ('label = "middle"', 'label = "mid\\u009bdle"', "x.toml: arms[1].label must have a visible character and no control"),
        ('label = "middle"', 'label = "mid\\U0001FFFEdle"', "x.toml: arms[1].label must have a visible character and no control characters or nonch"),
        ('kind = "bernoulli"', 'kind = "bernoulli"\nendpoint = "a\\u001bb"', "x.toml: outcome.endpoint must have no control characters or noncharacters"),
        ('kind = "bernoulli"', 'kind = "bernoulli"\nendpoint = "a\\uFFFEb"', "x.toml: outcome.endpoint must have no control characters or noncharacters"),
        ('rule = "hdoc"', 'rule = "lucb-g"\nrule_parameters = { radiuss = 2 }', "x.toml: designs[0].rule_parameters.radiuss is not a known key; did you mean 'radius'?"),
        ('criterion = "union"', 'criterion = "mixture"\ncriterion_parameters = { r = [10, 0] }', "x.toml: designs[0].criterion_parameters.r[1] must be at least 0.01, but is 0"),
        ('criterion = "union"', 'criterion = "exact"\ncriterion_parameters = { shape = "round" }', "x.toml: designs[0].criterion_parameters.shape must be 'pocock', 'obrien-fleming', 'wang-tsiatis', 'mixture' or 'posterior', but is 'round'"),
        ('criterion = "union"', 'criterion = "exact"\ncriterion_parameters = { looks = [50, 3000] }', "x.toml: designs[0].criterion_parameters.looks must not go beyond n_max = 2000, but goes to 3000"),
        ('criterion = "union"', 'criterion = "mixture"\ncriterion_parameters = { r = [1e300] }', "x.toml: designs[0].criterion_parameters.r[0] must be at most 1000000.0, but is 1e+300"),
        ('criterion = "union"', 'criterion = "mixture"\ncriterion_parameters = { rho = inf }', "x.toml: designs[0].criterion_parameters.rho must be at most"),
        ('criterion = "union"', 'criterion = "exact"\ncriterion_parameters = { largest = 3 }', "x.toml: designs[0].criterion_parameters.largest must reach the burn-in of 5, but ends at 3"),
        ('criterion = "union"', 'criterion = "exact"\ncriterion_parameters = { looks = 0 }', "x.toml: designs[0].criterion_parameters.looks must be a whole number from 1 on, a list of such numbers, \"end\", or"),
        ('kind = "bernoulli"', 'kind = "no kind"', f"x.toml: outcome must be of kind {KINDS}"),
        ('rule = "hdoc"', 'rule = "hdocc"', "x.toml: designs[0].rule 'hdocc' is no known rule; did you mean 'hdoc'?"),
        ('criterion = "union"', 'criterion = "magic"', "x.toml: designs[0].criterion 'magic' is no known criterion; choose one of union"),
        ('criterion = "union"', 'criterion = "union-published"', "x.toml: designs[0].criterion 'union-published' works for gaussian outcomes only"),
        ('rule = "hdoc"', 'rule = "hdoc"\nrule_parameters = { speed = 2 }', "x.toml: designs[0].rule_parameters.speed is not a known key"),
        ("burn_in = 5", "burn_in = 0", "x.toml: designs[0].burn_in must be at least 1, but is 0"),
        ("n_max = 2000", "n_max = 14", "x.toml: simulation.n_max must be at least 15"),
        ("runs = 40", "runs = 1000000000", "x.toml: simulation.runs must be at most 10000000, but is 1000000000"),
        ("runs = 40", "runs = 40.5", "x.toml: simulation.runs must be a whole number, but is 40.5"),
        ("seed = 3", "seed = -1", "x.toml: simulation.seed must be at least 0, but is -1"),
        ("delta = 0.1", "delta = = 0.1", "x.toml: is not valid TOML: Invalid value (at line 3, column 9)"),
    ],
)  # fmt: skip
def test_an_error_names_file_place_rule_and_value(old: str, new: str, message: str) -> None:
    assert old in TEXT
    got = refused(TEXT.replace(old, new, 1))
    assert message in got
    assert len(got.splitlines()) == 1, got


def test_an_exact_design_that_would_take_minutes_says_what_to_choose_instead() -> None:
    text = TEXT.replace("n_max = 2000", "n_max = 200000").replace(
        'criterion = "union"', 'criterion = "exact"'
    )
    message = refused(text)
    assert "criterion_parameters.largest must be at most 50000 for bernoulli outcomes" in message
    assert "choose the criterion mixture" in message


def without(table: str, count: int = 0) -> str:
    """The small study's file with only the first `count` entries of a table list."""
    parts = TEXT.split("\n\n")
    seen = 0
    kept = []
    for part in parts:
        if part.startswith(f"[[{table}]]"):
            seen += 1
            if seen > count:
                continue
        kept.append(part)
    return "\n\n".join(kept)


def test_no_arms_and_one_arm_are_errors() -> None:
    assert "x.toml: arms is missing" in refused(without("arms"))
    assert "x.toml: arms must have at least 2 entries, but is 1 long" in refused(without("arms", 1))
    assert "x.toml: truths is missing" in refused(without("truths"))
    assert "x.toml: designs is missing" in refused(without("designs"))


def test_every_broken_rule_is_named_at_once() -> None:
    message = refused(TEXT.replace("delta = 0.1", "delta = 5").replace("runs = 40", "runs = 0"))
    assert len(message.splitlines()) == 2


def test_two_controls_are_an_error() -> None:
    twice = TEXT.replace('label = "low"', 'label = "low"\ncontrol = true').replace(
        'label = "high"', 'label = "high"\ncontrol = true'
    )
    assert "at most one may be the control" in refused(twice)


def test_changes_are_validated_as_the_file_is() -> None:
    with pytest.raises(
        InputError, match=r"medical-1: simulation.n_max must be at least 25 .* but is 10"
    ):
        changed(load_study("medical-1"), "medical-1", n_max=10)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    for path, message in (
        (tmp_path / "none.toml", "cannot be read"),
        (tmp_path, "cannot be read"),
        (binary, "must be a text file in UTF-8"),
    ):
        with pytest.raises(InputError, match=message):
            load_study(path)
    with pytest.raises(InputError, match="did you mean 'medical-1'"):
        load_study("medical1")


@pytest.mark.parametrize("endpoint", ["", " ", "two\nlines\n", "a\tb", "ACR20 \ue000 治験 ☺"])
def test_an_endpoint_that_harms_nothing_is_taken_as_it_is(endpoint: str) -> None:
    study = make_study(outcome={"kind": "bernoulli", "endpoint": endpoint})
    assert study.outcome.endpoint == endpoint


def test_the_schema_describes_every_key() -> None:
    schema = json.loads(json.dumps(Study.model_json_schema()))
    assert set(schema["properties"]) == set(Study.model_fields)
    assert schema["additionalProperties"] is False
    assert {"Arm", "Truth", "Design", "Simulation", "Bernoulli", "Gaussian"} <= set(schema["$defs"])
