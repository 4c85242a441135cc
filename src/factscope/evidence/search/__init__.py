"""Web search behind one small protocol: engines, their failures, what is kept, and which pages may be evidence."""

from factscope.evidence.search.engine_registry import available, engines, open_engine, open_search
from factscope.evidence.search.http_engine import Asked, Service
from factscope.evidence.search.search_errors import SearchError

from .engine import Direct, Engine, Hit, Limit, Price, Results, Traits, Wanted
from .search import LIMITS, ROLE, Search
from .serper import paper_text
from .sites import Sites

__all__ = [
    "LIMITS",
    "ROLE",
    "Asked",
    "Direct",
    "Engine",
    "Hit",
    "Limit",
    "Price",
    "Results",
    "Search",
    "SearchError",
    "Service",
    "Sites",
    "Traits",
    "Wanted",
    "available",
    "engines",
    "open_engine",
    "open_search",
    "paper_text",
]
