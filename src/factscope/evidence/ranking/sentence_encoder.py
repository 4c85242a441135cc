"""Texts → vectors of their meaning, by a sentence-embedding model in ONNX format, on the CPU.

text → tokens → network → vectors of tokens → one vector → length 1 (as the model's files say, see `model_config`)

Vectors are cached, so each text is computed once. Speed: `perf/dense.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from importlib.util import find_spec
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from factscope.core import UsageError, batches, cores, import_onnxruntime, session_options
from factscope.core.sqlite_cache import CacheKind, CacheRow, SqliteCache
from factscope.evidence.ranking.model_config import EncoderConfig

BATCH_TOKENS = 1_024
"""Tokens in one run of the network, including padding. Measured with a model of MiniLM's size, in processor time per
sentence of 27 tokens: 6.6 ms with 512, 6.8 with 1,024, 7.5 with 2,048, 9.6 with 8,192; more tokens no longer fit the
processor's cache."""
LEFT = 500_000
"""Vectors that are left when the cache is opened, the newest; with 384 numbers each they take 0.4 GB."""
SLAB = 1_024
"""Texts that are tokenised at a time."""
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_POOLED = "sentence_embedding"
"""Output of networks that compute the vector of a text themselves."""


class VectorCache(SqliteCache[bytes, bytes]):
    """An open cache of vectors (float16, little-endian)."""

    kind = CacheKind(
        of="vectors", saves="time", encode=bytes, decode=bytes, synchronous="OFF", keep_first=True, most=LEFT
    )


class Encoder:
    """A model, loaded when it is first needed; safe to use from several threads."""

    def __init__(self, recipe: EncoderConfig, vector_cache: VectorCache) -> None:
        self.recipe = recipe
        self._cache = vector_cache
        self._lock = Lock()
        self._network: _Network | None = None

    def encode(self, texts: Sequence[str]) -> NDArray[np.float16]:
        """Return the vectors of texts, one row each. Raises StoreError, and UsageError when the model can't be used.

        The last digits of a vector may depend on the batch it was computed in; cached vectors do not change.
        """
        keys = [self._key(text) for text in texts]
        cached = self._cache.get_many(keys)
        if not cached.keys() >= set(keys):
            with self._lock:  # when threads want the same texts at the same time, the second one finds them cached
                cached.update(self._cache.get_many([key for key in keys if key not in cached]))
                missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in cached}
                for rows in self._computed(missing):
                    self._cache.put_many(CacheRow(*row) for row in rows)
                    cached.update(rows)
        return np.frombuffer(b"".join(cached[key] for key in keys), "<f2").reshape(len(keys), -1 if keys else 0)

    def _key(self, text: str) -> bytes:
        return sha256(f"{self.recipe.digest}{text}".encode("utf-8", "surrogatepass")).digest()[:16]

    def _computed(self, texts: Mapping[bytes, str]) -> Iterator[list[tuple[bytes, bytes]]]:
        """Yield batches of vectors, longest texts first.

        So the most memory is needed at the start, and little is spent on padding.
        """
        if self._network is None and texts:
            self._network = _Network(self.recipe)
        ordered = sorted(texts, key=lambda key: (-len(texts[key]), key))
        for start in range(0, len(ordered), SLAB):
            keys = ordered[start : start + SLAB]
            tokens = self._network.tokens([texts[key] for key in keys])  # type: ignore[union-attr]  # there are texts
            for indices in batches([len(each) for each in tokens], BATCH_TOKENS):
                vectors = self._network.run([tokens[index] for index in indices])  # type: ignore[union-attr]
                yield [(keys[index], vector.tobytes()) for index, vector in zip(indices, vectors, strict=True)]


def need_runtime() -> None:
    """Raise UsageError when the packages that run a model are not installed."""
    if missing := [name for name in ("onnxruntime", "tokenizers") if find_spec(name) is None]:
        raise UsageError(
            f"Semantic ranking needs {' and '.join(missing)}, not installed here.",
            "Install what is needed: pip install 'factscope[dense]'",
        )


class _Network:
    """A loaded model. Raises UsageError when it can't be loaded."""

    def __init__(self, recipe: EncoderConfig) -> None:
        onnxruntime = import_onnxruntime()
        from tokenizers import Tokenizer

        self.recipe = recipe
        options = session_options(cores())
        options.add_session_config_entry(
            "session.intra_op.allow_spinning", "0"
        )  # waiting takes no processor from others
        try:
            self.tokenizer = Tokenizer.from_file(str(recipe.tokenizer))
            self.session = onnxruntime.InferenceSession(str(recipe.graph), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # noqa: BLE001 - all that both packages raise has in common
            raise UsageError(f"The model {recipe.graph.parent} can't be loaded: {error}", _AGAIN) from None
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(recipe.most_tokens)
        self.inputs = [each.name for each in self.session.get_inputs()]
        if strange := sorted(set(self.inputs) - set(_INPUTS)):
            raise UsageError(
                f"The model {recipe.graph} needs input that is not known here: {', '.join(strange)}.", _AGAIN
            )
        outputs = [each.name for each in self.session.get_outputs()]
        self.output = _POOLED if _POOLED in outputs else outputs[0]

    def tokens(self, texts: list[str]) -> list[list[int]]:
        """Return the token numbers of each text."""
        return [each.ids for each in self.tokenizer.encode_batch_fast(texts)]

    def run(self, texts: Sequence[Sequence[int]]) -> NDArray[np.float16]:
        """Return the vectors of tokenised texts, given longest first."""
        ids = np.full((len(texts), max(1, len(texts[0]))), self.recipe.pad, np.int64)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(texts):
            ids[row, : len(tokens)], mask[row, : len(tokens)] = tokens, 1
        feeds = dict(zip(_INPUTS, (ids, mask, np.zeros_like(ids)), strict=True))
        try:
            [out] = self.session.run([self.output], {name: feeds[name] for name in self.inputs})
        except Exception as error:  # noqa: BLE001 - as above
            raise UsageError(f"The model {self.recipe.graph} can't be run: {error}", _AGAIN) from None
        vectors = self._pooled(np.asarray(out, np.float32), mask)
        if self.recipe.unit:
            vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        with np.errstate(over="ignore"):
            small = vectors.astype("<f2")
        if not np.isfinite(small).all():
            raise UsageError(f"The model {self.recipe.graph} gives numbers that are too large, or none.", _AGAIN)
        return small

    def _pooled(self, out: NDArray[np.float32], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        """Pool `out`, of shape (texts, tokens, numbers), or (texts, numbers) when the network has done it."""
        if self.output == _POOLED and out.ndim == 2 and len(out) == len(mask):
            return out
        if out.ndim != 3 or out.shape[:2] != mask.shape:
            raise UsageError(f"What the model {self.recipe.graph} gives are not vectors of its tokens.", _AGAIN)
        if self.recipe.pooling == "cls":
            return out[:, 0]
        weights = mask[..., None].astype(np.float32)
        pooled: NDArray[np.float32] = (out * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1)
        return pooled


_AGAIN = "Take another model, or copy it again."
