"""Estimate of a check in advance: calls, tokens and time as ranges, from the settings of the method alone.

The reference response, with 20 sentences and 24 checkable claims, is the one used to compare systems in the docs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

from factscope.claims.cut import column_names, cut_clauses
from factscope.claims.text.segments import segment
from factscope.core.records import Response
from factscope.llm.cost import Price, estimate_tokens
from factscope.llm.prompts import NOTICE
from factscope.llm.providers import IN_FLIGHT
from factscope.llm.session import read_prompt, steps
from factscope.methods import Ask, Cascade, Correct, Judge, Method, Panel, Queries, VerifierJudge, judges_of

_CLAIM_TOKENS = 25  # tokens of a claim, about
_SENTENCE_TOKENS = 28  # tokens of a sentence, about
_REPLY_TOKENS: Mapping[str, tuple[int, int]] = {
    "cut": (30, 60),
    "extract": (30, 120),
    "rewrite": (40, 200),
    "relevant": (20, 200),
    "queries": (40, 200),
    "judge": (60, 300),
    "double_check": (1, 5),
    "eligible": (200, 900),
    "correct": (80, 250),
}
"""Least and most tokens of a reply for each claim."""
_REFERENCES = 4
"""Most references of a response that the estimate assumes."""
_LINK_TOKENS, _TOKENS_PER_WORD = 25, 1.4  # of an address, and of English words
_UNDECIDED_HOSTS = 0.63
"""Share of hosts whose category neither table nor rules decide (`perf/sources.py`)."""
_CATEGORY_TOKENS = 20  # tokens of a reply that names a category
_CONTEXT = (500, 32_000)
"""Tokens of the documents that come with a request, from few to the most of FACTS Grounding; the mean is 2,500."""
_SHARE = 0.6
"""Share of a judge's window that documents have, beside the question, the response and the reply."""
CLAIMS_PER_SEGMENT = (0.8, 2.2)
"""Checkable claims that a model extracts from a sentence; the average of FactBench's responses is 1.2."""
_COUNTED = 100_000
"""Characters of a text whose claims are counted; counting a megabyte would take seconds."""


class CountRange(NamedTuple):
    """From `low` to `high`, both included."""

    low: float
    high: float

    def __add__(self, other: object) -> CountRange:
        if not isinstance(other, CountRange):
            return NotImplemented
        return CountRange(self.low + other.low, self.high + other.high)

    def times(self, share: CountRange) -> CountRange:
        """Return each end times that of `share`."""
        return CountRange(self.low * share.low, self.high * share.high)


SECONDS_PER_CALL = CountRange(1.0, 8.0)
"""Seconds per call, from a small local model to a large remote one."""


@dataclass(frozen=True)
class ResponseShape:
    """Size of a response."""

    segments: int
    """Segments that state something."""
    claims: CountRange
    """Checkable claims."""
    tokens: int
    """Tokens of the response."""
    context: int | None = None
    """Tokens of the documents that came with the request; None when that is not known."""


REFERENCE = ResponseShape(segments=20, claims=CountRange(24, 24), tokens=20 * _SENTENCE_TOKENS)


def shape_of(response: Response, method: Method) -> ResponseShape:
    """Measure a response, with the claims that the method's rules make of it, or about as many as a model extracts.

    A long text is extrapolated from its beginning.
    """
    beginning = response.text[:_COUNTED]
    segments = segment(beginning, "sentences" if method.segment == "whole" else method.segment)
    names, share = column_names(segments), len(response.text) / max(1, len(beginning))
    counts = [sum(claim.skipped is None for claim in cut_clauses(item, names.get(item.id, ()))) for item in segments]
    n_segments = round(sum(map(bool, counts)) * share)
    low, high = (n_segments * each for each in CLAIMS_PER_SEGMENT)
    if method.extract is None:
        low = high = round((len(segments) if method.units == "all" else sum(counts)) * share)
    return ResponseShape(n_segments, CountRange(low, high), estimate_tokens(response.text), context_tokens(response))


def context_tokens(response: Response) -> int | None:
    """Estimate the tokens of the documents that come with a response; None when there are none."""
    return sum(estimate_tokens(document.text or "") for document in response.context) if response.context else None


class StepEstimate(NamedTuple):
    """Expected usage of one step of a method for one response."""

    name: str
    role: str
    calls: CountRange
    tokens_in: CountRange
    tokens_out: CountRange


