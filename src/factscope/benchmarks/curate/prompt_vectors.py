"""Prompts → embedding vectors, for topics and for comparing releases.

FactBench takes OpenAI's `text-embedding-3-small`. Here the parameters name one of: a model behind an OpenAI-compatible
endpoint (`openai/text-embedding-3-small`), a sentence-embedding model on this machine, the encoder that comes with
Factscope, or else a baseline that needs no model: latent semantic analysis (Deerwester et al. 1990), which is TF-IDF
and its truncated singular value decomposition. The baseline knows words, not meaning: it relates two prompts without a
common word only through words that others share with both, and a rare name only through its parts.
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from factscope.benchmarks.curate.parameters import VectorSettings
from factscope.benchmarks.curate.stage import Stage, StageContext, StageResult, no_drops
from factscope.benchmarks.curate.topic_words import Matrix, content_words
from factscope.core import InputError, UsageError, many
from factscope.llm import CallLimits, Endpoint, ModelError, endpoint, failure_of, parsed_body

if TYPE_CHECKING:
    import aiohttp

    from factscope.evidence.embedding_models import Encoders
    from factscope.evidence.ranking.sentence_encoder import Encoder

SHIPPED = "shipped"
"""Name, in the parameters, of the encoder that comes with Factscope."""
BASELINE = "baseline: TF-IDF and truncated SVD"
PREFIX = "api:"
"""Prefix of such a model's name in the parameters."""
_BATCH = 128
"""Prompts in one call, and between two reports of progress."""
_LIMITS = CallLimits(first_wait=1.0)  # a call of many prompts; otherwise as for other calls to models
_SECONDS = 120.0  # that a call may take
_PART = 4
"""Letters of a word part; word boundaries count as letters."""
_LEAST_KNOWN = 0.1
"""Least share of known words and parts in a prompt: `mast` and `yeast` have the same ending without being similar."""
_LEAST_WORDS = 2
"""Words and parts that a decomposition needs."""
_WORD = re.compile(r"\w+")


def work(rows: pl.DataFrame, context: StageContext) -> StageResult:
    """Return the stage `vectors`: one vector of length 1 for each prompt, in the side table `vectors` (id, vector).

    The baseline stores its parameters in the side table `words` (word, idf, weights), for prompts that come later.
    Raises InputError when there is nothing to learn from, UsageError when the model can't be used.
    """
    settings, prompts = context.parameters.vectors, rows["prompt"].to_list()
    by, more = settings.model or BASELINE, dict[str, int]()
    sides: dict[str, pl.DataFrame] = {}
    if settings.model == SHIPPED:
        plain = _encoded(prompts, context)
        center = plain.mean(axis=0)  # all share a common direction
        by, sides["center"] = "the encoder that comes with Factscope", pl.DataFrame({"value": center})
        vectors = _unit(plain - center)
    elif settings.model:
        vectors = _encoded(prompts, context)
    else:
        sides["words"] = learn(prompts, settings)
        vectors = fold_in(prompts, sides["words"], settings)
        unknown = np.logical_not(vectors.any(axis=1))
        # Like all others and like none: not a reason to drop it.
        vectors[unknown] = _unit(vectors.mean(axis=0, keepdims=True))
        more = {"vocabulary": sides["words"].height, "seed": settings.seed, "unknown": int(unknown.sum())}
    facts = {"by": by, "dimensions": vectors.shape[1], **more}
    shape = pl.Array(pl.Float32, vectors.shape[1])
    table = pl.DataFrame({"id": rows["id"], "vector": pl.Series(vectors, dtype=shape)})
    return StageResult(rows, no_drops(), facts, {"vectors": table, **sides})


STAGE = Stage("vectors", "Gives each prompt a vector of its meaning.", work)


def embed(prompts: Sequence[str], context: StageContext) -> Matrix:
    """Return vectors of other prompts in the stage's space, of shape (prompts, dimensions), of length 1 or 0.

    Raises InputError when the stage has not been done, UsageError when the model can't be used.
    """
    settings = context.parameters.vectors
    if not settings.model:
        return fold_in(prompts, context.side("words"), settings)
    vectors = _encoded(prompts, context)
    if settings.model == SHIPPED and len(vectors):
        vectors = _unit(vectors - context.side("center")["value"].to_numpy())
    return vectors


