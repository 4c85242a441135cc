"""Models whose fields are described by the docstring under each, read from the source only when a schema is asked for.

Pydantic can do the same while a class is created, but that took half of the import time of the records.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, GetJsonSchemaHandler
from pydantic_core import CoreSchema


class Documented(BaseModel):
    """Base of models whose JSON schema has the docstring under each field as its description."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        from factscope.core.field_docs import field_docs

        schema = handler(core_schema)
        properties = handler.resolve_ref_schema(schema).get("properties", {})
        for name, sentence in field_docs(cls).items():
            if name in properties:
                properties[name] = {"description": sentence, **properties[name]}
        return schema
