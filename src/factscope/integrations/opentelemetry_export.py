"""OpenTelemetry for the command line: spans and events go out by OTLP over HTTP, as the SDK's own variables say.

OTEL_EXPORTER_OTLP_ENDPOINT names the collector (default: http://localhost:4318), OTEL_SERVICE_NAME the service. Under
`opentelemetry-instrument` the providers that it set up stay.
"""

from __future__ import annotations

import os

from factscope.integrations.assessment import needs

with needs("opentelemetry-exporter-otlp-proto-http", "otel"):
    from opentelemetry import _logs, trace
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor


def export_by_otlp() -> None:
    """Set up providers where there are none yet; spans not yet sent are sent when the process ends."""
    resource = Resource.create({"service.name": os.environ.get("OTEL_SERVICE_NAME", "factscope")})
    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        spans = TracerProvider(resource=resource)
        spans.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        trace.set_tracer_provider(spans)
    if not isinstance(_logs.get_logger_provider(), LoggerProvider):
        events = LoggerProvider(resource=resource)
        events.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
        _logs.set_logger_provider(events)
