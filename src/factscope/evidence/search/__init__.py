"""Web search behind one small protocol: engines, their failures, the cache, and the filter for pages."""

from factscope.evidence.search.engine_registry import (
    ENGINES,
    available,
    engine_title,
    engines,
    open_engine,
    open_search,
    register_search_engine,
    register_service,
)
from factscope.evidence.search.http_engine import EngineService
from factscope.evidence.search.search_errors import SearchError

from .engine import (
    DirectAnswer,
    EngineHit,
    EngineTraits,
    SearchEngine,
    SearchOptions,
    SearchResults,
)
from .search import WebSearch
from .sites import Sites

__all__ = [
    "ENGINES",
    "DirectAnswer",
    "EngineHit",
    "EngineService",
    "EngineTraits",
    "SearchEngine",
    "SearchError",
    "SearchOptions",
    "SearchResults",
    "Sites",
    "WebSearch",
    "available",
    "engine_title",
    "engines",
    "open_engine",
    "open_search",
    "register_search_engine",
    "register_service",
]
