"""Counters of the server in the text form of Prometheus."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Metrics:
    """Number of requests, by method, route and status. Routes are templates, so that ids never appear."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._seconds: defaultdict[tuple[str, str], float] = defaultdict(float)
        self.refused: Counter[str] = Counter()
        """Requests that reached no route, by reason."""

    def around(self, app: ASGIApp) -> ASGIApp:
        """Return the application with its replies counted."""

        async def count_replies(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            began, status = time.monotonic(), 500

            async def note_status(message: Message) -> None:
                nonlocal status
                if message["type"] == "http.response.start":
                    status = int(message["status"])
                await send(message)

            try:
                await app(scope, receive, note_status)
            finally:
                route = getattr(scope.get("route"), "path", "none")
                self._requests[scope["method"], route, status] += 1
                self._seconds[scope["method"], route] += time.monotonic() - began

        return count_replies

    def text(self, gauges: Mapping[str, tuple[str, Mapping[str, float]]]) -> str:
        """Return all counters, and these gauges: description and values by state, or one value under the empty text."""
        lines = _family("factscope_requests_total", "counter", "Requests answered.")
        lines += [
            f'factscope_requests_total{{method="{_plain(m)}",route="{_plain(r)}",status="{s}"}} {n}'
            for (m, r, s), n in sorted(self._requests.items())
        ]
        lines += _family("factscope_request_seconds_total", "counter", "Seconds spent on requests.")
        lines += [
            f'factscope_request_seconds_total{{method="{_plain(m)}",route="{_plain(r)}"}} {n:.6f}'
            for (m, r), n in sorted(self._seconds.items())
        ]
        lines += _family("factscope_refused_total", "counter", "Requests refused before they came to a route.")
        lines += [f'factscope_refused_total{{why="{reason}"}} {n}' for reason, n in sorted(self.refused.items())]
        for name, (help_text, values) in gauges.items():
            lines += _family(name, "gauge", help_text)
            lines += [f'{name}{{state="{key}"}} {n:g}' if key else f"{name} {n:g}" for key, n in values.items()]
        return "\n".join(lines) + "\n"


def _family(name: str, kind: str, help_text: str) -> list[str]:
    return [f"# HELP {name} {help_text}", f"# TYPE {name} {kind}"]


def _plain(text: str) -> str:
    return "".join(c if c.isprintable() and c not in '"\\' else "_" for c in text)
