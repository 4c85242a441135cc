"""Rules that records enforce: spans, hashes, labels of samples, and reports whose counts add up."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from factscope.core.records import Claim, Document, Gold, Report, Response, Sample, Score, Segment, Span, Verdict
from tests.lab.many_cases import try_all

OFFSETS = st.tuples(st.integers(0, 12), st.integers(0, 12)).map(sorted)


@given(OFFSETS, OFFSETS)
@settings(max_examples=60, deadline=None)
def test_spans_overlap_exactly_where_they_share_characters(first: list[int], other: list[int]) -> None:
    one, two = (Span(start=start, end=end) for start, end in (first, other))
    shared = set(range(*first)) & set(range(*other))
    assert bool(shared) <= one.overlaps(two)
    if first[0] < first[1] and other[0] < other[1]:
        assert one.overlaps(two) == two.overlaps(one) == bool(shared)


@given(st.text(max_size=10), OFFSETS)
@settings(max_examples=40, deadline=None)
def test_a_span_selects_its_characters_by_code_point(text: str, offsets: list[int]) -> None:
    start, end = offsets
    assert list(Span(start=start, end=end).of(text)) == list(text)[start:end]


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (3, 2), (0, -1)])
def test_an_impossible_span_is_refused(start: int, end: int) -> None:
    with pytest.raises(ValidationError):
        Span(start=start, end=end)


def test_a_documents_hash_is_that_of_its_text_unless_one_is_given() -> None:
    assert Document(id="d", text="ä").sha256 == sha256("ä".encode()).hexdigest()
    assert Document(id="d", text="").sha256 == sha256(b"").hexdigest()
    assert Document(id="d", text=None).sha256 == ""
    assert Document(id="d", text=None, sha256="ab").sha256 == "ab"
    assert len(Document(id="d", text="half \ud83d an emoji").sha256) == 64


@try_all("name", ["s1", "s12.c3", "s1."])
def test_a_response_is_never_named_like_a_segment(name: str) -> None:
    with pytest.raises(ValidationError, match="is the id of a segment"):
        Response(id=name, text="x")


@try_all("name", ["r1", "sample1", "s", "s1a", "S1", "my s1"])
def test_a_response_can_have_any_other_name(name: str) -> None:
    assert Response(id=name, text="x").id == name


def test_a_non_finite_number_is_refused_in_any_record() -> None:
    for value in (float("nan"), float("inf")):
        with pytest.raises(ValidationError, match="finite"):
            Score(name="x", value=value, n=1, n_failed=0, coverage=None, signature="x")


def sample(*gold: dict[str, Any], response: str | None = "abc") -> Sample:
    labels = tuple(Gold.model_validate({"factual": True, "level": "claim", **values}) for values in gold)
    return Sample(id="x7", response=response, gold=labels)


def test_labels_of_a_sample_lie_in_its_response_and_have_their_own_ids() -> None:
    assert sample({"id": "g1", "span": {"start": 0, "end": 3}}).gold[0].span == Span(start=0, end=3)
    with pytest.raises(ValidationError, match="sample x7: label g2 ends at 4, after the response"):
        sample({"id": "g1"}, {"id": "g2", "span": {"start": 0, "end": 4}})
    with pytest.raises(ValidationError, match="label g1 ends at 1, after the response"):
        sample({"id": "g1", "span": {"start": 0, "end": 1}}, response=None)
    with pytest.raises(ValidationError, match="sample x7: two labels have the same id"):
        sample({"id": "g1"}, {"id": "g1", "level": "response"})


def test_labels_are_found_by_level_in_their_order() -> None:
    labelled = sample({"id": "g2"}, {"id": "g3", "level": "segment"}, {"id": "g1"})
    assert [gold.id for gold in labelled.of("claim")] == ["g2", "g1"]
    assert [gold.id for gold in labelled.of("segment")] == ["g3"]
    assert labelled.of("response") == ()


def segment(number: int) -> Segment:
    return Segment(id=f"s{number}", span=Span(start=0, end=1), text="a", kind="sentence")


def claim(name: str) -> Claim:
    return Claim(id=name, segment_id=name.partition(".")[0], text="a", standalone="a")


def verdict(unit: str, level: str = "claim", outcome: str = "supported") -> Verdict:
    return Verdict.model_validate({"unit_id": unit, "level": level, "outcome": outcome, "rule": "worst"})


def report(**values: Any) -> Report:
    """Build two segments, the second without a claim, with all verdicts."""
    whole = {
        "segments": (segment(1), segment(2)),
        "claims": (claim("s1.c1"), claim("s1.c2")),
        "verdicts": (
            verdict("s1.c1"), verdict("s1.c2"), verdict("s1", "segment"),
            verdict("s2", "segment", "not_checkable"), verdict("r1", "response"),
        ),
        "counts": {"supported": 2, "not_checkable": 1},
    }  # fmt: skip
    return Report.model_validate({"factscope": "0", "response": Response(text="aa"), "method": {}, **whole, **values})


def test_units_are_the_claims_and_the_segments_without_one_in_reading_order() -> None:
    assert report().unit_ids() == ("s1.c1", "s1.c2", "s2")
    many = [segment(number) for number in (10, 9, 1)]
    verdicts = [verdict(one.id, "segment") for one in many]
    assert report(segments=many, claims=(), verdicts=verdicts, counts={"supported": 3}).unit_ids() == (
        "s1", "s9", "s10",
    )  # fmt: skip


@try_all(
    ("values", "reason"),
    [
        ({"counts": {"supported": 2}}, "counts add up to 2, not to the 3 units cut"),
        ({"counts": {"supported": 4}}, "counts add up to 4, not to the 3 units cut"),
        ({"segments": (segment(1), segment(2), segment(2))}, "a unit is listed more than once"),
        ({"claims": (claim("s1.c1"), claim("s1.c1"))}, "a unit is listed more than once"),
        ({"verdicts": (*report().verdicts, verdict("s1.c1"))}, "a unit has more than one verdict"),
        ({"verdicts": report().verdicts[1:]}, "units without a verdict: s1.c1"),
        ({"verdicts": report().verdicts[:3]}, "units without a verdict: s2"),
    ],
)
def test_an_inconsistent_report_cannot_be_made(values: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValidationError, match=reason):
        report(**values)


def test_a_message_names_the_first_missing_units_in_reading_order() -> None:
    with pytest.raises(ValidationError, match="units without a verdict: s2, s3, s4, s9, s10") as raised:
        report(segments=[segment(n) for n in (12, 11, 10, 9, 4, 3, 2)], claims=(), verdicts=())
    assert "s11" not in str(raised.value).partition("[type=")[0]


def test_a_verdict_is_found_by_its_unit_and_that_of_the_response_by_default() -> None:
    assert report().verdict("s1.c2").unit_id == "s1.c2"
    assert report().verdict("s2").outcome == "not_checkable"
    assert report().verdict().level == "response"
    with pytest.raises(KeyError, match=r"no verdict on 's9'"):
        report().verdict("s9")
    with pytest.raises(KeyError, match=r"no verdict on 'r1'"):
        report(verdicts=report().verdicts[:-1]).verdict()


def test_a_score_is_found_with_or_without_its_parameters() -> None:
    values = {"value": 0.5, "n": 1, "n_failed": 0, "coverage": None, "signature": "x"}
    names = ("precision", "f1(k=5)", "f1(k=9)")
    scored = report(scores=[{"name": name, **values} for name in names])
    assert [scored.score(name).name for name in (*names, "f1")] == [*names, "f1(k=5)"]
    for wrong in ("f", "f1(k=7)", ""):
        with pytest.raises(KeyError, match="there are: precision, f1"):
            scored.score(wrong)


def test_a_report_survives_json() -> None:
    assert Report.model_validate_json(report().model_dump_json()) == report()
