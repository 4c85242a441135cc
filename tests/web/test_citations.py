"""The citations of a text over the API: the worked report, its view, what a person rules out, and bad requests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .served import CHECKS, Client

EXAMPLE = Path(__file__).parents[2] / "examples" / "cited"
REPORT = (EXAMPLE / "report.md").read_text(encoding="utf-8")
RECORDED = {"name": "sources.jsonl", "text": (EXAMPLE / "sources.jsonl").read_text(encoding="utf-8")}
OFFLINE = {"cited": True, "offline": True}


def view_of(client: Client, check: str, query: str = "") -> Any:
    reply = client.get(f"{CHECKS}/{check}/citations{query}")
    assert reply.status == 200, reply.body
    return reply.json


@pytest.mark.medium
def test_the_worked_report_is_checked_offline(client: Client) -> None:
    check = client.check(text=REPORT, documents=[RECORDED], repair=True, **OFFLINE)
    done = client.done(check)
    assert done["report"]["method"]["evidence"]["source"] == "cited"
    view = view_of(client, check)
    found = {(one["line"], one["column"], one["kind"]) for one in view["problems"]}
    assert {(9, 36, "altered_quote"), (17, 165, "contradicts"), (27, 69, "circular")} <= found
    sound = next(mark for mark in view["marks"] if mark["outcome"] == "supports" and mark["quote"])
    at = sound["quote_span"]
    assert sound["passage"][at["start"] : at["end"]] == sound["quote"]
    altered = next(one for one in view["quotations"] if one["outcome"] == "altered")
    assert "1874" in altered["difference"]
    yachts = next(one for one in view["problems"] if "yachts" in one["about"] and one["reference"])
    assert yachts["reference"].startswith("Statistics Lannow")
    source = next(one for one in view["sources"] if one["repaired"])
    assert source["repaired"] == yachts["reference"]
    assert {score["name"] for score in view["scores"]} >= {"citation_recall", "dead_sources"}


def test_files_are_found_by_key_and_never_by_their_place(client: Client) -> None:
    text = "The bridge was opened in 1931 [1]. It has four arches [2].\n\n## References\n\n[2] Low (2010). Arches.\n"
    files = [
        {"name": "2.txt", "text": "It has four arches."},
        {"name": "other.txt", "text": "The bridge was opened in 1931."},
    ]
    report = client.done(client.check(text=text, documents=files, **OFFLINE))["report"]
    assert {one["key"]: one["state"] for one in report["sources"]} == {"1": "no_entry", "2": "read"}
    (document,) = report["documents"]
    assert document["url"] == "2.txt"


def test_a_document_is_found_by_an_entry_that_is_its_name(client: Client) -> None:
    text = "The bridge was opened in 1931 [1].\n\n[1] island.md\n"
    files = [{"name": "island.md", "text": "The bridge was opened in 1931."}, {"name": "1.md", "text": "Penguins."}]
    report = client.done(client.check(text=text, documents=files, **OFFLINE))["report"]
    assert [source["state"] for source in report["sources"]] == ["read"]
    assert [document["url"] for document in report["documents"]] == ["island.md"]


def test_a_table_is_found_by_an_entry_that_names_it(client: Client) -> None:
    files = [{"name": "limits.csv", "text": "city,hotel limit\nBerlin,140\nOslo,210\n"}]
    done = client.done(
        client.check(text="The hotel limit in Oslo is 210 [1].\n\n[1] limits.csv\n", documents=files, **OFFLINE)
    )
    assert [document["url"] for document in done["report"]["documents"]] == ["limits.csv"]
    assert done["counts"]["supported"] == 1


def test_a_source_that_is_ruled_out_supports_nothing(client: Client) -> None:
    check = client.check(text=REPORT, documents=[RECORDED], **OFFLINE)
    done = client.done(check)
    source = next(one for one in done["report"]["sources"] if one["key"] == "9")
    choices = {"exclude": {"documents": [source["document_id"]]}}
    assert client.call("PUT", f"{CHECKS}/{check}/choices", choices).status == 200
    of = {one["id"]: one for one in view_of(client, check)["sources"]}
    assert of[source["id"]]["supports"] == 0
    of = {one["id"]: one for one in view_of(client, check, "?original=true")["sources"]}
    assert of[source["id"]]["supports"] > 0


def test_only_checks_of_citations_have_a_citation_view_and_no_partial_recheck(client: Client) -> None:
    plain = client.check()
    client.done(plain)
    reply = client.get(f"{CHECKS}/{plain}/citations")
    assert (reply.status, "cited" in reply.json["hint"]) == (409, True)
    cited = client.check(text="It was opened in 1931 [1].", **OFFLINE)
    client.done(cited)
    assert client.post(f"{CHECKS}/{cited}/recheck", {"text": "It was opened in 1932 [1]."}).status == 409


@pytest.mark.parametrize("name", ["repair", "offline"])
def test_citation_options_need_a_check_of_citations(client: Client, name: str) -> None:
    reply = client.post(CHECKS, {"text": "It was opened in 1931 [1].", name: True})
    assert reply.status in (400, 422)
    assert "cited" in reply.json["hint"]


def test_the_estimate_names_the_command(client: Client) -> None:
    reply = client.post("/api/v1/estimate", {"text": REPORT, "repair": True, **OFFLINE})
    assert "--cited --repair --offline" in reply.json["command"]
