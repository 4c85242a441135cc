"""Speed of a large local collection: 100,000 index units, made up, the same each time.

Run `python perf/retrieval.py [UNITS]`. Prints seconds to index, peak memory, disk, seconds to open again, milliseconds
per query, and seconds to open after one file changed; where the package bm25s is installed, also the processor seconds
that it takes to index the same passages. Figures are kept in `perf/README.md`.
"""

from __future__ import annotations

import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import quantiles

from factscope.evidence.collection import Collection, open_collection
from factscope.methods import Passages

FILES = 1_000
WORDS = 60_000
QUERIES = 300
SENTENCES_IN_UNIT = 4
_SYLLABLES = [
    first + vowel + last for first in "bdfgklmnprstv" for vowel in "aeiou" for last in ("", "n", "r", "s", "l")
]


def vocabulary(chance: random.Random) -> list[str]:
    """Return made-up words of one to four syllables, the short ones first, as in a language."""
    words = ["the", "of", "and", "in", "to", "was", "is", "for", "on", "by"]
    seen = set(words)
    while len(words) < WORDS:
        length = min(4, 1 + len(words) // 200)
        word = "".join(chance.choice(_SYLLABLES) for _ in range(chance.randint(1, length)))
        if word not in seen:
            seen.add(word)
            words.append(word)
    return words


def sentences(chance: random.Random, words: list[str]) -> Iterator[str]:
    """Yield endless sentences of 8 to 32 words, drawn by Zipf's law, some with a number or a name."""
    weights = [1 / (rank + 2.7) for rank in range(len(words))]
    while True:
        drawn = chance.choices(words, weights, k=200_000)
        start = 0
        while start + 32 < len(drawn):
            size = chance.randint(8, 32)
            said = drawn[start : start + size]
            start += size
            if chance.random() < 0.3:
                said[chance.randrange(1, size)] = str(chance.randint(1, 2100))
            if chance.random() < 0.3:
                said[size // 2] = said[size // 2].capitalize()
            yield " ".join(said).capitalize() + "."


def write_corpus(folder: Path, units: int) -> list[str]:
    """Write `FILES` text files; return queries: sentences of the corpus short of a third of their words."""
    chance = random.Random(7)
    said = sentences(chance, vocabulary(chance))
    queries = []
    for number in range(FILES):
        paragraphs = []
        for _ in range(units // FILES):
            paragraph = [next(said) for _ in range(SENTENCES_IN_UNIT)]
            paragraphs.append(" ".join(paragraph))
        (folder / f"file-{number:04}.txt").write_text("\n\n".join(paragraphs), encoding="utf-8")
        if number < QUERIES:
            chosen = chance.choice(paragraphs).split(". ")[0].split()
            queries.append(" ".join(word for word in chosen if chance.random() < 0.67))
    return queries


def timed_open(folder: Path, cache: Path) -> tuple[Collection, float]:
    """Return the collection and the seconds that it took to open."""
    start = time.perf_counter()
    return open_collection([folder], cache), time.perf_counter() - start


def main() -> None:
    """Measure and print."""
    units = int(sys.argv[1]) if len(sys.argv) > 1 else 101_000
    with tempfile.TemporaryDirectory() as base:
        folder, cache = Path(base, "corpus"), Path(base, "cache")
        folder.mkdir()
        queries = write_corpus(folder, units)
        before = peak_megabytes()
        worked = processor_seconds()
        collection, built = timed_open(folder, cache)
        worked = processor_seconds() - worked
        size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
        print(f"corpus: {len(collection)} documents, {collection.n_passages:,} index units, {size:.0f} MB of text")
        print(
            f"index: {built:.1f} s, {worked:.1f} s of processors,"
            f" peak memory {peak_megabytes():.0f} MB (of it {before:.0f} MB before)"
        )
        if floor := bm25s_seconds(folder):
            print(f"bm25s: {floor:.1f} s of processors; ratio {worked / floor:.2f}")
        stored = sum(path.stat().st_size for path in cache.rglob("*") if path.is_file()) / 1e6
        print(f"disk: {stored:.0f} MB")
        collection, again = timed_open(folder, cache)
        print(f"open again, unchanged: {again:.2f} s")
        times, found = [], 0
        for query in queries:
            start = time.perf_counter()
            found += bool(collection.search(query, Passages()))
            times.append(1000 * (time.perf_counter() - start))
        cuts = quantiles(times, n=20)
        print(f"query: p50 {cuts[9]:.1f} ms, p95 {cuts[18]:.1f} ms ({found} of {len(queries)} found something)")
        with (folder / "file-0000.txt").open("a", encoding="utf-8") as file:
            file.write("\n\nOne sentence more.")
        print(f"open after one file changed: {timed_open(folder, cache)[1]:.1f} s")
        print(f"cores: {os.cpu_count()}, Python {sys.version.split()[0]}, {sys.platform}")


def processor_seconds() -> float:
    """Processor seconds of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def bm25s_seconds(folder: Path) -> float | None:
    """Processor seconds of bm25s for the same passages; None where it is not installed."""
    if find_spec("bm25s") is None:
        return None
    bm25s = import_module("bm25s")
    texts = [unit for file in sorted(folder.iterdir()) for unit in file.read_text(encoding="utf-8").split("\n\n")]
    began = processor_seconds()
    bm25s.BM25().index(bm25s.tokenize(texts, show_progress=False), show_progress=False)
    return processor_seconds() - began


def peak_megabytes() -> float:
    """Return the highest resident memory of this process so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak / 1e3


if __name__ == "__main__":
    main()
