"""Servers that end, politely or not: checks continue at the next start, and nothing is paid for twice."""

from __future__ import annotations

import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests import lab

from .served import CHECKS, Client, Process, wait_for

TEXT = " ".join(f"The Marlow bridge was opened in {1900 + n}." for n in range(12))
DOCUMENT = {"name": "bridge.txt", "text": "The Marlow bridge was opened in 1905. It has four arches."}


@pytest.mark.medium
def test_a_check_survives_a_kill_and_nothing_is_paid_for_twice(tmp_path: Path) -> None:
    answered = 14
    with lab.model_server([{"when": {"first": answered}, "do": {}}, {"do": {"hang": True}}]) as models:
        environment = {"OPENAI_BASE_URL": models.base_url, "OPENAI_API_KEY": "sk-lab", "FACTSCOPE_MODEL": "openai/lab"}
        first = Process(tmp_path, **environment)
        client = Client(first.port)
        made = client.post(CHECKS, {"text": TEXT, "documents": [DOCUMENT], "method": "facts-and-evidence"})
        check = made.json["id"]
        wait_for(models.count, lambda n: n > answered)
        time.sleep(0.5)  # until the replies received are on disk
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


@pytest.mark.medium
def test_a_terminated_server_releases_watchers_and_resumes_its_checks_later(tmp_path: Path) -> None:
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


SLOW = b"<html><body>" + b"<p>some <b>words</b> <i>more</i></p>" * 120_000


@contextmanager
def slow_pages() -> Iterator[tuple[str, list[str]]]:
    """Serve a page that takes long to parse at every path; yield the port and the requested paths."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(404 if self.path == "/robots.txt" else 200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            if self.path != "/robots.txt":
                self.wfile.write(SLOW)
                asked.append(self.path)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield str(server.server_port), asked
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.medium
@pytest.mark.parametrize("delay", [0.0, 0.5])
def test_a_server_terminated_while_fetching_pages_shuts_down(tmp_path: Path, delay: float) -> None:
    with slow_pages() as (port, asked):
        root = str(Path(__file__).parent.parent.parent)
        server = Process(tmp_path, module="tests.lab.launch", LAB_WEB_PORT=port, PYTHONPATH=root)
        client = Client(server.port)

        def fetch(number: int) -> None:
            with suppress(OSError, HTTPException):  # the server ends before it answers
                client.post("/api/v1/fetch", {"url": f"http://pages.example/{number}"})

        fetching = [threading.Thread(target=fetch, args=(number,)) for number in range(4)]
        for thread in fetching:
            thread.start()
        wait_for(lambda: len(asked), lambda n: n >= 1)
        time.sleep(delay)  # a reader is starting, or at work
        code, said = server.end()
        for thread in fetching:
            thread.join()
    assert code == 0
    assert "never retrieved" not in said, said
