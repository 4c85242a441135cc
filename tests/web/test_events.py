"""Events of a check: as they are made, and again from any of them."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from factscope.core import LogEntry, current_records
from factscope.engine import Settings
from factscope.web import PROVENANCE, report_of
from tests import lab
from tests.conftest import at_least

from .served import CHECKS, Client, server, wait_for


def test_missed_events_are_resent_exactly(client: Client) -> None:
    check = client.check()
    client.done(check)
    whole = client.events(check)
    ids = [event.id for event in whole[:-1]]
    assert ids == list(range(1, len(whole)))
    assert (whole[-1].type, whole[-1].id) == ("end", None)
    assert whole[-1].data["state"] == "done"
    for after in range(len(ids)):
        assert client.events(check, after) == whole[after:]
    assert (
        client.get(f"{CHECKS}/{check}/events?after=3").body
        == client.get(f"{CHECKS}/{check}/events", Last_Event_ID="3").body
    )


def test_a_watcher_of_an_ended_check_is_not_called_back(client: Client) -> None:
    check = client.check()
    last = client.done(check)["last_event"]
    assert client.get(f"{CHECKS}/{check}/events", Last_Event_ID=str(last)).status == 204


def test_an_unreadable_last_event_begins_at_the_beginning(client: Client) -> None:
    check = client.check()
    client.done(check)
    whole = client.get(f"{CHECKS}/{check}/events").body
    for odd in ("x", "-1", "9" * 30, "1.5", "٣"):
        reply = client.get(f"{CHECKS}/{check}/events", Last_Event_ID=odd.encode().decode("latin-1"))
        assert (reply.status, reply.body) == (200, whole)


def test_the_events_add_up_to_the_report(client: Client) -> None:
    check = client.check()
    whole = client.done(check)
    records = current_records(
        LogEntry.of_json(event.type, json.dumps(event.data)) for event in client.events(check)[:-1]
    )
    report = whole["report"]
    how = PROVENANCE.validate_python({name: report[name] for name in ("method", "searched", "models", "prompts")})
    made = report_of(records, how)
    assert made
    assert json.loads(made.model_dump_json()) == report


def test_a_watcher_sees_each_event_as_it_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with lab.model_server([{"when": {"contains": "The claim:"}, "do": {"hang": True}}]) as models:
        monkeypatch.setenv("OPENAI_BASE_URL", models.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-lab")
        settings = Settings(store=tmp_path / "runs.db", cache=tmp_path / "cache", model={"*": "openai/lab"})
        with server(settings, str(tmp_path / "server.db")) as port:
            client = Client(port)
            check = client.check(method="facts-and-evidence")
            with client.watching(check) as events:
                seen = [next(events).type for _ in range(5)]
                assert seen == ["state", "response", "segment", "segment", "segment"]
                while next(events).type != "passage":
                    pass
                running = client.get(f"{CHECKS}/{check}").json
                assert running["state"] == "running"
                assert running["report"]["passages"], "what there is can be looked at while it runs"
                assert running["report"]["scores"] == []
                client.post(f"{CHECKS}/{check}/cancel")
                rest = [event.type for event in events]
            assert rest[-2:] == ["state", "end"]
            assert client.done(check, state="stopped")


@pytest.mark.medium
def test_a_watcher_sees_what_a_slow_check_is_waiting_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Three calls find the claims; the next two judge them, and are repeated.
    rules = [{"when": {"contains": "The claim:", "first": 5}, "do": {"status": 503, "headers": {"Retry-After": "1"}}}]
    with lab.model_server([*rules, {"when": {"contains": "The claim:"}, "do": {"hang": True}}]) as models:
        monkeypatch.setenv("OPENAI_BASE_URL", models.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-lab")
        settings = Settings(store=tmp_path / "runs.db", cache=tmp_path / "cache", model={"*": "openai/lab"})
        with server(settings, str(tmp_path / "server.db")) as port:
            client = Client(port)
            check, other = client.check(method="facts-and-evidence"), client.check(method="builtin")
            with client.watching(check, waiting=True) as events:
                # The second attempt lasts a second, which a watcher on a busy machine may miss; the third one hangs.
                told = next(event for event in events if event.type == "waiting" and event.data.get("attempt", 0) >= 2)
                assert told.id is None, "it is not replayed"
                assert told.data["role"] == "judge"
                assert told.data["units"] >= 1
                assert told.data["tries"] >= 2
            client.done(other)
            with client.watching(other, waiting=True) as events:
                assert not [event for event in events if event.type == "waiting"], "that is another check's"
            client.post(f"{CHECKS}/{check}/cancel")
            client.done(check, state="stopped")


@pytest.mark.medium
def test_a_lost_connection_costs_nothing_however_often(client: Client) -> None:
    times = at_least(80, in_all=200)
    text = " ".join(f"The Marlow bridge was opened in {1900 + n}." for n in range(times // 2))
    check = client.check(text=text)
    seen: list[int] = []
    for _ in range(times):
        with client.watching(check, seen[-1] if seen else 0) as events:
            for event, _ in zip(events, range(7), strict=False):
                if event.id is not None:
                    seen.append(event.id)
    client.done(check)
    seen += [event.id for event in client.events(check, seen[-1]) if event.id is not None]
    assert seen == list(range(1, len(seen) + 1))
    metrics = wait_for(lambda: str(client.get("/metrics").body), lambda text: r"factscope_watchers 0\n" in text)
    assert "factscope_checks{" in metrics


@pytest.mark.medium
def test_a_returning_watcher_gets_exactly_the_following_events(client: Client, cases: Callable[[int], None]) -> None:
    check = client.check(text=" ".join(f"The Marlow bridge was opened in {1900 + n}." for n in range(40)))
    client.done(check)
    last = client.events(check, 0)[-2].id
    assert last is not None
    chance, times = random.Random(12), at_least(200, in_all=10_000)
    for _ in range(times):
        after = chance.randrange(last)
        with client.watching(check, after) as events:
            told = [event.id for event, _ in zip(events, range(chance.randrange(1, 4)), strict=False)]
        expected = [*range(after + 1, last + 1), None][: len(told)]
        assert told == expected
    assert wait_for(lambda: str(client.get("/metrics").body), lambda text: r"factscope_watchers 0\n" in text)
    cases(times)


@pytest.mark.medium
def test_many_watch_at_once(client: Client) -> None:
    text = " ".join(f"The Marlow bridge was opened in {1900 + n}." for n in range(60))
    check = client.check(text=text)
    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(client.events(check))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(found) == 20
    assert all(one == found[0] for one in found)


def test_a_deleted_check_ends_its_watchers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with lab.model_server([{"do": {"hang": True}}]) as models:
        monkeypatch.setenv("OPENAI_BASE_URL", models.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-lab")
        settings = Settings(store=tmp_path / "runs.db", cache=tmp_path / "cache", model={"*": "openai/lab"})
        with server(settings, str(tmp_path / "server.db")) as port:
            client = Client(port)
            check = client.check(method="verify")
            with client.watching(check) as events:
                next(events)
                client.call("DELETE", f"{CHECKS}/{check}")
                last = list(events)[-1]
            assert (last.type, last.data) == ("end", {"state": "deleted"})
