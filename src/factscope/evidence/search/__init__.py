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
from .sites import Sites

__all__ = [
    "ENGINES",
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
    "engine_title",
    "engines",
    "open_engine",
    "open_search",
    "register_search_engine",
    "register_service",
]
