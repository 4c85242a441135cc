"""How a server is set up shows in its checks: evidence of its own, a budget, and keys that never come out."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from factscope.config import Settings
from tests import lab

from .served import CHECKS, DOCUMENT, REQUEST, TEXT, Client, server

KEY = "sk-canary/key+of=this-test"


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> Iterator[lab.Server]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with lab.model_server() as found:
        monkeypatch.setenv("OPENAI_BASE_URL", found.base_url)
        yield found


def test_documents_of_the_server_serve_checks_that_bring_none(tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text(DOCUMENT["text"])
    settings = Settings(store=tmp_path / "runs.db", cache=tmp_path / "cache", evidence=(tmp_path / "own.txt",))
    with server(settings, str(tmp_path / "server.db")) as port:
        client = Client(port)
        whole = client.done(client.check(documents=[]))
        assert whole["counts"]["supported"] == 1
        other = client.done(client.check(documents=[{"name": "other.txt", "text": "Penguins live in Antarctica."}]))
        assert other["counts"]["supported"] == 0, "documents that a check brings are all of its evidence"


def test_a_budget_holds_for_all_checks_and_no_other_model_gets_round_it(tmp_path: Path, models: lab.Server) -> None:
    settings = Settings(store=tmp_path / "runs.db", cache=tmp_path / "cache", model={"*": "openai/lab"}, max_calls=3)
    with server(settings, str(tmp_path / "server.db")) as port:
        client = Client(port)
        for n in range(3):
            client.done(client.check(method="facts-and-evidence", text=f"The bridge has {n} arches. It is old. {TEXT}"))
        assert models.count() == 3
        refused = client.post(CHECKS, {**REQUEST, "method": "standard", "model": "openai/other"})
        assert refused.status == 422
        assert "budget" in refused.json["detail"]


def test_keys_are_nowhere(tmp_path: Path, models: lab.Server) -> None:
    settings = Settings(store=tmp_path / "runs.db", cache=tmp_path / "cache", model={"*": "openai/lab"})
    seen = b""
    with server(settings, str(tmp_path / "server.db")) as port:
        client = Client(port)
        check = client.check(method="standard")
        client.done(check)
        models.script([{"do": {"status": 401, "json": {"error": {"message": f"wrong key {KEY}"}}}}])
        failed = client.check(method="standard", text="Another text of two words.")
        client.done(failed, state="failed")
        for one in (check, failed):
            seen += client.get(f"{CHECKS}/{one}").body + client.get(f"{CHECKS}/{one}/events").body
        for path in ("/api/v1/setup", "/metrics", "/openapi.json", f"{CHECKS}/{check}/export"):
            seen += client.get(path).body
        stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
        for form in (KEY, quote(KEY, safe=""), base64.b64encode(KEY.encode()).decode()):
            assert form.encode() not in seen
            assert form.encode() not in stored
        assert client.secret.encode() not in stored, "who a user is is kept as a hash"