def expected(method: Method, shape: ResponseShape, source_asks: Sequence[Ask] = ()) -> tuple[StepEstimate, ...]:
    """Estimate the usage of each step of a method for a response of this shape, without any cached reply.

    `source_asks` is the number of calls that the source of evidence itself makes to a model, at most one for each
    result.
    """
    estimates = [_for_source(ask, method, shape) for ask in source_asks]
    for name, step in steps(method):
        calls = _calls(name, step, method, shape)
        n_claims = _claims_per_call(name, step, shape)
        prompt = read_prompt(step.prompt)
        fixed = estimate_tokens(prompt.body) + estimate_tokens(NOTICE)
        full_text = shape.tokens if "response" in prompt.placeholders or name == "extract" else 0
        evidence = _evidence_tokens(name, step, method, shape)
        shared_evidence = _shared(name, method)
        sent_low = fixed + full_text * 0.5 + n_claims * (_CLAIM_TOKENS + evidence.low) + shared_evidence.low
        sent_high = fixed + full_text + n_claims * (_CLAIM_TOKENS + evidence.high) + shared_evidence.high
        reply = step.reply if isinstance(step, Judge) else None
        low, high = reply.reply_tokens if reply and reply.reply_tokens else _REPLY_TOKENS[name]
        n_labels = shape.segments if reply and reply.sentences == "together" else n_claims
        estimates.append(
            StepEstimate(
                name,
                step.role,
                calls,
                CountRange(calls.low * sent_low, calls.high * sent_high),
                calls.times(CountRange(*(min(n_labels * each, step.max_tokens) for each in (low, high)))),
            )
        )
    return tuple(estimates)


def _for_source(ask: Ask, method: Method, shape: ResponseShape) -> StepEstimate:
    queries = method.evidence.queries
    searches = shape.claims.high * (queries.rounds * queries.queries_per_round if queries else 1)
    most = ceil(_UNDECIDED_HOSTS * searches * method.evidence.results)
    sent = estimate_tokens(read_prompt(ask.prompt).body) + estimate_tokens(NOTICE)
    return StepEstimate(
        "source", ask.role, CountRange(0, most), CountRange(0, most * sent), CountRange(0, most * _CATEGORY_TOKENS)
    )


def _calls(name: str, step: Ask, method: Method, shape: ResponseShape) -> CountRange:
    extract = method.extract
    windows = ceil(shape.segments / extract.segments_per_call) if extract and extract.segments_per_call else 1
    claims = CountRange(1, 1) if method.segment == "whole" and extract is None else shape.claims
    if isinstance(step, Judge):
        return _judge_calls(step, method, shape, claims, windows)
    if isinstance(step, Queries):
        return _query_calls(step, claims, windows)
    match name:
        case "cut":
            return CountRange(1, 1)
        case "extract":
            return CountRange(windows, windows)
        case "rewrite" | "relevant":
            return claims
        case "double_check":
            return CountRange(0, shape.segments)
        case "eligible":
            return CountRange(1, 2)  # the judge's own answer is asked for once for each request
    together = step.claims_per_call if isinstance(step, Correct) else 1
    return CountRange(0, ceil(claims.high / 4 / together))  # nobody knows how much is wrong


def _query_calls(queries: Queries, claims: CountRange, windows: int) -> CountRange:
    begins_with_claim = queries.begin_with == "claim"
    most = queries.rounds - begins_with_claim
    if queries.stop == "never":
        least = most
    elif queries.stop == "settled" and begins_with_claim:
        least = 0
    else:
        least = min(1, most)
    low, high = (_groups(n, windows, queries.claims_per_call) for n in claims)
    return CountRange(low * least, high * most)


def _judge_calls(judge: Judge, method: Method, shape: ResponseShape, claims: CountRange, windows: int) -> CountRange:
    passes = _passes(judge, shape)
    if passes.high > 1:
        per_pass = shape.segments if (judge.in_pieces or judge).reply.sentences == "each" else 1
        return passes.times(CountRange(per_pass, per_pass))
    if judge.reply.sentences == "each":
        return CountRange(shape.segments, shape.segments)
    low, high = (_groups(n, windows, judge.claims_per_call) * judge.samples for n in claims)
    is_arbiter = isinstance(method.judge, Panel) and judge == method.judge.arbiter
    if is_arbiter or isinstance(method.judge, Cascade):
        low = 0  # it may not be needed
    queries = method.evidence.queries
    if judge.passages_per_call == "one" and not judge.reply.pairs:
        high *= method.evidence.most
    elif queries and queries.stop != "never" and judge.claims_per_call > 1:
        high *= queries.rounds  # claims of a group whose search ends in different rounds are judged apart
    return CountRange(low, high)


def _passes(step: Judge, shape: ResponseShape) -> CountRange:
    """Return the number of calls in which a judge sees documents longer than its window, per judgement."""
    most = _CONTEXT[1] if shape.context is None else shape.context
    room = _SHARE * step.window
    return CountRange(1, ceil(most / room)) if room and most > room else CountRange(1, 1)


