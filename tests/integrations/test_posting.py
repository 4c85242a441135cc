"""Scores posted to a server whose odd answers are in no text, repeat the key, or say "later" too often."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from factscope.integrations import SendError, post_all, scores_of, send, trace_scores
from factscope.integrations.python import Report
from tests.scoring.example_reports import NO, YES, make_report

SECRET = "sk-lf-canary-0123456789"
CODED = base64.b64encode(f"pk-lf-1:{SECRET}".encode()).decode()


class Scripted(ThreadingHTTPServer):
    """A server that gives its answers in turn, and then repeats the last one."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[tuple[int, bytes]] = [(200, b"{}")]
        self.bodies: list[bytes] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Scripted

    def do_POST(self) -> None:
        self.server.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        status, words = self.server.answers[0]
        self.server.answers = self.server.answers[1:] or self.server.answers
        self.send_response(status)
        self.send_header("Content-Length", str(len(words)))
        self.end_headers()
        self.wfile.write(words)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture(scope="module")
def started() -> Iterator[Scripted]:
    with Scripted() as made:
        Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield made
        made.shutdown()


@pytest.fixture
def server(started: Scripted, monkeypatch: pytest.MonkeyPatch) -> Scripted:
    monkeypatch.setattr(trace_scores, "_FIRST_WAIT", 0.0)
    started.answers, started.bodies = [(200, b"{}")], []
    return started


def refusal(server: Scripted, forms: Sequence[object] = ("a",), secrets: Sequence[str] = ()) -> str:
    with pytest.raises(SendError) as error:
        asyncio.run(post_all(server.url, {}, [forms], secrets))
    return str(error.value)


@pytest.mark.parametrize("words", [b"\xff\xfe\x00", b"", b"\x1b[2J\r\n\tno", "é".encode("latin-1"), b"x" * 100_000])
def test_a_refusal_with_an_unreadable_body_is_still_reported(server: Scripted, words: bytes) -> None:
    server.answers = [(403, words)]
    shown = refusal(server)
    assert "status 403" in shown
    assert "\x1b" not in shown
    assert "\r" not in shown
    assert len(shown) < 400


@pytest.mark.parametrize("target", ["langfuse", "phoenix"])
def test_a_key_echoed_by_a_server_is_not_shown(server: Scripted, target: str) -> None:
    environment = {
        "LANGFUSE_BASE_URL": server.url,
        "LANGFUSE_PUBLIC_KEY": "pk-lf-1",
        "LANGFUSE_SECRET_KEY": SECRET,
        "PHOENIX_COLLECTOR_ENDPOINT": server.url,
        "PHOENIX_API_KEY": SECRET,
    }
    reports = [Report(make_report([[YES]]))]
    for before in (0, 190, 205):  # even where the reason is cut off
        server.answers = [(401, f"{'x' * before} {SECRET} or {CODED} is wrong".encode())]
        with pytest.raises(SendError) as error:
            send("run", "2026-01-01T00:00:00Z", reports, target, environment)  # type: ignore[arg-type]
        assert "status 401" in str(error.value)
        assert "canary" not in str(error.value)
        assert target == "phoenix" or CODED[:12] not in str(error.value)


def test_another_format_is_tried_only_if_the_first_was_not_understood(server: Scripted) -> None:
    server.answers = [(400, b"old"), (200, b"")]
    asyncio.run(post_all(server.url, {}, [("new", "old")]))
    assert server.bodies == [b'"new"', b'"old"']
    server.answers, server.bodies = [(422, b"no")], []
    assert "status 422: no" in refusal(server, ("new", "old"))
    assert server.bodies == [b'"new"']
    server.answers, server.bodies = [(400, b"first"), (400, b"second")], []
    assert "status 400: second" in refusal(server, ("new", "old"))


def test_a_busy_server_is_asked_four_times_and_nothing_is_sent_after_a_failure(server: Scripted) -> None:
    server.answers = [(503, b"later")]
    with pytest.raises(SendError, match="status 503: later"):
        asyncio.run(post_all(server.url, {}, [("a",), ("b",)]))
    assert server.bodies == [b'"a"'] * 4
    server.answers, server.bodies = [(503, b""), (429, b""), (408, b""), (200, b"")], []
    asyncio.run(post_all(server.url, {}, [("a",), ("b",)]))
    assert server.bodies == [b'"a"'] * 4 + [b'"b"']


def test_only_fully_assessed_responses_have_scores_and_their_ids_are_stable() -> None:
    reports = [
        Report(make_report([[YES], [NO]], response_id="half")),
        Report(make_report([[YES], []], failed_claims=[2], response_id="failed")),
        Report(make_report([], skipped=1, response_id="nothing")),
    ]
    scores, unscored = scores_of("run", reports)
    assert unscored == ["failed", "nothing"]
    assert [(score.trace, score.name, score.value) for score in scores] == [
        ("half", "factscope", 0.5),
        ("half", "factscope_coverage", 1.0),
    ]
    assert scores_of("run", reports)[0] == scores
    others = [*scores_of("other run", reports)[0], *scores]
    assert len({score.id for score in others}) == 4
