"""Traces of checks and calls of models, collected in memory by OpenTelemetry's own SDK."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

sdk = pytest.importorskip("opentelemetry.sdk", exc_type=ImportError)

from opentelemetry import _logs, trace  # noqa: E402
from opentelemetry.sdk._logs import LoggerProvider  # noqa: E402
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor  # noqa: E402
from opentelemetry.sdk.trace import TracerProvider  # noqa: E402
from opentelemetry.sdk.trace.export import SimpleSpanProcessor  # noqa: E402
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter  # noqa: E402

from factscope.integrations.opentelemetry import SCHEMA, TracedChecker  # noqa: E402
from tests import lab  # noqa: E402
from tests.integrations.runner import CONTEXTS, GREETING, WRONG  # noqa: E402

SPANS, LOGS = InMemorySpanExporter(), InMemoryLogRecordExporter()


@pytest.fixture(scope="module", autouse=True)
def providers() -> None:
    spans, logs = TracerProvider(), LoggerProvider()
    spans.add_span_processor(SimpleSpanProcessor(SPANS))
    logs.add_log_record_processor(SimpleLogRecordProcessor(LOGS))
    trace.set_tracer_provider(spans)
    _logs.set_logger_provider(logs)


@pytest.fixture(autouse=True)
def empty() -> None:
    SPANS.clear()
    LOGS.clear()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[lab.Server]:
    with lab.model_server() as made:
        monkeypatch.setenv("OPENAI_BASE_URL", made.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-lab")
        yield made


def events() -> dict[str, dict]:
    records = [one.log_record for one in LOGS.get_finished_logs()]
    assert {one.event_name for one in records} == {"gen_ai.evaluation.result"}
    return {one.attributes["gen_ai.evaluation.name"]: dict(one.attributes) for one in records}


def test_a_check_is_a_span_with_its_results_as_events() -> None:
    TracedChecker().check(WRONG, contexts=CONTEXTS)
    (span,) = SPANS.get_finished_spans()
    assert (span.name, span.attributes["factscope.units.contradicted"]) == ("factscope.check", 1)
    assert span.instrumentation_scope.schema_url == SCHEMA
    assert events()["factual_precision"]["gen_ai.evaluation.score.value"] == 0.5
    assert all(one.log_record.span_id == span.context.span_id for one in LOGS.get_finished_logs())
    assert "Fresnel" not in span.to_json() + str(events())


def test_a_text_without_statements_has_no_number() -> None:
    TracedChecker().check(GREETING, contexts=CONTEXTS)
    found = events()["factual_precision"]
    assert "gen_ai.evaluation.score.value" not in found
    assert found["gen_ai.evaluation.score.label"] == "not assessed"


def test_calls_of_models_are_spans_below_the_check(server: lab.Server) -> None:
    TracedChecker(model="openai/lab", content=True).check(WRONG, contexts=CONTEXTS)
    *calls, check = SPANS.get_finished_spans()
    assert len(calls) == server.count() > 0
    for call in calls:
        assert (call.name, call.kind) == ("chat lab", trace.SpanKind.CLIENT)
        assert call.parent.span_id == check.context.span_id
        assert call.attributes["gen_ai.provider.name"] == "openai"
        assert call.attributes["gen_ai.usage.input_tokens"] > 0
        assert "Fresnel" in call.attributes["gen_ai.input.messages"]
    assert "Fresnel" in check.attributes["factscope.text"]


def test_the_names_are_those_of_the_conventions(server: lab.Server) -> None:
    known = pytest.importorskip("opentelemetry.semconv._incubating.attributes.gen_ai_attributes")
    from opentelemetry.semconv.schemas import Schemas

    TracedChecker(model="openai/lab", content=True).check(WRONG, contexts=CONTEXTS)
    used = {name for span in SPANS.get_finished_spans() for name in span.attributes}
    used |= {name for attributes in events().values() for name in attributes}
    conventional = {value for name, value in vars(known).items() if name.startswith("GEN_AI_")}
    assert {name for name in used if name.startswith("gen_ai.")} <= conventional
    assert Schemas.V1_44_0.value == SCHEMA


def test_a_failed_call_is_an_error_of_its_span_without_its_words(server: lab.Server) -> None:
    server.script([{"do": {"status": 401, "json": {"error": {"message": "Fresnel"}}}}])
    with pytest.raises(Exception, match="OPENAI_API_KEY"):
        TracedChecker(model="openai/lab").check(WRONG, contexts=CONTEXTS)
    spans = SPANS.get_finished_spans()
    assert {span.attributes["error.type"] for span in spans if span.name == "chat lab"} == {"ModelError"}
    assert "Fresnel" not in "".join(span.to_json() for span in spans)
