"""Models run by PyTorch, for real: `make real-torch`. Skipped where PyTorch is missing, as in the ordinary tests.

Verified with torch 2.15.0 and transformers 5.23.0 on 2026-11-22.
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

from factscope.core import UsageError
from factscope.judging.verifiers import ClaimPair
from factscope.judging.verifiers.published import ClassifierSpec, Network, PublishedChecker, form_in, runtime

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
save_file = pytest.importorskip("safetensors.torch").save_file

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
    "bert": ("Bert", BODY),
    "roberta": ("Roberta", BODY | {"pad_token_id": 1, "max_position_embeddings": 300, "type_vocab_size": 1}),
    "deberta-v2": ("DebertaV2", BODY | {"relative_attention": True, "position_buckets": 24, "share_att_key": True,
                                        "norm_rel_ebd": "layer_norm", "pos_att_type": ["p2c", "c2p"],
                                        "position_biased_input": False, "type_vocab_size": 0}),
    "electra": ("Electra", BODY | {"embedding_size": 16}),
    "distilbert": ("DistilBert", {"dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 32, "vocab_size": 200,
                                  "initializer_range": 0.4, "pad_token_id": 0}),
    "modernbert": ("ModernBert", BODY | {"cls_token_id": 2, "sep_token_id": 3, "bos_token_id": 2, "eos_token_id": 3}),
    "gpt2": ("GPT2", {"n_embd": 16, "n_layer": 2, "n_head": 2, "vocab_size": 200, "n_positions": 256,
                      "initializer_range": 0.4, "bos_token_id": 2, "eos_token_id": 3}),
}  # fmt: skip
"""GPT-2 has no token for padding, and classifies by the last token."""
T5 = {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 2, "num_heads": 2, "vocab_size": 129, "pad_token_id": 0,
      "relative_attention_num_buckets": 32, "feed_forward_proj": "gated-gelu", "initializer_factor": 0.7,
      "decoder_start_token_id": 0, "eos_token_id": 1}  # fmt: skip


@pytest.fixture(autouse=True)
def there(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Pretend that this machine has no card until a test sets one."""

    def set_card(card: Any = None) -> None:
        monkeypatch.setattr(runtime, "card", lambda: card)

    torch.manual_seed(20261121)
    set_card()
    return set_card


def network(folder: Path) -> Network:
    form = form_in(folder)
    assert isinstance(form, ClassifierSpec)
    return Network(folder, form)


def saved(folder: Path, model: Any, tokenizer: str = "bert") -> Path:
    """Save a model's folder as the hub has it."""
    model.eval().save_pretrained(folder)
    shutil.copyfile(TINY / tokenizer / "tokenizer.json", folder / "tokenizer.json")
    return folder


def other(kind: str, **changes: Any) -> Any:
    name, settings = OTHERS[kind]
    config = getattr(transformers, f"{name}Config")(**settings | THREE | changes)
    return getattr(transformers, f"{name}ForSequenceClassification")(config)


@pytest.mark.parametrize("kind", OTHERS)
def test_every_architecture_matches_transformers(tmp_path: Path, kind: str, capfd: pytest.CaptureFixture[str]) -> None:
    model = other(kind)
    folder = saved(tmp_path / kind, model)
    capfd.readouterr()
    loaded = network(folder)
    inputs = [loaded.encode(passage, claim) for passage, claim in PAIRS]
    found = loaded.logits(inputs)
    assert capfd.readouterr() == ("", "")
    for one, row in zip(inputs, found, strict=True):
        given = {"input_ids": torch.tensor([one.ids])}
        if kind in ("bert", "electra"):
            given["token_type_ids"] = torch.tensor([one.type_ids])
        with torch.no_grad():
            assert np.abs(model(**given).logits[0].numpy() - row).max() < 1e-5
    assert np.ptp(found, axis=0).max() > 0.05  # or the comparison would prove nothing
    [opinion] = PublishedChecker("x", folder, loaded.form).verify([ClaimPair(PAIRS[0][1], PAIRS[0][0])])
    assert opinion.probabilities is not None
    assert opinion.probabilities.contradicted is not None