def examine(settings: VectorSettings, encoders: Encoders | None) -> None:
    """Raise UsageError when the model can't be used, StoreError when its files can't be read."""
    if settings.model.startswith(PREFIX):
        endpoint(settings.model.removeprefix(PREFIX), os.environ)
    elif settings.model not in ("", SHIPPED):
        _encoder(settings.model, encoders)


def _encoder(model: str, encoders: Encoders | None) -> Encoder:
    if encoders is None:
        raise UsageError(
            f"The parameters name the sentence-embedding model {model!r}, and none can be opened here.",
            'Use the baseline: model = "" in the table [vectors].',
        )
    return encoders.of(model)


def matrix(table: pl.DataFrame, ids: pl.Series) -> Matrix:
    """Return the vectors of these ids, of shape (ids, dimensions). Raises InputError when one has none."""
    joined = pl.DataFrame({"id": ids}).join(table, on="id", how="left", maintain_order="left")
    if missing := joined["vector"].null_count():
        raise InputError(
            f"{many(missing, 'prompt has', 'prompts have')} no vector, such as"
            f" {joined.filter(pl.col('vector').is_null())['id'][0]}.",
            "Make the release again in an empty folder.",
        )
    return joined["vector"].to_numpy()


def _encoded(prompts: Sequence[str], context: StageContext) -> Matrix:
    settings = context.parameters.vectors
    cut = _cut(prompts, settings)
    if settings.model == SHIPPED:
        from factscope.judging.verifiers.builtin.text_vectors import text_vectors

        return text_vectors(cut, context.progress)
    if settings.model.startswith(PREFIX):
        return _unit(api_vectors(settings.model.removeprefix(PREFIX), cut, context.progress))
    encoder = _encoder(settings.model, context.encoders)
    blocks = [np.zeros((0, 0), np.float32)] if not prompts else []
    for start in range(0, len(cut), _BATCH):
        slab = [f"{encoder.recipe.passage_prefix}{prompt}" for prompt in cut[start : start + _BATCH]]
        blocks.append(_unit(encoder.encode(slab).astype(np.float32)))
        context.progress(start + len(slab), len(cut))
    return np.concatenate(blocks)


def learn(prompts: Sequence[str], settings: VectorSettings) -> pl.DataFrame:
    """Fit the baseline: each word with its inverse document frequency and its weights, one for each dimension.

    Raises InputError when fewer than two words are in several prompts.
    """
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfTransformer

    counter = _counter(min_df=min(2, len(prompts)), max_features=settings.vocabulary)
    counts = None
    with suppress(ValueError):  # scikit-learn has no error of its own for an empty vocabulary
        counts = counter.fit_transform(_cut(prompts, settings))
    if counts is None or counts.shape[1] < _LEAST_WORDS:
        raise InputError(
            f"The {many(len(prompts), 'prompt has', 'prompts have')} no words in common by which they could be"
            " compared.",
            "Give more prompts, or name a sentence-embedding model in the table [vectors] of the parameters.",
        )
    weighing = TfidfTransformer(sublinear_tf=True).fit(counts)
    dimensions = max(1, min(settings.dimensions, *(size - 1 for size in counts.shape)))
    with np.errstate(invalid="ignore", divide="ignore"):  # equal prompts have no variance to share out
        reduction = TruncatedSVD(dimensions, random_state=settings.seed).fit(weighing.transform(counts))
    weights = np.ascontiguousarray(reduction.components_.T, np.float32)
    return pl.DataFrame(
        {
            "word": counter.get_feature_names_out().tolist(),
            "idf": pl.Series(weighing.idf_, dtype=pl.Float32),
            "weights": pl.Series(weights, dtype=pl.Array(pl.Float32, dimensions)),
        }
    )


