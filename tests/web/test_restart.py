"""A server that ends, politely or not: its checks carry on at the next start, and nothing is paid for twice."""

from __future__ import annotations

import signal
import time
from collections import Counter
from pathlib import Path

from tests import lab

from .served import CHECKS, Client, Process, wait_for

TEXT = " ".join(f"The Marlow bridge was opened in {1900 + n}." for n in range(12))
DOCUMENT = {"name": "bridge.txt", "text": "The Marlow bridge was opened in 1905. It has four arches."}


def test_a_check_survives_a_kill_and_nothing_is_paid_for_twice(tmp_path: Path) -> None:
    answered = 14
    with lab.model_server([{"when": {"first": answered}, "do": {}}, {"do": {"hang": True}}]) as models:
        environment = {"OPENAI_BASE_URL": models.base_url, "OPENAI_API_KEY": "sk-lab", "FACTSCOPE_MODEL": "openai/lab"}
        first = Process(tmp_path, **environment)
        client = Client(first.port)
        made = client.post(CHECKS, {"text": TEXT, "documents": [DOCUMENT], "method": "facts-and-evidence"})
        check = made.json["id"]
        wait_for(models.count, lambda n: n > answered)
        time.sleep(0.5)  # the replies that came are on disk
        before = client.get(f"{CHECKS}/{check}").json
        paid = Counter(one["body"] for one in models.log()[:answered])
        assert first.end(signal.SIGKILL)[0] == -signal.SIGKILL
        models.script([])
        second = Process(tmp_path, **environment)
        client.port = second.port
        after = client.done(check)
        asked = Counter(one["body"] for one in models.log())
        assert after["counts"]["failed"] == 0
        assert after["progress"]["judged"] == 12
        assert before["last_event"] > 0
        assert not paid.keys() & asked.keys(), "what was answered before the kill was asked again"
        assert max(asked.values()) == 1
        events = client.events(check)
        assert [event.id for event in events[:-1]] == list(range(1, len(events)))
        assert second.end()[0] == 0


def test_a_server_that_is_told_to_end_lets_watchers_go_and_carries_on_later(tmp_path: Path) -> None:
    with lab.model_server([{"do": {"hang": True}}]) as models:
        environment = {"OPENAI_BASE_URL": models.base_url, "OPENAI_API_KEY": "sk-lab", "FACTSCOPE_MODEL": "openai/lab"}
        first = Process(tmp_path, **environment)
        client = Client(first.port)
        check = client.post(CHECKS, {"text": TEXT, "documents": [DOCUMENT], "method": "facts-and-evidence"}).json["id"]
        wait_for(models.count, lambda n: n > 0)
        with client.watching(check) as events:
            next(events)
            code, said = first.end(signal.SIGINT)
            assert "Traceback" not in said
            assert code == 0
            list(events)
        models.script([])
        second = Process(tmp_path, **environment)
        client.port = second.port
        assert client.done(check)["counts"]["failed"] == 0
        assert second.end()[0] == 0
