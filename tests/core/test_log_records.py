"""Entries of a check's log: which ones can be read, reused and built on, and which claim each belongs to."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from factscope.core import (
    FIELDS,
    STATE,
    Event,
    LogEntry,
    claim_id_in,
    claim_id_of,
    current_records,
    readable_records,
    record_key,
    records_to_build_on,
    reusable_records,
)
from factscope.core.records import (
    Claim,
    Correction,
    Document,
    Eligibility,
    Failure,
    Judgement,
    Passage,
    Query,
    Report,
    Score,
    Segment,
    Span,
    Usage,
    Verdict,
)
from tests.lab.many_cases import try_all

DOCUMENT = Document(id="d-1", text="The bridge opened in 1931.")
USAGE = Usage(role="judge", model="a/b", calls=1)
SCORE = Score(name="precision", value=None, n=0, n_failed=0, coverage=None, signature="x")
WHOLE = Verdict(unit_id="r1", level="response", outcome="supported", rule="worst")


def evidence(claim: str) -> list[Event]:
    """Build a claim with its query, passage and judgement."""
    passage, query = f"{claim}.p1", f"{claim}.q1"
    return [
        Claim(id=claim, segment_id=claim.partition(".")[0], text="x", standalone="x"),
        Query(id=query, claim_id=claim, text="x"),
        Passage(
            id=passage, claim_id=claim, document_id="d-1", span=Span(start=0, end=1), text="T", rank=1, score=1.0,
            query_id=query,
        ),
        Judgement(id=f"{passage}.j1", unit_id=claim, passage_ids=(passage,), judge="j", label="supported"),
    ]  # fmt: skip


def verdict(claim: str, outcome: str = "supported") -> Verdict:
    values = {"unit_id": claim, "level": "claim", "outcome": outcome, "rule": "strongest"}
    return Verdict.model_validate({**values, "judgement_ids": () if outcome == "failed" else (f"{claim}.p1.j1",)})


def finished(*claims: str) -> list[Event]:
    return [DOCUMENT, *(event for claim in claims for event in (*evidence(claim), verdict(claim))), WHOLE]


def failure(unit: str, about: str | None = None) -> Failure:
    return Failure(unit_id=unit, stage="judging", boundary="model", message="down", about=about)


def without(events: Iterable[Event], *kinds: type) -> list[Event]:
    return [event for event in events if not isinstance(event, kinds)]


def test_each_record_is_restored_from_its_log_entry() -> None:
    events = [*finished("s1.c1"), USAGE, SCORE, failure("s1.c1"), failure("s1", "https://a.example")]
    for event in events:
        entry = LogEntry.of(event)
        assert entry.event() == event
        assert LogEntry.of_json(entry.type, entry.body) == entry
    assert len({(entry.type, entry.key) for entry in map(LogEntry.of, events)}) == len(events)


def test_a_state_is_an_entry_but_not_a_record() -> None:
    entry = LogEntry.of_state("ended", reason="zu früh")
    assert (entry.type, entry.key) == (STATE, "ended")
    assert "zu früh" in entry.body
    assert LogEntry.of_json(STATE, entry.body) == entry
    assert current_records([LogEntry.of_state("running"), LogEntry.of(USAGE), entry]) == [USAGE]


@pytest.mark.parametrize("body", ["", "{}", "[]", '{"type": "claim"}', '{"type": "dream", "id": "s1"}'])
def test_an_unreadable_body_is_a_value_error(body: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the library words it
        LogEntry.of_json("claim", body)


def test_damaged_entries_are_set_apart_with_their_errors_and_the_rest_is_read() -> None:
    good = [LogEntry.of(event) for event in finished("s1.c1")]
    damaged = [LogEntry("query", "s1.c1.q2", "{"), LogEntry("verdict", "s9.c1.claim", "{}")]
    events, errors = readable_records([damaged[0], *good, damaged[1]])
    assert events == finished("s1.c1")
    assert list(errors) == damaged
    assert all(error.error_count() for error in errors.values())


def test_a_record_written_twice_counts_once_with_its_last_value_in_its_first_position() -> None:
    again = USAGE.model_copy(update={"calls": 7})
    assert current_records(map(LogEntry.of, (USAGE, SCORE, again))) == [again, SCORE]


def test_finished_claims_are_reused_whole_and_unfinished_ones_keep_only_the_claim() -> None:
    done, open_one, failed, troubled = evidence("s1.c1"), evidence("s1.c2"), evidence("s2.c1"), evidence("s3.c1")
    log = [
        DOCUMENT, *done, verdict("s1.c1"), *open_one,
        *failed, verdict("s2.c1", "failed"),
        *troubled, failure("s3.c1"), verdict("s3.c1"),
        Verdict(unit_id="s1", level="segment", outcome="supported", rule="worst"), WHOLE, SCORE, USAGE,
    ]  # fmt: skip
    reused = reusable_records(log)
    assert reused == (DOCUMENT, *done, verdict("s1.c1"), open_one[0], failed[0], troubled[0], USAGE)
    assert reusable_records(reused) == reused


def test_a_failure_of_one_source_does_not_invalidate_a_claim() -> None:
    log = [*evidence("s1.c1"), failure("s1.c1", about="https://dead.example"), verdict("s1.c1")]
    assert reusable_records(log) == tuple(log)


@try_all(
    ("outcome", "claims", "reused"),
    [("not_checkable", [], True), ("not_checkable", ["s1.c1"], False), ("failed", [], False)],
)
def test_a_segment_without_claims_is_finished_once_that_is_known(outcome: str, claims: list[str], reused: bool) -> None:
    bare = Verdict.model_validate({"unit_id": "s1", "level": "segment", "outcome": outcome, "rule": "worst"})
    log = [*(evidence(claim)[0] for claim in claims), bare]
    assert (bare in reusable_records(log)) == reused


def test_judgements_of_the_whole_response_are_reused() -> None:
    eligible = Eligibility(id="r1.e1", judge="j", eligible=True, raw_label="Yes")
    assert reusable_records([eligible, WHOLE]) == (eligible,)


def test_an_undamaged_log_is_built_on_as_it_is() -> None:
    events = [*finished("s1.c1", "s2.c1"), SCORE, USAGE]
    assert records_to_build_on(events, ()) == events
    assert records_to_build_on([], ()) == []


@try_all("kind", [Query, Passage, Judgement])
def test_a_claim_whose_records_have_gaps_is_checked_again_and_the_other_is_not(kind: type) -> None:
    first, second = finished("s1.c1"), [*evidence("s2.c1"), verdict("s2.c1")]
    events = without(first, kind) + second
    left = records_to_build_on(events, ())
    assert [event for event in events if event not in left] == [verdict("s1.c1"), WHOLE]


def test_a_missing_document_invalidates_all_claims_that_rest_on_it() -> None:
    left = records_to_build_on(without(finished("s1.c1", "s2.c1"), Document), ())
    assert without(left, Verdict) == left


@try_all(
    ("kind", "key", "lost"),
    [
        ("judgement", "s1.c1.p2.j1", {"s1.c1", "r1"}),
        ("verdict", "s2.c1.claim", {"s2.c1", "r1"}),
        ("citation", "k1", {"r1"}),
        ("score", "precision", set()),
        ("usage", "judge.a/b", set()),
        ("document", "d-9", set()),
        ("hologram", "s1.c1.h1", set()),
    ],
)
def test_a_damaged_record_invalidates_the_verdicts_that_might_rest_on_it(kind: str, key: str, lost: set[str]) -> None:
    events = finished("s1.c1", "s2.c1")
    left = records_to_build_on(events, [LogEntry(kind, key, "{")])
    assert {event.unit_id for event in events if event not in left and isinstance(event, Verdict)} == lost
    assert without(left, Verdict) == without(events, Verdict)


def test_nothing_is_built_on_when_a_verdict_has_lost_its_claim() -> None:
    events = finished("s1.c1", "s2.c1")
    assert records_to_build_on(events[:1] + events[2:], ()) == []
    assert records_to_build_on(events, [LogEntry("claim", "s3.c1", "{")]) == []


def test_every_type_of_record_has_its_field_in_a_report() -> None:
    assert set(FIELDS.values()) - {"responses"} <= set(Report.model_fields)


@try_all(
    ("event", "key", "claim"),
    [
        (verdict("s1.c10"), "s1.c10.claim", "s1.c10"),
        (WHOLE, "r1.response", None),
        (Correction(unit_id="s2.c1", error="entity"), "s2.c1", "s2.c1"),
        (failure("s12.c3"), "s12.c3.judging", "s12.c3"),
        (failure("s12"), "s12.judging", None),
        (USAGE, "judge.a/b", None),
        (SCORE, "precision", None),
        (DOCUMENT, "d-1", None),
        (Segment(id="s3", span=Span(start=0, end=1), text="x", kind="sentence"), "s3", None),
        (evidence("s3.c2")[3], "s3.c2.p1.j1", "s3.c2"),
    ],
)
def test_a_record_is_identified_by_its_key_and_its_claim(event: Event, key: str, claim: str | None) -> None:
    assert record_key(event) == key
    assert claim_id_of(event) == claim


def test_failures_of_one_unit_with_several_sources_have_distinct_keys() -> None:
    keys = {record_key(failure("s1.c1", about)) for about in (None, "https://a.example", "https://b.example")}
    assert len(keys) == 3
    assert {claim_id_in("failure", key) for key in keys} == {"s1.c1"}


def test_a_response_named_like_a_claim_belongs_to_no_claim() -> None:
    assert claim_id_in("response", "s1.c1") is None
    assert claim_id_in("finding", "s1.c1x.f1") is None