def fold_in(prompts: Sequence[str], words: pl.DataFrame, settings: VectorSettings) -> Matrix:
    """Return vectors by the baseline, of shape (prompts, dimensions); all 0 for a prompt with almost no known words."""
    from sklearn.preprocessing import normalize

    weights = words["weights"].to_numpy()
    if not prompts:
        return np.zeros((0, weights.shape[1]), np.float32)
    cut = _cut(prompts, settings)
    counts = _counter(vocabulary=words["word"].to_list()).transform(cut)
    known = np.asarray(counts.sum(axis=1)).ravel() / [len(_features(prompt)) for prompt in cut]
    counts.data = 1 + np.log(counts.data)
    weighed = normalize(counts.multiply(words["idf"].to_numpy()).tocsr().astype(np.float32))
    vectors = _unit(weighed @ weights)
    vectors[known < _LEAST_KNOWN] = 0.0
    return vectors


def _cut(prompts: Sequence[str], settings: VectorSettings) -> list[str]:
    return [prompt[: settings.characters] for prompt in prompts]


def _counter(**options: Any) -> Any:
    from sklearn.feature_extraction.text import CountVectorizer

    return CountVectorizer(analyzer=_features, dtype=np.float32, **options)


def _features(prompt: str) -> list[str]:
    """Return the words of a prompt that are not request words, and the parts of each, by which rare names are compared.

    Numbers have no parts, since 1931 and 2031 are not similar.
    """
    words = content_words(prompt) or _WORD.findall(prompt.casefold()) or ["-"]
    framed = [f"<{word}>" for word in words if not word.isdigit()]
    parts = (f"#{word[start : start + _PART]}" for word in framed for start in range(max(1, len(word) - _PART + 1)))
    return [*words, *parts]


def _unit(vectors: Matrix) -> Matrix:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Matrix = vectors / np.maximum(lengths, 1e-12)
    return unit


def api_vectors(model: str, prompts: Sequence[str], progress: Callable[[int, int], None]) -> Matrix:
    """Return one row for each prompt, in their order.

    Raises UsageError for a model that can't be reached by its name, and ModelError when its server refuses or fails.
    """
    where = endpoint(model, os.environ)

    async def fetch_vectors() -> Matrix:
        import aiohttp

        timeout = aiohttp.ClientTimeout(total=_SECONDS)
        async with aiohttp.ClientSession(timeout=timeout, trust_env=True) as session:
            parts = []
            for start in range(0, len(prompts), _BATCH):
                parts.append(await _vectors(session, where, prompts[start : start + _BATCH]))
                progress(min(start + _BATCH, len(prompts)), len(prompts))
        return np.concatenate(parts) if parts else np.zeros((0, 0), np.float32)

    with ThreadPoolExecutor(max_workers=1) as pool:  # a build has an event loop of its own in this thread
        return pool.submit(lambda: asyncio.run(fetch_vectors())).result()


async def _vectors(session: aiohttp.ClientSession, where: Endpoint, prompts: Sequence[str]) -> Matrix:
    """Return the vectors of one call, asked again where the server says later."""
    import aiohttp

    url, body = where.url.replace("/chat/completions", "/embeddings"), {"model": where.name, "input": list(prompts)}
    for attempt in range(1, _LIMITS.tries + 1):
        try:
            async with session.post(url, json=body, headers=dict(where.headers)) as reply:
                content = await reply.read()
            if reply.status == 200:
                return _read(parsed_body(content, where), len(prompts), where.model)
            failure = failure_of(reply.status, reply.headers, content, where, time.time())
        except (aiohttp.ClientError, TimeoutError) as error:
            failure = ModelError("connection", f"{type(error).__name__}: {error}.")
        if not failure.again or attempt == _LIMITS.tries:
            break
        await asyncio.sleep(_LIMITS.pause(attempt, failure.wait))
    hint = failure.hint or 'Another: model = "api:…" in the table [vectors].'
    raise ModelError(failure.kind, f"{where.model} returned no embeddings: {failure.message}", hint)


def _read(reply: Any, number: int, model: str) -> Matrix:
    """Return the vectors of a reply in the order of its prompts. Raises ModelError for one of another form."""
    try:
        rows = sorted(reply["data"], key=lambda row: row["index"])
        vectors = np.array([row["embedding"] for row in rows], np.float32)
    except (KeyError, TypeError, ValueError):
        vectors = np.zeros((0, 0), np.float32)
    if vectors.ndim != 2 or len(vectors) != number or not np.isfinite(vectors).all():
        raise ModelError("unreadable", f"The reply of {model} is not a list of {number:,} embeddings.", "")
    return vectors
