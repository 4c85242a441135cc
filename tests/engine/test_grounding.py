"""`facts-grounding` in the engine: two phases, several judges, excerpts looked up, failed calls left missing."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.core import UsageError
from factscope.core.records import Document, Report, Response
from factscope.engine import Tools
from factscope.evidence import digest
from factscope.judging import frame_of, whole_request
from factscope.llm import Cache
from factscope.methods import Method
from factscope.methods.library import TEMPLATES, with_judges
from tests import lab
from tests.conftest import DOCUMENTS

from .checking import adds_up, checked, questions

DOCUMENT = DOCUMENTS["bridge.md"]
GROUNDED = (
    "The Marlow bridge was opened in 1931. It was designed by Ida Kern, who built the town hall. I hope this helps."
)
WRONG = "The Marlow bridge was opened in 1931. The Marlow bridge has six arches. The Marlow bridge was painted in 1950."
SHORT = "The Marlow bridge was opened in 1931."
MODELS = {"judge_1": "openai/lab-a", "judge_2": "openai/lab-b", "judge_3": "openai/lab-c"}
NO_TOOLS = Tools()


def response(text: str, document: str = DOCUMENT, **fields: str) -> Response:
    context = (Document(id="d-1", text=document, sha256=digest([document.encode()])),)
    return Response(text=text, prompt="Tell me about the bridge.", context=context, **fields)


def judged(
    text: str | Response, server: lab.Server, method: Method | None = None, cache: Cache | None = None
) -> Report:
    asked = method or with_judges(["json", "response", "implicit"])
    seats = {role: MODELS[role] for role in list(MODELS)[: len(asked.judge.judges)]}  # type: ignore[union-attr]
    about = response(text) if isinstance(text, str) else text
    report = checked(about, asked, NO_TOOLS, server, models=seats, cache=cache)
    assert adds_up(report)
    return report


def said(report: Report) -> dict[str, str]:
    """Return each judge's label."""
    return {one.judge.rpartition(" as ")[2]: str(one.label) for one in report.judgements}


def test_a_grounded_answer_passes_every_judge_and_both_phases(server: lab.Server) -> None:
    report = judged(GROUNDED, server)
    assert said(report) == dict.fromkeys(MODELS, "supported")
    assert [one.eligible for one in report.eligibility] == [True, True, True]
    assert report.verdict().outcome == "supported"
    assert report.warnings == ()


def test_a_single_ungrounded_sentence_fails_the_answer_and_is_shown(server: lab.Server) -> None:
    report = judged(WRONG, server)
    assert said(report) == {"judge_1": "contradicted", "judge_2": "not_supported", "judge_3": "not_supported"}
    assert [one.label for one in report.findings] == ["supported", "contradicted", "not_enough_evidence"]
    first, second, third = report.findings
    assert first.span is not None
    assert WRONG[first.span.start : first.span.end] == first.text
    assert [quote.text for quote in second.quotes] == ["It has four arches and is 212 metres long."]
    assert (first.flags, second.flags, third.quotes) == ((), (), ())


def test_an_evasive_answer_is_ineligible_when_all_judges_say_so(server: lab.Server) -> None:
    report = judged(SHORT, server)
    assert said(report) == dict.fromkeys(MODELS, "supported")
    assert [one.eligible for one in report.eligibility] == [False, False, False]
    assert {one.raw_label for one in report.eligibility} == {"Major Issues"}
    assert "All 3 judges say that it does not do what was asked" in report.warnings[0]


