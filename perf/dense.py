"""Speed of ranking by meaning: 10,000 sentences through a model as large as MiniLM, then from the cache.

    .venv/bin/python perf/dense.py [SENTENCES]

The model is made on the spot: 6 layers of 384 numbers, 12 heads and 30,000 tokens like all-MiniLM-L6-v2, with random
weights: it says nothing, and takes as long. The sentences are those of `perf/retrieval.py`. Figures are kept in
`perf/README.md`.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import quantiles
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent.parent))

from retrieval import sentences, vocabulary
from tests.evidence.ranking.onnx_models import network, node, write_model
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from factscope.core.records import Document
from factscope.evidence.collection import in_memory
from factscope.evidence.embedding_models import Encoders
from factscope.methods import Passages

LAYERS, WIDTH, HEADS, INNER, TOKENS, MOST = 6, 384, 12, 1536, 30_000, 256
SENTENCES_IN_DOCUMENT = 100
QUERIES = 150
_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]

T = TypeVar("T")


class Graph:
    """A network as it grows: steps, and the weights that they name."""

    def __init__(self) -> None:
        self.nodes: list[bytes] = []
        self.weights: dict[str, NDArray[np.generic]] = {}
        self.chance = np.random.default_rng(7)

    def step(self, kind: str, *inputs: str, output: str = "", **attributes: float | list[int]) -> str:
        """Add a step; returns the name of what comes out."""
        name = output or f"n{len(self.nodes)}"
        self.nodes.append(node(kind, inputs, name, **attributes))
        return name

    def constant(self, *values: float) -> str:
        """Return one number, or several whole ones as a list."""
        array = np.array(values, np.int64) if len(values) > 1 or isinstance(values[0], int) else np.float32(values[0])
        return self.weight(np.asarray(array))

    def weight(self, array: NDArray[np.generic]) -> str:
        """Add an array; returns its name."""
        name = f"w{len(self.weights)}"
        self.weights[name] = array
        return name

    def drawn(self, *shape: int) -> str:
        """Add an array of random numbers."""
        return self.weight((0.02 * self.chance.standard_normal(shape)).astype(np.float32))

    def dense(self, given: str, into: int, width: int) -> str:
        """Return a linear layer with a bias."""
        return self.step("Add", self.step("MatMul", given, self.drawn(into, width)), self.drawn(width))

    def normed(self, one: str, other: str, output: str = "") -> str:
        """Return a sum, brought to mean 0 and variance 1."""
        scale = self.weight(np.ones(WIDTH, np.float32))
        total = self.step("Add", one, other)
        return self.step("LayerNormalization", total, scale, self.drawn(WIDTH), output=output, axis=-1, epsilon=1e-12)


def bert() -> bytes:
    """Return a transformer that reads both ways (Devlin et al. 2019), of the size of MiniLM."""
    graph = Graph()
    length = graph.step("Gather", graph.step("Shape", "input_ids"), graph.constant(1), axis=0)
    places = graph.step("Slice", graph.drawn(512, WIDTH), graph.constant(0), length)
    hidden = graph.normed(graph.step("Gather", graph.drawn(TOKENS, WIDTH), "input_ids"), places)
    seen = graph.step("Unsqueeze", graph.step("Cast", "attention_mask", to=1), graph.constant(1, 2))
    unseen = graph.step("Mul", graph.step("Sub", graph.constant(1.0), seen), graph.constant(-1e4))
    for layer in range(LAYERS):
        mixed = graph.dense(attention(graph, hidden, unseen), WIDTH, WIDTH)
        hidden = graph.normed(mixed, hidden)
        inner = graph.dense(hidden, WIDTH, INNER)
        curve = graph.step("Erf", graph.step("Div", inner, graph.constant(2**0.5)))
        curve = graph.step("Mul", inner, graph.step("Add", curve, graph.constant(1.0)))
        outer = graph.dense(graph.step("Mul", curve, graph.constant(0.5)), INNER, WIDTH)
        hidden = graph.normed(outer, hidden, "last_hidden_state" if layer == LAYERS - 1 else "")
    return network(graph.nodes, graph.weights, {"last_hidden_state": 3})


def attention(graph: Graph, hidden: str, unseen: str) -> str:
    """Add a layer of attention between tokens."""
    split = graph.constant(0, 0, HEADS, WIDTH // HEADS)

    def heads(order: list[int]) -> str:
        parts = graph.step("Reshape", graph.dense(hidden, WIDTH, WIDTH), split)
        return graph.step("Transpose", parts, perm=order)

    scores = graph.step("MatMul", heads([0, 2, 1, 3]), heads([0, 2, 3, 1]))
    scores = graph.step("Add", graph.step("Div", scores, graph.constant((WIDTH / HEADS) ** 0.5)), unseen)
    taken = graph.step("MatMul", graph.step("Softmax", scores, axis=-1), heads([0, 2, 1, 3]))
    return graph.step("Reshape", graph.step("Transpose", taken, perm=[0, 2, 1, 3]), graph.constant(0, 0, WIDTH))


def tokenizer(words: list[str]) -> Tokenizer:
    """Make a tokenizer: the most frequent of the made-up words are tokens, others are pieced together from letters."""
    letters = sorted({letter for word in words for letter in word} | set("0123456789.,"))
    tokens = dict.fromkeys([*_SPECIAL, *letters, *(f"##{each}" for each in [*letters, *words[:2_000]]), *words])
    made = Tokenizer(models.WordPiece({token: number for number, token in enumerate(islice(tokens, TOKENS))}))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", None, [("[CLS]", 2), ("[SEP]", 3)])
    return made


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Run work; return its result and its seconds."""
    start = time.perf_counter()
    return work(), time.perf_counter() - start


