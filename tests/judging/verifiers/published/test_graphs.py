"""Networks that are written down in ONNX give what the models of the library `transformers` give.

The models, one of each architecture with random weights, and what transformers makes of a few texts were written by
tests/judging/verifiers/published/make_tiny.py.
"""

from __future__ import annotations

import json
import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.core.errors import UsageError
from factscope.judging.verifiers.published import ClassifierSpec, form_in, graph_deberta, graph_t5
from factscope.judging.verifiers.published.network import Network
from factscope.judging.verifiers.published.weights import Weights, read_weights

TINY = Path(__file__).parent / "tiny"
ALL = sorted(folder.name for folder in TINY.iterdir())


def network(folder: Path) -> Network:
    form = form_in(folder)
    assert isinstance(form, ClassifierSpec)
    return Network(folder, form)


@pytest.mark.parametrize("name", ALL)
def test_tokens_and_logits_are_those_of_transformers(name: str) -> None:
    model = network(TINY / name)
    reference = json.loads((TINY / name / "reference.json").read_text(encoding="utf-8"))
    assert max(len(row["ids"]) for row in reference) > 150  # far beyond the buckets of short distances
    inputs = [model.encode(row["passage"], row["claim"]) for row in reference]
    assert [made.ids for made in inputs] == [row["ids"] for row in reference]
    wanted = np.array([row["logits"] for row in reference])
    assert np.abs(model.logits(inputs) - wanted).max() < 1e-4
    alone = np.concatenate([model.logits([made]) for made in inputs])
    assert np.abs(alone - wanted).max() < 1e-4


def test_distances_fall_into_the_published_buckets() -> None:
    """Values of the published functions, from transformers 5.23."""
    far = graph_deberta.buckets(256, 512, 600) - 256
    assert [int(far[600 + d]) for d in (0, 1, 127, 128, 129, 200, 300, 511, 512, -130)] == [
        *(0, 1, 127, 128, 129, 169, 207, 255, 255), -130,
    ]  # fmt: skip
    near = graph_t5.buckets(32, 128, 200)
    assert [int(near[200 + d]) for d in (0, -1, -7, -8, -20, -127, -200, 1, 9, 40, 128)] == [
        *(0, 1, 7, 8, 10, 15, 15, 17, 24, 28, 31),
    ]  # fmt: skip


def test_types_of_numbers(tmp_path: Path) -> None:
    numbers = np.array([[1.5, -2.0], [0.25, 3.0]], np.float32)
    stored = {
        "half": ("F16", numbers.astype(np.float16).tobytes()),
        "brain": ("BF16", (numbers.view(np.uint32) >> 16).astype(np.uint16).tobytes()),
        "double": ("F64", numbers.astype(np.float64).tobytes()),
    }
    path = tmp_path / "model.safetensors"
    path.write_bytes(safetensors(stored))
    weights = read_weights(path)
    for name in stored:
        assert weights[name].dtype == np.float32
        assert (weights[name] == numbers).all()


def safetensors(stored: dict[str, tuple[str, bytes]]) -> bytes:
    header, data = {}, b""
    for name, (kind, raw) in stored.items():
        header[name] = {"dtype": kind, "shape": [2, 2], "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


@pytest.mark.parametrize(
    "content",
    [b"", b"\x05\x00\x00\x00\x00\x00\x00\x00{]", b"\xff" * 40, safetensors({"w": ("F32", b"12")}),
     safetensors({"w": ("Q9", b"12")})],
)  # fmt: skip
def test_a_broken_file_of_weights_says_so(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="is broken"):
        read_weights(path)


def test_a_checkpoint_of_pytorch_is_read_without_running_it(tmp_path: Path) -> None:
    """One that would call `os.system` when it is unpickled: its steps are read, and none is taken."""
    path = tmp_path / "pytorch_model.bin"
    evil = b"cposix\nsystem\n(S'touch " + str(tmp_path / "owned").encode() + b"'\ntR."
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", evil)
    with pytest.raises(UsageError, match="contains no weights"):
        read_weights(path)
    assert not (tmp_path / "owned").exists()
    for content in (b"not a zip", b"\x80\x02."):
        path.write_bytes(content)
        with pytest.raises(UsageError, match=r"older than PyTorch 1\.6"):
            read_weights(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", b"\x80\x02}(X\x01\x00\x00\x00ab")
    with pytest.raises(UsageError, match="broken"):
        read_weights(path)


@given(st.integers(0, 6_000), st.binary(min_size=1, max_size=4), st.integers(0, 8))
def test_a_damaged_description_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, at: int, instead: bytes, lost: int
) -> None:
    with zipfile.ZipFile(TINY / "roberta" / "pytorch_model.bin") as archive:
        parts = {info.filename: archive.read(info) for info in archive.infolist()}
    name = next(part for part in parts if part.endswith("data.pkl"))
    at %= len(parts[name])
    parts[name] = parts[name][:at] + instead + parts[name][at + lost :]
    path = tmp_path_factory.getbasetemp() / "damaged.bin"
    with zipfile.ZipFile(path, "w") as archive:
        for part, content in parts.items():
            archive.writestr(part, content)
    with suppress(UsageError):
        weights = read_weights(path)
        assert all(weights[each].size >= 0 for each in weights)


def test_weights_in_a_checkpoint() -> None:
    weights = read_weights(TINY / "roberta" / "pytorch_model.bin")
    assert isinstance(weights, Weights)
    assert weights["roberta.embeddings.word_embeddings.weight"].shape == (290, 16)
    checkpoint = read_weights(TINY / "align" / "tiny.ckpt")
    assert "tri_layer.weight" in checkpoint
    assert all(np.isfinite(checkpoint[name]).all() for name in checkpoint)
