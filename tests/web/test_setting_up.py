"""Setup of a server and its effect on checks: its own evidence, a budget, and keys that never leak."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from factscope.engine import Settings
from tests import lab

from .served import CHECKS, DOCUMENT, REQUEST, TEXT, Client, server

KEY = "sk-canary/key+of=this-test"


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> Iterator[lab.Server]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with lab.model_server() as found:
        monkeypatch.setenv("OPENAI_BASE_URL", found.base_url)
        yield found


def test_the_servers_documents_are_used_by_checks_without_any(tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text(DOCUMENT["text"])
    settings = Settings(store=tmp_path / "runs.db", cache=tmp_path / "cache", evidence=(tmp_path / "own.txt",))
    with server(settings, str(tmp_path / "server.db")) as port:
        client = Client(port)
        assert client.get("/api/v1/setup").json["own_evidence"] is True
        whole = client.done(client.check(documents=[]))
        assert whole["counts"]["supported"] == 1
        other = client.done(client.check(documents=[{"name": "other.txt", "text": "Penguins live in Antarctica."}]))
        assert other["counts"]["supported"] == 0, "documents that a check brings are all of its evidence"
        blank = client.post(CHECKS, {**REQUEST, "documents": [], "contexts": [" "]})
        assert blank.status == 422, "so are contexts"
        assert "nothing to check the text against" in blank.json["detail"]


def test_a_budget_covers_all_checks_and_cannot_be_avoided_with_another_model(
    tmp_path: Path, models: lab.Server
) -> None:
    settings = Settings(store=tmp_path / "runs.db", cache=tmp_path / "cache", model={"*": "openai/lab"}, max_calls=3)
    with server(settings, str(tmp_path / "server.db")) as port:
        client = Client(port)
        for n in range(3):
            client.done(client.check(method="facts-and-evidence", text=f"The bridge has {n} arches. It is old. {TEXT}"))
        assert models.count() == 3
        refused = client.post(CHECKS, {**REQUEST, "method": "standard", "model": "openai/other"})
        assert refused.status == 422
        assert "budget" in refused.json["detail"]


def test_a_check_stays_within_its_own_budget(tmp_path: Path, models: lab.Server) -> None:
    prices = tmp_path / "prices.json"
    prices.write_text('{"models": {"openai/lab": [1, 1]}}', encoding="utf-8")
    settings = Settings(
        store=tmp_path / "runs.db", cache=tmp_path / "cache", model={"*": "openai/lab"}, prices=prices, in_flight=1
    )
    asked = {**REQUEST, "method": "facts-and-evidence"}
    with server(settings, str(tmp_path / "server.db")) as port:
        client = Client(port)
        assert client.get("/api/v1/setup").json["budget"] == {"available": True, "why_not": None}
        estimate = client.post("/api/v1/estimate", {**asked, "max_cost": 0.0001}).json
        assert "--max-cost 0.0001" in estimate["command"]
        assert any("limit of $0.0001" in note for note in estimate["notes"])
        poor = client.done(client.check(method="facts-and-evidence", max_cost=0.0001))
        spent = models.count()
        said = [one["message"] for one in poor["report"]["failures"]]
        assert said
        assert all("The budget of $0.0001 is used up." in one for one in said)
        rich = client.done(client.check(method="facts-and-evidence", text=f"{TEXT} It is old.", max_cost=5))
        assert rich["counts"]["failed"] == 0, "another check's budget is its own"
        assert models.count() > spent + 2
        unknown = client.post(CHECKS, {**asked, "model": "openai/nobody", "max_cost": 1})
        assert unknown.status == 422
        assert "price" in unknown.json["detail"]


def test_a_server_with_a_budget_or_without_a_model_explains_why_checks_have_no_budget(
    tmp_path: Path, models: lab.Server
) -> None:
    settings = Settings(store=tmp_path / "runs.db", cache=tmp_path / "cache", model={"*": "openai/lab"}, max_calls=3)
    with server(settings, str(tmp_path / "server.db")) as port:
        client = Client(port)
        assert "budget of its own" in client.get("/api/v1/setup").json["budget"]["why_not"]
        refused = client.post(CHECKS, {**REQUEST, "method": "facts-and-evidence", "max_cost": 1})
        assert refused.status == 422
        assert "budget of its own" in refused.json["detail"]
    without = settings.model_copy(update={"model": {}, "max_calls": None})
    with server(without, str(tmp_path / "other.db")) as port:
        assert "No model" in Client(port).get("/api/v1/setup").json["budget"]["why_not"]


def test_a_request_without_a_method_uses_the_default_for_its_model(tmp_path: Path, models: lab.Server) -> None:
    asked = {name: value for name, value in REQUEST.items() if name != "method"}
    places = Settings(store=tmp_path / "runs.db", cache=tmp_path / "cache")
    with server(places, str(tmp_path / "server.db")) as port:
        client = Client(port)
        assert client.post(CHECKS, asked).json["method"] == "builtin"
        made = client.post(CHECKS, {**asked, "model": "openai/lab"}).json
        assert made["method"] == "standard"
        assert client.done(made["id"])["report"]["models"]["judge"] == "openai/lab"
        assert (
            "--method standard --model openai/lab"
            in client.post("/api/v1/estimate", {**asked, "model": "openai/lab"}).json["command"]
        )
    with server(places.model_copy(update={"model": {"*": "openai/lab"}}), str(tmp_path / "other.db")) as port:
        client = Client(port)
        assert client.post(CHECKS, asked).json["method"] == "standard"
        assert client.get("/api/v1/setup").json["defaults"]["method"] == "standard"
        assert client.done(client.check(method="builtin"))["report"]["models"] == {}


def test_a_model_that_nothing_would_ask_is_refused(tmp_path: Path, models: lab.Server) -> None:
    settings = Settings(store=tmp_path / "runs.db", cache=tmp_path / "cache")
    claim = {"claim": "The bridge has six arches.", "documents": [DOCUMENT]}
    with server(settings, str(tmp_path / "server.db")) as port:
        client = Client(port)
        for path, body in ((CHECKS, REQUEST), ("/api/v1/estimate", REQUEST), ("/api/v1/judge", claim)):
            refused = client.post(path, {**body, "model": "openai/lab"})
            assert refused.status == 422
            assert refused.json["detail"] == "builtin asks no language model: openai/lab would not be used."
    assert models.count() == 0


@pytest.mark.medium
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


def test_an_estimate_includes_the_model_calls_of_a_search(tmp_path: Path, models: lab.Server) -> None:
    settings = Settings(store=tmp_path / "runs.db", cache=tmp_path / "cache", model={"*": "openai/lab"})
    asked = {**REQUEST, "documents": [], "method": "facts-and-evidence"}
    with server(settings, str(tmp_path / "server.db")) as port:
        here, web = (
            Client(port).post("/api/v1/estimate", {**asked, **more}).json["calls"]
            for more in ({"documents": REQUEST["documents"]}, {"search": "wikipedia"})
        )
    assert web["low"] == here["low"]
    assert web["high"] > here["high"]