def documents(said: list[str]) -> Iterator[tuple[Document, str]]:
    """Yield the sentences in documents."""
    for start in range(0, len(said), SENTENCES_IN_DOCUMENT):
        name = f"{start:064d}"
        text = " ".join(said[start : start + SENTENCES_IN_DOCUMENT])
        yield Document(id=f"d-{name[-16:]}", text=None, sha256=name), text


def queried(said: list[str], queries: list[str], encoders: Encoders, settings: Passages) -> str:
    """Return milliseconds that a search for a query takes, the first left out."""
    collection = in_memory(list(documents(said)), encoders)
    assert collection
    times = [1000 * timed(partial(collection.search, query, settings))[1] for query in queries]
    cuts = quantiles(times[1:], n=20)
    return f"{settings.ranker}: first query {times[0]:.0f} ms, then p50 {cuts[9]:.1f} ms, p95 {cuts[18]:.1f} ms"


def main() -> None:
    """Measure and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    words = vocabulary(random.Random(7))
    said = list(islice(sentences(random.Random(7), words), count + QUERIES))
    said, queries = said[:count], said[count:]
    with tempfile.TemporaryDirectory() as base:
        limit = {"sentence_bert_config.json": {"max_seq_length": MOST}}
        folder = write_model(Path(base, "model"), bert(), tokenizer(words), limit)
        size = (folder / "onnx" / "model.onnx").stat().st_size / 1e6
        lengths = [len(each.ids) for each in tokenizer(words).encode_batch(said)]
        print(f"model: {size:.0f} MB; {count:,} sentences of {np.mean(lengths):.0f} tokens in the mean")

        def run() -> NDArray[np.float16]:
            encoders = Encoders(Path, Path(base, "vectors.db"))
            vectors = encoders.of(str(folder)).encode(said)
            encoders.close()
            return vectors

        began = time.process_time()
        one, first = timed(run)
        spent = time.process_time() - began
        print(f"first run: {first:.1f} s, {count / first:,.0f} sentences a second")
        print(f"of a processor's time: {spent:.1f} s, {1000 * spent / count:.1f} ms a sentence")
        other, second = min((timed(run) for _ in range(3)), key=lambda each: each[1])
        same = "the same" if (one == other).all() else "OTHER"
        print(f"second run, all opened again: {second:.3f} s, {same} vectors; {first / second:.0f} times faster")
        kept = sum(path.stat().st_size for path in Path(base).glob("vectors.db*"))
        print(f"cache: {kept / 1e6:.1f} MB")
        encoders = Encoders(Path, Path(base, "vectors.db"))
        for number, ranker in enumerate(("bm25", "dense", "hybrid")):
            settings = Passages.model_validate({"ranker": ranker, "model": str(folder)})
            print(queried(said, queries[number::3], encoders, settings))
        encoders.close()


if __name__ == "__main__":
    main()
