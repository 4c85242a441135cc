"""Each step alone, and all steps in sequence: the same as a whole check."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from factscope.engine import Settings
from tests import lab
from tests.lab.growth import growth

from .served import TEXT, Client, server

DOCUMENT = {
    "id": "d-1",
    "text": "The Marlow bridge was opened in 1931. It has four arches.",
    "url": "bridge.txt",
    "title": "bridge.txt",
    "sha256": "",
}


def ok(client: Client, step: str, body: Any) -> Any:
    reply = client.post(f"/api/v1/{step}", body)
    assert reply.status == 200, reply.body
    return reply.json


def test_the_steps_in_sequence_give_the_same_result_as_a_check(client: Client) -> None:
    whole = client.done(client.check())["report"]
    response = {"text": TEXT}
    segments = ok(client, "segment", {"text": TEXT})["segments"]
    assert segments == whole["segments"]
    claims = ok(client, "claims", {"response": response, "segments": segments})["claims"]
    assert claims == whole["claims"]
    checkable = [claim for claim in claims if claim["skipped"] is None]
    queries = ok(client, "queries", {"response": response, "claims": checkable})["queries"]
    assert queries == whole["queries"]
    passages = []
    for claim, query in zip(checkable, queries, strict=True):
        asked = {"claim": claim, "query": query["text"], "documents": [DOCUMENT], "passages": {"top_k": 5}}
        passages += ok(client, "passages", asked)["passages"]
    assert [one["text"] for one in passages] == [one["text"] for one in whole["passages"]]
    material = {"response": response, "segments": segments, "documents": [{**DOCUMENT, "text": None}]}
    judged = ok(client, "judge", {**material, "claims": claims, "passages": passages})
    assert judged["failures"] == []
    assert [one["label"] for one in judged["judgements"]] == [one["label"] for one in whole["judgements"]]
    rolled = ok(
        client,
        "roll-up",
        {**material, "claims": claims, "passages": passages, "judgements": judged["judgements"]},
    )
    assert rolled["counts"] == whole["counts"]
    assert {(one["unit_id"], one["outcome"]) for one in rolled["verdicts"]} == {
        (one["unit_id"], one["outcome"]) for one in whole["verdicts"]
    }
    scores = ok(client, "score", {"report": whole})["scores"]
    assert scores == whole["scores"]


def test_rows_of_a_table_are_claims_with_the_names_of_their_columns(client: Client) -> None:
    cut = ok(client, "claims", {"text": "| Year | Arches |\n|---|---|\n| 1931 | 4 |\n"})
    assert [claim["standalone"] for claim in cut["claims"]] == ["Year, Arches", "Year: 1931; Arches: 4"]


PLAIN = {"name": "bridge.txt", "text": "The Marlow bridge was opened in 1931. It has four arches."}
CLAIM = "The Marlow bridge was opened in 1931."
PASSAGE = {
    "id": "p1",
    "claim_id": "s1.c1",
    "document_id": "d-1",
    "span": {"start": 0, "end": 37},
    "text": CLAIM,
    "rank": 1,
    "score": 1.0,
}
NO_UNITS: dict[str, Any] = {"response": {"text": CLAIM}, "segments": [], "claims": []}


def test_every_step_takes_plain_strings(client: Client) -> None:
    cut = ok(client, "claims", {"text": TEXT})
    assert cut["claims"][0]["text"] == CLAIM
    assert cut == ok(client, "claims", {"response": TEXT})
    (query,) = ok(client, "queries", {"claim": CLAIM})["queries"]
    assert query["text"] == CLAIM
    for documents in ([PLAIN], [PLAIN["text"]], [{"text": PLAIN["text"]}]):
        found = ok(client, "passages", {"claim": CLAIM, "documents": documents})["passages"]
        assert found[0]["text"].startswith(CLAIM)
        judged = ok(client, "judge", {"claim": CLAIM, "documents": documents})
        assert [one["text"] for one in judged["passages"]] == [one["text"] for one in found]
        assert judged["judgements"][0]["label"] == "supported"
        assert judged["judgements"][0]["unit_id"] == judged["claims"][0]["id"]
    several = ok(client, "judge", {"claims": [CLAIM, "It has four arches."], "response": TEXT, "documents": [PLAIN]})
    assert {one["unit_id"] for one in several["judgements"]} == {"s1.c1", "s2.c1"}


@pytest.mark.parametrize(
    ("step", "body", "said"),
    [
        ("claims", {}, "Give the text once"),
        ("claims", {"text": TEXT, "response": TEXT}, "Give the text once"),
        ("judge", {"documents": [PLAIN]}, "Give one claim"),
        ("judge", {"claim": CLAIM, "claims": [CLAIM], "documents": [PLAIN]}, "Give one claim"),
        ("judge", {"claims": [CLAIM, " "], "documents": [PLAIN]}, "Claim 2 is empty"),
        ("judge", {"claim": CLAIM, "documents": []}, "There is nothing to judge the claims by"),
        ("judge", {"claim": CLAIM, "documents": [PLAIN, {"text": ""}]}, "Document 2 is empty"),
        ("judge", {"claim": CLAIM, "segments": []}, "Segments need the response"),
        ("judge", {"claim": CLAIM, "documents": [DOCUMENT, {**DOCUMENT, "text": "No."}]}, "two documents with the id"),
        ("judge", {"claim": CLAIM, "documents": [{**DOCUMENT, "text": None}]}, "The document d-1 has no text"),
        ("passages", {"claim": CLAIM, "documents": [{**DOCUMENT, "text": None}]}, "The document d-1 has no text"),
        ("judge", {"claim": CLAIM, "passages": [{**PASSAGE, "claim_id": "s4.c1"}]}, "p1 is of s4.c1"),
        ("judge", {"claim": CLAIM, "passages": [PASSAGE, PASSAGE]}, "two records with the id p1"),
        ("roll-up", {**NO_UNITS, "passages": [PASSAGE, PASSAGE]}, "two records with the id p1"),
        ("passages", [CLAIM], "The body is not a JSON object"),
    ],
)
def test_a_step_names_what_is_missing_and_drops_nothing(client: Client, step: str, body: Any, said: str) -> None:
    reply = client.post(f"/api/v1/{step}", body)
    assert reply.status == 422
    assert said in reply.json["detail"]


def test_a_repeated_id_among_many_is_found_in_linear_time(client: Client) -> None:
    """The server answers nobody else meanwhile."""

    def roll_up(size: int) -> None:
        numbers = [*range(size), size - 1]
        segments = [{"id": f"s{n}", "span": {"start": 0, "end": 1}, "text": "a", "kind": "sentence"} for n in numbers]
        reply = client.post("/api/v1/roll-up", {**NO_UNITS, "segments": segments})
        assert f"two records with the id s{size - 1}" in reply.json["detail"]

    assert growth(roll_up, 16_000) < 1.5


def test_scores_are_computed_again_without_a_model(client: Client) -> None:
    whole = client.done(client.check())["report"]
    assert ok(client, "rescore", {"report": whole}) == whole
    without = ok(client, "rescore", {"report": whole, "exclude": {"documents": ["bridge.txt"]}})
    assert without["counts"]["excluded"] == 2
    assert without["scores"][0]["value"] is None, "nothing to count is no 0"
    mistyped = {"exclude": {"documents": ["brigde.txt"]}}
    (told,) = ok(client, "rescore", {"report": whole} | mistyped)["warnings"]
    assert "brigde.txt" in told
    records = {name: whole[name] for name in ("response", "segments", "claims", "documents", "passages", "judgements")}
    assert ok(client, "roll-up", records | mistyped)["unknown"] == [told]
    (score,) = ok(client, "score", {"report": whole, "measures": ["credibility"]})["scores"]
    assert score["name"] == "credibility"


def test_steps_work_with_a_method_that_asks_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with lab.model_server() as models:
        monkeypatch.setenv("OPENAI_BASE_URL", models.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-lab")
        settings = Settings(store=tmp_path / "runs.db", cache=tmp_path / "cache", model={"*": "openai/lab"})
        with server(settings, str(tmp_path / "server.db")) as port:
            client, response = Client(port), {"text": TEXT}
            for method in ("standard", "verify", "facts-and-evidence", "safe", "factscore", "veriscore"):
                cut = ok(client, "claims", {"response": response, "method": method})
                assert cut["failures"] == [], method
                claims = [claim for claim in cut["claims"] if claim["skipped"] is None]
                assert claims, method
                assert cut["usage"], method
                queries = ok(client, "queries", {"response": response, "claims": claims, "method": method})
                assert {one["claim_id"] for one in queries["queries"]} == {claim["id"] for claim in claims}
                passages = []
                for claim in claims:
                    passages += ok(client, "passages", {"claim": claim, "documents": [DOCUMENT]})["passages"]
                judged = ok(
                    client,
                    "judge",
                    {
                        "response": response,
                        "segments": cut["segments"],
                        "claims": claims,
                        "documents": [DOCUMENT],
                        "passages": passages,
                        "method": method,
                    },
                )
                assert judged["failures"] == [], method
                assert {one["unit_id"] for one in judged["judgements"]} == {claim["id"] for claim in claims}, method


@pytest.mark.parametrize("method", ["felm/claim-doc", "felm/claim-vanilla", "felm/claim-link"])
def test_claims_judged_together_by_number_are_judged_as_in_a_check(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = [
        {"id": f"s{n}.c1", "segment_id": f"s{n}", "text": text, "standalone": text}
        for n, text in enumerate(("The Marlow bridge was opened in 1931.", "It has nine arches."), 1)
    ]
    with lab.model_server([{"do": {"text": "Nine is not four.\nAnswer: 2"}}]) as models:
        monkeypatch.setenv("OPENAI_BASE_URL", models.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-lab")
        settings = Settings(store=tmp_path / "runs.db", cache=tmp_path / "cache", model={"*": "openai/lab"})
        with server(settings, str(tmp_path / "server.db")) as port:
            client = Client(port)
            text = " ".join(claim["text"] for claim in claims)
            segments = ok(client, "segment", {"text": text})["segments"]
            body = {"response": {"text": text}, "segments": segments, "claims": claims, "method": method}
            if method != "felm/claim-vanilla":  # its claims have no passages, but are judged all the same
                passage = {"id": "s1.c1.p1", "claim_id": "s1.c1", "document_id": "d-1", "rank": 1, "score": 1.0}
                words = "The Marlow bridge was opened in 1931."
                body["documents"] = [DOCUMENT]
                body["passages"] = [{**passage, "text": words, "span": {"start": 0, "end": len(words)}}]
            judged = ok(client, "judge", {"passages": [], **body})
            n_calls = models.count()
    assert judged["failures"] == []
    assert [one["label"] for one in judged["judgements"]][-1] == "contradicted"
    assert n_calls == 1, "one call judges all claims"


def test_a_model_that_fails_is_a_failure_of_its_units(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with lab.model_server([{"do": {"text": "I had rather not."}}]) as models:
        monkeypatch.setenv("OPENAI_BASE_URL", models.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-lab")
        settings = Settings(store=tmp_path / "runs.db", cache=tmp_path / "cache", model={"*": "openai/lab"})
        with server(settings, str(tmp_path / "server.db")) as port:
            cut = ok(Client(port), "claims", {"response": {"text": TEXT}, "method": "verify"})
            assert {one["boundary"] for one in cut["failures"]} == {"parse"}


def test_sources_are_categorised_by_their_name(client: Client) -> None:
    for source, category in (
        ("https://www.bbc.co.uk/news/1", "news"),
        ("en.wikipedia.org", "wiki"),
        ("https://127.0.0.1/", "other"),
        ("not a host", "other"),
    ):
        assert ok(client, "source-category", {"source": source})["category"] == category


def test_only_public_pages_are_fetched(client: Client) -> None:
    for url in (f"http://127.0.0.1:{client.port}/healthz", "file:///etc/passwd", "http://[::1]/", "gopher://x/", "x"):
        got = ok(client, "fetch", {"url": url})
        assert got["document"] is None
        assert got["failures"][0]["boundary"] == "fetch"
        assert got["failures"][0]["message"]


def test_a_failed_search_is_reported(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    with lab.web_server([{"do": {"status": 401}}]) as web:
        monkeypatch.setenv("SERPER_API_KEY", "sk-serper-canary")
        monkeypatch.setenv("SERPER_BASE_URL", web.url)
        got = ok(client, "search", {"query": "Marlow bridge", "engine": "serper"})
        assert got["hits"] == []
        assert got["failures"][0]["boundary"] == "search"
        assert "sk-serper-canary" not in json.dumps(got)
