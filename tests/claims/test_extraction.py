"""Claims extracted by a model: windows of segments, replies in each form, and what a bad reply costs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.claims import cut_by_model, extract, given_segments, prepare, same_words, skipped, windows
from factscope.claims.text import segment
from factscope.core.records import Claim, Failure, Response, Segment, Span
from factscope.llm import CheckContext, ModelError, ModelSession
from factscope.methods import Ask, Extract
from tests.lab.many_cases import try_all

TEXT = "The bridge was opened in 1931. It has six arches.\n\n# Town\n\nThe hall is old.\n\n```\nx = 1\n```\n"
Answer = Callable[[list[str], Any], str]


class Scripted:
    """A session whose model answers by the ids of the segments in the question."""

    def __init__(self, answer: Answer, finish_reason: str = "stop") -> None:
        self.answer, self.finish_reason = answer, finish_reason
        self.asked: list[list[str]] = []

    async def ask(self, question: Any, read: Callable[[str], Any], *, once: bool = False) -> Any:
        del once
        ids = list(question.variables.get("segments", ()))
        self.asked.append(ids)
        try:
            value = read(self.answer(ids, question))
        except ValueError as error:
            raise ModelError("unreadable", str(error)) from None
        return SimpleNamespace(value=value, reply=SimpleNamespace(finish_reason=self.finish_reason))


def job_for(answer: Answer, text: str = TEXT, prompt: str | None = None, **session: Any) -> CheckContext:
    scripted = cast("ModelSession", Scripted(answer, **session))
    return CheckContext(Response(text=text, prompt=prompt), segment(text, "sentences"), [].append, scripted)


def asked(job: CheckContext) -> list[list[str]]:
    return cast("Scripted", job.models).asked


def spec(**values: Any) -> Extract:
    return Extract.model_validate({"prompt": "p", "form": "claim_lines", **values})


def extracted(job: CheckContext, how: Extract) -> list[Claim]:
    """Return the claims of all windows in order."""
    parts = windows(job.segments, how)
    return [claim for part in parts for claim in asyncio.run(extract(job, how, part))]


def item(name: str, words: str, number: int = 1, **other: Any) -> dict[str, Any]:
    values = {"id": number, "segment": name, "quote": words, "standalone": words, "kind": "Fact", "depends_on": []}
    return values | other


def replied(*items: dict[str, Any]) -> str:
    return json.dumps({"claims": items})


def one_each(ids: list[str], question: Any) -> str:
    """Build a JSON reply with each segment as one claim."""
    texts = question.variables["segments"]
    return replied(*(item(name, texts[name], number) for number, name in enumerate(ids, 1)))


@given(st.integers(0, 5), st.lists(st.sampled_from(["sentence", "heading", "code"]), max_size=9))
@settings(max_examples=40, deadline=None)
def test_each_segment_is_in_one_window_or_skipped_with_a_reason(size: int, kinds: list[Any]) -> None:
    segments = [
        Segment(id=f"s{n}", span=Span(start=n, end=n + 1), text="It is old.", kind=kind) for n, kind in enumerate(kinds)
    ]
    parts = windows(segments, spec(segments_per_call=size))
    asked_about = [one.id for part in parts for one in part]
    left = skipped(segments, parts)
    assert sorted([*asked_about, *(claim.segment_id for claim in left)]) == [one.id for one in segments]
    assert all(claim.skipped for claim in left)
    if size:
        assert all(one.kind == "sentence" for part in parts for one in part)
        assert all(len(part) == size for part in parts[:-1])
        assert all(0 < len(part) <= size for part in parts[-1:])
    else:
        assert len(parts) == ("sentence" in kinds)


def test_claims_are_placed_in_the_segments_containing_their_words() -> None:
    reply = "Claim_1: It has six arches\nClaim_2: The Marlow bridge was opened in 1931\nClaim_3: penguins swim\n"
    job = job_for(lambda ids, question: reply)
    how = spec(segments_per_call=2)
    claims = asyncio.run(extract(job, how, windows(job.segments, how)[0]))
    first, third, second = sorted(claims, key=lambda claim: ("six" in claim.text, claim.span is None), reverse=True)
    assert (first.id, first.alignment, first.span and first.span.of(TEXT)) == (
        "s2.c1", "exact", "It has six arches",
    )  # fmt: skip
    assert (second.segment_id, second.alignment) == ("s1", "fuzzy")
    assert (third.span, third.alignment) == (None, "none"), "it is kept, where the one before it was"


def test_claims_from_a_window_of_one_segment_are_placed_only_there() -> None:
    job = job_for(lambda ids, question: "Claim_1: It has six arches")
    claims = extracted(job, spec())
    assert [(claim.id, claim.alignment) for claim in claims] == [
        ("s1.c1", "none"), ("s2.c1", "exact"), ("s4.c1", "none"),
    ]  # fmt: skip


def test_units_excluded_by_a_method_are_skipped_with_a_reason() -> None:
    reply = "- The bridge was opened in 1931: Fact\n- It has six arches: Claim\n- Is it old?: Question\n"
    job = job_for(lambda ids, question: reply, "The bridge was opened in 1931.")
    claims = extracted(job, spec(form="typed_lines", keep=["fact"]))
    assert [(claim.kind, claim.skipped) for claim in claims] == [
        ("fact", None),
        ("claim", "a position, not a fact"),
        ("question", "a question"),
    ]
    assert extracted(job, spec(form="typed_lines", keep=["question"]))[0].skipped == "a statement of fact"


def test_json_gives_each_claim_its_segment_its_wording_and_its_parents() -> None:
    def answer(ids: list[str], question: Any) -> str:
        return replied(
            item("s2", "six arches", 7, standalone="The bridge has six arches.", depends_on=[9, 8, 7, 77]),
            item("s1", "was opened in 1931", 9, standalone="The bridge was opened in 1931."),
            item("s1", "The bridge", 8, standalone="there is a bridge", kind="Claim", depends_on=[7, 9]),
            item("s4", "The hall is old.", 3, depends_on=[9]),
        )

    claims = {claim.id: claim for claim in extracted(job_for(answer), spec(form="json", segments_per_call=9))}
    assert list(claims) == ["s1.c1", "s1.c2", "s2.c1", "s4.c1"]
    assert claims["s2.c1"].text == "six arches"
    assert claims["s2.c1"].standalone == "The bridge has six arches."
    assert not claims["s2.c1"].independent
    assert claims["s4.c1"].independent
    parents = {name: claim.depends_on for name, claim in claims.items()}
    assert parents == {"s1.c1": (), "s1.c2": ("s1.c1",), "s2.c1": (), "s4.c1": ("s1.c1",)}


def test_a_segment_that_the_model_left_out_is_asked_about_again() -> None:
    def answer(ids: list[str], question: Any) -> str:
        return one_each([name for name in ids if name != "s2" or len(ids) == 1], question)

    job = job_for(answer)
    claims = extracted(job, spec(form="json", segments_per_call=9))
    assert asked(job) == [["s1", "s2", "s4"], ["s2"]]
    assert [claim.id for claim in claims] == ["s1.c1", "s2.c1", "s4.c1"]
    assert not job.failed


def failures_of(job: CheckContext) -> list[Failure]:
    events: list[Failure] = cast("Any", job.emit).__self__
    return events


def test_a_segment_omitted_twice_fails_without_affecting_others() -> None:
    def answer(ids: list[str], question: Any) -> str:
        return one_each([name for name in ids if name != "s2"] or ["s1"], question)

    job = job_for(lambda ids, question: answer(ids, question) if ids != ["s2"] else "[]")
    claims = extracted(job, spec(form="json", segments_per_call=9))
    assert [claim.id for claim in claims] == ["s1.c1", "s4.c1"]
    assert job.failed == {"s2"}
    (failure,) = failures_of(job)
    assert (failure.unit_id, failure.stage) == ("s2", "claims")


@try_all(
    ("items", "reason"),
    [
        ([], "it holds no claim"),
        ([item("s1", "x", 1), item("s2", "y", 1)], "two claims have the same id"),
        ([item("s9", "x")], "it names segment 's9'"),
        ([item("s1", "  ")], "claim 1 has no text"),
        ([item("s1", "x", standalone=" ")], "claim 1 has no text"),
    ],
)
def test_a_nonsensical_reply_fails_the_segments_with_a_reason(items: list[Any], reason: str) -> None:
    job = job_for(lambda ids, question: replied(*items))
    assert extracted(job, spec(form="json", segments_per_call=9)) == []
    assert job.failed == {"s1", "s2", "s4"}
    assert any(reason in failure.message for failure in failures_of(job))


def test_an_unreadable_window_is_retried_in_smaller_ones_with_a_remark() -> None:
    remarks: list[str] = []

    def answer(ids: list[str], question: Any) -> str:
        remarks.append(question.remark)
        return one_each(ids, question) if len(ids) == 1 else "I would rather not."

    job = job_for(answer)
    claims = extracted(job, spec(form="json", segments_per_call=9))
    assert [claim.id for claim in claims] == ["s1.c1", "s2.c1", "s4.c1"]
    assert not job.failed
    assert remarks[0] == ""
    assert all("could not be read" in remark for remark in remarks[1:])


def test_a_wrong_key_ends_the_check_and_is_not_a_failure_of_segments() -> None:
    def answer(ids: list[str], question: Any) -> str:
        raise ModelError("auth", "The key is wrong.")

    job = job_for(answer)
    for size in (0, 1, 9):
        with pytest.raises(ModelError, match="key is wrong"):
            extracted(job, spec(segments_per_call=size))
    assert not job.failed


def test_a_failed_response_fails_each_of_its_segments_that_state_something() -> None:
    job = job_for(lambda ids, question: "no lines")
    assert extracted(job, spec(segments_per_call=0)) == []
    assert job.failed == {"s1", "s2", "s4"}
    assert len(asked(job)) == 1


@pytest.mark.parametrize("finish_reason", ["stop", "length"])
def test_segments_missing_from_a_truncated_reply_are_marked_as_such(finish_reason: str) -> None:
    reply = "Segment s1:\nClaim 1. The bridge was opened in 1931.\n"
    job = job_for(lambda ids, question: reply, finish_reason=finish_reason)
    claims = extracted(job, spec(form="segment_blocks", segments_per_call=0))
    left = [(claim.id, claim.skipped) for claim in claims[1:]]
    reason = "the model's reply was cut off before it"
    assert left == ([] if finish_reason == "stop" else [("s2.c1", reason), ("s4.c1", reason)])
    assert claims[0].skipped is None


def test_a_model_sees_the_text_around_its_window() -> None:
    seen: list[Any] = []

    def answer(ids: list[str], question: Any) -> str:
        seen.append(question.variables)
        return "NO_CLAIMS"

    job = job_for(answer, prompt="Tell me.")
    assert extracted(job, spec(before=1, after=1)) == []
    first, second, third = seen
    assert [(one["before"], one["segment"], one["after"]) for one in seen] == [
        ("", "The bridge was opened in 1931.", "It has six arches."),
        ("The bridge was opened in 1931.", "It has six arches.", "Town"),
        ("Town", "The hall is old.", "```\nx = 1\n```"),
    ]
    assert first["paragraph"] == second["paragraph"]
    assert list(third["paragraph"].values()) == ["The hall is old."]
    assert {one["prompt"] for one in seen} == {"Tell me."}


CLAIM = Claim(id="s1.c1", segment_id="s1", text="It was opened.", standalone="It was opened.")
REWRITE, RELEVANT = {"rewrite": {"prompt": "r"}}, {"relevant": {"prompt": "v"}}


def prepared(reply: str, prompt: str | None = "Tell me.", claim: Claim = CLAIM, **how: Any) -> Claim:
    job = job_for(lambda ids, question: reply, prompt=prompt)
    return asyncio.run(prepare(job, spec(**how), claim))


def test_a_claim_is_rewritten_to_stand_alone() -> None:
    changed = prepared("So:\n```\nThe bridge\n was  opened.\n```", **REWRITE)
    assert (changed.text, changed.standalone, changed.independent) == (CLAIM.text, "The bridge was opened.", False)
    assert prepared("```\nit was opened\n```", **REWRITE).independent
    with pytest.raises(ModelError):
        prepared("no block", **REWRITE)
    assert prepared("no block", rewrite={"prompt": "r", "if_unreadable": "keep"}) == CLAIM


def test_a_claim_irrelevant_to_the_request_is_skipped() -> None:
    assert prepared("So it is\n[Not Foo]", **RELEVANT).skipped == "it does not bear on the request"
    assert prepared("So it is\n[Foo]", **RELEVANT) == CLAIM
    assert prepared("[Not Foo]", prompt=None, **RELEVANT) == CLAIM, "without a request, nothing is irrelevant"
    with pytest.raises(ModelError):
        prepared("Perhaps.", **RELEVANT)
    assert prepared("Perhaps.", relevant={"prompt": "v", "if_unreadable": "keep"}) == CLAIM


def test_a_skipped_claim_costs_no_calls() -> None:
    skipped_claim = CLAIM.model_copy(update={"skipped": "a request"})
    assert prepared("no call", claim=skipped_claim, **REWRITE, **RELEVANT) == skipped_claim


@try_all(
    ("text", "standalone", "same"),
    [
        ("It is old.", "it is old", True),
        ("it is old", "It is old. ", True),
        ("It is old.", "It is old!", False),
        ("It is old.", "The bridge is old.", False),
        ("Straße", "STRASSE", True),
    ],
)
def test_case_and_full_stops_do_not_make_a_different_claim(text: str, standalone: str, same: bool) -> None:
    assert same_words(text, standalone) == same


def test_a_model_may_split_a_text_only_without_changing_its_words() -> None:
    ask = Ask(prompt="p", role="cut")
    text = "It is old, and it is red."
    job = job_for(lambda ids, question: "It is old,*****and it\nis red.", text)
    parts = asyncio.run(cut_by_model(job, ask))
    assert [(part.id, part.text, part.kind) for part in parts] == [
        ("s1", "It is old,", "given"), ("s2", "and it is red.", "given"),
    ]  # fmt: skip
    for reply in ("It is old,*****and it is blue.", "It is old,", "It is old, and it is red. Yes."):
        with pytest.raises(ModelError):
            asyncio.run(cut_by_model(job_for(lambda ids, question, reply=reply: reply, text), ask))


def test_given_segments_are_trimmed_and_empty_ones_dropped() -> None:
    spans = [Span(start=0, end=4), Span(start=4, end=6), Span(start=6, end=9)]
    parts = given_segments(" one  two", spans)
    assert [(part.id, part.text, part.span.start, part.kind) for part in parts] == [
        ("s1", "one", 1, "given"), ("s2", "two", 6, "given"),
    ]  # fmt: skip
