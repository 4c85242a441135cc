"""Sentence-embedding models made on the spot: handwritten networks in ONNX form, with their tokenizers.

ONNX is a protocol buffer with few fields (github.com/onnx/onnx, onnx.proto); this module writes those that a network
needs.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from factscope.evidence.ranking import sentence_encoder

MEANS = {
    "ship": (1, 0, 0), "ferry": (1, 0, 0.1), "sails": (1, 0.2, 0), "boat": (1, 0.3, 0), "bread": (0, 1, 0),
    "bakes": (0, 1, 0.1), "loaf": (0, 1, 0.2), "sleeps": (0, 0, 1), "not": (-1, -1, -1), "[PAD]": (9, 9, 9),
}  # fmt: skip
"""Words for `word_model`: about boats, food and sleep."""
_FLOAT, _INT64 = 1, 7
_OPSET, _IR = 17, 8


class Counted:
    """A counter of the texts that go through networks."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.texts = 0
        run = sentence_encoder._Network.run

        def counted(network: sentence_encoder._Network, tokens: Sequence[Sequence[int]]) -> object:
            self.texts += len(tokens)
            return run(network, tokens)

        monkeypatch.setattr(sentence_encoder._Network, "run", counted)


def network(
    nodes: Sequence[bytes],
    weights: Mapping[str, NDArray[np.generic]],
    outputs: Mapping[str, int],
    inputs: Sequence[str] = ("input_ids", "attention_mask"),
) -> bytes:
    """Return a network; `outputs` maps names to numbers of dimensions, and inputs have two: texts and tokens."""
    graph = b"".join(_field(1, node) for node in nodes) + _field(2, b"made")
    graph += b"".join(_field(5, _tensor(name, array)) for name, array in weights.items())
    graph += b"".join(_field(11, _value(name, _INT64, 2)) for name in inputs)
    graph += b"".join(_field(12, _value(name, _FLOAT, dimensions)) for name, dimensions in outputs.items())
    return _number(1, _IR) + _field(7, graph) + _field(8, _field(1, b"") + _number(2, _OPSET))


def node(kind: str, inputs: Sequence[str], output: str, **attributes: int | float | Sequence[int]) -> bytes:
    """Return one step of a network."""
    named = b"".join(_field(1, name.encode()) for name in inputs) + _field(2, output.encode())
    return named + _field(4, kind.encode()) + b"".join(_field(5, _attribute(*each)) for each in attributes.items())


def write_model(folder: Path, graph: bytes, tokenizer: Tokenizer, configs: Mapping[str, object] | None = None) -> Path:
    """Write a model as a hub stores it."""
    (folder / "onnx").mkdir(parents=True, exist_ok=True)
    (folder / "onnx" / "model.onnx").write_bytes(graph)
    tokenizer.save(str(folder / "tokenizer.json"))
    for name, content in (configs or {}).items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder


def word_model(
    folder: Path, vectors: Mapping[str, Sequence[float]], configs: Mapping[str, object] | None = None
) -> Path:
    """Write a model that maps each word to the vector given, and others to zero; a text begins with `[CLS]`."""
    words = ["[PAD]", "[UNK]", "[CLS]", *(word for word in vectors if not word.startswith("["))]
    width = len(next(iter(vectors.values())))
    table = np.array([vectors.get(word, [0.0] * width) for word in words], np.float32)
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, "[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A", special_tokens=[("[CLS]", 2)])
    graph = network(
        [node("Gather", ["table", "input_ids"], "last_hidden_state")], {"table": table}, {"last_hidden_state": 3}
    )
    return write_model(folder, graph, tokenizer, configs)


def _attribute(name: str, value: int | float | Sequence[int]) -> bytes:
    if isinstance(value, float):
        return _field(1, name.encode()) + _varint(2 << 3 | 5) + struct.pack("<f", value) + _number(20, 1)
    if isinstance(value, int):
        return _field(1, name.encode()) + _number(3, value) + _number(20, 2)
    return _field(1, name.encode()) + b"".join(_number(8, each) for each in value) + _number(20, 7)


def _tensor(name: str, array: NDArray[np.generic]) -> bytes:
    kind = _INT64 if array.dtype == np.int64 else _FLOAT
    return (
        b"".join(_number(1, size) for size in array.shape)
        + _number(2, kind)
        + _field(8, name.encode())
        + _field(9, array.tobytes())
    )


def _value(name: str, kind: int, dimensions: int) -> bytes:
    shape = b"".join(_field(1, _field(2, f"{name}{place}".encode())) for place in range(dimensions))
    return _field(1, name.encode()) + _field(2, _field(1, _number(1, kind) + _field(2, shape)))


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value & (2**64 - 1))


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])
