"""Prompts → embedding vectors, for topics and for comparing releases.

FactBench takes OpenAI's `text-embedding-3-small`. Here the parameters name one of: a model behind an OpenAI-compatible
endpoint (`openai/text-embedding-3-small`), a sentence-embedding model on this machine, the encoder that comes with
Factscope, or else a baseline that needs no model: latent semantic analysis (Deerwester et al. 1990), which is TF-IDF
and its truncated singular value decomposition. The baseline knows words, not meaning: it relates two prompts without a
common word only through words that others share with both, and a rare name only through its parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from factscope.benchmarks.curate.api_vectors import PREFIX, api_vectors
from factscope.benchmarks.curate.parameters import VectorSettings
from factscope.benchmarks.curate.stage import Stage, StageContext, StageResult, no_drops
from factscope.benchmarks.curate.topic_words import content_words
from factscope.core.errors import InputError, UsageError
from factscope.core.plurals import many

SHIPPED = "shipped"
"""Name, in the parameters, of the encoder that comes with Factscope."""
BASELINE = "baseline: TF-IDF and truncated SVD"
_PART = 4
"""Letters of a word part; word boundaries count as letters."""
_LEAST_KNOWN = 0.1
"""Least share of known words and parts in a prompt: `mast` and `yeast` have the same ending without being similar."""
_WORD = re.compile(r"\w+")
_SLAB = 2_048
"""Prompts that are embedded between two progress reports."""
Matrix = NDArray[np.float32]


def work(rows: pl.DataFrame, context: StageContext) -> StageResult:
    """Return the stage `vectors`: one vector of length 1 for each prompt, in the side table `vectors` (id, vector).

    The baseline stores its parameters in the side table `words` (word, idf, weights), for prompts that come later.
    Raises InputError when there is nothing to learn from, UsageError when the model can't be used.
    """
    settings = context.parameters.vectors
    if settings.model == SHIPPED:
        vectors = _shipped(rows["prompt"].to_list(), context)
        center = vectors.mean(axis=0)
        facts = {"by": "the encoder that comes with Factscope", "dimensions": vectors.shape[1]}
        sides = {"vectors": _table(rows["id"], _unit(vectors - center)), "center": pl.DataFrame({"value": center})}
        return StageResult(rows, no_drops(), facts, sides)
    if settings.model:
        vectors = _encoded(rows["prompt"].to_list(), context)
        facts = {"by": settings.model, "dimensions": vectors.shape[1]}
        return StageResult(rows, no_drops(), facts, {"vectors": _table(rows["id"], vectors)})
    words = learn(rows["prompt"].to_list(), settings)
    vectors = fold_in(rows["prompt"].to_list(), words, settings)
    unknown = np.logical_not(vectors.any(axis=1))
    vectors[unknown] = _unit(
        vectors.mean(axis=0, keepdims=True)
    )  # like all others and like none: not a reason to drop it
    facts = {
        "by": BASELINE,
        "dimensions": vectors.shape[1],
        "vocabulary": words.height,
        "seed": settings.seed,
        "unknown": int(unknown.sum()),
    }
    return StageResult(rows, no_drops(), facts, {"vectors": _table(rows["id"], vectors), "words": words})


STAGE = Stage("vectors", "Gives each prompt a vector of its meaning.", work)


def embed(prompts: Sequence[str], context: StageContext) -> Matrix:
    """Return vectors of other prompts in the stage's space, of shape (prompts, dimensions), of length 1 or 0.

    Raises InputError when the stage has not been done, UsageError when the model can't be used.
    """
    settings = context.parameters.vectors
    if settings.model == SHIPPED:
        vectors = _shipped(prompts, context)
        return _unit(vectors - context.side("center")["value"].to_numpy()) if len(vectors) else vectors
    return _encoded(prompts, context) if settings.model else fold_in(prompts, context.side("words"), settings)


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


def _table(ids: pl.Series, vectors: Matrix) -> pl.DataFrame:
    shape = pl.Array(pl.Float32, vectors.shape[1])
    return pl.DataFrame({"id": ids, "vector": pl.Series(vectors, dtype=shape)})


def _shipped(prompts: Sequence[str], context: StageContext) -> Matrix:
    """Return vectors without their mean, since they all share a common direction."""
    from factscope.judging.verifiers.builtin.text_vectors import text_vectors

    cut = [prompt[: context.parameters.vectors.characters] for prompt in prompts]
    return text_vectors(cut, context.progress)


def _encoded(prompts: Sequence[str], context: StageContext) -> Matrix:
    settings = context.parameters.vectors
    if settings.model.startswith(PREFIX):
        cut = [prompt[: settings.characters] for prompt in prompts]
        return _unit(api_vectors(settings.model.removeprefix(PREFIX), cut, context.progress))
    if context.encoders is None:
        raise UsageError(
            f"The parameters name the sentence-embedding model {settings.model!r}, and none can be opened here.",
            'Use the baseline: model = "" in the table [vectors].',
        )
    encoder = context.encoders.of(settings.model)
    blocks = [np.zeros((0, 0), np.float32)] if not prompts else []
    for start in range(0, len(prompts), _SLAB):
        cut = [prompt[: settings.characters] for prompt in prompts[start : start + _SLAB]]
        vectors = encoder.encode([f"{encoder.recipe.passage_prefix}{prompt}" for prompt in cut])
        blocks.append(_unit(vectors.astype(np.float32)))
        context.progress(start + len(cut), len(prompts))
    return np.concatenate(blocks)


def learn(prompts: Sequence[str], settings: VectorSettings) -> pl.DataFrame:
    """Fit the baseline: each word with its inverse document frequency and its weights, one for each dimension.

    Raises InputError when no two prompts have a word in common.
    """
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfTransformer

    counter = _counter(min_df=min(2, len(prompts)), max_features=settings.vocabulary)
    try:
        counts = counter.fit_transform([prompt[: settings.characters] for prompt in prompts])
    except ValueError:  # scikit-learn has no error of its own for an empty vocabulary
        raise InputError(
            f"The {many(len(prompts), 'prompt has', 'prompts have')} no words in common, so nothing can be"
            " learnt from them.",
            "Give more prompts, or name a sentence-embedding model in the table [vectors] of the parameters.",
        ) from None
    weighing = TfidfTransformer(sublinear_tf=True).fit(counts)
    dimensions = max(1, min(settings.dimensions, *(size - 1 for size in counts.shape)))
    with np.errstate(invalid="ignore"):  # equal prompts have no variance to share out
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
    cut = [prompt[: settings.characters] for prompt in prompts]
    counts = _counter(vocabulary=words["word"].to_list()).transform(cut)
    known = np.asarray(counts.sum(axis=1)).ravel() / [len(_features(prompt)) for prompt in cut]
    counts.data = 1 + np.log(counts.data)
    weighed = normalize(counts.multiply(words["idf"].to_numpy()).tocsr().astype(np.float32))
    vectors = _unit(weighed @ weights)
    vectors[known < _LEAST_KNOWN] = 0.0
    return vectors


def _counter(**options: Any) -> Any:
    from sklearn.feature_extraction.text import CountVectorizer

    return CountVectorizer(analyzer=_features, dtype=np.float32, **options)


def _features(prompt: str) -> list[str]:
    """Return the words of a prompt that are not request words, and the parts of each, by which rare names are compared.

    Numbers have no parts, since 1931 and 2031 are not similar.
    """
    words = content_words(prompt) or _WORD.findall(prompt.casefold()) or ["-"]
    return [*words, *(f"#{part}" for word in words if not word.isdigit() for part in _parts(word))]


def _parts(word: str) -> Iterator[str]:
    framed = f"<{word}>"
    return (framed[start : start + _PART] for start in range(max(1, len(framed) - _PART + 1)))


def _unit(vectors: Matrix) -> Matrix:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Matrix = vectors / np.maximum(lengths, 1e-12)
    return unit
