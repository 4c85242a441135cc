"""Models run by PyTorch, for real: `make real-torch`. Skipped where it is not installed, as in the ordinary tests.

Seen with torch 2.15.0 and transformers 5.23.0 on 2026-11-21.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from factscope.core.errors import UsageError
from factscope.judging.verifiers.protocol import ClaimPair
from factscope.judging.verifiers.published import ClassifierSpec, PublishedChecker, form_in, runtime
from factscope.judging.verifiers.published.network import Network
from factscope.judging.verifiers.published.runtime import Machine

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

TINY = Path(__file__).parent / "tiny"
PAIRS = [
    ("The Marlow bridge was opened in 1931 and carries two lanes.", "The bridge was opened in 1931."),
    ("A ferry crosses the bay every day. " * 9, "Maria Lind wrote the novel."),
    ("It rains.", "It rains."),
]
BODY = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32,
        "vocab_size": 200, "initializer_range": 0.4, "pad_token_id": 0}  # fmt: skip
THREE = {"id2label": {0: "contradiction", 1: "entailment", 2: "neutral"}}
OTHERS: dict[str, tuple[str, dict[str, Any]]] = {
    "electra": ("Electra", BODY | {"embedding_size": 16}),
    "distilbert": ("DistilBert", {"dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 32, "vocab_size": 200,
                                  "initializer_range": 0.4, "pad_token_id": 0}),
    "modernbert": ("ModernBert", BODY | {"cls_token_id": 2, "sep_token_id": 3, "bos_token_id": 2, "eos_token_id": 3}),
    "gpt2": ("GPT2", {"n_embd": 16, "n_layer": 2, "n_head": 2, "vocab_size": 200, "n_positions": 256,
                      "initializer_range": 0.4, "bos_token_id": 2, "eos_token_id": 3}),
}  # fmt: skip
"""Architectures that are not written down here. GPT-2 has no token for padding, and reads what is last."""


@pytest.fixture(autouse=True)
def there(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Whatever card this machine has: none, until a test says which."""

    def set_card(card: Any = None) -> None:
        monkeypatch.setattr(runtime, "machine", lambda: Machine(torch=True, card=card, onnx_card=False))

    torch.manual_seed(20261121)
    set_card()
    return set_card


def network(folder: Path) -> Network:
    form = form_in(folder)
    assert isinstance(form, ClassifierSpec)
    return Network(folder, form)


def saved(folder: Path, model: Any, tokenizer: str = "bert") -> Path:
    """A folder as the hub has it."""
    model.eval().save_pretrained(folder)
    shutil.copyfile(TINY / tokenizer / "tokenizer.json", folder / "tokenizer.json")
    return folder


def other(kind: str, **changes: Any) -> Any:
    name, settings = OTHERS[kind]
    config = getattr(transformers, f"{name}Config")(**settings | THREE | changes)
    return getattr(transformers, f"{name}ForSequenceClassification")(config)


@pytest.mark.parametrize("kind", OTHERS)
def test_another_architecture_gives_what_transformers_gives(
    tmp_path: Path, kind: str, capfd: pytest.CaptureFixture[str]
) -> None:
    model = other(kind)
    folder = saved(tmp_path / kind, model)
    capfd.readouterr()
    loaded = network(folder)
    inputs = [loaded.encode(passage, claim) for passage, claim in PAIRS]
    found = loaded.logits(inputs)
    assert capfd.readouterr() == ("", "")
    for one, row in zip(inputs, found, strict=True):
        given = {"input_ids": torch.tensor([one.ids])}
        if kind == "electra":
            given["token_type_ids"] = torch.tensor([one.type_ids])
        with torch.no_grad():
            assert np.abs(model(**given).logits[0].numpy() - row).max() < 1e-5
    assert np.ptp(found, axis=0).max() > 0.05  # or nothing would be shown
    [opinion] = PublishedChecker("x", folder, loaded.form).verify([ClaimPair(PAIRS[0][1], PAIRS[0][0])])
    assert opinion.probabilities is not None
    assert opinion.probabilities.contradicted is not None


@pytest.mark.parametrize("name", ["bert", "roberta", "deberta", "t5"])
@pytest.mark.parametrize("together", [False, True])
def test_both_ways_of_running_a_model_agree(name: str, together: bool, there: Callable[..., None]) -> None:
    """By onnxruntime and by PyTorch, as on a card, texts by themselves and many in one run."""
    reference = json.loads((TINY / name / "reference.json").read_text(encoding="utf-8"))
    found = []
    for card in (None, "cpu"):
        there(card)
        loaded = network(TINY / name)
        assert loaded._runtime.run.__module__.endswith("torch_runtime" if card else "onnx_runtime")
        loaded._runtime = loaded._runtime._replace(batches=together)
        found.append(loaded.logits([loaded.encode(row["passage"], row["claim"]) for row in reference]))
    assert np.abs(found[0] - found[1]).max() < 1e-5