def _groups(claims: float, windows: int, size: int) -> int:
    """Return the number of groups of claims; a group has claims of one window."""
    if not windows:  # nothing in the text can be checked
        return 0
    return windows if size == 0 else ceil(claims / windows / size) * windows if size > 1 else ceil(claims)


def _claims_per_call(name: str, step: object, shape: ResponseShape) -> float:
    if name == "extract":
        per_call = getattr(step, "segments_per_call", 0) or shape.segments
        return per_call * shape.claims.high / max(1, shape.segments)
    if name == "cut":
        return float(shape.segments)
    return float(min(getattr(step, "claims_per_call", 1) or shape.claims.high, max(1, shape.claims.high)))


def _evidence_tokens(name: str, step: Ask, method: Method, shape: ResponseShape) -> CountRange:
    """Return the tokens of evidence that a call shows for each claim."""
    if method.evidence.source == "context" and name in ("judge", "eligible"):
        length = CountRange(*_CONTEXT) if shape.context is None else CountRange(shape.context, shape.context)
        window = getattr(step, "window", 0)
        return CountRange(*(min(size, _SHARE * window) for size in length)) if window else length
    if method.evidence.per == "response":
        return CountRange(0, 0)
    passages = method.evidence.passages
    passage = (2 * passages.window + 1) * _SENTENCE_TOKENS
    if name not in ("queries", "judge", "correct"):
        return CountRange(0, 0)
    is_single = name == "correct" or any(
        isinstance(judge, Judge) and judge.passages_per_call == "one" and not judge.reply.pairs
        for judge in judges_of(method.judge)
    )
    return CountRange(
        0 if name == "queries" else passage / 2,
        passage * (1 if is_single and name != "queries" else method.evidence.most),
    )


def _shared(name: str, method: Method) -> CountRange:
    """Return the tokens of evidence that a call shows once for all of its claims."""
    spec = method.evidence
    if spec.per != "response" or spec.source == "none" or name != "judge":
        return CountRange(0, 0)
    words = spec.passages.chunk_tokens
    piece = words * _TOKENS_PER_WORD if words else (2 * spec.passages.window + 1) * _SENTENCE_TOKENS
    size = _LINK_TOKENS if spec.source == "links" else piece
    return CountRange(0, size * min(spec.most, _REFERENCES if spec.source in ("links", "references") else spec.most))


def chain(method: Method) -> CountRange:
    """Return the number of calls that must be made one after another until the last verdict."""
    queries = method.evidence.queries
    rounds = (0, 0) if queries is None else (queries.rounds - (queries.begin_with == "claim"),) * 2
    if queries and queries.stop == "enough":
        rounds = (1, rounds[1])
    if queries and queries.stop == "settled":  # each round that is planned is judged
        rounds = (0 if queries.begin_with == "claim" else 1, 2 * rounds[1])
    n = len({name for name, step in steps(method) if name in ("extract", "rewrite", "relevant")})
    judged = (
        2 if method.eligible else 0 if isinstance(method.judge, VerifierJudge) else 1
    )  # its own answer, then its verdict
    least = 0 if isinstance(method.judge, Cascade) else judged
    return CountRange(n + rounds[0] + least, n + rounds[1] + judged)


def money(
    estimates: tuple[StepEstimate, ...], models: Mapping[str, str], price_of: Callable[[str], Price | None]
) -> CountRange | None:
    """Return US dollars for these steps; None when the price of a model is unknown."""
    total = CountRange(0, 0)
    for step in estimates:
        price = price_of(models[step.role])
        if price is None:
            return None
        total += CountRange(
            price.of(int(step.tokens_in.low), int(step.tokens_out.low)),
            price.of(int(step.tokens_in.high), int(step.tokens_out.high)),
        )
    return total


def seconds(method: Method, calls: CountRange, in_flight: int | None, *, before: int = 0) -> CountRange:
    """Return the seconds that these calls take, with `before` calls that the check waits for."""
    in_turn = (chain(method) + CountRange(before, before)).times(SECONDS_PER_CALL)
    ends = zip(in_turn, calls.times(SECONDS_PER_CALL), strict=True)
    return CountRange(*(max(waited, work / (in_flight or IN_FLIGHT)) if work else 0.0 for waited, work in ends))


def tokens(estimates: tuple[StepEstimate, ...]) -> tuple[CountRange, CountRange]:
    """Return tokens sent and received by all steps together."""
    return sum((p.tokens_in for p in estimates), CountRange(0, 0)), sum(
        (p.tokens_out for p in estimates), CountRange(0, 0)
    )


def calls(estimates: tuple[StepEstimate, ...]) -> CountRange:
    """Return calls of all steps together."""
    return sum((step.calls for step in estimates), CountRange(0, 0))
