"""Shipped prompts: each asks for what its paper needs, shows all it is given, and has a reply that can be read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any, Literal, get_args

import pytest
from pydantic import BaseModel, ConfigDict

from factscope.benchmarks.factbench import CATEGORIES as REFUSALS
from factscope.benchmarks.factbench import RefusalReply, read_said
from factscope.core import Category, ClaimKind, Gap, UsageError
from factscope.judging import first_word_label, last_word, read_issues, read_sentences
from factscope.llm import Reply, bracketed_label, claim_lines, fenced, json_reader, marked_label, typed_units
from factscope.llm.prompts import LINE_MARK, NOTICE, FilledPrompt, load, shipped
from tests.lab.many_cases import try_all
from tests.llm.prompts.curate_prompts import CURATING, CURATING_FORMS, CURATING_REPLIES
from tests.llm.prompts.listed import LISTED, LISTED_REPLIES

KINDS = {
    "fact": "Fact",
    "claim": "Claim",
    "instruction": "Instruction",
    "data_format": "Data Format",
    "meta": "Meta Statement",
    "question": "Question",
    "other": "Other",
}
CATEGORIES = {
    "news": "news",
    "blog": "blog",
    "wiki": "wiki",
    "social_media": "social_media",
    "scientific_medical": "scientific_medical_article",
    "government": "government_website",
    "other": "etc",
}
VERIFY = {"supported": "Supported", "contradicted": "Contradicted", "not_enough_evidence": "Unverifiable"}
EVIDENCE = {"supported": "supports", "contradicted": "contradicts", "irrelevant": "irrelevant"}
SAFE = {"supported": "Supported", "not_supported": "Not Supported"}
TRUTH = {"supported": "True", "not_supported": "False"}
OURS = {name: name for name in ("supported", "contradicted", "not_enough_evidence")}
GAPS = {gap: gap for gap in get_args(Gap) if gap != "conflicting"}
NEXT = {name: name for name in ("search", "enough", "exhausted")}
ERRORS = {name: name for name in ("entity", "relation", "contradictory", "invented")}
BINARY = {"supported": "True", "contradicted": "False"}
MARKS = {"correct": "CORRECT", "incorrect": "INCORRECT", "not_attempted": "NOT_ATTEMPTED"}
FOO = {"relevant": "Foo", "irrelevant": "Not Foo"}

ACCURATE = {"supported": "Accurate", "not_supported": "Inaccurate"}
BY_SENTENCE = {
    "supported": "supported",
    "not_enough_evidence": "unsupported",
    "contradicted": "contradictory",
    "irrelevant": "no_rad",
}
GRADES = {"supported": "Correct", "contradicted": "Incorrect", "not_enough_evidence": "Not Attempted"}
GROUNDING: dict[str, str | Mapping[str, str]] = {
    "prompt": "A request.",
    "passages": {"p1": "A document."},
    "response": "A text.",
}

VALUES: dict[str, dict[str, str | Mapping[str, str]]] = {
    **CURATING,
    **LISTED,
    "factbench/refusal": {
        "prompt": "A request.",
        "response": "A text.",
        "category": {f"c{number}": word for number, word in REFUSALS.items()},
    },
    "verify/extract": {"response": "A text.", "kind": KINDS},
    "verify/decontextualise": {"response": "A text.", "claim": "A unit."},
    "verify/query": {"claim": "A unit.", "rounds": {"round 1": "Query: q\nResults: r"}},
    "verify/label": {"claim": "A unit.", "results": "A result.", "label": VERIFY},
    "facts_and_evidence/claims": {"paragraph": {"S1": "One.", "S2": "Two."}, "segment": "Two."},
    "facts_and_evidence/source_category": {"hostname": "a.example", "category": CATEGORIES},
    "facts_and_evidence/judge": {"context": "A passage.", "claim": "A claim.", "evidence": "E.", "label": EVIDENCE},
    "small/judge": {
        "claim": "A claim.",
        "evidence": "E.",
        "label": {"supported": "Yes", "contradicted": "No", "not_enough_evidence": "Unclear"},
    },
    "facts_grounding/double_check": {"excerpt": "Words.", "span": "A sentence."},
    "facts_grounding/eligible": {"prompt": "A request.", "response": "A text.", "baseline": "Another text."},
    "facts_grounding/eligible_with_context": {"request": "All of it.", "response": "A text.", "baseline": "Another."},
    "facts_grounding/implicit": {**GROUNDING, "label": ACCURATE},
    "facts_grounding/json": {**GROUNDING, "label": BY_SENTENCE},
    "facts_grounding/json_alt": {**GROUNDING, "label": BY_SENTENCE},
    "facts_grounding/response": {**GROUNDING, "label": ACCURATE},
    "facts_grounding/simpleqa": {**GROUNDING, "label": GRADES},
    "facts_grounding/span": {**GROUNDING, "number": "2", "span": "A sentence.", "label": ACCURATE},
    "factcheck_gpt/claims": {"response": "A text.", "segment": "A text.", "kind": KINDS},
    "factcheck_gpt/judge": {"claim": "A claim.", "results": "A result.", "label": BINARY},
    "factcheck_gpt/query": {"claim": "A claim.", "rounds": {}},
    "short_answers/grade": {"prompt": "A question?", "gold": "A name.", "response": "A text.", "grade": MARKS},
    "safe/facts": {"segment": "A sentence."},
    "safe/standalone": {"response": "A text.", "claim": "A fact."},
    "safe/relevance": {"prompt": "A question?", "response": "A text.", "claim": "A fact.", "relevance": FOO},
    "safe/query": {"claim": "A fact.", "rounds": {}},
    "safe/label": {"claim": "A fact.", "results": "A result.", "label": SAFE},
    "factscore/facts": {"segment": "A sentence."},
    "factscore/judge": {"topic": "A topic", "passages": {"p1": "P."}, "claim": "A fact.", "label": TRUTH},
    "veriscore/claims": {"context": "A text. A sentence.", "segment": "A sentence."},
    "veriscore/judge": {"claim": "A claim.", "sources": {"r1": "A result."}, "label": VERIFY},
    "standard/extract": {"before": "A text.", "listed": "s1: A text.", "after": "", "kind": KINDS},
    "standard/queries": {
        "claims": "s1.c1: A claim.",
        "passages": "p1: P.",
        "searches": "s1.c1: A claim (p1)",
        "next": NEXT,
        "limit": {"queries": "2"},
    },
    "standard/judge": {
        "passages": "p1: P.\np2: Q.",
        "claims": "s1.c1: A claim.",
        "pairs": "s1.c1: p1, p2",
        "label": OURS,
        "gap": GAPS,
    },
    "standard/correct": {
        "claims": "s1.c1: A claim.",
        "segments": "s1: A text.",
        "passages": "p1: P.",
        "pairs": "s1.c1: s1; p1",
        "error": ERRORS,
    },
}
"""Values for each prompt: all its placeholders, and the words of the papers."""


def _filled(name: str) -> FilledPrompt:
    return load(name).fill(**VALUES[name])


def test_every_prompt_of_every_method_exists() -> None:
    assert list(shipped()) == sorted(VALUES)
    for name in VALUES:
        assert files("factscope.llm.prompts").joinpath(f"{name}.md").is_file()


@try_all("name", VALUES)
def test_the_placeholders_match_the_documentation(name: str) -> None:
    documented: set[str] = set()
    for key, value in VALUES[name].items():
        words = key in ("kind", "category", "label", "relevance", "next", "limit", "error", "gap", "unit", "grade")
        documented |= {f"{key}.{word}" for word in value} if words else {key}
    assert load(name).placeholders == documented


@try_all("name", VALUES)
def test_filling_leaves_no_placeholders_and_shows_every_value(name: str) -> None:
    filled = _filled(name)
    assert "{{" not in "".join(filled)
    assert "}}" not in "".join(filled)
    for value in VALUES[name].values():
        for text in [value] if isinstance(value, str) else value.values():
            assert text.replace("\n", f"\n{LINE_MARK}") in "".join(filled)


@try_all("name", VALUES)
def test_every_prompt_warns_that_material_is_never_an_instruction(name: str) -> None:
    system, user = _filled(name)
    assert system.endswith(NOTICE)
    assert "never an instruction" in NOTICE
    assert "<<<DATA" in user
    assert len(load(name).version) > 0


@pytest.mark.parametrize("name", VALUES)
@try_all("left_out", [0, -1])
def test_a_placeholder_without_a_value_is_named(name: str, left_out: int) -> None:
    values = dict(VALUES[name])
    gone = list(values)[left_out]
    del values[gone]
    with pytest.raises(UsageError, match=re.escape("{{" + gone)):
        load(name).fill(**values)


@pytest.mark.parametrize("name", ["verify/extract", "standard/extract"])
def test_extraction_explains_the_seven_unit_types(name: str) -> None:
    system = _filled(name).system
    assert {place for place in load(name).placeholders if "." in place} == {f"kind.{k}" for k in get_args(ClaimKind)}
    for kind in KINDS.values():
        assert f"\n- {kind}: " in system


def test_sources_have_seven_categories() -> None:
    system = _filled("facts_and_evidence/source_category").system
    places = load("facts_and_evidence/source_category").placeholders - {"hostname"}
    assert places == {f"category.{category}" for category in get_args(Category)}
    for category in CATEGORIES.values():
        assert f"\n- {category}: " in system


@try_all(
    ("name", "label"), [(n, w) for n, v in VALUES.items() if isinstance(v.get("label"), dict) for w in dict(v["label"])]
)
def test_every_label_is_explained(name: str, label: str) -> None:
    word = dict(VALUES[name]["label"])[label]
    assert re.search(rf"^- \[?{re.escape(word)}\]?: \w", _filled(name).system, re.MULTILINE)


@try_all(
    ("name", "demands"),
    [
        ("verify/extract", ["leave nothing out", "joins several statements", "one line per unit", "Example 2"]),
        (
            "verify/decontextualise",
            ["pronouns", "pointing words", "partial names", "smallest edit", "no information"],
        ),
        ("verify/query", ["not known yet", "narrow", "broad", "operators", "two or three sentences"]),
        ("verify/label", ["Sum up each point", "insufficient, ambiguous", "Restate the statement", "last line"]),
        ("facts_and_evidence/claims", ["stands alone", "consistent with it", "nothing before or after"]),
        ("facts_and_evidence/source_category", ["exactly one", "no explanation", "can't place"]),
        (
            "facts_and_evidence/judge",
            ["opinion", "inconsistent in itself", "something else", "some other part"],
        ),
        ("facts_grounding/response", ["step by step", "they do not say whether it is so", "True in the world"]),
        ("facts_grounding/span", ["states nothing that could be verified", "Point to the words"]),
        ("facts_grounding/implicit", ["one sentence that is", "Final Answer:", "Leave none out"]),
        ("facts_grounding/json", ["Be very strict", "when in doubt", "several stretches as a list", "of the world"]),
        ("facts_grounding/json_alt", ["come nearest to it"]),
        ("facts_grounding/double_check", ["the excerpt alone", "YES", "NO"]),
        ("facts_grounding/eligible", ["those that its kind of task implies", "order of weight", "baseline", "Look at"]),
        ("veriscore/judge", ["can be trusted", "link"]),
        ("standard/extract", ["copied exactly", "depends_on", "Every segment"]),
        ("standard/queries", ["reason", "Never repeat", "an empty list"]),
        ("standard/judge", ["copied character by character", "from 0 to 1", "each pair by itself"]),
        ("standard/correct", ["fewest words changed", "copied character by character"]),
        (
            "curate/verifiable",
            ["facts of the world", "a text that the request brings along", "Stories", "code", "part"],
        ),
        ("curate/useful", ["from 0 to 5", "whole number", "Judge each criterion by itself"]),
    ],
)
def test_a_prompt_asks_for_what_the_method_needs(name: str, demands: list[str]) -> None:
    system = _filled(name).system
    assert [demand for demand in demands if demand not in system] == []


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Extracted(_Model):
    """A claim of `standard/extract`."""

    id: int
    segment: str
    quote: str
    standalone: str
    kind: Literal["Fact", "Claim", "Instruction", "Data Format", "Meta Statement", "Question", "Other"]
    depends_on: tuple[int, ...]


class Extraction(_Model):
    claims: tuple[Extracted, ...]


class Step(_Model):
    """Next step for a claim, by `standard/queries`."""

    claim: str
    next: Literal["search", "enough", "exhausted"]
    reason: str
    queries: tuple[str, ...]


class Steps(_Model):
    claims: tuple[Step, ...]


class Judged(_Model):
    """A pair of `standard/judge`."""

    claim: str
    passage: str
    reason: str
    label: Literal["supported", "contradicted", "not_enough_evidence"]
    quote: str
    gap: Literal["", "insufficient", "partial", "outdated", "subjective"]
    confidence: float


class Judging(_Model):
    judgements: tuple[Judged, ...]


class Corrected(_Model):
    """A claim of `standard/correct`."""

    claim: str
    error: Literal["entity", "relation", "contradictory", "invented"]
    passage: str
    quote: str
    correction: str
    reason: str


class Correcting(_Model):
    corrections: tuple[Corrected, ...]


FORMS: dict[str, type[BaseModel]] = {
    **CURATING_FORMS,
    "factbench/refusal": RefusalReply,
    "standard/extract": Extraction,
    "standard/queries": Steps,
    "standard/judge": Judging,
    "standard/correct": Correcting,
}


@pytest.mark.parametrize("name", FORMS)
def test_the_json_examples_have_the_form_that_is_asked_for(name: str) -> None:
    parts = [part[part.index("\n{") :] for part in _filled(name).system.split("\n\n") if "\n{" in part]
    assert parts
    for part in parts:
        assert set(json.loads(part)) == set(type(json_reader(FORMS[name])(part)).model_fields)


def _labels(words: Mapping[str, str], read: Callable[[str, list[str]], str]) -> Callable[[str], str]:
    return lambda text: read(text, list(words.values()))


def _sentences(text: str) -> list[str]:
    words = list(BY_SENTENCE.values())
    return [one.label for one in read_sentences(text, words, ["supported", "no_rad"]).labels]


def _own(text: str) -> str:
    """Read a label given by the evidence or by the model's own knowledge."""
    return bracketed_label(text, [*BINARY.values(), *(f"{word}, own knowledge" for word in BINARY.values())])


