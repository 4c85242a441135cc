"""A laboratory on the loopback interface: servers that behave as badly as a test says, each in its own process.

`models` speaks the chat-completions format, and answers the shipped prompts as a competent model would; `web` is a
search engine with pages. Both take a script: a list of rules, each with conditions under `when` and an answer under
`do`. The first matching rule answers; without one the server behaves well.

    with lab.model_server([{"when": {"first": 3}, "do": {"status": 429, "headers": {"Retry-After": "30"}}}]) as server:
        server.base_url, server.log()

`when`: `first` n calls, `calls` [numbers from 0], `every` n-th, `contains` one or several texts in the question,
`model` name.
`do`: `status`, `headers`, `body` (text), `json`, `delay` (seconds; with `uneven` a share of them that depends on the
question), `gather` (wait for this many calls, then answer all), `reset` (close without a reply), `cut` (bytes of the
body sent before closing), `drip` (seconds between single bytes), `hang` (never answer), `text` (the model's answer),
`finish_reason`, `refusal`, `quote` (replaces every quote), `wrong_label`, `wrong_row` (the id of a claim whose
judgements have a wrong label), `wrong_type`, `no_usage`, `thoughts` (the model's thoughts before it answers).
Replies requested as a stream arrive in chunks; for them also `whole` (do not stream), `silent_after` and `cut_after`
(chunks), `endless` (this text, repeatedly), `stream_error` (an error in the stream), `unframed` (ends with the
connection), `left_open` (no end after the last chunk); `drip` is then the time between chunks.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.request import Request, urlopen

from . import warm

Rule = dict[str, Any]


class Server:
    """A running laboratory server."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.base_url = f"{self.url}/v1"

    def log(self) -> list[dict[str, Any]]:
        """Return all requests so far: `time` since the start, `path`, `body`, `authorization`."""
        values: list[dict[str, Any]] = json.loads(self._post("/_lab/log", None))
        return values

    def count(self) -> int:
        """Return the number of requests."""
        return int(json.loads(self._post("/_lab/count", None)))

    def most(self) -> int:
        """Return the largest number of requests in progress at once."""
        return int(json.loads(self._post("/_lab/most", None)))

    def script(self, rules: list[Rule]) -> None:
        """Replace the rules, and forget the requests so far."""
        self._post("/_lab/script", rules)

    def _post(self, path: str, values: object) -> bytes:
        with urlopen(Request(self.url + path, json.dumps(values).encode())) as reply:
            return bytes(reply.read())


@contextmanager
def model_server(rules: list[Rule] | None = None) -> Iterator[Server]:
    """Start a server of models."""
    with _serve("models", rules) as server:
        yield server


@contextmanager
def web_server(rules: list[Rule] | None = None) -> Iterator[Server]:
    """Start a search engine and an encyclopaedia, with the pages that they name."""
    with _serve("web", rules) as server:
        yield server


@contextmanager
def _serve(module: str, rules: list[Rule] | None) -> Iterator[Server]:
    command = [warm.python(), "-m", f"tests.lab.{module}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            if process.stdout is None:
                raise RuntimeError("no output to read the port from")
            server = Server(int(process.stdout.readline()))
            if rules:
                server.script(rules)
            yield server
        finally:
            process.terminate()