def test_minicheck_on_t5_is_asked_for_its_first_token(tmp_path: Path) -> None:
    """Its output table differs from its word table, as in Flan-T5."""
    model = transformers.T5ForConditionalGeneration(transformers.T5Config(**T5, tie_word_embeddings=False))
    model.lm_head.weight = torch.nn.Parameter(torch.randn_like(model.lm_head.weight) / 2)
    folder = saved(tmp_path / "t5", model, "hhem")
    (folder / "verifier.toml").write_text('kind = "answers"\nsupported = 109\nnot_supported = 3\nwindow = 256\n')
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps(config | {"tie_word_embeddings": False}), encoding="utf-8")
    torch.save(model.state_dict(), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    loaded = network(folder)
    encoded = loaded.encode(*PAIRS[0])
    given = {"input_ids": torch.tensor([encoded.ids]), "decoder_input_ids": torch.tensor([[0]])}
    with torch.no_grad():
        logits = model(**given).logits[0, 0, [3, 109]]
    assert np.abs(loaded.logits([encoded])[0] - logits.numpy()).max() < 1e-5


def test_hhem_classifies_by_the_first_token_of_its_encoder(tmp_path: Path) -> None:
    """The repository names the weights after its own code, which is not run."""
    model = transformers.T5ForTokenClassification(transformers.T5Config(**T5, num_labels=2, classifier_dropout=0.0))
    folder = saved(tmp_path / "hhem", model, "hhem")
    shared = "transformer.encoder.embed_tokens.weight"
    weights = {f"t5.{name}": value.contiguous() for name, value in model.state_dict().items() if name != shared}
    save_file(weights, folder / "model.safetensors")
    (folder / "verifier.toml").write_text((TINY / "hhem" / "verifier.toml").read_text())
    loaded = network(folder)
    encoded = loaded.encode(*PAIRS[0])
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([encoded.ids])).logits[0, 0]
    assert np.abs(loaded.logits([encoded])[0] - logits.numpy()).max() < 1e-5


def test_the_differently_named_head_of_alignscore_is_read(tmp_path: Path) -> None:
    """The checkpoint comes from a training program, with much besides the weights."""
    config = transformers.RobertaConfig(**OTHERS["roberta"][1])
    body, head = transformers.RobertaModel(config).eval(), torch.nn.Linear(16, 3)
    folder = saved(tmp_path / "align", body)
    weights = {f"base_model.{name}": value for name, value in body.state_dict().items()}
    weights |= {f"tri_layer.{name}": value for name, value in head.state_dict().items()}
    weights["bin_layer.weight"] = torch.zeros(2, 16)
    extra = {"epoch": 3, "hyper_parameters": {"model": "roberta-base", "folder": Path("x")}}
    torch.save(extra | {"state_dict": weights}, folder / "tiny.ckpt")
    (folder / "model.safetensors").unlink()
    (folder / "verifier.toml").write_text(
        'kind = "classes"\nlabels = ["supported", "not_supported", "not_supported"]\nhead = "tri_layer"\n'
    )
    loaded = network(folder)
    encoded = loaded.encode(*PAIRS[0])
    with torch.no_grad():
        logits = head(body(input_ids=torch.tensor([encoded.ids])).pooler_output)[0]
    assert np.abs(loaded.logits([encoded])[0] - logits.numpy()).max() < 1e-5


def test_a_model_that_answers_in_words_is_asked_for_its_first_token(tmp_path: Path) -> None:
    config = transformers.BartConfig(
        vocab_size=129, d_model=16, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=32, decoder_ffn_dim=32, max_position_embeddings=128, init_std=0.4,
        pad_token_id=0, bos_token_id=1, eos_token_id=1, decoder_start_token_id=1, forced_eos_token_id=None,
    )  # fmt: skip
    model = transformers.BartForConditionalGeneration(config)
    folder = saved(tmp_path / "bart", model, "hhem")
    (folder / "verifier.toml").write_text('kind = "answers"\nsupported = 109\nnot_supported = 3\nwindow = 128\n')
    settings = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps(settings | {"decoder_start_token_id": 1}), encoding="utf-8")
    loaded = network(folder)
    one = loaded.encode(*PAIRS[0])
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([one.ids]), decoder_input_ids=torch.tensor([[1]])).logits[0, 0, [3, 109]]
    assert np.abs(loaded.logits([one])[0] - logits.numpy()).max() < 1e-5