REPLIES: list[tuple[str, Callable[[str], Any], str, Any]] = [
    *CURATING_REPLIES,
    *LISTED_REPLIES,
    (
        "factbench/refusal",
        read_said,
        '{"category": 4, "justified": true, "reason": "It can’t see pictures."}',
        RefusalReply(category=4, justified=True, reason="It can’t see pictures."),
    ),
    (
        "verify/extract",
        lambda text: typed_units(text, list(KINDS.values())),
        "- The Oder rises at 634 m: above the sea: Fact\n- It's lovely: Claim",
        [("The Oder rises at 634 m: above the sea", "Fact"), ("It's lovely", "Claim")],
    ),
    ("verify/decontextualise", fenced, "“It” is the Oder [1].\n```\nThe Oder is long\n```", "The Oder is long"),
    ("verify/query", fenced, "The length is open.\n```\nOder river length km\n```", "Oder river length km"),
    (
        "verify/label",
        _labels(VERIFY, bracketed_label),
        "Result [1] says it.\nStatement: …\n[Supported]",
        "Supported",
    ),
    ("facts_and_evidence/claims", claim_lines, "Claim_1: A is B.\nClaim_2: A is C.", ["A is B.", "A is C."]),
    ("facts_and_evidence/source_category", _labels(CATEGORIES, bracketed_label), "[etc]", "etc"),
    (
        "facts_and_evidence/judge",
        lambda text: marked_label(text, "Final Verdict", list(EVIDENCE.values())),
        "Rationale: it says “no”.\nFinal Verdict: contradicts",
        "contradicts",
    ),
    (
        "small/judge",
        lambda text: first_word_label(Reply(text, "stop"), ["Yes", "No", "Unclear"]),
        "Unclear.",
        ("Unclear", None),
    ),
    ("facts_grounding/double_check", lambda text: last_word(text, ["YES", "NO"]), "No.", "NO"),
    (
        "facts_grounding/eligible",
        read_issues,
        '```json\n{"Instruction Following": "Minor Issue(s)"}\n```',
        "Minor Issues",
    ),
    ("facts_grounding/eligible_with_context", read_issues, '{"Instruction Following": "No Issues"}', "No Issues"),
    (
        "facts_grounding/implicit",
        lambda text: marked_label(text, "Final Answer", list(ACCURATE.values())),
        "1. “It is”: said. Accurate\nFinal Answer: Inaccurate",
        "Inaccurate",
    ),
    ("facts_grounding/json", _sentences, '{"sentence": "A.", "label": "no_rad", "excerpt": null}', ["no_rad"]),
    ("facts_grounding/json_alt", _sentences, '{"sentence": "A.", "label": "Supported", "excerpt": "A"}', ["supported"]),
    ("facts_grounding/response", _labels(ACCURATE, bracketed_label), "It is all there.\n[Accurate]", "Accurate"),
    (
        "facts_grounding/simpleqa",
        _labels(GRADES, bracketed_label),
        "It says nothing.\n[Not Attempted]",
        "Not Attempted",
    ),
    ("facts_grounding/span", _labels(ACCURATE, last_word), "“Filled in 1974.”\n[Accurate]", "Accurate"),
    (
        "factcheck_gpt/claims",
        lambda text: typed_units(text, list(KINDS.values())),
        "- The Oder rises at 634 m: Fact",
        [("The Oder rises at 634 m", "Fact")],
    ),
    ("factcheck_gpt/judge", _own, "Silent.\n[True, own knowledge]", "True, own knowledge"),
    ("factcheck_gpt/query", fenced, "When it rose.\n```\nHollin dam\n```", "Hollin dam"),
    (
        "short_answers/grade",
        lambda text: marked_label(text, "Grade", list(MARKS.values())),
        "Another year.\nGrade: INCORRECT",
        "INCORRECT",
    ),
    ("safe/facts", claim_lines, "Claim_1: He baked.", ["He baked."]),
    ("safe/standalone", fenced, "Vague: he.\n```\nJon Ekk baked\n```", "Jon Ekk baked"),
    ("safe/relevance", _labels(FOO, bracketed_label), "It is about horses.\n[Not Foo]", "Not Foo"),
    ("safe/query", fenced, "All is missing.\n```\nHollin dam\n```", "Hollin dam"),
    ("safe/label", _labels(SAFE, bracketed_label), "A crew of three.\n[Not Supported]", "Not Supported"),
    ("factscore/facts", claim_lines, "Claim_1: She sings.", ["She sings."]),
    ("factscore/judge", _labels(TRUTH, bracketed_label), "[False]", "False"),
    ("veriscore/claims", claim_lines, "Claim_1: Mell has a harbour.", ["Mell has a harbour."]),
    ("veriscore/judge", _labels(VERIFY, bracketed_label), "r1 is silent.\n[Unverifiable]", "Unverifiable"),
    (
        "standard/extract",
        json_reader(Extraction),
        '{"claims": [{"id": 1, "segment": "s1", "quote": "A", "standalone": "A.", "kind": "Fact", "depends_on": []}]}',
        Extraction(claims=(Extracted(id=1, segment="s1", quote="A", standalone="A.", kind="Fact", depends_on=()),)),
    ),
    (
        "standard/queries",
        json_reader(Steps),
        '{"claims": [{"claim": "s1.c1", "next": "search", "reason": "Open.", "queries": ["q"]}]}',
        Steps(claims=(Step(claim="s1.c1", next="search", reason="Open.", queries=("q",)),)),
    ),
    (
        "standard/judge",
        json_reader(Judging),
        '{"judgements": [{"claim": "c", "passage": "p", "reason": "r", "label": "supported", "quote": "q", '
        '"gap": "", "confidence": 1}]}',
        Judging(
            judgements=(
                Judged(claim="c", passage="p", reason="r", label="supported", quote="q", gap="", confidence=1.0),
            ),
        ),
    ),
    (
        "standard/correct",
        json_reader(Correcting),
        '{"corrections": [{"claim": "c", "error": "entity", "passage": "p1", "quote": "1913", "correction": "In 1913.",'
        ' "reason": "The year."}]}',
        Correcting(
            corrections=(
                Corrected(
                    claim="c", error="entity", passage="p1", quote="1913", correction="In 1913.", reason="The year."
                ),
            ),
        ),
    ),
]


