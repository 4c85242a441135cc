"""Choice of the runtime by the model and the installed packages."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from factscope.core.errors import UsageError
from factscope.judging.verifiers.published import ClassifierSpec, form_in, runtime, torch_runtime
from factscope.judging.verifiers.published.network import Network
from factscope.judging.verifiers.published.runtime import Machine, ways
from factscope.judging.verifiers.published.runtime_types import ModelFiles, Way

TINY = Path(__file__).parent / "tiny"
BARE = Machine(torch=False, card=None, onnx_card=False)
TORCH = Machine(torch=True, card=None, onnx_card=False)
CARD = Machine(torch=True, card="cuda", onnx_card=False)
BOTH = Machine(torch=True, card="cuda", onnx_card=True)
CLASSES = ClassifierSpec(kind="classes", labels=("not_supported", "supported"))


def model(kind: str, file: str = "model.safetensors", head: str | None = None, answers: bool = False) -> ModelFiles:
    form = CLASSES.model_copy(update={"head": head})
    return ModelFiles(Path(file), {"model_type": kind} if kind else {}, form, (1, 2) if answers else None)


def electra(tmp_path: Path) -> Path:
    """A folder with a model of an architecture that is not written down here."""
    place = tmp_path / "model"
    shutil.copytree(TINY / "bert", place)
    config = json.loads((place / "config.json").read_text(encoding="utf-8"))
    (place / "config.json").write_text(json.dumps(config | {"model_type": "electra"}), encoding="utf-8")
    return place


def network(folder: Path) -> Network:
    form = form_in(folder)
    assert isinstance(form, ClassifierSpec)
    return Network(folder, form)


@pytest.mark.parametrize(
    ("one", "there", "wanted"),
    [
        (model("bert"), BARE, ["onnxruntime"]),
        (model("bert"), TORCH, ["onnxruntime"]),
        (model("bert"), CARD, ["cuda", "onnxruntime"]),
        (model("bert"), CARD._replace(card="mps"), ["mps", "onnxruntime"]),
        (model("bert"), BOTH, ["onnxruntime"]),
        (model("roberta", head="tri_layer"), CARD, ["onnxruntime"]),
        (model("t5", answers=True), CARD, ["cuda", "onnxruntime"]),
        (model("t5"), CARD, ["onnxruntime"]),  # transformers has another head for it
        (model("electra"), BARE, ["onnxruntime"]),  # and says what it lacks
        (model("electra"), TORCH, ["cpu"]),
        (model("electra"), CARD, ["cuda", "cpu"]),
        (model("electra"), BOTH, ["cuda", "cpu"]),
        (model("electra", "model.onnx"), CARD, ["onnxruntime"]),
        (model("bert", "model.onnx"), CARD, ["onnxruntime"]),
        (model(""), TORCH, ["cpu"]),
    ],
)
def test_the_way_is_chosen_by_the_model_and_by_what_there_is(
    one: ModelFiles, there: Machine, wanted: list[Way]
) -> None:
    assert list(ways(one, there)) == wanted


def test_another_architecture_without_pytorch_says_what_would_run_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "machine", lambda: BARE)
    with pytest.raises(UsageError, match="'electra' can't be run") as caught:
        network(electra(tmp_path))
    assert "model.onnx" in caught.value.hint
    assert "pip install torch transformers" in caught.value.hint


def test_a_pytorch_that_is_broken_is_told_where_it_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one whose libraries are missing, or a transformers that wants other versions of packages."""
    for name in ("torch", "transformers"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise ImportError('tokenizers<=0.22 is required')")
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(runtime, "_DRIVERS", (str(tmp_path),))  # as where there is a card
    assert runtime.machine()._replace(onnx_card=False) == TORCH
    with pytest.raises(UsageError, match=r"can't be used: tokenizers<=0\.22 is required"):
        network(electra(tmp_path))
    loaded = network(TINY / "deberta")
    assert loaded.logits([loaded.encode("It rains.", "Rain.")]).shape == (1, 3)


def test_a_failing_card_gives_way_to_onnxruntime(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where PyTorch is broken, or the card has no room."""

    def fails(*_: object) -> None:
        raise UsageError("no room")

    monkeypatch.setattr(runtime, "machine", lambda: CARD)
    monkeypatch.setattr(torch_runtime, "open_torch", fails)
    loaded = network(TINY / "deberta")
    assert loaded.logits([loaded.encode("It rains.", "Rain.")]).shape == (1, 3)
