"""OpenTelemetry: a checker that traces its checks, its calls of models, and what came out.

    from factscope.integrations.opentelemetry import TracedChecker

    report = TracedChecker(evidence="docs/").check(answer)

Names are those of the GenAI semantic conventions, 1.44 (experimental), as in `opentelemetry-semantic-conventions`
0.66b2: a span `chat MODEL` for each call that is made (`gen_ai.operation.name`, `gen_ai.provider.name`,
`gen_ai.request.model`, `gen_ai.usage.*`, `error.type`), and an event `gen_ai.evaluation.result` for each measure of a
checked text, in the context of the span `factscope.check`. Only the API is needed here; what exports is the
program's own. Texts are left out unless `content=True`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from factscope.api.arguments import Contexts
from factscope.api.checker import Checker
from factscope.api.report import Report
from factscope.core.version import __version__
from factscope.integrations.assessment import explain, missing

try:
    from opentelemetry._logs import LogRecord, get_logger
    from opentelemetry.trace import SpanKind

    from factscope.integrations.opentelemetry_calls import SCHEMA, TracedSender, span
except ImportError as error:
    raise missing("opentelemetry-api", "otel") from error

if TYPE_CHECKING:
    from factscope.engine import Tools

_EVENT = "gen_ai.evaluation.result"


class TracedChecker(Checker):
    """A `Checker` whose checks are spans; takes what `Checker` takes, and `content`."""

    def __init__(self, *, content: bool = False, **choices: Any) -> None:
        """With `content`, texts, prompts, replies and explanations go into spans and events too."""
        super().__init__(**choices)
        self._content = content

    async def acheck(
        self,
        text: str,
        *,
        contexts: Contexts | None = None,
        question: str | None = None,
        written_by: str | None = None,
        url: str | None = None,
    ) -> Report:
        """Check one text inside a span; takes and raises what `Checker.acheck` does."""
        with span("factscope.check", SpanKind.INTERNAL) as current:
            current.set_attribute("factscope.method", self.method.name)
            if self._content:
                current.set_attribute("factscope.text", text)
            report = await super().acheck(text, contexts=contexts, question=question, written_by=written_by, url=url)
            for outcome, n in report.counts.items():
                current.set_attribute(f"factscope.units.{outcome}", n)
            _emit(report, content=self._content)
            return report

    async def _open(self) -> Tools:
        tools = await super()._open()
        if tools.models is None:
            return tools
        return replace(tools, models=tools.models.through(lambda sender: TracedSender(sender, content=self._content)))


def _emit(report: Report, *, content: bool) -> None:
    """An event for each measure, parented to the current span; one that has no value has no number."""
    logger = get_logger("factscope", __version__, schema_url=SCHEMA)
    for score in report.record.scores:
        values = {
            "gen_ai.evaluation.name": score.name,
            "gen_ai.evaluation.score.value": score.value,
            "gen_ai.evaluation.score.label": None if score.value is not None else "not assessed",
            "gen_ai.evaluation.explanation": explain(report) if content else None,
            "factscope.coverage": score.coverage,
            "factscope.failed": score.n_failed,
        }
        attributes = {name: value for name, value in values.items() if value is not None}
        logger.emit(LogRecord(event_name=_EVENT, attributes=attributes))
