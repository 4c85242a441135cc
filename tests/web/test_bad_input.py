"""Bad input: a problem that says what is wrong and how to fix it, and nothing lost."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from factscope.evidence import NoEvidenceError
from factscope.web import problem_of

from .served import CHECKS, REQUEST, Client

LONG = "x" * 5_000_000
BAD: dict[str, tuple[dict[str, Any], int, str]] = {
    "empty text": ({"text": ""}, 422, "The text is empty"),
    "white space": ({"text": " \n\t\u200b"}, 422, "The text is empty"),
    "a paste of 5 MB": ({"text": LONG}, 413, "5,000,000 characters; at most 2,000,000"),
    "no text": ({"text": None}, 422, "text: "),
    "unknown field": ({"colour": "red"}, 422, "colour: There is no such field"),
    "unknown method": ({"method": "magic"}, 422, "Unknown method 'magic'"),
    "a method file of the server": ({"method": "/etc/passwd.toml"}, 422, "Unknown method"),
    "unknown engine": ({"search": "altavista"}, 422, "Unknown search engine 'altavista'"),
    "engine without a key": ({"search": "serper"}, 422, "SERPER_API_KEY"),
    "unknown category": ({"deny_categories": ["tabloid"]}, 422, "deny_categories.0"),
    "no site": ({"deny_sites": ["not a site"]}, 422, "is not a site"),
    "no language": ({"language": "english!"}, 422, "is not a language"),
    "dates the wrong way round": (
        {"published_after": "2026-02-01", "published_before": "2026-01-01"},
        422,
        "No day is on or after",
    ),
    "no evidence": ({"documents": []}, 422, "nothing to check the text against"),
    "too many documents": ({"documents": [{"name": "a.txt", "text": "a"}] * 21}, 422, "documents: At most 20 items"),
    "an empty document": ({"documents": [{"name": "a.txt", "text": ""}]}, 422, "a.txt is empty"),
    "no base64": ({"documents": [{"name": "a.pdf", "base64": "%%%"}]}, 422, "a.pdf is not Base64"),
    "a binary upload": (
        {"documents": [{"name": "a.exe", "base64": base64.b64encode(b"MZ\x00\x01\x02" * 400).decode()}]},
        422,
        "a.exe can't be used",
    ),
    "text and base64": ({"documents": [{"name": "a", "text": "a", "base64": "YQ=="}]}, 422, "not both"),
    "a nameless document": ({"documents": [{"name": "", "text": "a"}]}, 422, "documents.0.name"),
    "a large document": ({"documents": [{"name": "a.txt", "text": "y" * 10_000_001}]}, 422, "documents.0.text"),
    "a method without its model": ({"method": "standard"}, 422, "none is configured"),
    "a model of nobody": ({"method": "standard", "model": "nobody/x"}, 422, "nobody"),
    "a model without a key": ({"method": "standard", "model": "openai/x"}, 422, "OPENAI_API_KEY"),
    "half a surrogate pair": ({"text": "\ud800 is half."}, 422, "half of a surrogate pair"),
    "window too wide": ({"window": 51}, 422, "window: "),
    "a list for a text": ({"text": ["a"]}, 422, "text: "),
    "a string for a list": ({"contexts": "It opened in 1931."}, 422, "contexts: It is not a list."),
    "a context without a text": ({"contexts": [{"txt": "a"}]}, 422, "contexts.0.text: Field required."),
    "a number for a context": ({"contexts": ["a", 5]}, 422, "contexts.1: Input should be a valid string."),
}


def a_problem(reply: Any, status: int, said: str) -> None:
    assert reply.status == status, reply.body[:500]
    assert reply.headers["content-type"] == "application/problem+json"
    problem = reply.json
    assert problem["status"] == status
    assert problem["title"]
    assert said in problem["detail"] + str(problem.get("hint", "")), problem
    assert "Traceback" not in str(problem)
    assert len(reply.body) < 5_000, "what was sent is not sent back"


@pytest.mark.parametrize("case", BAD)
def test_a_bad_request_is_a_problem_with_the_reason(client: Client, case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "SERPER_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    changes, status, said = BAD[case]
    a_problem(client.post(CHECKS, {**REQUEST, **changes}), status, said)
    assert client.get(CHECKS).json["checks"] == [], "nothing was made of it"


RAW: dict[str, tuple[bytes, str, int, str]] = {
    "not JSON": (b"{", "application/json", 400, "not JSON: Expecting property name enclosed in double quotes at char"),
    "half a text": (b'{"text": "a', "application/json", 400, "not JSON: Unterminated string starting at character 10."),
    "half a JSON": (b'{"text": "a"', "application/json", 400, "at character 13."),
    "not UTF-8": (b'{"text": "\xff"}', "application/json", 400, ""),
    "a form": (b"text=a", "application/x-www-form-urlencoded", 415, "only application/json is read"),
    "a file": (b"%PDF-1.7", "application/pdf", 415, "application/pdf"),
    "plain text, as other sites can send it": (b'{"text": "a"}', "text/plain", 415, "only application/json"),
    "deep JSON": (b'{"text": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "application/json", 400, ""),
    "a list": (b"[]", "application/json", 422, ""),
    "null": (b"null", "application/json", 422, ""),
    "a huge number": (b'{"text": "a", "window": ' + b"9" * 5_000 + b"}", "application/json", 422, ""),
    "nothing": (b"", "application/json", 422, "no body"),
}


@pytest.mark.parametrize("case", RAW)
def test_a_malformed_request_is_a_problem_too(client: Client, case: str) -> None:
    raw, kind, status, said = RAW[case]
    reply = client.call("POST", CHECKS, headers={"Content-Type": kind}, raw=raw)
    if status in (400, 422) and reply.status in (400, 422):
        status = reply.status
    a_problem(reply, status, said)


def test_missing_resources_are_reported_as_not_found(client: Client) -> None:
    for method, path in (
        ("GET", f"{CHECKS}/unknown"),
        ("GET", f"{CHECKS}/unknown/events"),
        ("POST", f"{CHECKS}/unknown/retry"),
        ("DELETE", f"{CHECKS}/unknown"),
        ("GET", f"{CHECKS}?after=unknown"),
    ):
        a_problem(client.call(method, path), 404, "There is no check here")
    a_problem(client.get("/api/v1/nothing"), 404, "nothing at this address")
    a_problem(client.call("PATCH", CHECKS), 405, "does not take such a request")


def test_an_invalid_parameter_is_named(client: Client) -> None:
    a_problem(client.get(f"{CHECKS}?limit=0"), 422, "limit")
    check = client.check()
    client.done(check)
    a_problem(client.get(f"{CHECKS}/{check}/export?format=docx"), 422, "Choose from: claimreview, csv, html")
    a_problem(client.call("PUT", f"{CHECKS}/{check}/choices", {}, {"If-Match": "latest"}), 422, "If-Match")


def test_an_unfinished_check_cannot_be_exported(client: Client) -> None:
    text = " ".join(f"The Marlow bridge was opened in {1900 + n}." for n in range(300))
    check = client.check(text=text)
    a_problem(client.get(f"{CHECKS}/{check}/export"), 409, "is not finished")
    client.post(f"{CHECKS}/{check}/cancel")


def test_one_unreadable_document_does_not_affect_the_others(client: Client) -> None:
    broken = {"name": "broken.pdf", "base64": base64.b64encode(b"%PDF-1.7 and then nothing").decode()}
    whole = client.done(client.check(documents=[*REQUEST["documents"], broken]))
    assert whole["counts"]["supported"] == 1
    (problem,) = whole["report"]["searched"]["problems"]
    assert problem.startswith("broken.pdf: "), "by its name, and no place on the server"


def test_a_document_of_an_unsupported_kind_does_not_affect_the_others(client: Client) -> None:
    kinds = {"cover.pdf": b"\x89PNG\r\n\x1a\n", "tool.exe": b"MZ\x00\x01\x02"}
    others = [{"name": name, "base64": base64.b64encode(data * 99).decode()} for name, data in kinds.items()]
    whole = client.done(client.check(documents=[*others, *REQUEST["documents"]]))
    assert whole["counts"]["supported"] == 1
    assert [problem.partition(": ")[0] for problem in whole["report"]["searched"]["problems"]] == list(kinds)


def test_a_check_with_only_unreadable_documents_fails(client: Client) -> None:
    broken = {"name": "broken.pdf", "base64": base64.b64encode(b"%PDF-1.7 and then nothing").decode()}
    failed = client.done(client.check(documents=[broken]), state="failed")
    assert "broken.pdf" in failed["problem"]["detail"]
    assert "/" not in failed["problem"]["detail"].split("broken.pdf")[0], "no place on the server"


def test_document_names_do_not_lead_to_other_files(client: Client) -> None:
    names = [
        "../../../etc/passwd",
        "/etc/hosts",
        "..\\..\\boot.ini",
        "a/../../b.txt",
        ".hidden",
        "\u0000x.txt",
        "é" * 190,
    ]
    documents = [{"name": name, "text": REQUEST["documents"][0]["text"]} for name in names]
    whole = client.done(client.check(documents=documents))
    assert whole["counts"]["supported"] == 1
    for document in whole["request"]["documents"]:
        assert "/" not in document["name"]
        assert not document["name"].startswith(".")


def test_steps_report_errors_in_records(client: Client) -> None:
    segment = {"id": "s1", "span": {"start": 0, "end": 3}, "text": "abc", "kind": "sentence"}
    claim = {"id": "s1.c1", "segment_id": "s9", "text": "abc", "standalone": "abc"}
    response = {"text": "abcdef"}
    moved = {**segment, "span": {"start": 1, "end": 4}}
    a_problem(client.post("/api/v1/claims", {"response": response, "segments": [moved]}), 422, "is not in the text")
    twice = {"response": response, "segments": [segment, segment]}
    a_problem(client.post("/api/v1/claims", twice), 422, "two records with the id s1")
    stray = {"response": response, "segments": [segment], "claims": [claim], "passages": []}
    a_problem(client.post("/api/v1/judge", stray), 422, "the segment s9, which is not given")
    a_problem(client.post("/api/v1/score", {"report": {}}), 422, "report.")
    reversed_span = {**segment, "span": {"start": 3, "end": 1}}
    a_problem(client.post("/api/v1/claims", {"response": response, "segments": [reversed_span]}), 422, "span ends at 1")


def test_an_unknown_measure_is_named(client: Client) -> None:
    report = client.done(client.check())["report"]
    a_problem(client.post("/api/v1/score", {"report": report, "measures": ["luck"]}), 422, "luck")
    a_problem(client.post("/api/v1/rescore", {"report": report, "measures": ["a(b"]}), 422, "is not a score")


def test_a_body_without_its_length_is_bounded_too(port: int) -> None:
    from http.client import HTTPConnection

    connection = HTTPConnection("127.0.0.1", port)
    pieces = (json.dumps("x" * 1_000_000).encode() for _ in range(60))
    try:
        connection.request("POST", CHECKS, pieces, {"Content-Type": "application/json"}, encode_chunked=True)
        answer = connection.getresponse()
        assert answer.status == 413
    except (BrokenPipeError, ConnectionResetError):  # the server need not read on after refusing
        pass
    finally:
        connection.close()


def test_an_error_has_the_status_and_the_title_of_its_kind() -> None:
    problem = problem_of(NoEvidenceError("None of the evidence can be used.", "Look at it.", ()))
    assert (problem.status, problem.title) == (422, "The content can't be used")
