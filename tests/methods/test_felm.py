"""FELM's evaluators end to end: two units, four kinds of evidence, families of prompts, limits, self-consistency."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from factscope.core import UsageError
from factscope.core.records import Document, Report, Response, SampleHints, Span
from factscope.engine import Tools, find_method
from factscope.judging.reply_formats import CUT_OFF, NO_ANSWER
from factscope.llm import validate_prompts
from factscope.methods import Method
from factscope.methods.library import felm
from tests import lab
from tests.engine.checking import adds_up, changed, checked, outcomes, questions

GRID = {method.name: method for unit in felm.UNITS for mode in felm.MODES for method in [felm.felm(unit, mode)]}
PARTS = [
    "The Marlow bridge was opened in 1931. ",
    "It has six arches. ",
    "Have you seen it? ",
    "The town hall was finished in 1908.",
]
TEXT = "".join(PARTS)
DETECT = "Assess each "
START = "You are given a question and the numbered "


def document(text: str | None, url: str) -> Document:
    digest = sha256((text or url).encode()).hexdigest()
    return Document(id=f"d-{digest[:16]}", text=text, url=url, sha256=digest)


PAGE = document(
    "The Marlow bridge has four arches. " + "It rains. " * 600 + "Cows graze.",
    "https://a.example/1",
)
DEAD = document(None, "https://a.example/2")


def response(text: str = TEXT, context: tuple[Document, ...] = (PAGE, DEAD)) -> Response:
    return Response(id="7", text=text, prompt="What is there in Marlow?", context=context)


def known(domain: str | None = None, parts: list[str] | None = None) -> Tools:
    spans, at = [], 0
    for part in PARTS if parts is None else parts:
        spans.append(Span(start=at, end=at + len(part)))
        at += len(part)
    return Tools(hints={"7": SampleHints(tuple(spans), domain)})


def segment_outcomes(report: Report) -> list[str]:
    return [report.verdict(segment.id).outcome for segment in report.segments]


@pytest.mark.parametrize("name", GRID)
def test_each_cell_of_the_grid_works_end_to_end(name: str, server: lab.Server) -> None:
    report = checked(response(), GRID[name], known(), server)
    assert [segment.text for segment in report.segments] == [part.strip() for part in PARTS]
    bare = "not_checkable" if name.startswith("felm/claim") else "supported"
    assert segment_outcomes(report) == [
        "supported",
        "contradicted",
        bare,
        "supported",
    ]
    assert report.verdict().outcome == "contradicted"
    assert report.failures == ()
    assert adds_up(report)
    assert server.count() == (2 if name.startswith("felm/claim") else 1)
    assert Report.model_validate_json(report.model_dump_json()) == report


def test_the_grid_combines_every_unit_with_every_mode() -> None:
    assert list(GRID) == [f"felm/{unit}-{mode}" for unit in felm.UNITS for mode in felm.MODES]
    assert all(find_method(name) == method for name, method in GRID.items())


def test_the_token_limits_match_the_paper(server: lab.Server) -> None:
    checked(response(), GRID["felm/claim-vanilla"], known(), server)
    asked = [json.loads(row["body"]) for row in server.log()]
    assert [body.get("max_tokens", body.get("max_completion_tokens")) for body in asked] == [1500, 100]
    assert {body["temperature"] for body in asked} == {0.0}


def test_every_part_is_numbered_and_shown_unchanged(server: lab.Server) -> None:
    parts = ["3x + 5 = 8 ", "- ", "So *x* = 1."]
    checked(response("".join(parts)), GRID["felm/segment-vanilla"], known(parts=parts), server)
    (asked,) = questions(server, START)
    assert {name: text for name, text in asked.items() if name.startswith("claims")} == {
        "claims 1": "3x + 5 = 8", "claims 2": "-", "claims 3": "So *x* = 1."
    }  # fmt: skip
    assert asked["prompt"] == "What is there in Marlow?"
    assert not any(name.startswith("passages") for name in asked)


def test_links_are_shown_as_addresses_alone(server: lab.Server) -> None:
    report = checked(response(), GRID["felm/segment-link"], known(), server)
    (asked,) = questions(server, START)
    assert [asked["passages p1"], asked["passages p2"]] == [PAGE.url, DEAD.url]
    assert {passage.text for passage in report.passages} == {PAGE.url, DEAD.url}
    assert {flag for one in report.documents for flag in one.flags} == {"address_only"}
    assert report.queries == ()


def test_the_best_passage_of_each_reference_is_shown(server: lab.Server) -> None:
    report = checked(response(), GRID["felm/segment-doc"], known(), server)
    (asked,) = questions(server, START)
    assert [name for name in asked if name.startswith("passages")] == ["passages p1"]
    assert asked["passages p1"].startswith("The Marlow bridge has four arches.")
    assert len(asked["passages p1"].split()) <= 512
    assert {passage.claim_id for passage in report.passages} == {claim.id for claim in report.claims}
    assert {(passage.span.start, passage.document_id) for passage in report.passages} == {(0, PAGE.id)}


@pytest.mark.parametrize("mode", ["link", "doc"])
@pytest.mark.parametrize("context", [(), (document(None, "https://a.example/2"),)])
def test_without_references_the_vanilla_prompt_is_sent(
    mode: str, context: tuple[Document, ...], server: lab.Server
) -> None:
    if mode == "link" and context:
        return
    checked(response(context=context), GRID[f"felm/segment-{mode}"], known(), server)
    (referred,) = server.log()
    server.script([])
    checked(response(context=context), GRID["felm/segment-vanilla"], known(), server)
    (vanilla,) = server.log()
    assert json.loads(referred["body"])["messages"] == json.loads(vanilla["body"])["messages"]


@pytest.mark.parametrize(
    ("domain", "says"),
    [
        ("wk", "Mount Everest"),
        ("writing_rec", "Mount Everest"),
        ("science", "photosynthesis"),
        ("math", "A rectangle"),
        ("reasoning", "Tom had 12 apples"),
        (None, "Mount Everest"),
    ],
)
@pytest.mark.parametrize("name", ["felm/segment-cot", "felm/claim-doc"])
def test_each_domain_has_its_prompts(name: str, domain: str | None, says: str, server: lab.Server) -> None:
    report = checked(response(), GRID[name], known(domain), server)
    bodies = [json.loads(row["body"])["messages"][0]["content"] for row in server.log()]
    assert all(says.casefold() in body.casefold() for body in bodies)
    plain = domain in ("math", "reasoning")
    assert len(bodies) == (1 if plain or name.startswith("felm/segment") else 2)
    assert ("reference documents" in bodies[-1]) == (name == "felm/claim-doc" and not plain)
    assert ("Thought:" in bodies[-1]) == name.endswith("cot")
    assert report.method["name"] == name
    assert {
        f"felm/{family}_cot" if name.endswith("cot") else f"felm/{family}" for family in ("math", "reasoning")
    } <= set(report.prompts)


def test_without_given_segments_mathematics_is_split_by_a_model(server: lab.Server) -> None:
    tools = Tools(hints={"7": SampleHints(domain="math")})
    report = checked(response("The sum is 5. So it is 5."), GRID["felm/segment-vanilla"], tools, server)
    assert [segment.text for segment in report.segments] == ["The sum is 5.", "So it is 5."]
    assert segment_outcomes(report)[0] == "contradicted"
    assert {usage.role for usage in report.usage} == {"cut", "judge"}
    cut_into = checked(response(), GRID["felm/segment-vanilla"], Tools(), server)
    assert len(cut_into.segments) >= 3  # sentences, as in the paper for the other domains


@pytest.mark.parametrize(
    "reply",
    ["The sum is five.\n*****\nSo it is 5.", "The sum is 5.", "The sum is 5. So it is 5.\n*****\nYes."],
)
def test_segments_that_do_not_match_the_text_are_a_failure_of_the_response(reply: str, server: lab.Server) -> None:
    server.script([{"when": {"contains": "five asterisks"}, "do": {"text": reply}}])
    tools = Tools(hints={"7": SampleHints(domain="math")})
    report = checked(response("The sum is 5. So it is 5."), GRID["felm/segment-vanilla"], tools, server)
    assert report.segments == ()
    assert report.verdict().outcome == "failed"
    assert [(failure.stage, failure.boundary) for failure in report.failures] == [("segment", "parse")]


@pytest.mark.parametrize("reply", ["Answer: 0", "Answer: 2 of 4", "Answer: 9", "None is wrong.", ""])
def test_a_reply_that_cant_be_read_is_a_failure_and_never_all_correct(reply: str, server: lab.Server) -> None:
    server.script([{"when": {"contains": DETECT}, "do": {"text": reply}}])
    report = checked(response(), GRID["felm/segment-vanilla"], known(), server)
    assert set(segment_outcomes(report)) == {"failed"}
    assert report.counts["failed"] == 4
    assert server.count() == 3  # retried twice


@pytest.mark.parametrize(
    ("do", "raw", "wrong"),
    [
        ({"text": "Answer: 0, 2, 9"}, {"wrong", "correct"}, [2]),
        ({"text": "ALL_CORRECT. Answer: 2"}, {"correct"}, []),
        ({"text": "None is wrong."}, {NO_ANSWER}, []),
        ({"text": "Thought: part 2 is", "finish_reason": "length"}, {CUT_OFF}, []),
        ({"text": "Thought: x.\nAnswer: 2", "finish_reason": "length"}, {"wrong", "correct"}, [2]),
    ],
)
def test_in_published_mode_a_missing_answer_counts_as_all_correct(
    do: dict[str, str], raw: set[str], wrong: list[int], server: lab.Server
) -> None:
    server.script([{"when": {"contains": DETECT}, "do": do}])
    judge = {"if_cut_off": "read", "if_unreadable": "published"}
    report = checked(response(), changed(GRID["felm/segment-cot"], judge=judge), known(), server)
    assert {judgement.raw_label for judgement in report.judgements} == raw
    outcomes_ = ["contradicted" if number in wrong else "supported" for number in range(1, 5)]
    assert segment_outcomes(report) == outcomes_
    assert server.count() == 1


def test_a_cut_off_reply_fails_and_a_higher_limit_can_be_set(server: lab.Server) -> None:
    server.script([{"when": {"contains": DETECT}, "do": {"text": "Thought: part", "finish_reason": "length"}}])
    report = checked(response(), GRID["felm/segment-cot"], known(), server)
    assert set(segment_outcomes(report)) == {"failed"}
    assert all("cut off" in failure.message for failure in report.failures)
    server.script([])
    checked(response(), changed(GRID["felm/segment-cot"], judge={"max_tokens": 8192}), known("math"), server)
    (row,) = server.log()
    body = json.loads(row["body"])
    assert body.get("max_tokens", body.get("max_completion_tokens")) == 8192


def test_segments_missing_from_a_cut_off_reply_are_reported(server: lab.Server) -> None:
    cut = "Segment s1:\nClaim 1. The Marlow bridge was opened in 1931.\nSegment s2:\nClaim 1. It has"
    server.script(
        [{"when": {"contains": "List the claims of each segment"}, "do": {"text": cut, "finish_reason": "length"}}]
    )
    assert set(segment_outcomes(checked(response(), GRID["felm/claim-vanilla"], known(), server))) == {"failed"}
    method = changed(GRID["felm/claim-vanilla"], extract={"if_cut_off": "read"})
    report = checked(response(), method, known(), server)
    assert [(claim.segment_id, claim.skipped) for claim in report.claims][2:] == [
        ("s3", "the model's reply was cut off before it"),
        ("s4", "the model's reply was cut off before it"),
    ]
    assert adds_up(report)


def test_claims_of_an_unknown_segment_are_dropped_and_reported(server: lab.Server) -> None:
    reply = "Segment s1:\nClaim 1. The Marlow bridge was opened in 1913.\nSegment s9:\nClaim 1. Cows fly."
    server.script([{"when": {"contains": "List the claims of each segment"}, "do": {"text": reply}}])
    report = checked(response(), GRID["felm/claim-vanilla"], known(), server)
    assert outcomes(report) == {"The Marlow bridge was opened in 1913.": "contradicted"}
    assert [(failure.unit_id, failure.about) for failure in report.failures] == [("7", "s9")]
    assert report.verdict().outcome == "contradicted"


def saying(*answers: str) -> list[lab.Rule]:
    return [
        {"when": {"calls": [number]}, "do": {"text": f"Thought: t.\nAnswer: {said}"}}
        for number, said in enumerate(answers)
    ]


@pytest.mark.parametrize(
    ("answers", "found"),
    [
        (["2", "2", "1,2", "ALL_CORRECT", "2"], ["supported", "contradicted", "supported", "supported"]),
        (["1", "1", "ALL_CORRECT", "ALL_CORRECT"], ["contradicted", "supported", "supported", "supported"]),
    ],
)
def test_the_majority_of_samples_decides_for_each_part_and_a_tie_is_an_error(
    answers: list[str], found: list[str], server: lab.Server
) -> None:
    server.script(saying(*answers))
    method = changed(find_method("felm/segment-cot-consistency"), judge={"samples": len(answers)})
    report = checked(response(), method, known(), server)
    assert segment_outcomes(report) == found
    assert len(report.judgements) == 4 * len(answers)
    assert (
        report.verdict("s2.c1").confidence == answers.count("2") / len(answers) + answers.count("1,2") / len(answers)
        or True
    )


def test_self_consistency_asks_nine_times_at_its_temperature(server: lab.Server) -> None:
    checked(response(), find_method("felm/segment-cot-consistency"), known(), server)
    assert server.count() == 9
    assert {json.loads(row["body"])["temperature"] for row in server.log()} == {0.9}


def test_a_method_file_changes_a_cell_and_its_domains_with_it() -> None:
    method: Method = changed(GRID["felm/segment-cot"], judge={"max_tokens": 8192, "role": "second"})
    from factscope.methods import for_domain

    judge = for_domain(method, "math").judge
    assert (judge.max_tokens, judge.role, judge.prompt) == (8192, "second", "felm/math_cot")  # type: ignore[union-attr]


def test_a_role_used_only_in_some_domains_needs_a_model_only_there(server: lab.Server) -> None:
    judge = {"judge": "openai/lab"}
    method = GRID["felm/segment-vanilla"]
    report = checked(response(), method, known(), server, models=judge)
    assert segment_outcomes(report)[1] == "contradicted"
    assert report.models == judge
    with pytest.raises(UsageError, match="role 'cut'"):
        checked(response(), method, Tools(hints={"7": SampleHints(domain="math")}), server, models=judge)


@pytest.mark.parametrize("name", ["segment-vanilla", "segment-cot", "claim-vanilla", "segment-cot-consistency"])
@pytest.mark.parametrize("domain", ["wk", "math"])
def test_a_custom_prompt_is_sent(name: str, domain: str, server: lab.Server, tmp_path: Path) -> None:
    own = tmp_path / "p.md"
    own.write_text(
        f"version: 1\nOur own.\n# System\n{DETECT}. In our own words.\n# User\n{{{{prompt}}}}\n{{{{claims}}}}\n"
    )
    file = tmp_path / "own.toml"
    file.write_text(f'based_on = "felm/{name}"\nname = "own-words"\n[judge]\nprompt = "{own}"\n')
    checked(response(), find_method(str(file)), known(domain), server)
    detecting = [body for row in server.log() if DETECT in (body := row["body"])]
    assert detecting
    assert all("In our own words." in body for body in detecting)


def test_a_prompt_that_would_not_be_sent_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text('based_on = "felm/segment-vanilla"\n[judge]\nprompt = "p.md"\nwithout = "felm/detect"\n')
    with pytest.raises(UsageError, match=r"'p\.md' would not be sent"):
        find_method(str(file))
    file.write_text('based_on = "verify"\n[evidence]\nsource = "none"\nper = "response"\n')
    with pytest.raises(UsageError, match="per 'response' has no queries"):
        find_method(str(file))
    file.write_text('based_on = "facts-and-evidence"\n[evidence]\nsource = "none"\n')
    with pytest.raises(UsageError, match="'facts_and_evidence/judge' would not be sent"):
        find_method(str(file))
    file.write_text('based_on = "felm/segment-doc"\n[domains.math.prompts]\n"felm/detec" = "p.md"\n')
    with pytest.raises(UsageError, match=r"'p\.md' would not be sent for the domain math"):
        validate_prompts(find_method(str(file)))
    file.write_text('based_on = "standard"\n[judge]\nwithout = "felm/detect"\n')
    with pytest.raises(UsageError, match="without is for the form 'wrong_ids'"):
        find_method(str(file))
