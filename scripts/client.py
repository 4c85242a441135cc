"""Write the typed Python client from the description of the API, or check that it is up to date.

    .venv/bin/python scripts/client.py           writes src/factscope/web/client.py
    .venv/bin/python scripts/client.py --check   exit code 1 when it would come out otherwise

One method for each operation; forms and records are the classes that the description was made from.
"""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from textwrap import fill
from typing import Any

from factscope.web.app import described

PLACE = Path(__file__).parent.parent / "src" / "factscope" / "web" / "client.py"
HOMES = (
    "factscope.core.records",
    "factscope.report.citations.overview",
    "factscope.scoring.run_changes",
    "factscope.web.forms",
    "factscope.web.setup_forms",
    "factscope.web.step_forms",
    "factscope.web.annotation.annotation_forms",
)
STEPS = "factscope.web.step_forms"
"""Home of the many forms of steps, which is imported as a whole."""
INDENT = " " * 8
HEAD = '''"""Python client for the API of a server: one method for each operation, with the records as they are.

    from factscope.web.client import ServerClient
    from factscope.web.forms import CheckRequest

    with ServerClient("http://127.0.0.1:8642", secret) as client:
        check = client.create_check(CheckRequest(text=..., documents=...))
        for event in client.watch(check.id):
            print(event.type, event.data)
        report = client.get_check(check.id).report

Written by scripts/client.py from the description of the API; do not change it by hand.
"""
# ruff: noqa: A002, D205 - parameters have the names of the API, docstrings its sentences

from __future__ import annotations

'''


def main() -> None:
    """Write the client, or compare it."""
    made = tidy(written(described().openapi()))
    if "--check" not in sys.argv:
        PLACE.write_text(made)
    elif PLACE.read_text() != made:
        sys.exit("The client is not that of the API. Write it again: .venv/bin/python scripts/client.py")


def tidy(code: str) -> str:
    """Format code as all of ours is, with sorted imports."""
    for command in (["check", "--fix", "--exit-zero", "-q"], ["format", "-q"]):
        ruff = [str(Path(sys.executable).parent / "ruff"), *command, "--stdin-filename", str(PLACE), "-"]
        done = subprocess.run(ruff, input=code, capture_output=True, text=True, check=True, cwd=PLACE.parents[3])
        code = done.stdout
    return code


def written(spec: dict[str, Any]) -> str:
    """Return the code of the client."""
    methods, used = [], set()
    for path, operations in spec["paths"].items():
        for verb, operation in operations.items():
            if "text/event-stream" in operation["responses"].get("200", {}).get("content", {}):
                continue  # `watch` of the class below it is better at that
            code, names = method(path, verb, operation)
            methods.append(code)
            used |= names
    homes = {name: home_of(name) for name in sorted(used)}
    imports = [f"from {home} import {name}" for name, home in homes.items() if home != STEPS]
    imports.append(f"from {STEPS.rpartition('.')[0]} import {STEPS.rpartition('.')[2]} as steps")
    own = ["from factscope.web.http_client import HttpClient"]
    return (
        HEAD
        + "\n".join([*imports, *own])
        + '\n\n\nclass ServerClient(HttpClient):\n    """A server, as one user."""\n\n'
        + "\n".join(methods)
    )


def home_of(name: str) -> str:
    """Return the module of a class in the description."""
    return next(home for home in HOMES if hasattr(import_module(home), name))


def named(name: str) -> str:
    """Return a class as the client names it."""
    return f"steps.{name}" if home_of(name) == STEPS else name


def method(path: str, verb: str, operation: dict[str, Any]) -> tuple[str, set[str]]:
    """Return one operation as a method, and the classes that it names."""
    used: set[str] = set()
    places = re.findall(r"{(\w+)}", path)
    arguments = [f"{place}: str" for place in places]
    body = ref(operation.get("requestBody", {}).get("content", {}).get("application/json", {}))
    if body:
        used.add(body)
        arguments.append(f"body: {named(body)}")
    options = [one for one in operation.get("parameters", []) if one["in"] in ("query", "header")]
    if options:
        arguments.append("*")
    arguments += [f"{plain(one['name'])}: {type_of(one['schema'])}{default_of(one)}" for one in options]
    replies = operation["responses"]
    reply = ref(
        next(
            (
                replies[code]["content"].get("application/json", {})
                for code in ("200", "201")
                if code in replies and "content" in replies[code]
            ),
            {},
        )
    )
    if reply:
        used.add(reply)
    said = " ".join(str(operation["description"]).split("\n\n")[0].split())
    query = ", ".join(f'"{one["name"]}": {plain(one["name"])}' for one in options if one["in"] == "query")
    headers = [plain(one["name"]) for one in options if one["in"] == "header"]
    route = f'f"{path}"' if places else f'"{path}"'
    sent = ", body" if body else ""
    sent += f", query={{{query}}}" if query else ""
    sent += "".join(f", {header}={header}" for header in headers)
    call = f"self.read({named(reply)}, " if reply else "self.call("
    result = f'return {call}"{verb.upper()}", {route}{sent})'
    signature = ", ".join(["self", *arguments])
    code = f"    def {operation['operationId']}({signature}) -> {named(reply) if reply else 'bytes'}:\n"
    doc = fill(f'"""{said}"""', 120, initial_indent=INDENT, subsequent_indent=INDENT)
    return f"{code}{doc}\n{INDENT}{result}\n", used


def ref(content: dict[str, Any]) -> str | None:
    """Return the class name of a body."""
    found = str(content.get("schema", {}).get("$ref", "")).rpartition("/")[2]
    return found or None


def plain(name: str) -> str:
    """Return a parameter's name in Python."""
    return name.lower().replace("-", "_")


def type_of(schema: dict[str, Any]) -> str:
    """Return a parameter's type in Python."""
    if "anyOf" in schema:
        return " | ".join(type_of(one) for one in schema["anyOf"])
    return {"integer": "int", "boolean": "bool", "null": "None"}.get(schema.get("type", ""), "str")


def default_of(parameter: dict[str, Any]) -> str:
    """Return the default as source code, to follow a parameter's type."""
    if parameter.get("required"):
        return ""
    return f" = {parameter['schema'].get('default')!r}"


if __name__ == "__main__":
    main()
