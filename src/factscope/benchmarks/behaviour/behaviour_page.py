"""The result as a page: the tables, then every case that came out wrong. No script, no request."""

from __future__ import annotations

from factscope.report.templates import Pages

from .behaviour_result import Behaviour
from .behaviour_tables import headline, tables


def to_html(behaviour: Behaviour) -> str:
    """Return one self-contained file; all text of a suite is escaped."""
    values = {"headline": headline(behaviour), "blocks": tables(behaviour), "version": behaviour.factscope}
    return _PAGES.fill("behaviour.html", found=behaviour, **values)


_PAGES = Pages("factscope.benchmarks.behaviour", ("page.css", "tables.css"))
