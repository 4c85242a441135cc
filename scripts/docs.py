"""Gather the pages of the documentation into one folder: from docs/, from the root, and made from code.

    .venv/bin/python scripts/docs.py build/docs

Made from code: the command line, the records, the fields of method files, the settings, the HTTP API and the figure of
the rooms. None of them is kept in git. Links to files that are not part of the site become their names.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from rooms import figure

ROOT = Path(__file__).resolve().parent.parent
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)")
_AT_ROOT = {"CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md", "CHANGELOG.md": "changelog.md"}


def main() -> None:
    """Write all pages into the folder that is named."""
    target = Path(sys.argv[1])
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(ROOT / "docs", target)
    for source, name in _AT_ROOT.items():
        shutil.copy(ROOT / source, target / name)
    (target / "reference").mkdir(exist_ok=True)
    made = {
        "reference/cli.md": command_line(),
        "reference/records.md": records(),
        "reference/methods.md": method_files(),
        "reference/settings.md": settings(),
        "reference/http.md": http(),
        "reference/python.md": python_names(),
    }
    for name, text in made.items():
        (target / name).write_text(text, encoding="utf-8")
    (target / "images" / "rooms.svg").write_text(figure(ROOT / "src" / "factscope"), encoding="utf-8")
    for page in target.rglob("*.md"):
        page.write_text(within(page, target), encoding="utf-8")


def within(page: Path, site: Path) -> str:
    """Return a page whose links lead to pages of the site, or are words where they would lead out of it."""

    def kept(match: re.Match[str]) -> str:
        words, place = match[1], match[2]
        path = place.partition("#")[0]
        if not path or "://" in place or place.startswith("mailto:"):
            return match[0]
        if path.removeprefix("../") in _AT_ROOT:
            return f"[{words}]({_AT_ROOT[path.removeprefix('../')]})"
        path = path.removeprefix("docs/") if page.name in _AT_ROOT.values() else path
        leads_to = (page.parent / path).resolve()
        inside = leads_to.is_relative_to(site.resolve()) and leads_to.exists()
        anchor = place.removeprefix(match[2].partition("#")[0])
        return f"[{words}]({path}{anchor})" if inside else words

    return _LINK.sub(kept, page.read_text(encoding="utf-8"))


def command_line() -> str:
    """Describe every command by its own help."""
    import typer.main

    from factscope.cli import app

    def listed(command: Any, name: str, parent: Any) -> Iterator[str]:
        context = typer.Context(command, info_name=name, parent=parent, terminal_width=100, max_content_width=100)
        yield f"## {context.command_path}\n\n```text\n{command.get_help(context).strip()}\n```\n"
        for each in command.list_commands(context) if hasattr(command, "list_commands") else ():
            yield from listed(command.get_command(context, each), each, context)

    whole = typer.main.get_command(app)
    return "# Command line\n\nEvery command, as `--help` prints it.\n\n" + "\n".join(listed(whole, "factscope", None))


def records() -> str:
    """Describe every kind of record by its fields."""
    from factscope.core import records as module

    names = [name for name in dir(module) if isinstance(getattr(module, name), type)]
    kinds = [getattr(module, name) for name in names if issubclass(getattr(module, name), BaseModel)]
    head = (
        "# Records and JSON\n\nA report is made of frozen records. `factscope schema` prints the JSON Schema of all.\n"
    )
    return head + "\n".join(table(kind) for kind in kinds)


def method_files() -> str:
    """Describe the tables of a method file."""
    from factscope import methods

    named = [getattr(methods, name) for name in sorted(dir(methods))]
    kinds = [kind for kind in named if isinstance(kind, type) and issubclass(kind, BaseModel)]
    kinds.sort(key=lambda kind: kind is not methods.Method)
    head = (
        "# Method files\n\nA method is a TOML file with these tables, or the changes to a known one (`based_on`)."
        " [Extending](../extending.md#a-method) shows one.\n"
    )
    return head + "\n".join(table(kind) for kind in kinds)


def settings() -> str:
    """Describe every setting by its docstring."""
    from factscope.engine.settings import Settings

    head = (
        "# Settings\n\nEach can be set in three places; the first that has a value wins: the option of a command"
        " (`--max-cost 5`), the environment (`FACTSCOPE_MAX_COST=5`, also from a file `.env` in the working folder),"
        " and `factscope.toml` in the working folder (`max_cost = 5`). `factscope config show` prints the values and"
        " where each came from.\n"
    )
    lines = ["", "| setting | default | meaning |", "|---|---|---|"]
    schema = Settings.model_json_schema()["properties"]
    for name, field in Settings.model_fields.items():
        default = "" if field.default in (None, (), {}) or field.is_required() else f"`{field.default}`"
        about = " ".join(schema[name]["description"].split()).replace("|", "\\|")
        lines.append(f"| `{name}` | {default if field.default_factory is None else ''} | {about} |")
    return head + "\n".join(lines) + "\n"


def table(kind: type[BaseModel]) -> str:
    """Describe the fields of one model."""
    import inspect

    lines = [f"\n## {kind.__name__}\n", inspect.cleandoc(kind.__doc__ or ""), ""]
    lines += ["| field | type | meaning |", "|---|---|---|"]
    schema = kind.model_json_schema()
    for name, field in kind.model_fields.items():
        about = schema.get("properties", {}).get(name, {}).get("description", field.description or "")
        default = "" if field.is_required() else " (optional)"
        kinds = type_name(field.annotation).replace("|", "\\|")
        lines.append(f"| `{name}`{default} | `{kinds}` | {' '.join(about.split()).replace('|', chr(92) + '|')} |")
    return "\n".join(lines) + "\n"


def type_name(kind: Any) -> str:
    """Write a type as a person would: without modules and validators."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return type_name(inner[0])
    if origin is Literal:
        return " | ".join(repr(value) for value in inner)
    if origin in (Union, UnionType):
        return " | ".join(dict.fromkeys(type_name(each) for each in inner))
    if kind in (None, NoneType, ...):
        return "..." if kind is ... else "None"
    name: str = getattr(origin or kind, "__name__", str(kind))
    return f"{name}[{', '.join(type_name(each) for each in inner)}]" if inner else name


