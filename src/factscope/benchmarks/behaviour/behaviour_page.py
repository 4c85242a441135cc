"""The result as a page: the tables, then every case that came out wrong. No script, no request."""

from __future__ import annotations

from functools import cache

import jinja2

from factscope.report import wording
from factscope.report.document_page import document_blocks
from factscope.report.templates import templates

from .behaviour_result import Behaviour
from .behaviour_tables import headline, tables


def to_html(behaviour: Behaviour) -> str:
    """One self-contained file; all text of a suite is escaped."""
    page = _templates().get_template("behaviour.html")
    blocks, made = document_blocks(tables(behaviour)), headline(behaviour)
    return page.render(found=behaviour, headline=made, blocks=blocks, version=behaviour.factscope)


@cache
def _templates() -> jinja2.Environment:
    return templates("factscope.benchmarks.behaviour", ("page.css", "tables.css"), words=wording)
