"""Calls of models as spans of OpenTelemetry, with the GenAI conventions' names."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode

from factscope.core.version import __version__
from factscope.llm.call import Call, Reply
from factscope.llm.model_client import Sender, Settle

SCHEMA = "https://opentelemetry.io/schemas/1.44.0"


@contextmanager
def span(name: str, kind: SpanKind) -> Iterator[Span]:
    """Provide a current span; if an error ends it, the span has the error's type, but not its message."""
    tracer = trace.get_tracer("factscope", __version__, schema_url=SCHEMA)
    with tracer.start_as_current_span(
        name, kind=kind, record_exception=False, set_status_on_exception=False
    ) as current:
        try:
            yield current
        except Exception as error:
            current.set_attribute("error.type", type(error).__name__)
            current.set_status(Status(StatusCode.ERROR))
            raise


class TracedSender:
    """A sender that wraps another and makes a span of each call; cached replies are not calls."""

    def __init__(self, inner: Sender, *, content: bool) -> None:
        self._inner, self._content = inner, content

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def address(self, model: str) -> str:
        """Give the base address of a model, as the wrapped sender does."""
        return self._inner.address(model)

    def drain(self) -> int:
        """Start nothing more; return the number of calls in progress."""
        return self._inner.drain()

    async def close(self) -> None:
        """Close connections and files."""
        await self._inner.close()

    async def send(self, call: Call, settle: Settle) -> Reply:
        """Answer a call inside a span. Raises the errors of the wrapped sender."""
        provider, _, model = call.model.partition("/")
        with span(f"chat {model}", SpanKind.CLIENT) as current:
            request = {
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": provider,
                "gen_ai.request.model": model,
                "gen_ai.request.temperature": call.temperature,
                "gen_ai.request.max_tokens": call.max_tokens,
                "factscope.role": call.role,
            }
            _set(current, request)
            if self._content:
                _set(current, {"gen_ai.input.messages": _messages((turn.role, turn.content) for turn in call.messages)})
            reply = await self._inner.send(call, settle)
            _set(
                current,
                {
                    "gen_ai.response.finish_reasons": [reply.finish_reason],
                    "gen_ai.usage.input_tokens": reply.tokens_in,
                    "gen_ai.usage.output_tokens": reply.tokens_out,
                },
            )
            if self._content:
                _set(current, {"gen_ai.output.messages": _messages([("assistant", reply.text)])})
            return reply


def _set(span: Span, values: dict[str, Any]) -> None:
    span.set_attributes({name: value for name, value in values.items() if value is not None})


def _messages(turns: Iterable[tuple[str, str]]) -> str:
    messages = [{"role": role, "parts": [{"type": "text", "content": text}]} for role, text in turns]
    return json.dumps(messages, ensure_ascii=False)
