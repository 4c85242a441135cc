"""Simpler statements of a sentence, which the built-in verifier reads by themselves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.claims import statements
from factscope.judging.verifiers import ClaimPair, Prediction
from factscope.judging.verifiers.builtin import load_small
from tests.lab.many_cases import try_all


def verified(claim: str, passage: str) -> Prediction:
    return load_small().verify([ClaimPair(claim, passage)])[0]


@try_all(
    ("sentence", "simpler"),
    [
        (
            "They built the first recorder, which Osgrave designed and Varnham paid for.",
            ["Osgrave designed the first recorder.", "Varnham paid for the first recorder."],
        ),
        ("Long Drove, which is grazed, has 24 pairs.", ["Long Drove has 24 pairs.", "Long Drove is grazed."]),
        ("Oslo, not Vik, which is small, is large.", ["Oslo, not Vik, is large.", "Vik is small."]),
        ("Bo, Al, and the mill, which is old, left.", ["Bo, Al, and the mill left."]),
        ("Tamm, a former Otter, scored first.", ["Tamm scored first."]),
        (
            "The tower was designed by Elof Brandil and put up by Caspar Wend.",
            ["The tower was designed by Elof Brandil.", "The tower was put up by Caspar Wend."],
        ),
        ("Although he retired in 1947, Varnham did not apply.", ["Varnham did not apply."]),
        ("In 1,200 cases it failed, since the valve was stuck.", ["In 1,200 cases it failed."]),
        (
            "He accepted the fine but refused to alter the roof.",
            ["He accepted the fine.", "He refused to alter the roof."],
        ),
    ],
)
def test_simpler_statements_of_a_sentence(sentence: str, simpler: list[str]) -> None:
    assert statements(sentence) == simpler


@try_all(
    "sentence",
    [
        "The bridge was opened in 1931.",
        "If the river floods, the bridge is closed.",
        "The bridge is closed unless the river, which is deep, is low.",
        "Because of the rain, few of the guests came.",
        "The translators are Oskari Pelto and Seo Hye-rin, who were paid.",
        "In the event of a fire, the lift, which is old, is stopped.",
        "Had the river flooded, the bridge, which is old, had to close.",
        "Before the war, the town had 300 houses.",
        "Until it was rebuilt, the bridge was made of wood.",
        "When the alarm is on, the doors are locked.",
        "Was the tower, which is red, designed by Elof and built by Caspar?",
        "The minister said the bridge was closed and opened it in May.",
        "Ann wrote, “The tower was old and was sold.”",
        "It is false that the tower was built by Elof and painted by Caspar.",
        "The tower was not designed by Elof and built by Caspar.",
        "Of the ten houses, none was painted and sold by Caspar.",
        "He did not resign because he was ill.",
        "The winner was either Ann, a nurse, or Bo.",
        "The village has no school, which is large.",
        "He resigned from the Board, which surprised everyone.",
        "His house was painted by the son of Bo, who was born in 1911.",
        "He wrote a book that was published in 1931 and was translated in 1940.",
        "The tower was built by Bo, whose son was paid and sent to Oslo.",
        "The shop sells fresh and smoked fish.",
        "The museum has paintings and works by Munch.",
        "The novel describes the barn of a town, which is ruled by a witch.",
        "The tower seems to have been built by Danes and is owned by Ann.",
        "The mill was probably built by Danes and burned by Swedes.",
        "In 1931 Ann moved to Oslo and died in 1970.",
        "Designed by Elof, the architect, it is built of stone.",
        "The windows, which " + "x" * 400 + ", are new.",
        "She never married, but adopted her sister's boy in 1907.",
        "He still paints and lives by the harbour.",
    ],
)
def test_sentences_without_a_simpler_statement(sentence: str) -> None:
    assert statements(sentence) == []


@given(st.text(alphabet="Ab ,.;whicandswed12’-", max_size=300))
def test_statements_end_like_sentences(text: str) -> None:
    assert all(each.endswith(".") and not each[:1].islower() for each in statements(text))


RECORDER = (
    "Together they built the first tilt recorder in the country; Varnham designed it, and Osgrave paid for the parts."
)


@pytest.mark.parametrize(
    ("claim", "passage", "reason"),
    [
        (
            "They constructed the country's first tilt recorder, which Osgrave designed and Varnham paid for.",
            RECORDER,
            "“Osgrave designed the country's first tilt recorder”",
        ),
        (
            "YAML files can no longer be read, since the configuration is now written in TOML.",
            "The configuration is now written in TOML. YAML files can still be read.",
            "“YAML files can no longer be read”",
        ),
    ],
)
def test_a_false_statement_contradicts_the_sentence(claim: str, passage: str, reason: str) -> None:
    prediction = verified(claim, passage)
    assert prediction.label == "contradicted"
    assert prediction.rationale.startswith(reason)


@try_all(
    ("claim", "passage"),
    [
        (
            "Before the war, the town had 300 houses.",
            "Until 1939 there were about 300 homes in the town. In 1950 the town had 40 houses.",
        ),
        (
            "The brother of Ann Berg, who was born in 1970, has died.",
            "Ann Berg was born in 1965. Her brother, born in 1970, is dead.",
        ),
        (
            "The tower was not designed by Elof and built by Bo.",
            "Elof designed the tower. It was built by Carl, not by Bo.",
        ),
    ],
)
def test_a_part_that_a_sentence_does_not_state_contradicts_nothing(claim: str, passage: str) -> None:
    assert verified(claim, passage).label == "supported"


def test_true_statements_leave_the_verdict_of_the_sentence() -> None:
    claim = "They constructed the country's first tilt recorder, which Varnham designed and Osgrave paid for."
    assert verified(claim, RECORDER).label == "supported"