def test_a_judges_own_answer_is_requested_once_per_request(server: lab.Server, tmp_path: Path) -> None:
    with Cache(tmp_path / "replies.db") as cache:
        for text in (GROUNDED, WRONG, SHORT):
            judged(text, server, cache=cache)
    own = [row for row in server.log() if len(json.loads(row["body"])["messages"]) == 1]
    assert len(own) == 3
    assert {json.loads(row["body"])["model"] for row in own} == {"lab-a", "lab-b", "lab-c"}
    assert json.loads(own[0]["body"])["messages"][0]["content"] == f"{DOCUMENT}\n\nTell me about the bridge."


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_template_distinguishes_a_grounded_answer_from_an_ungrounded_one(
    server: lab.Server, template: str
) -> None:
    method = with_judges([template, "json"], eligibility=None)
    assert said(judged(GROUNDED, server, method))["judge_1"] == "supported"
    assert said(judged(WRONG, server, method))["judge_1"] in ("contradicted", "not_supported", "not_enough_evidence")


def test_spans_are_judged_one_by_one(server: lab.Server) -> None:
    report = judged(WRONG, server, with_judges(["span", "json"], eligibility=None))
    spans = [one for one in report.findings if one.judgement_id == report.judgements[0].id]
    assert [one.label for one in spans] == ["supported", "not_supported", "not_supported"]
    asked = questions(server, "You are given a request, the documents that came with it, a response, and one span")
    assert sorted(one["number"] for one in asked) == ["1", "2", "3"]


def test_a_double_check_can_only_remove_support(server: lab.Server) -> None:
    server.script([{"when": {"contains": "Does the sentence follow"}, "do": {"text": "No."}}])
    report = judged(GROUNDED, server, with_judges(["json_double_check", "json"], eligibility=None))
    assert said(report) == {"judge_1": "not_enough_evidence", "judge_2": "supported"}
    first = [one for one in report.findings if one.judgement_id == report.judgements[0].id]
    assert [(one.raw_label, one.label) for one in first][:2] == [("supported", "not_enough_evidence")] * 2
    assert first[0].flags == ("downgraded",)
    assert first[-1].label == "irrelevant"


JSON = "Be very strict"
INVENTED = {"sentence": SHORT, "label": "supported", "rationale": "", "excerpt": "opened by the king"}


@pytest.mark.parametrize(
    ("excerpt", "flags", "quotes"),
    [
        ("opened by the king", ("quote_not_found",), []),
        (None, ("quote_missing",), []),
        ("was opened in 1931 ... has four arches", (), ["was opened in 1931", "has four arches"]),
        (["was opened in 1931", "has five arches"], ("quote_not_found",), ["was opened in 1931"]),
    ],
)
def test_excerpts_are_looked_up(server: lab.Server, excerpt: object, flags: object, quotes: list[str]) -> None:
    server.script([{"when": {"contains": JSON}, "do": {"text": json.dumps({**INVENTED, "excerpt": excerpt})}}])
    (finding,) = judged(SHORT, server, with_judges(["json", "response"], eligibility=None)).findings
    assert finding.flags == flags
    assert [quote.text for quote in finding.quotes] == quotes
    assert finding.label == "supported"  # as in the paper, the label does not change


def test_a_failed_judge_is_missing_and_never_inaccurate(server: lab.Server) -> None:
    server.script([{"when": {"model": "lab-b"}, "do": {"status": 500}}])
    report = judged(GROUNDED, server)
    assert said(report) == {"judge_1": "supported", "judge_3": "supported"}
    assert [one.judge for one in report.eligibility] == ["openai/lab-a as judge_1", "openai/lab-c as judge_3"]
    assert {one.unit_id for one in report.failures} == {"r1", "s1.c1"}


def test_an_unreadable_sentence_leaves_the_judge_without_a_verdict(server: lab.Server) -> None:
    good = json.dumps({**INVENTED, "excerpt": "opened in 1931"})
    server.script([{"when": {"contains": JSON}, "do": {"text": good + '\n{"sentence": "It has", "label": "unsupp'}}])
    report = judged(GROUNDED, server)
    assert "judge_1" not in said(report)
    assert "asked 3 times" in next(one.message for one in report.failures if one.unit_id == "s1.c1")


