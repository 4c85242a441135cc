"""Reply readers: they take what was asked for and nothing else."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Callable
from typing import Any, Literal, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ConfigDict, Field

from factscope.llm import (
    UnreadableError,
    bracketed_label,
    claim_lines,
    fenced,
    json_reader,
    marked_label,
    schema_of,
    typed_units,
    wrong_ids,
)
from tests.conftest import at_least
from tests.lab.many_cases import try_all
from tests.lab.models import _Chance, made
from tests.llm import reply_corpus
from tests.llm.reply_corpus import LABELS, filled

Label = Literal["Supported", "Contradicted", "Unverifiable"]


class Verdict(BaseModel):
    """The form that the corpus is held against."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    label: Label
    score: float


class Part(BaseModel):
    """A part of `Whole`."""

    kind: Literal["a", "b"]
    title: str = ""


class Whole(BaseModel):
    """A form with everything that our forms have."""

    parts: tuple[Part, ...] = Field(min_length=1, max_length=3)
    note: str | None
    share: float = Field(ge=0, le=1)
    count: int = Field(ge=2, le=5)
    sure: bool


READ = json_reader(Verdict)


def bracket(text: str) -> str:
    return bracketed_label(text, LABELS)


def verdict(text: str) -> str:
    return marked_label(text, "Final Verdict", ("yes", "no"))


def cases() -> list[tuple[Callable[[str], Any], str, Any]]:
    """List readers, replies and expected readings, None for a reply to refuse."""
    found: list[tuple[Callable[[str], Any], str, Any]] = []
    for label in LABELS:
        found += [(bracket, filled(template, label), label) for template in reply_corpus.BRACKETS_GOOD]
        found += [(bracket, filled(template, label), None) for template in reply_corpus.BRACKETS_BAD]
        found += [(READ, filled(t, label), Verdict(label=label, score=1.0)) for t in reply_corpus.JSON_GOOD]
        found += [(READ, filled(template, label), None) for template in reply_corpus.JSON_BAD]
    found += [(verdict, text, label) for text, label in reply_corpus.VERDICT_GOOD]
    found += [(verdict, text, None) for text in reply_corpus.VERDICT_BAD]
    found += [(lambda t, n=count: wrong_ids(t, n), text, ids) for text, count, ids in reply_corpus.IDS_GOOD]
    found += [(lambda t, n=count: wrong_ids(t, n), text, None) for text, count in reply_corpus.IDS_BAD]
    found += [(lambda t: typed_units(t, reply_corpus.KINDS), text, units) for text, units in reply_corpus.UNITS_GOOD]
    found += [(lambda t: typed_units(t, reply_corpus.KINDS), text, None) for text in reply_corpus.UNITS_BAD]
    found += [(fenced, text, inside) for text, inside in reply_corpus.FENCE_GOOD]
    found += [(fenced, text, None) for text in reply_corpus.FENCE_BAD]
    found += [(claim_lines, text, claims) for text, claims in reply_corpus.CLAIMS_GOOD]
    found += [(claim_lines, text, None) for text in reply_corpus.CLAIMS_BAD]
    return found


CASES = cases()


def test_the_corpus_is_large_enough() -> None:
    assert len({(id(read), text) for read, text, _ in CASES}) >= 300
    assert set(LABELS) == set(get_args(Label))


@try_all(("read", "text", "expected"), CASES)
def test_a_reply_is_read_as_asked_or_refused(read: Callable[[str], Any], text: str, expected: Any) -> None:
    if expected is None:
        with pytest.raises(UnreadableError, match=r"\w"):
            read(text)
    else:
        assert read(text) == expected


READERS: list[Callable[[str], Any]] = [
    bracket,
    verdict,
    READ,
    fenced,
    claim_lines,
    lambda text: wrong_ids(text, 3),
    lambda text: typed_units(text, reply_corpus.KINDS),
]
PIECES = st.sampled_from(
    [
        *LABELS,
        *"[]{}\"'\\:,10 \n\u200b\ud800",
        *('"label"', '"score"', "<think>", "</think>", "```", "\n\n", "- ", "Fact"),
        *("Answer: ", "ALL_CORRECT", "Final Verdict:", "yes", "no", "not ", "Claim_1: "),
    ]
)


@pytest.mark.medium
@given(st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=25).map("".join)))
@settings(deadline=None, max_examples=at_least(1_500, in_all=10_000))
def test_no_reply_breaks_a_reader(text: str) -> None:
    for read in READERS:
        with contextlib.suppress(UnreadableError):
            assert read(text) is not None


@given(st.text(max_size=40), st.sampled_from(LABELS), st.sampled_from(LABELS))
@settings(deadline=None)
def test_two_different_answers_are_never_read_as_one(between: str, first: str, second: str) -> None:
    text = f"{json.dumps({'label': first, 'score': 1})}{between}{json.dumps({'label': second, 'score': 1})}"
    with contextlib.suppress(UnreadableError):
        assert READ(text).label == first == second


@given(
    st.sampled_from(LABELS),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=30),
    st.text(max_size=30),
)
@settings(deadline=None)
def test_the_reply_of_a_well_behaved_model_is_always_read(label: Label, score: float, before: str, after: str) -> None:
    value = Verdict(label=label, score=score)
    assert READ(value.model_dump_json()) == value
    quiet = str.maketrans("", "", "{}<")
    assert READ(before.translate(quiet) + value.model_dump_json() + after.translate(quiet)) == value


@pytest.mark.parametrize(
    "text", ["{" * 200_000, '{"a":' * 50_000 + "1" + "}" * 50_000, "[" * 100_000, "x" * 3_000_000, "{}" * 50_000]
)
def test_very_deep_and_very_long_replies_are_refused_as_unreadable(text: str) -> None:
    for read in READERS:
        with pytest.raises(UnreadableError):
            read(text)


def test_a_schema_is_as_strict_endpoints_want_it_and_fits_its_model() -> None:
    schema = schema_of(Whole)
    Draft202012Validator.check_schema(schema)
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["parts", "note", "share", "count", "sure"]
    assert schema["$defs"]["Part"]["required"] == ["kind", "title"]
    assert set(schema["$defs"]["Part"]["properties"]) == {"kind", "title"}
    assert schema["$defs"]["Part"]["properties"]["kind"]["enum"] == ["a", "b"]
    for seed in range(200):
        value = made(schema, _Chance(str(seed)))
        Draft202012Validator(schema).validate(value)
        read = json_reader(Whole)(json.dumps(value))
        assert math.isclose(read.share, value["share"])


def test_the_schema_takes_its_labels_from_the_type() -> None:
    assert schema_of(Verdict)["properties"]["label"]["enum"] == list(get_args(Label))


@pytest.mark.parametrize("text", ["NO_CLAIMS", " **NO_CLAIMS**\n", "<think>hm</think>\nNO_CLAIMS"])
def test_a_sentence_that_states_nothing_has_no_claims(text: str) -> None:
    assert claim_lines(text) == []


@pytest.mark.parametrize("text", ["NO_CLAIMS\nClaim_1: x", "Claim_1: x\nNO_CLAIMS", "", "There are NO_CLAIMS here."])
def test_no_claims_beside_anything_else_is_unreadable(text: str) -> None:
    with pytest.raises(UnreadableError):
        claim_lines(text)
