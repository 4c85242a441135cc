"""The engine through its public functions: `check`, `check_sync`, `stream`, `fold`."""

from __future__ import annotations

import asyncio
import random
from itertools import cycle
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from factscope.claims import cut_clauses as cutting
from factscope.core import BoundaryError, Event, InputError, UsageError
from factscope.core.records import Claim, Report, Response, Segment, Span
from factscope.engine import (
    MAX_CHARACTERS,
    Provenance,
    Tools,
    check,
    check_sync,
    find_method,
    fold,
    open_tools,
    pipeline,
    stream,
)
from factscope.judging.verifiers import ClaimPair, Prediction
from factscope.methods import Measure
from factscope.report import coverage_line, headline
from factscope.scoring import summarise
from tests.conftest import TEXT, ScriptedVerifier, agreeable, with_verifier

BUILTIN = find_method("builtin")


def outcomes(report: Report) -> dict[str, str]:
    claims = {claim.id: claim.text for claim in report.claims}
    return {claims[v.unit_id]: v.outcome for v in report.verdicts if v.level == "claim"}


def adds_up(report: Report) -> bool:
    return sum(report.counts.values()) == len(report.unit_ids()) == len(report.claims)


def test_a_text_is_checked_end_to_end(tools: Tools) -> None:
    report = check_sync(TEXT, BUILTIN, tools)
    found = outcomes(report)
    assert found["Marlow"] == "not_checkable"
    assert found["Have you seen it?"] == "not_checkable"
    assert found["The Marlow bridge was opened in 1931."] == "supported"
    assert found["Penguins waddle across Antarctica."] == "no_evidence"
    assert adds_up(report)
    assert report.verdict().level == "response"


def test_every_quote_and_passage_is_verbatim(tools: Tools) -> None:
    report = check_sync(TEXT, BUILTIN, tools)
    passages = {passage.id: passage for passage in report.passages}
    quotes = [judgement.quote for judgement in report.judgements if judgement.quote]
    assert quotes
    for quote in quotes:
        assert quote.span.of(passages[quote.passage_id].text) == quote.text != ""
    for segment in report.segments:
        assert segment.span.of(report.response.text) == segment.text


def test_the_same_call_gives_the_same_bytes_with_any_number_of_workers(tools: Tools) -> None:
    def bytes_with(workers: int) -> str:
        return check_sync(TEXT * 5, BUILTIN, Tools(tools.sources, tools.verifiers, workers=workers)).model_dump_json()

    assert bytes_with(1) == bytes_with(8) == bytes_with(64)


def test_folding_the_stream_in_any_order_gives_the_report(tools: Tools) -> None:
    async def events() -> list[Event]:
        return [event async for event in stream(TEXT, BUILTIN, tools)]

    made = asyncio.run(events())
    whole = check_sync(TEXT, BUILTIN, tools)
    random.Random(3).shuffle(made)
    assert fold([*made, *made[:9]], Provenance(BUILTIN, whole.searched)) == whole
    assert Report.model_validate_json(whole.model_dump_json()) == whole


def test_check_sync_works_inside_a_running_loop(tools: Tools) -> None:
    async def notebook() -> Report:
        return check_sync(TEXT, BUILTIN, tools)

    assert asyncio.run(notebook()) == asyncio.run(check(TEXT, BUILTIN, tools))


@pytest.mark.parametrize("text", ["", " \n\t ", "\u200b\ufeff \n"])
def test_an_empty_text_is_refused(text: str, tools: Tools) -> None:
    with pytest.raises(InputError, match="empty"):
        check_sync(text, BUILTIN, tools)


def test_a_text_beyond_the_limit_is_refused_with_both_numbers(tools: Tools) -> None:
    with pytest.raises(InputError, match=r"5,000,000 characters; at most 2,000,000"):
        check_sync("a" * 5_000_000, BUILTIN, tools)
    assert MAX_CHARACTERS == 2_000_000


@pytest.mark.medium
@pytest.mark.parametrize(
    "text",
    [
        "Why?",
        "🙂🙂",
        "## Only a heading",
        "```\ncode = 1\n```",
        "I think it is lovely here.",
        "هل رأيت الجسر؟ ماذا تظن؟",
        pytest.param("```\n" + "code = 1\n" * 110_000 + "```", id="a megabyte"),
    ],
)
def test_a_text_without_a_checkable_claim_has_no_score(text: str, tools: Tools) -> None:
    report = check_sync(text, BUILTIN, tools)
    assert {score.name: score.value for score in report.scores} == dict.fromkeys(s.name for s in report.scores)
    assert report.score("factual_precision").coverage is None
    assert report.verdict().outcome == "not_checkable"
    assert adds_up(report)


