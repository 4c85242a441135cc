"""A stand-in for a competent model: sensible answers to every shipped prompt, always the same to the same question.

A prompt is recognised by its system message up to its first place, so its later wording may change. The material is
read from the marks around it, as a model would. `tests.lab.reasoning` has the rules that cut and judge claims.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from factscope.core import KIND_WORDS, ClaimKind
from factscope.llm.prompts import load, shipped

from .curating import CURATING
from .listing import LISTING
from .reasoning import (
    Finding,
    before_claim,
    compare,
    corrected,
    kind_of,
    pieces,
    query,
    sentences,
    standalone,
)

_BLOCK = re.compile(
    r"<<<DATA (?P<name>.+?) (?P<code>[0-9a-f]{12})>>>\n(?P<text>.*?)\n<<<END (?P=name) (?P=code)>>>", re.DOTALL
)
_MARK = re.compile(r"^> ", re.MULTILINE)
_PLACE = re.compile(r"\{\{([a-z_]+)\.([a-z_]+)\}\}")
_SURE = 0.95


class Asked(NamedTuple):
    """A question as the stand-in reads it."""

    one: Mapping[str, str]
    """Material by its place: `claim`, `response`."""
    many: Mapping[str, Mapping[str, str]]
    """Material of a place with several parts, by key: `passages` → `p1`."""
    word: Mapping[str, str]
    """Words of the prompt by their place: `label.supported`."""


def answer(messages: Sequence[Mapping[str, str]]) -> str | None:
    """Return the reply to a conversation that begins with a shipped prompt, or None for any other."""
    if len(messages) < 2 or messages[0]["role"] != "system":
        return None
    system, user = messages[0]["content"], messages[1]["content"]
    begun = [name for name, start in _beginnings().items() if system.startswith(start)]
    if not begun:
        return None
    name = next((name for name in begun if _entire(name).match(system)), begun[0])
    one: dict[str, str] = {}
    many: dict[str, dict[str, str]] = {}
    for block in _BLOCK.finditer(user):
        place, _, key = block["name"].partition(" ")
        text = "" if block["text"] == "(none)" else _MARK.sub("", block["text"])
        if key:
            many.setdefault(place, {})[key] = text
        else:
            one[place] = text
    return STEPS[name](Asked(one, many, _words(name, system)))


def logprobs(text: str) -> list[dict[str, Any]]:
    """Return a reply's log-probabilities: `_SURE` for each word, the rest for another label or a non-word."""
    likely, other = math.log(_SURE), math.log(1 - _SURE)
    return [
        {
            "token": token,
            "logprob": likely,
            "top_logprobs": [
                {"token": token, "logprob": likely},
                {"token": _OTHERS.get(token, "…"), "logprob": other},
            ],
        }
        for token in re.findall(r"\w+|\W", text)
    ]


_OTHERS = {"supported": "contradicted", "contradicted": "supported", "not_enough_evidence": "supported"} | {
    "Supported": "Unverifiable", "Unverifiable": "Supported", "Contradicted": "Supported", "Yes": "No", "No": "Yes"
}  # fmt: skip


@cache
def _beginnings() -> dict[str, str]:
    """Return each shipped prompt's system message up to its first place, longest first."""
    starts = {name: re.split(r"\{\{", load(name).system)[0] for name in shipped()}
    return dict(sorted(starts.items(), key=lambda item: -len(item[1])))


@cache
def _entire(name: str) -> re.Pattern[str]:
    """Match a prompt's whole system message with any words in its places, to distinguish those that begin alike."""
    return re.compile(r"[^\n]{1,60}?".join(map(re.escape, re.split(r"\{\{[^}]*\}\}", load(name).system))))


@cache
def _lines(name: str) -> list[re.Pattern[str]]:
    """Return patterns that find the lines of a prompt that contain our own words."""
    patterns = []
    for line in load(name).system.split("\n"):
        pattern, seen, end = "", set(), 0
        for place in _PLACE.finditer(line):
            group = f"{place[1]}__{place[2]}"
            pattern += re.escape(line[end : place.start()])
            pattern += f"(?P={group})" if group in seen else f"(?P<{group}>[^\\n]{{1,60}}?)"
            seen.add(group)
            end = place.end()
        if seen:
            patterns.append(re.compile(f"^{pattern}{re.escape(line[end:])}$", re.MULTILINE))
    return patterns