def test_one_that_answers_in_words_is_asked_for_its_first_token(tmp_path: Path) -> None:
    config = transformers.BartConfig(
        vocab_size=129, d_model=16, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=32, decoder_ffn_dim=32, max_position_embeddings=128, init_std=0.4,
        pad_token_id=0, bos_token_id=1, eos_token_id=1, decoder_start_token_id=1, forced_eos_token_id=None,
    )  # fmt: skip
    model = transformers.BartForConditionalGeneration(config)
    folder = saved(tmp_path / "bart", model, "t5")
    (folder / "verifier.toml").write_text('kind = "answers"\nsupported = 109\nnot_supported = 3\nwindow = 128\n')
    settings = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps(settings | {"decoder_start_token_id": 1}), encoding="utf-8")
    loaded = network(folder)
    one = loaded.encode(*PAIRS[0])
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([one.ids]), decoder_input_ids=torch.tensor([[1]])).logits[0, 0, [3, 109]]
    assert np.abs(loaded.logits([one])[0] - logits.numpy()).max() < 1e-5


def test_a_card_that_is_not_there_gives_way(tmp_path: Path, there: Callable[..., None]) -> None:
    folder = saved(tmp_path / "electra", other("electra"))
    found = []
    for card in (None, "cuda"):
        there(card)
        for place in (TINY / "deberta", folder):
            loaded = network(place)
            found.append(loaded.logits([loaded.encode(*PAIRS[0])]))
    assert np.abs(np.array(found[:2]) - np.array(found[2:])).max() < 1e-4


def test_a_run_that_does_not_fit_is_made_in_halves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = other("electra")
    folder = saved(tmp_path / "electra", model)
    loaded = network(folder)
    inputs = [loaded.encode(*pair) for pair in [*PAIRS, *PAIRS]]
    wanted = loaded.logits(inputs)
    full = type(model).forward
    sizes = []

    @wraps(full)
    def small(self: Any, input_ids: Any, **given: Any) -> Any:
        sizes.append(len(input_ids))
        if len(input_ids) > 2:
            raise torch.cuda.OutOfMemoryError
        return full(self, input_ids, **given)

    monkeypatch.setattr(type(model), "forward", small)
    loaded = network(folder)
    loaded._runtime = loaded._runtime._replace(batches=True)
    sizes.clear()
    assert np.abs(loaded.logits(inputs) - wanted).max() < 1e-5
    assert sizes == [6, 3, 1, 2, 3, 1, 2]


def test_nothing_that_lies_beside_a_model_is_run(tmp_path: Path) -> None:
    folder = saved(tmp_path / "electra", other("electra"))
    wanted = network(folder).logits([network(folder).encode(*PAIRS[0])])
    (folder / "modeling_own.py").write_text("raise SystemExit('it was run')\n")
    settings = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    own = {"auto_map": {"AutoConfig": "modeling_own.Config", "AutoModelForSequenceClassification": "modeling_own.Own"}}
    chosen = {"attn_implementation": "someone/kernel", "_attn_implementation": "someone/kernel"}
    chosen |= {"quantization_config": {"quant_method": "gptq", "bits": 4}, "dtype": "bfloat16"}
    (folder / "config.json").write_text(json.dumps(settings | own | chosen), encoding="utf-8")
    loaded = network(folder)
    assert np.array_equal(loaded.logits([loaded.encode(*PAIRS[0])]), wanted)
    (folder / "model.safetensors").unlink()
    evil = b"cposix\nsystem\n(S'touch " + str(tmp_path / "owned").encode() + b"'\ntR."
    with zipfile.ZipFile(folder / "pytorch_model.bin", "w") as archive:
        archive.writestr("archive/data.pkl", evil)
    with pytest.raises(UsageError, match="contains no weights"):
        network(folder)
    assert not (tmp_path / "owned").exists()


def test_a_checkpoint_of_pytorch_is_read(tmp_path: Path) -> None:
    model = other("electra")
    folder = saved(tmp_path / "electra", model)
    wanted = network(folder).logits([network(folder).encode(*PAIRS[0])])
    (folder / "model.safetensors").unlink()
    torch.save(model.state_dict(), folder / "pytorch_model.bin")
    assert np.array_equal(network(folder).logits([network(folder).encode(*PAIRS[0])]), wanted)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"config": {"model_type": "nosuch"}}, "'nosuch' can't be run: it is not known here, nor to transformers"),
        ({"config": {"model_type": "vit"}}, "'vit' transformers has no model that classifies"),
        ({"config": {"num_hidden_layers": 3}}, "lacks weights that transformers wants of it: electra.encoder.layer.2"),
        ({"config": {"num_hidden_layers": "many"}}, "config.json in .* can't be used"),
        ({"config": {"vocab_size": 150}}, "can't be loaded"),
        ({"toml": 'kind = "classes"\nlabels = ["supported", "not_supported"]'}, "declares 2 for each text"),
        ({"toml": 'kind = "answers"\nsupported = 5\nnot_supported = 6'}, "has no model that answers in words"),
        ({"toml": 'kind = "score"\nhead = "tri_layer"'}, "head of the model in .* can't be 'tri_layer'"),
    ],
)
def test_a_model_that_is_not_right_says_what_to_mend(tmp_path: Path, change: dict[str, Any], says: str) -> None:
    folder = saved(tmp_path / "electra", other("electra"))
    settings = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps(settings | change.get("config", {})), encoding="utf-8")
    if "toml" in change:
        (folder / "verifier.toml").write_text(change["toml"], encoding="utf-8")
    with pytest.raises(UsageError, match=says):
        PublishedChecker("x", folder, form_in(folder)).verify([ClaimPair(PAIRS[0][1], PAIRS[0][0])])
