"""Search engines by name. Other packages add theirs as entry points of the group `factscope.search`.

Each engine has a function that opens it from the environment, and raises UsageError naming the variable to set when the
engine is not configured.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from factscope.core import FactscopeError, Registry, UsageError
from factscope.evidence.search.engine import SearchEngine
from factscope.evidence.search.http_engine import EngineService
from factscope.evidence.search.search import SearchCache, WebSearch

Opener = Callable[[Mapping[str, str]], SearchEngine]


class EngineEntry(NamedTuple):
    """A registered search engine."""

    name: str
    """Name by which users select it."""
    title: str
    """Name in reports and on the page."""
    open: Opener


def _adapted(name: str, loaded: EngineEntry | Opener) -> EngineEntry:
    return loaded if isinstance(loaded, EngineEntry) else EngineEntry(name, name, loaded)


ENGINES: Registry[EngineEntry] = Registry(
    "search engine", "factscope.search", "factscope.evidence.search.engines", _adapted
)


def register_search_engine(name: str, *, title: str) -> Callable[[Opener], EngineEntry]:
    """Register the function below, which opens an engine. Raises ValueError for a name that is taken."""
    return lambda opener: ENGINES.add(name, EngineEntry(name, title, opener))


def register_service(service: EngineService) -> EngineService:
    """Register an engine over HTTP. Raises ValueError for a name that is taken."""
    ENGINES.add(service.name, EngineEntry(service.name, service.title, service.open))
    return service


def engine_names() -> tuple[str, ...]:
    """Return the names of all engines that are installed, those of other packages last."""
    return ENGINES.names()


def engine_title(name: str) -> str:
    """Return an engine's title; its name when it is not installed, as may be for a report from another machine."""
    return ENGINES.get(name).title if name in ENGINES else name


def open_engine(name: str, environment: Mapping[str, str]) -> SearchEngine:
    """Open an engine by name, configured by the environment.

    Raises UsageError that names the variable to set, or similar names when there is no such engine.
    """
    opener = ENGINES.get(name).open
    try:
        engine = opener(environment)
    except FactscopeError:
        raise
    except Exception as error:  # a mistake in another package
        raise UsageError(f"The search engine {name!r} can't be opened: {type(error).__name__}: {error}.") from error
    if not isinstance(engine, SearchEngine):
        raise UsageError(f"The search engine {name!r} opens a {type(engine).__name__}, which is not a SearchEngine.")
    return engine


def available(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return names of the engines that are configured."""
    return tuple(name for name in engine_names() if _opens(name, environment))


def _opens(name: str, environment: Mapping[str, str]) -> bool:
    try:
        open_engine(name, environment)
    except UsageError:
        return False
    return True


def open_search(name: str, environment: Mapping[str, str], cache: Path | None = None) -> WebSearch:
    """Return a search with an engine by name; nothing is sent yet. `cache` is the file that stores results.

    Raises StoreError, and the same errors as `open_engine`.
    """
    return WebSearch(open_engine(name, environment), SearchCache(cache))
