"""The description of the API: complete, with examples that run, and true whatever is sent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from factscope.web.app import described
from factscope.web.forms import LIVE

from .served import Client, Process, wait_for

SPEC = described().openapi()
OPERATIONS = [
    (method.upper(), path, operation)
    for path, operations in SPEC["paths"].items()
    for method, operation in operations.items()
]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A server of its own: what is sent to it is random, and its queue fills up."""
    running = Process(tmp_path_factory.mktemp("described"))  # Hypothesis wants to be alone in its process
    yield running.port
    running.end()


def test_everything_in_it_is_explained() -> None:
    assert SPEC["openapi"].startswith("3.1")
    for method, path, operation in OPERATIONS:
        assert operation.get("description"), f"{method} {path}"
        assert operation["operationId"] == operation["operationId"].lower()
        assert "Problem" in str(operation["responses"]["422"])
    assert len({operation["operationId"] for _, _, operation in OPERATIONS}) == len(OPERATIONS)


def test_every_step_and_every_part_of_a_check_is_there() -> None:
    steps = ("segment", "claims", "queries", "search", "fetch", "passages", "source-category", "judge")
    steps += ("roll-up", "score", "rescore")
    for step in steps:
        assert "post" in SPEC["paths"][f"/api/v1/{step}"]
    for part in ("", "/events", "/cancel", "/retry", "/recheck", "/compare/{other_id}", "/export", "/choices"):
        assert f"/api/v1/checks/{{check_id}}{part}" in SPEC["paths"]


def body_of(operation: dict[str, Any]) -> str | None:
    """The name of the form that an operation takes."""
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    return str(content["schema"]["$ref"]).rpartition("/")[2] if content else None


EXAMPLES = [
    (method, path, example)
    for method, path, operation in OPERATIONS
    if (name := body_of(operation)) and "{" not in path
    for example in SPEC["components"]["schemas"][name].get("examples", [])
]


@pytest.mark.parametrize(("method", "path", "example"), EXAMPLES, ids=[path for _, path, _ in EXAMPLES])
def test_the_examples_of_the_description_run(client: Client, method: str, path: str, example: Any) -> None:
    assert client.call(method, path, example).status in (200, 201)


def test_there_are_examples_of_all_steps() -> None:
    without = {"/api/v1/score", "/api/v1/rescore"}  # they take a whole report
    missing = {path for _, path, operation in OPERATIONS if body_of(operation) and "{" not in path}
    assert missing - {path for _, path, _ in EXAMPLES} == without


def test_a_method_that_an_address_does_not_take_is_answered_as_described(client: Client) -> None:
    for path, operations in SPEC["paths"].items():
        (reply_type,) = {str(operation["responses"]["405"]["content"]) for operation in operations.values()}
        assert "application/problem+json" in reply_type
        reply = client.call("PATCH", re.sub(r"{\w+}", "none", path))
        assert reply.status == 405, path
        assert reply.headers["content-type"] == "application/problem+json"
        assert {method.strip().lower() for method in reply.headers["allow"].split(",")} - {"head"} <= set(operations)


schema = schemathesis.openapi.from_dict(SPEC)
within_reason = settings(
    max_examples=10,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def must_hold(case: schemathesis.Case, port: int) -> None:
    """Send what was made up, and look whether the reply is one that the description knows."""
    who = {"Authorization": f"Bearer {secret_of(case)}"}
    reply = case.call(base_url=f"http://127.0.0.1:{port}", headers=who, timeout=30)
    known = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
    case.validate_response(reply, checks=known)


def secret_of(case: schemathesis.Case) -> str:
    """Every operation is asked for by a user of its own, so that none of them asks too often."""
    return f"schemathesis {case.method} {case.operation.path}"


def a_check(case: schemathesis.Case, port: int, *, fresh: bool) -> str:
    """A check that has come to its end: one for each operation, or a new one."""
    client = Client(port, secret_of(case))
    known = client.get("/api/v1/checks").json["checks"]
    check = str(known[-1]["id"]) if known and not fresh else client.check()
    wait_for(lambda: client.get(f"/api/v1/checks/{check}").json["state"], lambda state: state not in LIVE)
    return check


@schema.exclude(path_regex="/(search|fetch)$|check_id").parametrize()  # they ask the web
@within_reason
def test_whatever_is_sent_the_description_holds(case: schemathesis.Case, alone: int) -> None:
    must_hold(case, alone)


@schema.include(path_regex="{check_id}").parametrize()
@within_reason
def test_whatever_is_sent_about_a_check_the_description_holds(case: schemathesis.Case, alone: int) -> None:
    check = a_check(case, alone, fresh=case.method == "DELETE")
    case.path_parameters = dict.fromkeys(case.path_parameters, check)
    must_hold(case, alone)
