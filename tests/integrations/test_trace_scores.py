"""Scores of a run on traces, sent to small HTTP servers that store them as Langfuse and Phoenix do."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.integrations.runner import CONTEXTS, RIGHT, WRONG, command

ROWS = [
    {"trace_id": "0af7651916cd43dd8448eb211c80319c", "answer": RIGHT, "contexts": CONTEXTS},
    {"trace_id": "1bf7651916cd43dd8448eb211c80319d", "answer": WRONG, "contexts": CONTEXTS},
    {"trace_id": "2cf7651916cd43dd8448eb211c80319e", "answer": "Hello!", "contexts": CONTEXTS},
]


class Kept(ThreadingHTTPServer):
    """A server that stores scores by their identity, and is busy as often as specified."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.scores: dict[str, Any] = {}
        self.asked: list[tuple[str, str]] = []
        self.busy = 0
        self.refuse = 0
        self.lists = False


class Handler(BaseHTTPRequestHandler):
    server: Kept

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, self.headers.get("Authorization", "")))
        wrong_form = 400 if self.server.lists != isinstance(body, list) else 0
        status = self.server.refuse or (429 if self.server.busy > 0 else wrong_form or 200)
        self.server.busy -= 1
        if status == 200:
            for one in body if self.server.lists else body.get("data", [body]):
                self.server.scores[one.get("identifier") or (one["id"], one["name"], one["timestamp"][:10])] = one
        self.send_response(status)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture
def server() -> Iterator[Kept]:
    with Kept() as made:
        Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()