def test_wrong_calls_say_what_to_do(tools: Tools) -> None:
    with pytest.raises(UsageError, match="--evidence"):
        check_sync(TEXT, BUILTIN, Tools(verifiers=tools.verifiers))
    with pytest.raises(UsageError, match="verifier"):
        check_sync(TEXT, BUILTIN, Tools(sources=tools.sources))
    with pytest.raises(UsageError, match="Unknown score"):
        check_sync(TEXT, BUILTIN.model_copy(update={"scores": (Measure(name="factual_precison"),)}), tools)


FAULTS = [
    BoundaryError("model", "The model is down.", "Try again."),
    BoundaryError("timeout", "No answer in 10 s."),
    ValueError("a mistake of ours"),
    RuntimeError(""),
    MemoryError(),
    RecursionError("too deep"),
]


@pytest.mark.medium
@hypothesis_settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(faults=st.lists(st.sampled_from([None, None, *FAULTS, "too few", "too many"]), min_size=1, max_size=9))
def test_a_fault_costs_one_claim_its_verdict_and_nothing_else(faults: list[object], tools: Tools) -> None:
    """R1, R2: on any failure the counts add up, no failure becomes a label, and the score covers the rest."""
    plan = cycle(faults)
    hit: set[str] = set()

    class Faulty(ScriptedVerifier):
        def verify(self, pairs: list[ClaimPair]) -> list[Prediction]:  # type: ignore[override]
            fault, opinions = next(plan), [agreeable(pair) for pair in pairs]
            if fault is not None:
                hit.add(pairs[0].claim)
            if isinstance(fault, Exception):
                raise fault
            return opinions if fault is None else opinions[1:] if fault == "too few" else [*opinions, opinions[0]]

    report = check_sync(TEXT, BUILTIN, with_verifier(tools, Faulty(agreeable), workers=1))
    found = outcomes(report)
    assert adds_up(report)
    assert {text for text, outcome in found.items() if outcome == "failed"} == hit
    assert {failure.stage for failure in report.failures} <= {"judging"}
    assert len(report.failures) == len(hit)
    precision = report.score("factual_precision")
    judged = [o for o in found.values() if o in ("supported", "contradicted", "undecided", "no_evidence")]
    assert precision.n == len(judged)
    assert precision.n_failed == len(hit)
    assert precision.coverage == len(judged) / (len(judged) + len(hit))
    shown = bool(judged) and precision.coverage >= BUILTIN.least_coverage
    assert precision.value == (judged.count("supported") / len(judged) if shown else None)


def test_a_failure_names_what_failed_and_how_to_fix_it(tools: Tools) -> None:
    def down(pair: ClaimPair) -> Prediction:
        raise BoundaryError("model", "The judge is down.", "Start it, then run the same command.")

    report = check_sync(TEXT, BUILTIN, with_verifier(tools, ScriptedVerifier(down)))
    assert {failure.message for failure in report.failures} == {
        "The judge is down. Start it, then run the same command."
    }
    assert report.counts["failed"] == len(report.failures) == 3
    assert report.score("factual_precision").coverage == 0.25


def test_a_quote_beyond_the_end_of_the_passage_is_dropped(tools: Tools) -> None:
    def beyond(pair: ClaimPair) -> Prediction:
        return Prediction("supported", 0.9, Span(start=10_000, end=10_010), "")

    report = check_sync(TEXT, BUILTIN, with_verifier(tools, ScriptedVerifier(beyond)))
    assert report.counts["supported"] == 3
    assert all(judgement.quote is None for judgement in report.judgements)


