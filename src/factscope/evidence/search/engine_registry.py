"""Search engines by name. Other packages add theirs as entry points of the group `factscope.search`.

An entry point is a function that takes the environment and gives an `Engine`, such as the method `open` of a `Service`;
it raises UsageError naming the variable to set when the engine is not configured.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from importlib.metadata import entry_points
from pathlib import Path

from factscope.core.errors import FactscopeError, UsageError
from factscope.evidence.search.brave import BRAVE
from factscope.evidence.search.engine import SearchEngine
from factscope.evidence.search.search import LIMITS, WebSearch
from factscope.evidence.search.search_cache import SearchCache
from factscope.evidence.search.searxng import SEARXNG
from factscope.evidence.search.serper import SERPER
from factscope.evidence.search.tavily import TAVILY
from factscope.evidence.search.wikipedia import WIKIPEDIA
from factscope.llm.limits import CallLimits

GROUP = "factscope.search"
Opener = Callable[[Mapping[str, str]], SearchEngine]
_OWN: dict[str, Opener] = {each.name: each.open for each in (SERPER, BRAVE, TAVILY, SEARXNG, WIKIPEDIA)}


def engines() -> tuple[str, ...]:
    """Names of all engines that are installed: those that come with Factscope, then those of other packages."""
    others = {entry.name for entry in entry_points(group=GROUP)} - _OWN.keys()
    return (*_OWN, *sorted(others))


def open_engine(name: str, environment: Mapping[str, str]) -> SearchEngine:
    """An engine by name, as the environment sets it up.

    Raises UsageError that names the variable to set, or near names when there is no such engine.
    """
    if name in _OWN:
        return _OWN[name](environment)
    entry = next((entry for entry in entry_points(group=GROUP) if entry.name == name), None)
    if entry is None:
        known = engines()
        near = difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.5)
        hint = f"Did you mean {' or '.join(near)}?" if near else f"There are: {', '.join(known)}."
        raise UsageError(f"There is no search engine {name!r}.", hint)
    try:
        engine = entry.load()(environment)
    except FactscopeError:
        raise
    except Exception as error:  # another package's mistake
        raise UsageError(f"The search engine {name!r} can't be opened: {type(error).__name__}: {error}.") from error
    if not isinstance(engine, SearchEngine):
        raise UsageError(f"The entry point {name!r} of group {GROUP} gives no Engine.")
    return engine


def available(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Names of the engines that are configured."""
    return tuple(name for name in engines() if _opens(name, environment))


def _opens(name: str, environment: Mapping[str, str]) -> bool:
    try:
        open_engine(name, environment)
    except UsageError:
        return False
    return True


def open_search(
    name: str,
    environment: Mapping[str, str],
    cache: Path | None = None,
    limits: CallLimits = LIMITS,
    per_second: int | None = None,
) -> WebSearch:
    """A search with an engine by name; nothing is sent yet. `cache` is the file that keeps results.

    Raises what `open_engine` raises, and StoreError.
    """
    return WebSearch(open_engine(name, environment), SearchCache(cache), limits, per_second)
