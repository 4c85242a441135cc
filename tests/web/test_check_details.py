"""Details of a check: the documents given with it, and the raw call of each judgement."""

from __future__ import annotations

import base64
import sqlite3
from pathlib import Path

import pytest

from factscope.engine import Settings
from tests import lab

from .served import CHECKS, DOCUMENT, TEXT, Client, server


def test_the_documents_of_a_check_come_back_as_they_were_given(client: Client) -> None:
    latin = {"name": "cafe.txt", "base64": base64.b64encode("Das Café ist alt.".encode("latin-1")).decode()}
    check = client.check(documents=[DOCUMENT, latin])
    assert client.get(f"{CHECKS}/{check}/documents").json["documents"] == [
        {**DOCUMENT, "base64": None},
        {**latin, "text": None},
    ]
    assert Client(client.port).get(f"{CHECKS}/{check}/documents").status == 404, "it is another user's"


def test_the_call_behind_a_judgement_is_shown_word_for_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with lab.model_server() as models:
        monkeypatch.setenv("OPENAI_BASE_URL", models.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-lab-canary")
        settings = Settings(store=tmp_path / "runs.db", cache=tmp_path / "cache", model={"*": "openai/lab"})
        with server(settings, str(tmp_path / "server.db")) as port:
            client = Client(port)
            for method in ("standard", "facts-and-evidence"):
                check = client.check(method=method)
                for judgement in client.done(check)["report"]["judgements"]:
                    call = client.get(f"{CHECKS}/{check}/calls/{judgement['id']}")
                    assert call.status == 200, call.body
                    assert call.json["model"] == "openai/lab"
                    assert any("Marlow" in message["content"] for message in call.json["messages"])
                    assert judgement["raw_label"] in call.json["reply"]
                    assert b"canary" not in call.body
            stranger = Client(port)
            assert stranger.get(f"{CHECKS}/{check}/calls/{judgement['id']}").status == 404
            assert client.get(f"{CHECKS}/{check}/calls/s9.c9.j1").status == 404
            (settings.cache / "replies.db").rename(tmp_path / "gone.db")
            lost = client.get(f"{CHECKS}/{check}/calls/{judgement['id']}")
            assert lost.status == 404
            assert "cleared" in lost.json["hint"]


def test_a_verifiers_judgement_has_no_call(client: Client) -> None:
    check = client.check()
    report = client.done(check)["report"]
    reply = client.get(f"{CHECKS}/{check}/calls/{report['judgements'][0]['id']}")
    assert reply.status == 404
    assert "did not come from one call" in reply.json["detail"]


def test_an_unreadable_language_is_reported_before_the_check(client: Client) -> None:
    german = "Die Brücke wurde im Jahr 1931 eröffnet. Sie hat vier Bögen und ist sehr lang."
    assert client.post("/api/v1/estimate", {"text": german, "method": "builtin"}).json["unread_language"] == "de"
    for text, method in ((TEXT, "builtin"), (german, "standard")):
        assert client.post("/api/v1/estimate", {"text": text, "method": method}).json["unread_language"] is None


def test_a_check_with_damaged_records_reports_it_and_is_repaired_by_a_retry(tmp_path: Path) -> None:
    settings = Settings(store=tmp_path / "runs.db", cache=tmp_path / "cache")
    with server(settings, str(tmp_path / "server.db")) as port:
        client = Client(port)
        check = client.check()
        whole = client.done(check)
        with sqlite3.connect(tmp_path / "server.db") as database:
            database.execute("UPDATE events SET body = '{' WHERE type = 'passage'")
        damaged = client.get(f"{CHECKS}/{check}").json
        assert (damaged["state"], damaged["problem"]["hint"]) == ("failed", "Retry it: what is missing is made again.")
        assert damaged["report"]["claims"] == whole["report"]["claims"]
        (listed,) = client.get(CHECKS).json["checks"]
        assert (listed["state"], listed["problem"]) == (damaged["state"], damaged["problem"])
        export = client.get(f"{CHECKS}/{check}/export")
        assert (export.status, export.json["detail"]) == (409, damaged["problem"]["detail"])
        client.post(f"{CHECKS}/{check}/retry")
        assert client.done(check)["report"] == whole["report"]
        assert [each["state"] for each in client.get(CHECKS).json["checks"]] == ["done"]