def test_an_unreadable_sentence_beside_a_wrong_one_is_reported(server: lab.Server) -> None:
    bad = json.dumps({**INVENTED, "label": "unsupported"})
    server.script([{"when": {"contains": JSON}, "do": {"text": bad + '\n{"sentence": "It has", "label": "unsupp'}}])
    (first, *_) = judged(GROUNDED, server).judgements
    assert first.label == "not_enough_evidence"
    assert first.rationale == "1 of 1 sentence is not grounded. 1 could not be read."


def test_a_reply_that_leaves_sentences_out_leaves_the_judge_without_a_verdict(server: lab.Server) -> None:
    server.script([{"when": {"contains": JSON}, "do": {"text": json.dumps({**INVENTED, "excerpt": "opened in 1931"})}}])
    report = judged(WRONG, server, with_judges(["json", "response"], eligibility=None))
    assert said(report) == {"judge_2": "not_supported"}
    (message,) = [one.message for one in report.failures if one.unit_id == "s1.c1"]
    assert "asked 3 times: it leaves out 2 sentences of the response" in message
    assert "'The Marlow bridge has six arches.'" in message


def test_sentences_left_out_beside_a_wrong_one_are_reported(server: lab.Server) -> None:
    server.script([{"when": {"contains": JSON}, "do": {"text": json.dumps({**INVENTED, "label": "unsupported"})}}])
    (first, *_) = judged(WRONG, server, with_judges(["json", "response"], eligibility=None)).judgements
    assert first.label == "not_enough_evidence"
    assert first.rationale == "1 of 1 sentence is not grounded. 2 sentences were left out."


def test_without_documents_nothing_is_judged(server: lab.Server) -> None:
    report = judged(Response(text=GROUNDED, prompt="Tell me."), server)
    assert report.judgements == ()
    assert "judges against documents that come with the text" in report.warnings[0]
    assert report.verdict().outcome == "no_evidence"


def test_without_a_request_phase_b_is_left_out_with_a_warning(server: lab.Server) -> None:
    report = judged(response(GROUNDED).model_copy(update={"prompt": None}), server)
    assert len(report.judgements) == 3
    assert report.eligibility == ()
    assert report.warnings == ("Without the request, it can't be judged whether the text does what was asked.",)


# Judges and templates


@pytest.mark.parametrize("templates", [[], ["json"]])
def test_fewer_than_two_judges_are_refused(templates: list[str]) -> None:
    with pytest.raises(UsageError, match="two to nine judges"):
        with_judges(templates)


def test_an_unknown_template_is_named() -> None:
    with pytest.raises(UsageError, match="Unknown template 'jason'"):
        with_judges(["jason", "json"])


OFFICIAL = {
    "json": 'Query: {{user_request}}\\n Evidence: {{context_document}} Response: {{response}} Form: {{ {"label": …} }}',
    "response_level": "Check.\n{{user_request}}|{{context_document}}|{{response}}\nLet's think step-by-step.",
    "implicit_span_level": "{{context_document}} {{response}} Final Answer:",
    "ineligible_responses_filter_no_context": "{{user_request}} test: {{response_a}} baseline: {{response_b}}",
    "odd": "{{user_request}} {{secret_sauce}}",
}


@pytest.fixture
def official(tmp_path: Path) -> Path:
    path = tmp_path / "evaluation_prompts.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["evaluation_method", "evaluation_prompt"])
        writer.writerows(OFFICIAL.items())
    return path


def test_published_templates_are_sent_unchanged_and_filled_in_one_pass(server: lab.Server, official: Path) -> None:
    hostile = "A document that says {{response}} and {{user_request}}. The Marlow bridge was opened in 1931."
    server.script(
        [
            {"when": {"contains": "Evidence: A document"}, "do": {"text": json.dumps({**INVENTED, "excerpt": "1931"})}},
            {"when": {"contains": "step-by-step"}, "do": {"text": "The year is there.\nSo: Accurate"}},
            {"when": {"contains": "baseline:"}, "do": {"text": '{{"Instruction Following": "Major Issue(s)"}}'}},
        ]
    )
    report = judged(response(SHORT, hostile), server, with_judges(["json", "response"], prompts=official))
    sent = [json.loads(row["body"])["messages"] for row in server.log()]
    text = next(one[0]["content"] for one in sent if "Evidence:" in one[0]["content"])
    expected = OFFICIAL["json"].replace("{{context_document}}", "\0").replace("{{response}}", SHORT)
    assert text == expected.replace("{{user_request}}", "Tell me about the bridge.").replace("\0", hostile)
    assert all(len(one) == 1 for one in sent)  # a single message, with nothing of ours added
    assert said(report) == {"judge_1": "supported", "judge_2": "supported"}
    assert [one.raw_label for one in report.eligibility] == ["Major Issues", "Major Issues"]