def environment(server: Kept) -> dict[str, str]:
    address = f"http://127.0.0.1:{server.server_port}"
    langfuse = {"LANGFUSE_BASE_URL": address, "LANGFUSE_PUBLIC_KEY": "pk", "LANGFUSE_SECRET_KEY": "sk"}
    return {**langfuse, "PHOENIX_COLLECTOR_ENDPOINT": address, "PHOENIX_API_KEY": "key"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("run")
    (place / "rows.jsonl").write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    done = command("run", "rows.jsonl", "--column", "id=trace_id", "-q", folder=place)
    assert done.returncode == 0, done.stderr
    return place


@pytest.mark.parametrize("target", ["langfuse", "phoenix"])
def test_the_same_run_sent_twice_is_there_once(server: Kept, folder: Path, target: str) -> None:
    server.busy = 1
    for _ in range(2):
        done = command("export", "last", "--to", target, folder=folder, **environment(server))
        assert done.returncode == 0, done.stderr
        assert "Sent 4 scores" in done.stderr
        assert ROWS[2]["trace_id"] in done.stderr
    assert (len(server.asked), len(server.scores)) == (9, 4)
    found = {
        (one.get("traceId") or one["trace_id"], one["name"]): one.get("value", one.get("result", {}).get("score"))
        for one in server.scores.values()
    }
    assert found == {
        (ROWS[0]["trace_id"], "factscope"): 1.0, (ROWS[0]["trace_id"], "factscope_coverage"): 1.0,
        (ROWS[1]["trace_id"], "factscope"): 0.5, (ROWS[1]["trace_id"], "factscope_coverage"): 1.0,
    }  # fmt: skip
    assert "In 1858 a first-order Fresnel lens was fitted." in json.dumps(
        list(server.scores.values()), ensure_ascii=False
    )
    paths = {"langfuse": "/api/public/scores", "phoenix": "/v1/trace_annotations?sync=true"}
    token = {"langfuse": f"Basic {base64.b64encode(b'pk:sk').decode()}", "phoenix": "Bearer key"}
    assert set(server.asked) == {(paths[target], token[target])}


def test_a_server_that_takes_lists_of_scores_gets_them(server: Kept, folder: Path) -> None:
    server.lists = True
    done = command("export", "last", "--to", "langfuse", folder=folder, **environment(server))
    assert (done.returncode, len(server.scores)) == (0, 4), done.stderr


def test_left_out_rows_are_named_when_scores_are_sent(server: Kept, tmp_path: Path) -> None:
    rows = [ROWS[0], {**ROWS[1], "answer": ""}]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    command("run", "rows.jsonl", "--column", "id=trace_id", "-q", folder=tmp_path)
    done = command("export", "last", "--to", "langfuse", folder=tmp_path, **environment(server))
    assert (done.returncode, "Row 2: " in done.stderr) == (0, True), done.stderr


def test_refused_scores_and_missing_settings_are_reported(server: Kept, folder: Path) -> None:
    server.refuse = 401
    done = command("export", "last", "--to", "langfuse", folder=folder, **environment(server))
    assert (done.returncode, len(server.asked)) == (1, 1)
    assert "A score did not arrive" in done.stderr
    assert "status 401" in done.stderr
    assert "pk:sk" not in done.stderr
    server.refuse = 207  # Langfuse accepted the request but not the score
    done = command("export", "last", "--to", "langfuse", folder=folder, **environment(server))
    assert (done.returncode, "A score did not arrive" in done.stderr) == (1, True)
    done = command("export", "last", "--to", "phoenix", folder=folder)
    assert (done.returncode, "PHOENIX_COLLECTOR_ENDPOINT is not set" in done.stderr) == (2, True)


def test_an_unusable_address_or_key_is_named_but_not_shown(server: Kept, folder: Path) -> None:
    secret = "s3cret"
    addresses = [
        *(f"u:{secret}@nowhere", f"http://u:{secret}@127.0.0.1:{server.server_port}", f"http://[{secret}", "http://"),
        *(f"http://{secret}..de", f"http://{secret}:99999", f"http://{secret} x", f"http://x/{secret}\n"),
    ]
    for target, name in (("langfuse", "LANGFUSE_BASE_URL"), ("phoenix", "PHOENIX_COLLECTOR_ENDPOINT")):
        for value in addresses:
            done = command("export", "last", "--to", target, folder=folder, **environment(server) | {name: value})
            assert (done.returncode, name in done.stderr) == (2, True), (value, done.stderr)
            assert secret not in done.stderr
    for target, name in (("langfuse", "LANGFUSE_SECRET_KEY"), ("phoenix", "PHOENIX_API_KEY")):
        for value in (f"{secret}\r\nx", f"{secret}\udc80"):
            done = command("export", "last", "--to", target, folder=folder, **environment(server) | {name: value})
            assert (done.returncode, f"{name} holds" in done.stderr) == (2, True), done.stderr
            assert secret not in done.stderr
    assert not server.asked


def test_an_address_with_a_password_works_without_a_key_and_is_not_shown(server: Kept, folder: Path) -> None:
    address = f"http://u:s3cret@127.0.0.1:{server.server_port}"
    words = ["export", "last", "--to", "phoenix"]
    done = command(*words, folder=folder, PHOENIX_COLLECTOR_ENDPOINT=address)
    assert (done.returncode, len(server.scores)) == (0, 4), done.stderr
    server.refuse = 401
    done = command(*words, folder=folder, PHOENIX_COLLECTOR_ENDPOINT=address)
    assert (done.returncode, "s3cret" in done.stderr) == (1, False), done.stderr


def test_the_request_bodies_match_the_client_library(server: Kept, folder: Path) -> None:
    pytest.importorskip("langfuse", exc_type=ImportError)
    try:
        from langfuse.api.scores.types.create_score_request import CreateScoreRequest
    except ImportError:  # version 4
        from langfuse.api.legacy.score_v1.types.create_score_request import CreateScoreRequest
    command("export", "last", "--to", "langfuse", folder=folder, **environment(server))
    known = {field.alias or name for name, field in CreateScoreRequest.model_fields.items()}
    for one in server.scores.values():
        assert set(one) <= known | {"traceId", "dataType", "timestamp"}  # version 5 adds the time
        CreateScoreRequest.model_validate(one)


def test_the_phoenix_client_sends_the_same_body(server: Kept, folder: Path) -> None:
    client = pytest.importorskip("phoenix.client", exc_type=ImportError)
    command("export", "last", "--to", "phoenix", folder=folder, **environment(server))
    ours = next(iter(server.scores.values()))
    made = client.Client(base_url=f"http://127.0.0.1:{server.server_port}")
    made.traces.log_trace_annotations(trace_annotations=[ours], sync=False)
    assert server.scores[ours["identifier"]] == ours
    assert server.asked[-1][0].startswith("/v1/trace_annotations")
