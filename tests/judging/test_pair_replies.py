"""Replies about pairs of claim and passage: each row is used or refused with a reason, and mixed-up ids never used."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.core.records import Claim, Passage, Span
from factscope.judging import JudgeCase, pairs_of, pairs_reader
from factscope.llm import UnreadableError
from tests.conftest import at_least
from tests.lab.many_cases import try_all

WORDS = ("supported", "contradicted", "not_enough_evidence")
ASKED = {("c1", "p1"), ("c1", "p2"), ("c2", "p1")}
READ = pairs_reader(WORDS, ASKED)


def row(claim: str = "c1", passage: str = "p1", **changes: object) -> dict[str, Any]:
    fields = {"reason": "It says so.", "label": "supported", "quote": "opened in 1931", "gap": "", "confidence": 0.9}
    return {"claim": claim, "passage": passage, **fields, **changes}


def reply(*rows: object) -> str:
    return json.dumps({"judgements": rows})


def read(text: str) -> tuple[list[tuple[str, str]], dict[tuple[str, str], str]]:
    rows, unusable = READ(text)
    return [(one.claim, one.passage) for one in rows], unusable


def test_the_rows_of_a_reply_are_read_in_order_and_can_leave_pairs_out() -> None:
    assert read(reply(row("c2"), row("c1", "p2"))) == ([("c2", "p1"), ("c1", "p2")], {})
    (one,), _ = READ(f"Here it is:\n```json\n{reply(row(gap='partial', label='not_enough_evidence'))}\n```")
    assert (one.label, one.gap, one.quote, one.confidence) == ("not_enough_evidence", "partial", "opened in 1931", 0.9)


@try_all(
    "changes",
    [
        {"label": "Supported"},
        {"label": "true"},
        {"gap": "unclear"},
        {"confidence": 1.5},
        {"confidence": "0.9"},
        {"quote": None},
        {"reason": 5},
    ],
)
def test_a_row_with_a_wrong_field_loses_only_its_own_pair(changes: dict[str, object]) -> None:
    rows, unusable = read(reply(row("c1", "p2"), row(**changes)))
    assert rows == [("c1", "p2")]
    assert list(unusable) == [("c1", "p1")]
    assert next(iter(changes)) in unusable["c1", "p1"]
    with pytest.raises(UnreadableError, match=next(iter(changes))):
        READ(reply(row(**changes)))


def test_a_row_with_a_missing_or_extra_field_is_refused_with_the_reason() -> None:
    short = row()
    del short["quote"]
    assert "quote" in read(reply(short, row("c2")))[1]["c1", "p1"]
    assert read(reply(row(more=1), row("c2")))[1] == {("c1", "p1"): "it holds a field that was not asked for."}


def test_a_duplicate_pair_is_refused_even_if_both_rows_agree() -> None:
    rows, unusable = read(reply(row(), row("c2"), row(label="contradicted"), row("c1", "p2"), row("c1", "p2")))
    assert rows == [("c2", "p1")]
    assert unusable == {("c1", "p1"): "a pair comes twice.", ("c1", "p2"): "a pair comes twice."}


@try_all(
    ("claim", "passage"),
    [("c2", "p2"), ("c3", "p1"), ("p1", "c1"), ("", "p1"), ("c1", "p1 "), ("C1", "p1"), ("x" * 999, "p1")],
)
def test_a_pair_not_asked_about_makes_the_whole_reply_unreadable(claim: str, passage: str) -> None:
    with pytest.raises(UnreadableError, match=r"^the pair '.{0,40}', '.{0,40}' is not in the list\.$"):
        READ(reply(row(), row(claim, passage)))


@try_all("text", ["", "Supported.", "{}", "[]", reply(), '{"judgements": 5}', '{"judgements": [5]}'])
def test_a_reply_without_rows_is_unreadable(text: str) -> None:
    with pytest.raises(UnreadableError):
        READ(text)


ROWS = st.lists(
    st.builds(
        lambda pair, label, confidence: row(*pair, label=label, confidence=confidence),
        st.sampled_from(sorted(ASKED)),
        st.sampled_from([*WORDS, "maybe"]),
        st.sampled_from([0, 0.5, 1, 2]),
    ),
    min_size=1,
    max_size=5,
)


@given(ROWS)
@settings(max_examples=at_least(30, in_all=300))
def test_every_pair_in_a_reply_is_either_used_or_refused(rows: list[dict[str, Any]]) -> None:
    named = {(one["claim"], one["passage"]) for one in rows}
    try:
        used, unusable = read(reply(*rows))
    except UnreadableError:
        used, unusable = [], dict.fromkeys(named, "")
    assert sorted([*used, *unusable]) == sorted(named)
    assert all(sum((one["claim"], one["passage"]) == pair for one in rows) == 1 for pair in used)


def case(claim_id: str, *texts: str) -> JudgeCase:
    claim = Claim(id=claim_id, segment_id="s1", text="It opened.", standalone="It opened.")
    passages = tuple(
        Passage(
            id=f"{claim_id}.p{rank}",
            claim_id=claim_id,
            document_id="d1",
            span=Span(start=int(text), end=int(text) + 5),
            text=text,
            rank=rank,
            score=1.0,
        )
        for rank, text in enumerate(texts, 1)
    )
    return JudgeCase(claim, passages, {})


def test_a_passage_shared_by_two_claims_has_one_key_in_the_call() -> None:
    pairs = pairs_of([case("c1", "10", "20"), case("c2"), case("c3", "20", "30", "10")])
    assert [pair.name for pair in pairs] == [("c1", "p1"), ("c1", "p2"), ("c3", "p2"), ("c3", "p3"), ("c3", "p1")]
    assert [pair.passage.id for pair in pairs] == ["c1.p1", "c1.p2", "c3.p1", "c3.p2", "c3.p3"]
    assert pairs_of([]) == []
    # In a call about several responses whose claims share ids, the owner distinguishes them.
    assert pairs[0]._replace(owner="r2.").name == ("r2.c1", "p1")
