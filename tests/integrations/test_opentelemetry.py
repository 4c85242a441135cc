"""Traces of checks and model calls, collected in memory by OpenTelemetry's own SDK."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

pytest.importorskip("opentelemetry.exporter.otlp.proto.http", exc_type=ImportError)

from opentelemetry import _logs, trace
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from factscope.integrations import SCHEMA, TracedChecker
from tests import lab
from tests.integrations.runner import CONTEXTS, GREETING, REPLAY, WRONG, failing_cut, python

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


def test_a_text_without_statements_has_no_score_value() -> None:
    TracedChecker().check(GREETING, contexts=CONTEXTS)
    found = events()["factual_precision"]
    assert "gen_ai.evaluation.score.value" not in found
    assert found["gen_ai.evaluation.score.label"] == "not assessed"


def test_model_calls_are_child_spans_of_the_check(server: lab.Server) -> None:
    TracedChecker(model="openai/lab", content=True).check(WRONG, contexts=CONTEXTS)
    *calls, check = SPANS.get_finished_spans()
    chats = [asked for asked in server.log() if asked["path"].endswith("/chat/completions")]
    assert len(calls) == len(chats) > 0
    for call in calls:
        assert (call.name, call.kind) == ("chat lab", trace.SpanKind.CLIENT)
        assert call.parent.span_id == check.context.span_id
        assert call.attributes["gen_ai.provider.name"] == "openai"
        assert call.attributes["gen_ai.usage.input_tokens"] > 0
        assert "Fresnel" in call.attributes["gen_ai.input.messages"]
    assert "Fresnel" in check.attributes["factscope.text"]


def test_attribute_names_follow_the_semantic_conventions(server: lab.Server) -> None:
    known = pytest.importorskip("opentelemetry.semconv._incubating.attributes.gen_ai_attributes")
    from opentelemetry.semconv.schemas import Schemas

    TracedChecker(model="openai/lab", content=True).check(WRONG, contexts=CONTEXTS)
    used = {name for span in SPANS.get_finished_spans() for name in span.attributes}
    used |= {name for attributes in events().values() for name in attributes}
    conventional = {value for name, value in vars(known).items() if name.startswith("GEN_AI_")}
    assert {name for name in used if name.startswith("gen_ai.")} <= conventional
    schema = getattr(Schemas, "V1_44_0", None)  # older packages lack it but have the same names
    assert schema is None or schema.value == SCHEMA


def test_a_failed_call_marks_its_span_as_an_error_without_the_message_text(server: lab.Server) -> None:
    server.script([{"do": {"status": 401, "json": {"error": {"message": "Fresnel"}}}}])
    with pytest.raises(Exception, match="OPENAI_API_KEY"):
        TracedChecker(model="openai/lab").check(WRONG, contexts=CONTEXTS)
    spans = SPANS.get_finished_spans()
    assert {span.attributes["error.type"] for span in spans if span.name == "chat lab"} == {"ModelError"}
    assert "Fresnel" not in "".join(span.to_json() for span in spans)


class Collector(ThreadingHTTPServer):
    """A collector of OTLP over HTTP that stores what it receives as OTLP's own messages."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Posted)
        self.spans: list[Any] = []
        self.events: list[Any] = []


class Posted(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        body = gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body
        if self.path == "/v1/traces":
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                self.server.spans += [span for scope in resource.scope_spans for span in scope.spans]
        else:
            for resource in ExportLogsServiceRequest.FromString(body).resource_logs:
                self.server.events += [event for scope in resource.scope_logs for event in scope.log_records]
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as made:
        Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()


def test_the_command_line_sends_its_traces_to_a_collector(tmp_path: Path, collector: Collector) -> None:
    rows = [{"id": str(n), "answer": WRONG, "contexts": CONTEXTS} for n in range(2)]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    address = f"http://127.0.0.1:{collector.server_port}"
    words = ["-m", "factscope", "run", "rows.jsonl", "--otel", "-q"]
    done = python(*words, folder=tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=address)
    assert done.returncode == 0, done.stderr
    assert [span.name for span in collector.spans] == ["factscope.check"] * 2
    assert {event.event_name for event in collector.events} == {"gen_ai.evaluation.result"}
    assert {event.span_id for event in collector.events} == {span.span_id for span in collector.spans}
    assert "Fresnel" not in str(collector.spans) + str(collector.events)


@pytest.mark.parametrize("whole", [False, True])
def test_a_measure_of_a_failed_check_has_no_score_value(tmp_path: Path, whole: bool) -> None:
    method = failing_cut(tmp_path) if whole else "verify"
    checker = TracedChecker(method=method, model="openai/by-hand", settings={"replay": str(REPLAY)})
    assert checker.check(WRONG, contexts=CONTEXTS).counts["failed"] > 0 or whole
    found = events()["factual_precision"]
    assert "gen_ai.evaluation.score.value" not in found
    assert (found["gen_ai.evaluation.score.label"], found["error.type"]) == ("failed", "check_failed")
