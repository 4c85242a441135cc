"""OpenTelemetry: checks, calls of models, and what came out, as spans and events.

    from factscope.integrations.opentelemetry import TracedChecker

    report = TracedChecker(evidence="docs/").check(answer)

On the command line: `factscope check … --otel`, `factscope run … --otel`. Names are those of the GenAI semantic
conventions, 1.44 (experimental), as in `opentelemetry-semantic-conventions` 0.66b2: a span `chat MODEL` for each call
that is made (`gen_ai.operation.name`, `gen_ai.provider.name`, `gen_ai.request.model`, `gen_ai.usage.*`, `error.type`),
and an event `gen_ai.evaluation.result` for each measure of a checked text, in the context of the span
`factscope.check`. In Python what exports is the program's own. Texts are left out, unless `content=True` or the
variable that OpenTelemetry's own instrumentations read, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT, is `true`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from factscope.core import __version__
from factscope.core.records import Report as ReportRecord
from factscope.core.records import Response
from factscope.integrations.assessment import explain, failure_of, needs
from factscope.integrations.python.checker import Checker
from factscope.integrations.python.report import Report
from factscope.llm.call import Call, Reply
from factscope.llm.model_client import Sender, Settle
from factscope.methods import Method

with needs("opentelemetry-api", "otel"):
    from opentelemetry import trace
    from opentelemetry._logs import LogRecord, get_logger
    from opentelemetry.trace import Span, SpanKind, Status, StatusCode

if TYPE_CHECKING:
    from factscope.engine import Tools

SCHEMA = "https://opentelemetry.io/schemas/1.44.0"
_EVENT = "gen_ai.evaluation.result"
_CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"


class TracedChecker(Checker):
    """A `Checker` whose checks are spans, with the arguments of `Checker` and `content`."""

    def __init__(self, *, content: bool | None = None, **choices: Any) -> None:
        """With `content`, texts, prompts, replies and explanations go into spans and events too."""
        super().__init__(**choices)
        self._content = content

    async def _open(self) -> Tools:
        return traced(await super()._open(), content=self._content)


def traced(tools: Tools, *, content: bool | None = None) -> Tools:
    """Return the same tools with every check and every call of a model in a span; texts as the environment asks."""
    shown = os.environ.get(_CAPTURE, "").casefold() == "true" if content is None else content
    models = (
        tools.models.through(lambda sender: cast("Sender", TracedSender(sender, content=shown)))
        if tools.models
        else None
    )
    return replace(tools, models=models, watch=lambda response, method: _check(response, method, content=shown))


@contextmanager
def _check(response: Response, method: Method, *, content: bool) -> Iterator[Callable[[ReportRecord], None]]:
    with _span("factscope.check", SpanKind.INTERNAL) as current:
        current.set_attribute("factscope.method", method.name)
        if content:
            current.set_attribute("factscope.text", response.text)

        def set_results(report: ReportRecord) -> None:
            for outcome, n in report.counts.items():
                current.set_attribute(f"factscope.units.{outcome}", n)
            _emit(report, content=content)

        yield set_results


def _emit(report: ReportRecord, *, content: bool) -> None:
    """Emit an event for each measure below the current span, numberless where none was judged or some failed."""
    logger = get_logger("factscope", __version__, schema_url=SCHEMA)
    failed = failure_of(Report(report)) is not None
    for score in report.scores:
        values = {
            "gen_ai.evaluation.name": score.name,
            "gen_ai.evaluation.score.value": None if failed else score.value,
            "gen_ai.evaluation.score.label": "failed" if failed else "not assessed" if score.value is None else None,
            "gen_ai.evaluation.explanation": explain(Report(report)) if content else None,
            "error.type": "check_failed" if failed else None,
            "factscope.coverage": score.coverage,
            "factscope.failed": score.n_failed,
        }
        attributes = {name: value for name, value in values.items() if value is not None}
        logger.emit(LogRecord(event_name=_EVENT, attributes=attributes))


@contextmanager
def _span(name: str, kind: SpanKind) -> Iterator[Span]:
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

    async def send(self, call: Call, settle: Settle) -> Reply:
        """Answer a call inside a span. Raises the errors of the wrapped sender."""
        provider, _, model = call.model.partition("/")
        with _span(f"chat {model}", SpanKind.CLIENT) as current:
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
