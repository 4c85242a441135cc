"""Web search behind one small protocol: engines, their failures, what is kept, and which pages may be evidence."""

from factscope.evidence.search.engine_registry import available, engines, open_engine, open_search
from factscope.evidence.search.http_engine import EngineRequest, EngineService
from factscope.evidence.search.search_errors import SearchError

from .engine import (
    DirectAnswer,
    EngineHit,
    EngineTraits,
    Limit,
    SearchEngine,
    SearchOptions,
    SearchPrice,
    SearchResults,
)
from .search import LIMITS, ROLE, WebSearch
from .serper import paper_text
from .sites import Sites

__all__ = [
    "LIMITS",
    "ROLE",
    "DirectAnswer",
    "EngineHit",
    "EngineRequest",
    "EngineService",
    "EngineTraits",
    "Limit",
    "SearchEngine",
    "SearchError",
    "SearchOptions",
    "SearchPrice",
    "SearchResults",
    "Sites",
    "WebSearch",
    "available",
    "engines",
    "open_engine",
    "open_search",
    "paper_text",
]