def test_an_absent_gpu_falls_back_to_the_cpu(tmp_path: Path, there: Callable[..., None]) -> None:
    folder = saved(tmp_path / "electra", other("electra"))
    found = []
    for card in (None, "cuda"):
        there(card)
        loaded = network(folder)
        found.append(loaded.logits([loaded.encode(*PAIRS[0])]))
    assert np.abs(found[0] - found[1]).max() < 1e-4


def test_a_batch_that_does_not_fit_is_halved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def _text(text: str) -> bytes:
    """Encode a text as a pickle does."""
    return len(text).to_bytes(4, "little") + text.encode()


def test_code_beside_a_model_is_never_run(tmp_path: Path) -> None:
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
    for module in (b"posix", b"subprocess"):
        name = {b"posix": b"system", b"subprocess": b"getoutput"}[module]
        evil = b"\x80\x02c" + module + b"\n" + name + b"\n(X" + _text(f"touch {tmp_path / 'owned'}") + b"tR."
        with zipfile.ZipFile(folder / "pytorch_model.bin", "w") as archive:
            archive.writestr("archive/data.pkl", evil)
            archive.writestr("archive/version", "3\n")
        with pytest.raises(UsageError, match=r"can't be read without running code|lacks weights"):
            network(folder)
        assert not (tmp_path / "owned").exists()


def test_a_pytorch_checkpoint_is_read(tmp_path: Path) -> None:
    model = other("electra")
    folder = saved(tmp_path / "electra", model)
    wanted = network(folder).logits([network(folder).encode(*PAIRS[0])])
    (folder / "model.safetensors").unlink()
    torch.save(model.state_dict(), folder / "pytorch_model.bin")
    assert np.abs(network(folder).logits([network(folder).encode(*PAIRS[0])]) - wanted).max() < 1e-5


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"config": {"model_type": "nosuch"}}, "'nosuch' can't be run: transformers .* does not know it"),
        ({"config": {"model_type": "vit"}}, "'vit' transformers has no model that classifies"),
        ({"config": {"num_hidden_layers": 3}}, "lacks weights that transformers expects: electra.encoder.layer.2"),
        ({"config": {"num_hidden_layers": "many"}}, "config.json in .* can't be used"),
        ({"config": {"vocab_size": 150}}, "can't be loaded"),
        ({"toml": 'kind = "classes"\nlabels = ["supported", "not_supported"]'}, "declares 2 for each text"),
        ({"toml": 'kind = "answers"\nsupported = 5\nnot_supported = 6'}, "has no model that answers in words"),
        ({"toml": 'kind = "score"\nhead = "tri_layer"'}, "head of the model in .* can't be 'tri_layer'"),
        ({"weights": b"abcdefghijklmnop"}, r"model\.safetensors can't be read without running code"),
        ({"checkpoint": b"not a zip"}, r"pytorch_model\.bin can't be read without running code"),
    ],
)
def test_an_invalid_model_is_refused_with_a_remedy(tmp_path: Path, change: dict[str, Any], says: str) -> None:
    folder = saved(tmp_path / "electra", other("electra"))
    settings = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps(settings | change.get("config", {})), encoding="utf-8")
    if "weights" in change:
        (folder / "model.safetensors").write_bytes(change["weights"])
    if "checkpoint" in change:
        (folder / "model.safetensors").unlink()
        (folder / "pytorch_model.bin").write_bytes(change["checkpoint"])
    if "toml" in change:
        (folder / "verifier.toml").write_text(change["toml"], encoding="utf-8")
    with pytest.raises(UsageError, match=says):
        PublishedChecker("x", folder, form_in(folder)).verify([ClaimPair(PAIRS[0][1], PAIRS[0][0])])
