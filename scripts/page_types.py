"""The page's types and states, written from the description of the API and from `factscope.report.states`.

    .venv/bin/python scripts/page_types.py           writes src/lib/schema.ts, src/lib/stateTable.ts and src/states.css
    .venv/bin/python scripts/page_types.py --check   exit code 1 when a file would come out otherwise

A reply holds every field of its form; of a request only those that have no default must be given.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill
from typing import Any

from page_states import state_styles, state_table

from factscope.web.app import described

FOLDER = Path(__file__).parent.parent / "frontend" / "src"
ROOTS = (
    *("Setup", "Estimate", "CheckList", "WholeCheck", "RecheckPlan", "Problem", "CheckRequest", "RecheckRequest"),
    *("CheckDocuments", "CitationView", "ModelCall", "Judgements", "JudgeRequest"),
    *("AnnotationQueue", "AnnotationItem", "SavedAnnotation", "AnnotationAgreement"),
)
ASKED = {"CheckRequest", "RecheckRequest", "JudgeRequest", "EditedClaim", "DroppedDocument"}
HEAD = "// The forms of the API. Written by scripts/page_types.py from its description; do not change it by hand.\n"
PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def main() -> None:
    """Write the files, or check that they are up to date."""
    files = {
        FOLDER / "lib" / "schema.ts": written(described().openapi()["components"]["schemas"]),
        FOLDER / "lib" / "stateTable.ts": state_table(),
        FOLDER / "states.css": state_styles(),
    }
    for path, text in files.items():
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != text:
            sys.exit(f"{path.name} is out of date. Write it again: .venv/bin/python scripts/page_types.py")


def written(schemas: dict[str, Any]) -> str:
    """Return the TypeScript of all forms that the page sends and receives."""
    wanted: list[str] = list(ROOTS)
    for name in wanted:
        wanted += [one for one in dict.fromkeys(named(schemas[name])) if one not in wanted]
    return "\n".join([HEAD, *(interface(name, schemas[name]) for name in sorted(wanted) if name != "JsonValue")])


def named(schema: Any) -> Iterator[str]:
    """Yield the forms that a form refers to."""
    yield from re.findall(r'"#/components/schemas/(\w+)"', json.dumps(schema))


def interface(name: str, schema: dict[str, Any]) -> str:
    """Return one form."""
    lines = [*told(schema, ""), f"export interface {name} {{"]
    for field, inner in schema.get("properties", {}).items():
        optional = "?" if name in ASKED and field not in schema.get("required", ()) else ""
        lines += [*told(inner, "  "), f"  {field}{optional}: {type_of(inner)};"]
    return "\n".join([*lines, "}"]) + "\n"


def told(schema: dict[str, Any], indent: str) -> list[str]:
    """Return the description of a form or field as a comment."""
    words = " ".join(schema.get("description", "").split()).replace("*/", "* /")
    if not words:
        return []
    line = f"{indent}/** {words} */"
    return [line] if len(line) <= 120 else [fill(line, 120, subsequent_indent=f"{indent} * ", break_long_words=False)]


def type_of(schema: dict[str, Any]) -> str:
    """Return a value's type in TypeScript."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return "unknown" if name == "JsonValue" else str(name)
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(one) for one in schema["enum"])
    if "anyOf" in schema or "oneOf" in schema:
        return " | ".join(dict.fromkeys(type_of(one) for one in schema.get("anyOf") or schema["oneOf"]))
    if "prefixItems" in schema:
        return f"[{', '.join(type_of(one) for one in schema['prefixItems'])}]"
    if schema.get("type") == "array":
        inner = type_of(schema.get("items", {}))
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if schema.get("type") == "object":
        keys = schema.get("propertyNames", {})
        value = type_of(schema.get("additionalProperties") or {})
        return f"Partial<Record<{type_of(keys)}, {value}>>" if keys.get("enum") else f"Record<string, {value}>"
    return PLAIN.get(schema.get("type", ""), "unknown")


if __name__ == "__main__":
    main()