def _words(name: str, system: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in _lines(name):
        if match := line.search(system):
            found = {group.replace("__", "."): word for group, word in match.groupdict().items()} | found
    return found


def _kind(sentence: str) -> str:
    kind: ClaimKind = kind_of(sentence)  # type: ignore[assignment]
    return KIND_WORDS[kind]


def _units(asked: Asked) -> str:
    """Answer verify/extract."""
    cut = [(piece.text, _kind(one)) for one in sentences(asked.one["response"]) for piece in pieces(one)]
    return "\n".join(f"- {text}: {kind}" for text, kind in cut) or "no unit"


def _claims(before: str, segment: str, *, alone: bool) -> str:
    """Number a segment's claims, one a line: made to stand alone with the help of `before`, or unchanged."""
    lines: list[str] = []
    for sentence in sentences(segment):
        cut = [piece.text for piece in pieces(sentence)] if kind_of(sentence) in ("fact", "claim") else []
        lines += [standalone(text, before) for text in cut] if alone else cut
        before = f"{before} {sentence}"
    return "\n".join(f"Claim_{number}: {line}" for number, line in enumerate(lines, 1)) or "NO_CLAIMS"


def _claims_in_paragraph(asked: Asked) -> str:
    """Answer facts_and_evidence/claims."""
    segment = asked.one["segment"]
    around = list(asked.many["paragraph"].values())
    before = around[: around.index(segment)] if segment in around else []
    return _claims(" ".join(before), segment, alone=True)


def _claims_in_window(asked: Asked) -> str:
    """Answer veriscore/claims."""
    context, segment = asked.one["context"], asked.one["segment"]
    return _claims(context[: max(context.find(segment), 0)], segment, alone=True)


def _facts(asked: Asked) -> str:
    """Answer safe/facts and factscore/facts."""
    return _claims("", asked.one["segment"], alone=False)


def _alone(asked: Asked) -> str:
    """Answer verify/decontextualise and safe/standalone."""
    claim = asked.one["claim"]
    return f"The claim may lean on the text.\n```\n{standalone(claim, before_claim(claim, asked.one['response']))}\n```"


def _query(asked: Asked) -> str:
    """Answer verify/query and safe/query."""
    turn = len(asked.many.get("rounds", {})) + 1
    return f"Round {turn}: what is open is whether it is so.\n```\n{query(asked.one['claim'], turn)}\n```"


def _relevance(asked: Asked) -> str:
    """Answer safe/relevance."""
    return f"It bears on the question.\n[{asked.word['relevance.relevant']}]"


def _bracketed(asked: Asked) -> str:
    """Answer verify/label, safe/label, factscore/judge and veriscore/judge."""
    shown = [*asked.many.get("passages", asked.many.get("sources", {})).values(), asked.one.get("results", "")]
    label = _offered(compare(asked.one["claim"], "\n".join(shown)), asked)
    return f"The results were read for the statement.\n[{label}]"


def _marked(asked: Asked) -> str:
    """Answer facts_and_evidence/judge."""
    finding = compare(asked.one["claim"], asked.one["evidence"])
    return f"Rationale: the evidence was read.\nFinal Verdict: {_offered(finding, asked)}"


def _word(asked: Asked) -> str:
    """Answer small/judge."""
    return _offered(compare(asked.one["claim"], asked.one["evidence"]), asked)


def _offered(finding: Finding, asked: Asked) -> str:
    """Return the prompt's word for a label, or for the nearest label that it offers."""
    order = (finding.label, "not_supported", "not_enough_evidence", "irrelevant")
    return next(asked.word[f"label.{label}"] for label in order if f"label.{label}" in asked.word)


def _items(asked: Asked) -> str:
    """Answer standard/extract."""
    before = f"{asked.one['before']}\n"
    claims: list[dict[str, Any]] = []
    for key, segment in _lines_by_id(asked.one["listed"]):
        for sentence in sentences(segment if key != "-" else ""):
            for piece in pieces(sentence):
                claims.append(
                    {
                        "id": len(claims) + 1,
                        "segment": key,
                        "quote": piece.quote,
                        "standalone": standalone(piece.text, before),
                        "kind": _kind(sentence),
                        "depends_on": [len(claims)] if piece.child else [],
                    }
                )
            before = f"{before} {sentence}"
        before = before if key != "-" else f"{before}\n{segment}\n"
    return json.dumps({"claims": claims})


def _lines_by_id(text: str) -> list[tuple[str, str]]:
    """Split lines into texts by the ids that they begin with; consecutive lines of one id are one text."""
    texts: list[tuple[str, str]] = []
    for line in text.split("\n"):
        key, mark, words = line.partition(": ")
        if mark and texts and texts[-1][0] == key and key != "-":
            texts[-1] = (key, f"{texts[-1][1]}\n{words}")
        elif mark:
            texts.append((key, words))
    return texts


def _plans(asked: Asked) -> str:
    """Answer standard/queries."""
    plans = []
    passages = dict(_lines_by_id(asked.one["passages"]))
    for key, claim in _lines_by_id(asked.one["claims"]):
        rounds = [line for line in asked.one["searches"].split("\n") if line.startswith(f"{key}: ")]
        names = re.findall(r"\bp\d+\b", " ".join(line.rpartition(" (")[2] for line in rounds))
        found = "\n".join(passages[name] for name in names)
        if compare(claim, found).label != "not_enough_evidence":
            plans.append(_plan(key, "enough", "What was found settles it."))
        elif len(rounds) < 2:
            plans.append(_plan(key, "search", "Nothing found settles it.", query(claim, 2)))
        else:
            plans.append(_plan(key, "exhausted", "Two rounds found nothing to the point."))
    return json.dumps({"claims": plans})


def _plan(key: str, what: str, reason: str, *queries: str) -> dict[str, Any]:
    return {"claim": key, "next": what, "reason": reason, "queries": list(queries)}


def _judgements(asked: Asked) -> str:
    """Answer standard/judge."""
    made = []
    claims, texts = dict(_lines_by_id(asked.one["claims"])), dict(_lines_by_id(asked.one["passages"]))
    for line in asked.one["pairs"].split("\n"):
        claim, _, passages = line.partition(": ")
        for passage in passages.split(", "):
            finding = compare(claims[claim], texts[passage])
            made.append(
                {
                    "claim": claim,
                    "passage": passage,
                    "reason": "The passage was read.",
                    "label": asked.word[f"label.{finding.label}"],
                    "quote": finding.quote,
                    "gap": asked.word[f"gap.{finding.gap}"] if finding.gap else "",
                    "confidence": 0.9,
                }
            )
    return json.dumps({"judgements": made})


def _correction(asked: Asked) -> str:
    """Answer standard/correct."""
    claims, segments, passages = (dict(_lines_by_id(asked.one[place])) for place in ("claims", "segments", "passages"))
    made = []
    for line in asked.one["pairs"].split("\n"):
        name, _, (segment, _, listed) = (*line.partition(": ")[:2], line.partition(": ")[2].partition("; "))
        keys = listed.split(", ")
        against = [key for key in keys if compare(claims[name], passages[key]).label == "contradicted"]
        passage = next(iter(against or keys))
        text, quote = corrected(segments[segment], claims[name], passages[passage])
        fields = {"error": "entity", "passage": passage, "quote": quote, "correction": text}
        made.append({"claim": name, **fields, "reason": "It says otherwise."})
    return json.dumps({"corrections": made})


def _category(asked: Asked) -> str:
    """Answer facts_and_evidence/source_category."""
    host = asked.one["hostname"]
    signs = {"wiki": "wiki", "gov": "government", "edu": "scientific_medical", "news": "news", "blog": "blog"}
    found = next((category for sign, category in signs.items() if sign in host), "other")
    return f"[{asked.word[f'category.{found}']}]"


_NO_CLAIM = ("question", "instruction", "meta", "other")
_FEWEST_WORDS = 8


def _grounded(asked: Asked) -> list[tuple[str, Finding]]:
    """Return each sentence of a response with the documents' finding; `no_rad` for one that states nothing."""
    text = "\n".join(asked.many["passages"].values())
    none = Finding("irrelevant", "", "")
    listed = sentences(asked.one["response"])
    return [(one, none if kind_of(one) in _NO_CLAIM else compare(one, text)) for one in listed]


def _all_grounded(asked: Asked) -> bool:
    return all(finding.label in ("supported", "irrelevant") for _, finding in _grounded(asked))


def _by_sentence(asked: Asked) -> str:
    """Answer facts_grounding/json and facts_grounding/json_alt."""
    lines = [
        {
            "sentence": sentence,
            "label": asked.word[f"label.{finding.label}"],
            "rationale": "The documents were read.",
            "excerpt": finding.quote or None,
        }
        for sentence, finding in _grounded(asked)
    ]
    return "\n".join(["```json", *map(json.dumps, lines), "```"])


def _whole(asked: Asked) -> str:
    """Answer facts_grounding/response."""
    label = asked.word["label.supported" if _all_grounded(asked) else "label.not_supported"]
    return f"The response was read.\n[{label}]"


def _final_answer(asked: Asked) -> str:
    """Answer facts_grounding/implicit."""
    return f"1. Read.\nFinal Answer: {asked.word['label.supported' if _all_grounded(asked) else 'label.not_supported']}"


def _standing_claims(asked: Asked) -> str:
    """Answer factcheck_gpt/claims."""
    lines, (whole, segment) = list[str](), (asked.one["response"], asked.one["segment"])
    before = whole[: max(whole.find(segment), 0)]
    for sentence in sentences(segment):
        lines += [f"- {standalone(piece.text, before)}: {_kind(sentence)}" for piece in pieces(sentence)]
        before = f"{before} {sentence}"
    return "\n".join(lines) or "no unit"


def _by_evidence_or_not(asked: Asked) -> str:
    """Answer factcheck_gpt/judge, claiming to know what the evidence leaves open."""
    label = compare(asked.one["claim"], asked.one["results"]).label
    if label in ("supported", "contradicted"):
        return f"The evidence was read.\n[{asked.word[f'label.{label}']}]"
    return f"The evidence is silent.\n[{asked.word['label.supported']}, own knowledge]"


def _short_grade(asked: Asked) -> str:
    """Answer short_answers/grade."""
    answer, gold = asked.one["response"].casefold(), asked.one["gold"].casefold()
    grade = "correct" if gold in answer else "not_attempted" if "know" in answer else "incorrect"
    return f"The answers were compared.\nGrade: {asked.word[f'grade.{grade}']}"


def _graded(asked: Asked) -> str:
    """Answer facts_grounding/simpleqa."""
    silent = all(finding.label == "irrelevant" for _, finding in _grounded(asked))
    label = "not_enough_evidence" if silent else "supported" if _all_grounded(asked) else "contradicted"
    return f"The answer was compared.\n[{asked.word[f'label.{label}']}]"


def _one_span(asked: Asked) -> str:
    """Answer facts_grounding/span."""
    one = asked.one | {"response": asked.one["span"]}
    label = asked.word["label.supported" if _all_grounded(asked._replace(one=one)) else "label.not_supported"]
    return f"The span was read.\n[{label}]"


def _entailed(asked: Asked) -> str:
    """Answer facts_grounding/double_check."""
    return "YES" if compare(asked.one["span"], asked.one["excerpt"]).label == "supported" else "NO"


def _issues(asked: Asked) -> str:
    """Answer facts_grounding/eligible: a response of few words does not do what was asked."""
    short = len(asked.one["response"].split()) < _FEWEST_WORDS
    verdict = {"Instruction Following": "Major Issues" if short else "No Issues"}
    return f"1. Answer the request.\n```json\n{json.dumps(verdict)}\n```"


def _refusal(asked: Asked) -> str:
    """Answer factbench/refusal by the response's first words; only a refusal about weapons is justified."""
    if not re.match(r"(I'm sorry|Sorry|I can)", asked.one["response"]):
        return json.dumps({"category": 0, "justified": None, "reason": "It answers."})
    armed = "weapon" in asked.one["prompt"]
    return json.dumps({"category": 1 if armed else 5, "justified": armed, "reason": "It says sorry."})


STEPS: dict[str, Callable[[Asked], str]] = {
    "factbench/refusal": _refusal,
    "facts_and_evidence/claims": _claims_in_paragraph,
    "facts_and_evidence/judge": _marked,
    "facts_and_evidence/source_category": _category,
    "facts_grounding/double_check": _entailed,
    "facts_grounding/eligible": _issues,
    "facts_grounding/eligible_with_context": _issues,
    "facts_grounding/implicit": _final_answer,
    "facts_grounding/json": _by_sentence,
    "facts_grounding/json_alt": _by_sentence,
    "facts_grounding/response": _whole,
    "factcheck_gpt/claims": _standing_claims,
    "factcheck_gpt/judge": _by_evidence_or_not,
    "factcheck_gpt/query": _query,
    "facts_grounding/simpleqa": _graded,
    "short_answers/grade": _short_grade,
    "facts_grounding/span": _one_span,
    "factscore/facts": _facts,
    "factscore/judge": _bracketed,
    **LISTING,
    **CURATING,
    "safe/facts": _facts,
    "safe/label": _bracketed,
    "safe/query": _query,
    "safe/relevance": _relevance,
    "small/judge": _word,
    "safe/standalone": _alone,
    "standard/correct": _correction,
    "standard/extract": _items,
    "standard/judge": _judgements,
    "standard/queries": _plans,
    "verify/decontextualise": _alone,
    "verify/extract": _units,
    "verify/label": _bracketed,
    "verify/query": _query,
    "veriscore/claims": _claims_in_window,
    "veriscore/judge": _bracketed,
}
