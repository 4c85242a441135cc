"""Web search behind one small protocol: engines, their failures, what is kept, and which pages may be evidence."""

from .engine import Direct, Engine, Hit, Limit, Price, Results, Traits, Wanted
from .failures import SearchError
from .registry import available, engines, open_engine, open_search
from .search import LIMITS, ROLE, Search
from .serper import paper_text
from .service import Asked, Service
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
