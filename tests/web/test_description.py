"""API description: complete, with examples that run, and true whatever is sent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from factscope.web import LIVE, described
from tests.conftest import at_least
from tests.lab.many_cases import each

from .served import Client, Process, wait_for

if TYPE_CHECKING:  # imported by the tests that need it: all workers collect them, one runs them
    from schemathesis import Case
    from schemathesis.specs.openapi.schemas import OpenApiSchema


class Description(NamedTuple):
    """The description of the API as a whole, and its operations: method, path, description."""

    spec: dict[str, Any]
    operations: list[tuple[str, str, dict[str, Any]]]


@pytest.fixture(scope="module")
def api() -> Description:
    spec = described().openapi()
    operations = [
        (method.upper(), path, operation)
        for path, operations in spec["paths"].items()
        for method, operation in operations.items()
    ]
    return Description(spec, operations)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Run a separate server: the requests are random, and its queue fills up."""
    running = Process(tmp_path_factory.mktemp("described"))  # Hypothesis needs to be alone in its process
    yield running.port
    running.end()


def test_every_operation_is_documented(api: Description) -> None:
    assert api.spec["openapi"].startswith("3.1")
    for method, path, operation in api.operations:
        assert operation.get("description"), f"{method} {path}"
        assert operation["operationId"] == operation["operationId"].lower()
        assert "Problem" in str(operation["responses"]["422"])
    assert len({operation["operationId"] for _, _, operation in api.operations}) == len(api.operations)


def test_every_step_and_every_part_of_a_check_is_described(api: Description) -> None:
    steps = ("segment", "claims", "queries", "search", "fetch", "passages", "source-category", "judge")
    steps += ("roll-up", "score", "rescore")
    for step in steps:
        assert "post" in api.spec["paths"][f"/api/v1/{step}"]
    for part in ("", "/events", "/cancel", "/retry", "/recheck", "/compare/{other_id}", "/export", "/choices"):
        assert f"/api/v1/checks/{{check_id}}{part}" in api.spec["paths"]


def body_of(operation: dict[str, Any]) -> str | None:
    """Name the form that an operation takes."""
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    return str(content["schema"]["$ref"]).rpartition("/")[2] if content else None


def examples(api: Description) -> list[tuple[str, str, Any]]:
    """List method, path and body of each request shown in the description."""
    return [
        (method, path, example)
        for method, path, operation in api.operations
        if (name := body_of(operation)) and "{" not in path
        for example in api.spec["components"]["schemas"][name].get("examples", [])
    ]


def test_the_examples_of_the_description_run(client: Client, api: Description) -> None:
    def runs(method: str, path: str, example: Any) -> None:
        assert client.call(method, path, example).status in (200, 201)

    each(("method", "path", "example"), examples(api), runs)


def test_there_are_examples_of_all_steps(api: Description) -> None:
    without = {"/api/v1/score", "/api/v1/rescore"}  # they take a whole report
    missing = {path for _, path, operation in api.operations if body_of(operation) and "{" not in path}
    assert missing - {path for _, path, _ in examples(api)} == without


def test_an_unsupported_http_method_is_answered_as_described(client: Client, api: Description) -> None:
    for path, operations in api.spec["paths"].items():
        (reply_type,) = {str(operation["responses"]["405"]["content"]) for operation in operations.values()}
        assert "application/problem+json" in reply_type
        reply = client.call("PATCH", re.sub(r"{\w+}", "none", path))
        assert reply.status == 405, path
        assert reply.headers["content-type"] == "application/problem+json"
        assert {method.strip().lower() for method in reply.headers["allow"].split(",")} - {"head"} <= set(operations)


@pytest.fixture(scope="module")
def schema(api: Description) -> OpenApiSchema:
    import schemathesis

    return schemathesis.openapi.from_dict(api.spec)


within_reason = settings(
    max_examples=at_least(4, in_all=10),
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def send_to_each(operations: OpenApiSchema, send: Callable[[Case], None]) -> None:
    """Make requests for each operation, both allowed and not allowed by its description."""
    from schemathesis.generation import GenerationMode

    by_name = {operation.label: operation for operation in (found.ok() for found in operations.get_all_operations())}

    def try_out(name: str) -> None:
        asked = st.one_of([by_name[name].as_strategy(generation_mode=mode) for mode in GenerationMode])
        within_reason(given(asked)(send))()

    assert by_name
    each("name", by_name, try_out)


def must_hold(case: Case, port: int) -> None:
    """Send a generated request, and check that the description covers the reply."""
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks

    who = {"Authorization": f"Bearer {secret_of(case)}"}
    reply = case.call(base_url=f"http://127.0.0.1:{port}", headers=who, timeout=30)
    known = [
        not_a_server_error,
        checks.status_code_conformance,
        checks.content_type_conformance,
        checks.response_schema_conformance,
    ]
    case.validate_response(reply, checks=known)


def secret_of(case: Case) -> str:
    """Return a separate user's secret for each operation, so that none sends too many requests."""
    return f"schemathesis {case.method} {case.operation.path}"


def a_check(case: Case, port: int, *, fresh: bool) -> str:
    """Return the id of a finished check: one for each operation, or a new one."""
    client = Client(port, secret_of(case))
    known = client.get("/api/v1/checks").json["checks"]
    check = str(known[-1]["id"]) if known and not fresh else client.check()
    wait_for(lambda: client.get(f"/api/v1/checks/{check}").json["state"], lambda state: state not in LIVE)
    return check


@pytest.mark.medium
def test_the_description_holds_for_any_request(schema: OpenApiSchema, alone: int) -> None:
    others = schema.exclude(path_regex="/(search|fetch)$|check_id")  # they access the web
    send_to_each(others, lambda case: must_hold(case, alone))


@pytest.mark.medium
def test_the_description_holds_for_any_request_about_a_check(schema: OpenApiSchema, alone: int) -> None:
    def send(case: Case) -> None:
        check = a_check(case, alone, fresh=case.method == "DELETE")
        case.path_parameters = dict.fromkeys(case.path_parameters, check)
        must_hold(case, alone)

    send_to_each(schema.include(path_regex="{check_id}"), send)
