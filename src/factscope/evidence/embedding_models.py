"""Sentence-embedding models, opened when a method ranks by meaning; until then nothing heavy is imported."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from factscope.evidence.ranking.sentence_encoder import Encoder, VectorCache


class Encoders:
    """The open models of a process, each loaded once, with one file of vectors."""

    def __init__(self, find: Callable[[str], Path], cache_path: Path | None = None) -> None:
        """`find` returns the folder of a model by its name; `cache_path` is the file of vectors, None for no file."""
        self._find, self._cache_path = find, cache_path
        self._lock = Lock()
        self._vectors: VectorCache | None = None
        self._open: dict[str, Encoder] = {}

    def of(self, model: str) -> Encoder:
        """Return a model by its name.

        Raises StoreError, and UsageError when it does not exist, can't be used, or its runtime is not installed.
        """
        with self._lock:
            if model not in self._open:
                from factscope.evidence.ranking.model_config import read_recipe
                from factscope.evidence.ranking.sentence_encoder import Encoder, VectorCache, need_runtime

                need_runtime()
                recipe = read_recipe(self._find(model))
                self._vectors = self._vectors or VectorCache(self._cache_path)
                self._open[model] = Encoder(recipe, self._vectors)
            return self._open[model]

    def close(self) -> None:
        """Close the file of vectors."""
        with self._lock:
            if self._vectors:
                self._vectors.close()
            self._vectors, self._open = None, {}
