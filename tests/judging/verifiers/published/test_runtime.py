"""The choice of runtime by the model's file and the installed packages."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from factscope.core import UsageError
from factscope.judging.verifiers.published import (
    ClassifierSpec,
    ModelFiles,
    Network,
    Runtime,
    form_in,
    must_run,
    runtime,
    torch_runtime,
)

TINY = Path(__file__).parent / "tiny"


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    """Create a folder with a model for PyTorch."""
    place = tmp_path / "model"
    shutil.copytree(TINY / "bert", place)
    (place / "model.onnx").rename(place / "model.safetensors")
    return place


@pytest.fixture
def no_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "find_spec", lambda name: None)


def network(folder: Path) -> Network:
    form = form_in(folder)
    assert isinstance(form, ClassifierSpec)
    return Network(folder, form)


@pytest.mark.usefixtures("no_torch")
def test_without_pytorch_its_weights_are_refused_with_an_install_hint(weights: Path) -> None:
    for opened in (must_run, network):
        with pytest.raises(UsageError, match="torch and transformers are not installed") as caught:
            opened(weights)
        assert "pip install 'factscope[torch]'" in caught.value.hint
        assert "model.onnx" in caught.value.hint
    (weights / "model.onnx").write_bytes((TINY / "bert" / "model.onnx").read_bytes())
    must_run(weights)
    assert network(weights).logits([network(weights).encode("It rains.", "Rain.")]).shape == (1, 1)


def test_a_broken_pytorch_is_reported_only_where_it_is_needed(
    tmp_path: Path, weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Libraries may be missing, or transformers may need other versions of packages."""
    for name in ("torch", "transformers"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise ImportError('tokenizers<=0.22 is required')")
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(runtime, "_DRIVERS", (str(tmp_path),))  # as on a machine with a card
    with pytest.raises(UsageError, match=r"can't be used: tokenizers<=0\.22 is required"):
        network(weights)
    loaded = network(TINY / "deberta")
    assert loaded.logits([loaded.encode("It rains.", "Rain.")]).shape == (1, 3)


def test_a_failing_gpu_falls_back_to_the_cpu(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The card is out of memory."""
    tried = []

    def opened(model: ModelFiles, device: str, sample: Any) -> Runtime:
        tried.append(device)
        if device == "cuda":
            raise UsageError("no room")
        return Runtime(lambda feeds: feeds["input_ids"], ("input_ids",), batches=False)

    monkeypatch.setattr(runtime, "find_spec", lambda name: name)
    monkeypatch.setattr(runtime, "card", lambda: "cuda")
    monkeypatch.setattr(torch_runtime, "open_torch", opened)
    network(weights)
    assert tried == ["cuda", "cpu"]