def test_a_verifier_reads_the_headings_of_a_passage_but_quotes_only_the_document(tmp_path: Path) -> None:
    (tmp_path / "pool.md").write_text(
        "# Marl pool\n\n## What does it cost?\n\nAdults pay 4 crowns. Children swim free.\n"
    )
    (tmp_path / "bridges.csv").write_text("bridge,opened\nMarlow,1931\nDenby,1940\n")
    read: list[str] = []

    def all_of_it(pair: ClaimPair) -> Prediction:
        read.append(pair.passage)
        return Prediction("supported", 0.9, Span(start=0, end=len(pair.passage)), "")

    wired = with_verifier(open_tools(tmp_path), ScriptedVerifier(all_of_it))
    report = check_sync("Adults pay 4 crowns at the Marl pool. The Denby bridge was opened in 1940.", BUILTIN, wired)
    assert "Marl pool. What does it cost?\nAdults pay 4 crowns. Children swim free." in read
    assert "bridge: Denby; opened: 1940" in read
    quotes = {judgement.quote.text for judgement in report.judgements if judgement.quote}
    assert {"Adults pay 4 crowns. Children swim free.", "bridge: Denby; opened: 1940"} <= quotes
    passages = {passage.id: passage for passage in report.passages}
    assert all(j.quote.span.of(passages[j.quote.passage_id].text) == j.quote.text for j in report.judgements if j.quote)


def test_an_earlier_attempt_is_resumed_without_judging_again(tools: Tools) -> None:
    async def first_half() -> list[Event]:
        taken: list[Event] = []
        async for event in stream(TEXT, BUILTIN, with_verifier(tools, ScriptedVerifier(agreeable), workers=1)):
            taken.append(event)
            if sum(e.type == "verdict" for e in taken) == 4:
                break
        return taken

    taken = asyncio.run(first_half())
    again = ScriptedVerifier(agreeable)

    async def second_half() -> list[Event]:
        return [event async for event in stream(TEXT, BUILTIN, with_verifier(tools, again), taken)]

    rest = asyncio.run(second_half())
    judged = {e.unit_id for e in taken if e.type == "judgement"}
    assert judged
    assert judged.isdisjoint({e.unit_id for e in rest if e.type == "judgement"})
    whole = check_sync(TEXT, BUILTIN, with_verifier(tools, ScriptedVerifier(agreeable)))
    assert fold([*taken, *rest], Provenance(BUILTIN, whole.searched)) == whole


def test_the_prompt_and_ids_of_a_response_are_preserved(tools: Tools) -> None:
    response = Response(id="answer-7", text=TEXT, prompt="Tell me of Marlow.", model="some/model")
    report = check_sync(response, BUILTIN, tools)
    assert report.response == response
    assert report.verdict().unit_id == "answer-7"


def test_a_lone_surrogate_is_refused_before_any_work(tools: Tools) -> None:
    with pytest.raises(InputError, match="surrogate"):
        check_sync("Caf\udce9 opened in 1931.", BUILTIN, tools)


def test_an_internal_error_while_splitting_is_a_counted_failure(tools: Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(segment: object) -> None:
        raise RuntimeError("a mistake")

    monkeypatch.setattr("factscope.engine.pipeline.cut_clauses", broken)
    report = check_sync(TEXT, BUILTIN, tools)
    assert report.counts["failed"] == len(report.segments) == len(report.failures) == 6
    assert {failure.stage for failure in report.failures} == {"claims"}
    monkeypatch.setattr("factscope.engine.pipeline.segment", broken)
    report = check_sync(TEXT, BUILTIN, tools)
    assert report.verdict().outcome == "failed"
    assert report.segments == ()


def test_a_text_that_could_not_be_cut_counts_as_one_failed_unit(tools: Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(segment: object) -> None:
        raise RuntimeError("a mistake")

    whole = check_sync(TEXT, BUILTIN, with_verifier(tools, ScriptedVerifier(agreeable)))
    monkeypatch.setattr("factscope.engine.pipeline.segment", broken)
    failed = check_sync(TEXT, BUILTIN, tools)
    score = summarise([whole, failed], "factual_precision")
    assert (score.n, score.n_failed, score.coverage) == (1, 1, 4 / 5)
    assert headline(failed) == "This text could not be checked."
    assert coverage_line(failed) == "not checked"


def test_a_long_text_is_cut_into_claims_outside_the_event_loop(tools: Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    in_loop: list[bool] = []

    def cut(segment: Segment, names: tuple[str, ...] | list[str]) -> list[Claim]:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            in_loop.append(False)
        else:
            in_loop.append(True)
        return cutting(segment, names)

    monkeypatch.setattr(pipeline, "cut_clauses", cut)
    check_sync(TEXT, BUILTIN, tools)
    assert in_loop
    assert not any(in_loop)