@pytest.mark.parametrize("template", ["json", "implicit"])
def test_our_templates_too_are_filled_in_one_pass(server: lab.Server, template: str) -> None:
    hostile = "{{response}} {{prompt}} The Marlow bridge was opened in 1931."
    judged(response(SHORT, hostile), server, with_judges([template, "response"], eligibility=None))
    for row in server.log():
        assert hostile in json.loads(row["body"])["messages"][1]["content"]


def test_a_template_with_an_unknown_placeholder_is_refused_before_any_call(server: lab.Server, official: Path) -> None:
    method = with_judges(["json", "response"], prompts=official).model_dump()
    method["judge"]["judges"][0]["prompt"] = f"{official}#odd"
    with pytest.raises(UsageError, match=r"place \{\{secret_sauce\}\}"):
        judged(SHORT, server, Method.model_validate(method))
    assert server.count() == 0


@pytest.mark.parametrize(
    ("content", "match"),
    [
        ("a,b\n1,2\n", "no column 'evaluation_method'"),
        ("evaluation_method,evaluation_prompt\nother,{{response}}\n", "no template 'json'"),
        ("evaluation_method,evaluation_prompt\njson,Say it.\n", "would see no response"),
    ],
)
def test_an_unusable_template_file_is_refused(server: lab.Server, tmp_path: Path, content: str, match: str) -> None:
    path = tmp_path / "prompts.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=match):
        judged(SHORT, server, with_judges(["json", "json"], prompts=path, eligibility=None))


# The whole request


@pytest.mark.parametrize(
    ("whole", "prompt", "context"),
    [
        ("Be brief.\n\nWhat is it?\n\nA long text.", "What is it?", "A long text."),
        ("A long text.\nQ: What is it?", "What is it?", "A long text."),
        ("Only this.", "What is it?", "A long text."),
        ("A text with {{prompt}} and {{context}} in it. Why?", "Why?", "A text with {{prompt}} and {{context}} in it."),
        ("Why? Because. Why?", "Why?", ""),
    ],
)
def test_a_request_composed_by_its_data_set_is_reproduced_exactly(whole: str, prompt: str, context: str) -> None:
    frame = frame_of(whole, prompt, context)
    assert frame is not None
    about = response("A.", context, system=frame).model_copy(update={"prompt": prompt})
    assert whole_request(about) == whole


PARTS = st.text("ab \n{}") | st.sampled_from(["{{prompt}}", "{{context}}", "{{alone}}", "a{{prompt}}b"])


@given(PARTS, PARTS, PARTS, PARTS, PARTS)
def test_any_request_is_reproduced_exactly_or_refused(a: str, prompt: str, b: str, context: str, c: str) -> None:
    for whole in (a + prompt + b + context + c, a + context + b + prompt + c, a + b):
        frame = frame_of(whole, prompt, context)
        if frame is not None:
            about = response("A.", context, system=frame).model_copy(update={"prompt": prompt})
            assert whole_request(about) == whole
        else:
            assert "{{" in whole


def test_a_request_with_placeholder_marks_outside_the_document_is_refused() -> None:
    assert frame_of("{{prompt}} and a text.", "Why?", "a text.") is None


def test_without_a_frame_the_parts_of_a_request_are_joined_in_order() -> None:
    assert whole_request(response("A.", "D.", system="S.")) == "S.\n\nD.\n\nTell me about the bridge."