def http() -> str:
    """Describe the HTTP API from its own OpenAPI document."""
    import tempfile

    from factscope.engine.settings import Settings
    from factscope.web.app import create
    from factscope.web.security import SecurityRules

    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(store=Path(folder, "runs.db"), cache=Path(folder, "cache"))
        application: Any = create(settings, str(Path(folder, "server.db")), SecurityRules())
        document = description(application)
    lines = ["# HTTP", "", "The server describes itself at `/openapi.json`, from which this page is made."]
    lines += ["[The page and the HTTP API](../server.md) shows how to use it.", ""]
    lines += ["Any request may also get one of these replies:", ""]
    operations = [(verb, path, about) for path, verbs in document["paths"].items() for verb, about in verbs.items()]
    replies = operations[0][2]["responses"]
    shared = [code for code in replies if code >= "400" and all(code in about["responses"] for *_, about in operations)]
    lines += [f"- `{code}`: {replies[code]['description']}" for code in shared]
    for verb, path, about in operations:
        lines += ["", f"## {verb.upper()} {path}", "", about.get("description", ""), ""]
        lines += [f"- `{each['name']}` ({each['in']})" for each in about.get("parameters", [])]
        for content in about.get("requestBody", {}).get("content", {}).values():
            name = content["schema"].get("$ref", "").rpartition("/")[2]
            fields = document["components"]["schemas"][name]["properties"]
            about_fields = {field: " ".join(kind.get("description", "").split()) for field, kind in fields.items()}
            lines += [f"- `{field}` (body): {words}".rstrip(": ") for field, words in about_fields.items()]
        lines += [f"- reply `{code}`" for code in about["responses"] if code not in shared]
    return "\n".join(lines) + "\n"


def description(application: Any) -> dict[str, Any]:
    """Ask an application for its OpenAPI document."""
    from starlette.testclient import TestClient

    # Outside of a `with` block the application does not begin its life, which this needs nothing of.
    client = TestClient(application, base_url="http://127.0.0.1")
    found: dict[str, Any] = json.loads(client.get("/openapi.json").text)
    return found


def python_names() -> str:
    """Ask mkdocstrings for every public name."""
    import factscope

    head = (
        "# Python\n\nAll names stand under `import factscope as fs`; [Check from Python](../python.md) uses them.\n\n"
    )
    stub = Path(factscope.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    homes = re.findall(r"^from \.(\S+) import (\w+) as", stub, flags=re.MULTILINE)
    blocks = [
        f"::: factscope.{home}.{name}\n" for home, name in sorted(homes, key=itemgetter(1)) if name != "__version__"
    ]
    return head + "\n".join(blocks)


if __name__ == "__main__":
    main()
