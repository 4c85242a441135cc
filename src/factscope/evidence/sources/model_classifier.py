"""Categories of hosts that neither table nor rules decide: a model is asked once for each, and its answer is cached."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from weakref import WeakValueDictionary

from factscope.core.labels import CATEGORIES, Category
from factscope.core.sqlite_cache import CacheKind, SqliteCache
from factscope.evidence.sources.assign import UNKNOWN, AssignedCategory, categorise, plain_host, readable
from factscope.llm.model_errors import ModelError
from factscope.llm.parsers import bracketed_label
from factscope.llm.session import ModelSession, StepQuestion, read_prompt
from factscope.methods import Ask

ASK = Ask(prompt="facts_and_evidence/source_category", role="source")
"""The question of Facts&Evidence, section 3.3: from the host name alone, without training."""

WORDS: dict[Category, str] = {category: category for category in CATEGORIES} | {
    "scientific_medical": "scientific_medical_article",
    "government": "government_website",
    "other": "etc",
}
"""Names of the categories as the paper writes them."""
_BY_WORD = {word: category for category, word in WORDS.items()}


def _decode(line: str) -> AssignedCategory:
    category, model = json.loads(line)
    if category not in CATEGORIES:
        raise ValueError(f"{category!r} is not a category")
    return AssignedCategory(category, model)


class CategoryCache(SqliteCache[str, AssignedCategory]):
    """An open cache of categories; a key is a host (as `plain_host` makes it) and the hash of the prompt."""

    kind = CacheKind(of="sources", saves="calls", encode=json.dumps, decode=_decode)


class SourceClassifier:
    """Categories of hosts, for one event loop at a time. Use as a context manager, or call `close`.

    A model's answers are cached and used by later runs, including those with another model or with none. The results of
    tables and rules are not cached: they take microseconds, and change with the tables.
    """

    def __init__(self, path: Path | None = None, own_categories: Mapping[str, Category] | None = None) -> None:
        """`path` is the file of answers; without one they last as long as this object.

        `own_categories` is a user's table.

        Raises StoreError when the file can't be opened or created, or was written by a newer Factscope.
        """
        self._own_categories = own_categories
        listed = repr(sorted(own_categories.items())) if own_categories else ""
        self.own_digest = hashlib.sha256(listed.encode()).hexdigest()[:12] if own_categories else ""
        """Distinguishes one user's table from another; empty without one."""
        self._prompt = read_prompt(ASK.prompt).hash
        self._cache = CategoryCache(path)
        self._given_up: set[str] = set()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def __enter__(self) -> SourceClassifier:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._cache.close()

    async def of(self, host: str, session: ModelSession | None) -> AssignedCategory:
        """Return the category of a host name: by a table, a rule, an earlier answer, or the model's answer.

        Without a model, or when it gives no usable answer, the category is `other` and its origin `unknown`; that is
        not cached. Raises StoreError, UsageError when no model has the role `source`, and a ModelError that would end
        all calls.
        """
        decided = categorise(host, self._own_categories)
        if decided:
            return decided
        name = plain_host(host) or host
        turn = self._turns.setdefault(name, asyncio.Lock())
        async with turn:  # pages of one site arrive together, and only one answer is paid for
            cached = await asyncio.to_thread(self._cache.get, f"{name} {self._prompt}")
            if cached or session is None or name in self._given_up:
                return cached or AssignedCategory("other", UNKNOWN)
            return await self._ask(name, session)

    async def _ask(self, name: str, session: ModelSession) -> AssignedCategory:
        try:
            question = StepQuestion(ASK, {"hostname": readable(name)}, {"category": WORDS})
            answer = await session.ask(question, lambda text: _BY_WORD[bracketed_label(text, list(_BY_WORD))])
        except ModelError as error:
            if error.fatal:
                raise
            self._given_up.add(name)
            return AssignedCategory("other", UNKNOWN)
        assigned = AssignedCategory(answer.value, session.models.of(ASK.role))
        await asyncio.to_thread(self._cache.put, f"{name} {self._prompt}", assigned)
        return assigned
