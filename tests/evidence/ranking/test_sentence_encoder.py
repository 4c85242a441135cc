"""Text vectors as a model's files specify, computed once each; a faulty model gets a one-sentence error."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from factscope.core import FactscopeError, StoreError, UsageError, sqlite_cache
from factscope.evidence import Encoders
from factscope.evidence.ranking import Encoder, VectorCache, sentence_encoder, similarities
from tests.evidence.ranking.onnx_models import MEANS, Counted, network, node, word_model, write_model

NORMALIZE = [{"path": "", "type": "x.Transformer"}, {"path": "1_Pooling", "type": "x.Pooling"}, {"type": "x.Normalize"}]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return word_model(tmp_path / "model", MEANS)


@pytest.fixture
def encoders(tmp_path: Path) -> Iterator[Encoders]:
    opened = Encoders(Path, tmp_path / "vectors.db")
    yield opened
    opened.close()


def one(folder: Path, text: str) -> list[float]:
    """Return the vector of a text from a model without a cache."""
    opened = Encoders(Path)
    vector = opened.of(str(folder)).encode([text])[0].astype(float)
    opened.close()
    return [round(number, 2) for number in vector.tolist()]


def refusal(folder: Path, error: type[FactscopeError] = UsageError) -> str:
    with pytest.raises(error) as caught:
        one(folder, "a ferry")
    assert caught.value.hint
    return str(caught.value)


def test_pooling_is_the_mean_without_padding(folder: Path, encoders: Encoders) -> None:
    both = encoders.of(str(folder)).encode(["ship", "ship bread sleeps of the town"]).astype(float)
    assert both[0].round(2).tolist() == [1, 0, 0]
    assert both[1].round(2).tolist() == [0.58, 0.58, 0.58]


@pytest.mark.parametrize(
    ("configs", "vector"),
    [
        ({}, [0.71, 0.71, 0]),
        ({"modules.json": NORMALIZE}, [0.71, 0.71, 0]),
        ({"config_sentence_transformers.json": {"similarity_fn_name": "dot"}}, [0.33, 0.33, 0]),
        (
            {"config_sentence_transformers.json": {"similarity_fn_name": "dot"}, "modules.json": NORMALIZE},
            [0.71, 0.71, 0],
        ),
        ({"1_Pooling/config.json": {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}}, [0, 0, 1]),
        ({"1_Pooling/config.json": {"pooling_mode": "cls"}}, [0, 0, 1]),
        ({"1_Pooling/config.json": {"pooling_mode_mean_tokens": True}}, [0.71, 0.71, 0]),
        ({"sentence_bert_config.json": {"max_seq_length": 2}}, [1, 0, 0]),
        ({"tokenizer_config.json": {"model_max_length": 2}, "config.json": {"max_position_embeddings": 9}}, [1, 0, 0]),
        ({"tokenizer_config.json": {"model_max_length": 1e30}, "config.json": {"pad_token_id": 1}}, [0.71, 0.71, 0]),
    ],
)
def test_a_model_is_used_as_its_files_say(tmp_path: Path, configs: Mapping[str, object], vector: list[float]) -> None:
    cls = (0, 0, 0.001) if "cls" in str(configs) else (0, 0, 0)
    folder = word_model(tmp_path / "model", {**MEANS, "[CLS]": cls}, configs)
    assert one(folder, "ship bread") == vector


def test_a_dot_product_model_prefers_the_longer_vector() -> None:
    query = np.array([1, 0], np.float32)
    assert similarities(query, np.array([[1, 0], [4, 3], [0, 5], [-5, 0]], np.float32)).tolist() == [
        0.2,
        0.8,
        0.0,
        -1.0,
    ]
    assert similarities(query, np.zeros((2, 2), np.float32)).tolist() == [0.0, 0.0]


def test_a_network_can_do_its_own_pooling(tmp_path: Path, folder: Path) -> None:
    table = np.eye(len(MEANS) + 2, 3, -3, dtype=np.float32)  # ship, ferry, sails
    steps = [
        node("Gather", ["table", "input_ids"], "token_embeddings"),
        node("ReduceMax", ["token_embeddings"], "sentence_embedding", axes=[1], keepdims=0),
    ]
    graph = network(steps, {"table": table}, {"token_embeddings": 3, "sentence_embedding": 2})
    (folder / "onnx" / "model.onnx").unlink()
    (folder / "model.onnx").write_bytes(graph)
    assert one(folder, "ship sails") == [0.71, 0, 0.71]


def test_texts_of_any_length_have_the_same_vectors_in_a_batch_as_alone(
    folder: Path, encoders: Encoders, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sentence_encoder, "SLAB", 16)
    monkeypatch.setattr(sentence_encoder, "BATCH_TOKENS", 24)
    monkeypatch.setattr(sqlite_cache, "_AT_ONCE", 7)
    words = ["ferry", "bread", "sleeps", "of", "ship"]
    many = [" ".join(words[(place + at) % 5] for at in range(place * 7 % 30)) for place in range(60)]
    made = encoders.of(str(folder))
    together = made.encode(many)
    assert together.tolist() == made.encode(many).tolist()
    for text, vector in zip(many, together, strict=True):
        assert one(folder, text) == [round(number, 2) for number in vector.astype(float).tolist()]
    assert made.encode([]).shape[0] == 0


def test_threads_asking_for_the_same_texts_compute_them_once(
    folder: Path, encoders: Encoders, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Counted(monkeypatch)
    many = [f"ferry number {number}" for number in range(50)]
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda _: encoders.of(str(folder)).encode(many).tolist(), range(12)))
    assert counted.texts == 50
    assert all(each == found[0] for each in found)


def test_the_oldest_vectors_are_removed(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Counted(monkeypatch)
    monkeypatch.setattr(VectorCache, "kind", replace(VectorCache.kind, most=2))
    for text in ("one", "two", "three", "four", "three", "four", "one"):
        opened = Encoders(Path, tmp_path / "vectors.db")
        opened.of(str(folder)).encode([text])
        opened.close()
    assert counted.texts == 5


def test_a_broken_cache_is_reported(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "vectors.db").write_bytes(b"no database" * 100)
    with pytest.raises(StoreError, match=r"cache of vectors .*vectors.db can't be opened"):
        Encoders(Path, tmp_path / "vectors.db").of(str(folder))
    with pytest.raises(StoreError, match="can't be opened"):
        Encoders(Path, tmp_path / "vectors.db" / "below").of(str(folder))


def test_an_unwritable_cache_is_reported(tmp_path: Path, folder: Path, encoders: Encoders) -> None:
    made = encoders.of(str(folder))
    made.encode(["ferry"])
    other = sqlite3.connect(tmp_path / "vectors.db")
    other.execute("DROP TABLE vectors")
    other.close()
    with pytest.raises(StoreError, match="can't be read"):
        made.encode(["bread"])


def test_a_folder_with_missing_files_is_refused(tmp_path: Path, folder: Path) -> None:
    assert "There is no folder" in refusal(tmp_path / "nowhere")
    (folder / "tokenizer.json").rename(tmp_path / "tokenizer.json")
    assert "lacks tokenizer.json" in refusal(folder)
    (folder / "onnx" / "model.onnx").unlink()
    assert "lacks model.onnx or onnx/model.onnx" in refusal(folder)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("onnx/model.onnx", "junk", "can't be loaded"),
        ("tokenizer.json", "{}", "can't be loaded"),
        ("modules.json", "{", "can't be read"),
        ("modules.json", "{}", "not laid out"),
        ("modules.json", '[{"type": "x.Dense"}, {"type": "x.Pooling", "path": "1_Pooling"}]', "not known here: Dense"),
        ("1_Pooling/config.json", '{"pooling_mode_max_tokens": true}', "not known here: pooling_mode_max_tokens"),
        ("1_Pooling/config.json", '{"pooling_mode": "lasttoken"}', "not known here: lasttoken"),
        ("config_sentence_transformers.json", "[]", "not laid out"),
    ],
)
def test_broken_files_are_named(folder: Path, name: str, content: str, message: str) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(content)
    assert message in refusal(folder)
    assert str(folder) in refusal(folder)


@pytest.mark.parametrize(
    ("step", "table", "message"),
    [
        (node("Gather", ["table", "input_ids"], "out"), np.full((9, 3), np.inf), "too large, or none"),
        (node("Gather", ["table", "input_ids"], "out"), np.full((9, 3), 1e6), "too large, or none"),
        (node("Gather", ["table", "input_ids"], "out"), np.ones((2, 3)), "can't be run"),
        (node("Gather", ["table", "input_ids"], "out"), np.ones(9), "not vectors of its tokens"),
        (node("Gather", ["table", "nothing"], "out"), np.ones((9, 3)), "can't be loaded"),
        (node("Gather", ["table", "task_id"], "out"), np.ones((9, 3)), "needs input that is not known here: task_id"),
    ],
)
def test_networks_that_are_not_sentence_encoders_are_refused(
    folder: Path, step: bytes, table: np.ndarray[tuple[int, ...], np.dtype[np.float64]], message: str
) -> None:
    dot = {"config_sentence_transformers.json": {"similarity_fn_name": "dot"}}
    inputs = ["input_ids", *(["task_id"] if b"task_id" in step else [])]
    graph = network([step], {"table": table.astype(np.float32)}, {"out": table.ndim + 1}, inputs)
    write_model(folder, graph, Tokenizer.from_file(str(folder / "tokenizer.json")), dot)
    assert message in refusal(folder)


def test_a_missing_model_runtime_is_named_with_its_install_command(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sentence_encoder, "find_spec", lambda name: None if name == "onnxruntime" else name)
    assert "onnxruntime, not installed here. Install what is needed: pip install 'factscope[dense]'" in refusal(folder)


def test_one_model_is_opened_once(folder: Path, encoders: Encoders) -> None:
    assert encoders.of(str(folder)) is encoders.of(str(folder))
    assert isinstance(encoders.of(str(folder)), Encoder)