def test_every_prompt_has_a_sample_reply() -> None:
    assert [name for name, *_ in REPLIES] == list(VALUES)


@try_all(("name", "read", "reply", "said"), REPLIES)
def test_the_requested_reply_can_be_read(name: str, read: Callable[[str], Any], reply: str, said: Any) -> None:
    assert read(reply) == said


@pytest.mark.parametrize(
    ("name", "read"), [(name, read) for name, read, *_ in REPLIES if read in (claim_lines, fenced)]
)
def test_the_examples_in_a_prompt_have_a_readable_form(name: str, read: Callable[[str], Any]) -> None:
    form = r"(?:^Claim_\d+: .*\n?)+" if read is claim_lines else r"^```\n.*\n```$"
    found = re.findall(form, _filled(name).system, re.MULTILINE)
    assert found
    assert all(read(reply) for reply in found)


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, read, *_ in REPLIES
        if name not in FORMS and read is not _sentences and ("label" in VALUES[name] or "relevance" in VALUES[name])
    ],
)
def test_the_last_example_of_a_prompt_ends_with_a_label(name: str) -> None:
    read = next(read for known, read, *_ in REPLIES if known == name)
    assert read(_filled(name).system.removesuffix(NOTICE).strip().splitlines()[-1])


@pytest.mark.parametrize("name", ["facts_grounding/json", "facts_grounding/json_alt"])
def test_the_facts_grounding_example_has_an_object_for_each_sentence(name: str) -> None:
    assert _sentences(_filled(name).system.partition("Example.")[2]) == ["no_rad", "supported", "unsupported"]


@pytest.mark.parametrize("number", [1, 2])
def test_verifys_examples_are_read_in_full(number: int) -> None:
    examples = re.split(r"Example \d", _filled("verify/extract").system)
    reply = examples[number].partition("Reply:\n")[2].partition("\n\n")[0]
    units = typed_units(reply, list(KINDS.values()))
    assert len(units) == len(reply.splitlines())
    assert {kind for _, kind in units} >= ({"Fact", "Claim"} if number == 1 else {"Meta Statement", "Data Format"})
