"""The stages `exact` and `near`: of prompts that are the same, or almost, the first is kept.

Prompts are equal if they differ only in case, spaces and variants of the same character. They are almost equal if their
sets of words overlap by more than a threshold (FactBench: Jaccard > 0.9). Candidates are found by MinHash (Broder 1997;
by datasketch) and locality-sensitive hashing; the overlap of each is then counted exactly, so that none is dropped that
should stay. The bands are chosen so that at most 1 in 8,000 pairs at the threshold is missed, if that is 0.1 or more.
The index is ours: datasketch's takes 5 kB for each prompt, also for those that share nothing with any other.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

from factscope.benchmarks.curate.parameters import NearDuplicateRule
from factscope.benchmarks.curate.stage import Stage, StageContext, StageResult, sifted

_WORD = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]|[\p{L}\p{M}\p{N}_]+"
"""A word; in scripts that put no space between words, a character."""
_MOST_ROWS = 8
"""Hash values per band, where the threshold allows it: 128 in all make 16 bands, enough for 0.9."""
_MISSED = 1 / 8_000
"""Share of the pairs at the threshold that may be missed."""
_SLAB = 2_000
"""Prompts between two progress reports."""
Words = NDArray[np.uint32]


def exact(rows: pl.DataFrame, context: StageContext) -> StageResult:
    """Return the first of equal prompts, with their number in the column `times`."""
    plain = pl.col("prompt").str.normalize("NFKC").str.to_lowercase().str.replace_all(r"\s+", " ").str.strip_chars()
    same = rows.with_columns(same=plain)
    table = same.with_columns(first=pl.col("id").first().over("same"), times=pl.len().over("same").cast(pl.Int64))
    unique, again, *_ = sifted(table, pl.col("id") == pl.col("first"), "duplicate", pl.format("of {}", "first"))
    return StageResult(unique.drop("same", "first"), again)


def drop_near_duplicates(rows: pl.DataFrame, context: StageContext) -> StageResult:
    """Return the rows whose overlap with every earlier kept row is at most the threshold."""
    settings = context.parameters.near
    ids = rows["id"]
    duplicates = {
        ids[row]: f"of {ids[first]}, Jaccard {overlap:.3f}"
        for row, first, overlap in _near_pairs(*_word_sets(rows["prompt"]), settings, context)
    }
    detail = pl.col("id").replace_strict(duplicates, default="", return_dtype=pl.String)
    unique = ~pl.col("id").is_in(list(duplicates))
    return sifted(rows, unique, "near-duplicate", detail, {"seed": settings.seed})


EXACT = Stage("exact", "Keeps the first of equal prompts.", exact, parameters=())
NEAR_DUPLICATES = Stage("near", "Keeps the first of prompts that have almost the same words.", drop_near_duplicates)


def _word_sets(prompts: pl.Series) -> tuple[list[Words], int]:
    """Return the distinct words of each prompt as sorted numbers, and the number of all distinct words."""
    table = prompts.to_frame("prompt").select(
        row=pl.int_range(pl.len(), dtype=pl.UInt32),
        word=pl.col("prompt").str.normalize("NFKC").str.to_lowercase().str.extract_all(_WORD).list.unique(),
    )
    long = (
        table.explode("word").drop_nulls().with_columns(number=pl.col("word").rank("dense") - 1).sort("row", "number")
    )
    sizes = table["word"].list.len().to_numpy()
    return np.split(long["number"].to_numpy(), np.cumsum(sizes)[:-1]), long["number"].n_unique()


def _near_pairs(
    sets: list[Words], vocabulary: int, rule: NearDuplicateRule, context: StageContext
) -> Iterator[tuple[int, int, float]]:
    """Yield each row that is near an earlier kept row, with that row and their overlap; in order."""
    bands = _bands(sets, rule, context)
    index: list[dict[int, list[int]]] = [{} for _ in range(bands.shape[1])]
    own_words = np.zeros(vocabulary, np.bool_)
    for row in np.flatnonzero(_shared(bands)).tolist():
        keys, words = bands[row].tolist(), sets[row]
        others = sorted({other for known_ids, key in zip(index, keys, strict=True) for other in known_ids.get(key, ())})
        own_words[words] = True
        overlaps = _overlaps(own_words, len(words), [sets[other] for other in others])
        own_words[words] = False
        if overlaps.max(initial=0.0) > rule.jaccard:
            yield row, others[overlaps.argmax()], float(overlaps.max())
            continue
        for rows_with_key, key in zip(index, keys, strict=True):
            rows_with_key.setdefault(key, []).append(row)


def _rows_per_band(rule: NearDuplicateRule) -> int:
    """Return the hash values of a band: the more, the fewer candidates, but the more pairs are missed.

    A pair at Jaccard j has a band in common with probability 1 − (1 − j^rows)^bands.
    """
    enough = (
        rows for rows in range(_MOST_ROWS, 1, -1) if (1 - rule.jaccard**rows) ** (rule.permutations // rows) <= _MISSED
    )
    return next(enough, 1)


def _bands(sets: list[Words], rule: NearDuplicateRule, context: StageContext) -> NDArray[np.uint64]:
    """Return hashes of the bands of each set's MinHash, of shape (sets, bands); 0 for an empty set."""
    from datasketch import MinHash

    rows = _rows_per_band(rule)
    mixing = np.random.default_rng(rule.seed).integers(1, 2**63, rows, np.uint64) | np.uint64(1)
    bands = np.zeros((len(sets), rule.permutations // rows), np.uint64)
    sketches = MinHash.generator(sets, num_perm=rule.permutations, seed=rule.seed, hashfunc=int)
    for row, (words, sketch) in enumerate(zip(sets, sketches, strict=True)):
        if len(words):
            values = sketch.hashvalues[: bands.shape[1] * rows].astype(np.uint64).reshape(-1, rows)
            bands[row] = values @ mixing
        if row % _SLAB == 0:
            context.progress(row, len(sets))
    return bands


def _shared(bands: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return whether a set has a band in common with another one, of shape (sets,).

    Most have none and need no lookup.
    """
    shared = np.zeros(len(bands), np.bool_)
    for band in bands.T:
        _, inverse, times = np.unique(band, return_inverse=True, return_counts=True)
        shared |= times[inverse] > 1
    has_pair: NDArray[np.bool_] = shared & bands.any(axis=1)
    return has_pair


def _overlaps(own_words: NDArray[np.bool_], size: int, others: list[Words]) -> NDArray[np.float64]:
    """Return Jaccard of one set, given by its marks in the vocabulary and its size, with each of the others."""
    if not others:
        return np.zeros(0)
    sizes = np.array([len(other) for other in others])
    shared = np.add.reduceat(own_words[np.concatenate(others)], np.cumsum(sizes) - sizes, dtype=np.int64)
    overlaps: NDArray[np.float64] = shared / (size + sizes - shared)
    return overlaps
