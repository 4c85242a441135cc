"""Make the tiny models in the folder `tiny` beside this file, in ONNX form.

    PYTHON tests/judging/verifiers/published/make_tiny.py tests/judging/verifiers/published/tiny

PYTHON must have torch, transformers and onnx. Weights are random. Each folder holds the files that the hub holds for a
published model, and `reference.json`: texts, their tokens from transformers, and the logits of its model, which ours
must match. Figures were made with torch 2.15.0, transformers 5.23.0 and onnx 1.23.2.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import onnx
import torch
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

WORDS = (
    "The Marlow bridge was opened in 1931 and carries two lanes. It has six arches of grey stone. The town hall was "
    "finished in 1908, after a fire. A ferry crosses the bay every day from April to October, but not in winter. "
    "Predict: Determine if the hypothesis is true given the premise? Premise Hypothesis not supported yes no. "
    "Maria Lind wrote the novel in Lisbon; critics praised it. About 1,200 people live in the village, most of them "
    "farmers. The lake freezes every winter and people skate on it. Prices rose by 4.5 percent in 2019."
)
PAIRS = [
    ("The Marlow bridge was opened in 1931 and carries two lanes.", "The bridge was opened in 1931."),
    ("The town hall was finished in 1908, after a fire.", "The town hall was finished in 1931."),
    ("A ferry crosses the bay every day.", "Maria Lind wrote the novel."),
    (" ".join([WORDS] * 2)[:400], "About 1,200 people live in the village."),
]
LEFT_OUT = ("dtype", "transformers_version", "scale_decoder_outputs")
"""Settings that published models lack, or that change with the version."""
WIDTH, LAYERS, HEADS = 16, 2, 2
BODY = {
    "hidden_size": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "intermediate_size": 2 * WIDTH,
    "max_position_embeddings": 514, "initializer_range": 0.4,
}  # fmt: skip
T5 = {
    "d_model": WIDTH, "d_kv": 8, "d_ff": 2 * WIDTH, "num_layers": LAYERS, "num_heads": HEADS,
    "relative_attention_num_buckets": 32, "feed_forward_proj": "gated-gelu", "initializer_factor": 0.7,
}  # fmt: skip


def byte_level() -> Tokenizer:
    """Train a tokenizer like RoBERTa's."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    train(made, trainers.BpeTrainer(vocab_size=290, special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
                                    initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))  # fmt: skip
    made.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    return made


def word_pieces() -> Tokenizer:
    """Train a tokenizer like BERT's."""
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    train(made, trainers.WordPieceTrainer(vocab_size=200, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"]))
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return made


def pieces(specials: list[str], start: str | None, end: str) -> Tokenizer:
    """Train a tokenizer like DeBERTa-v3's and T5's, which were made by sentencepiece."""
    made = Tokenizer(models.Unigram())
    made.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace("\n", " ")])
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    train(
        made,
        trainers.UnigramTrainer(
            vocab_size=160, special_tokens=specials, unk_token=next(mark for mark in specials if "unk" in mark.lower())
        ),
    )
    first = [f"{start}:0"] if start else []
    made.post_processor = processors.TemplateProcessing(
        single=[*first, "$A:0", f"{end}:0"],
        pair=[*first, "$A:0", f"{end}:0", "$B:1" if start else "$B:0", f"{end}:{1 if start else 0}"],
        special_tokens=[(token, made.token_to_id(token)) for token in filter(None, (start, end))],
    )
    return made


def train(tokenizer: Tokenizer, trainer: Any) -> None:
    """Learn pieces of words from `WORDS`."""
    tokenizer.train_from_iterator([WORDS] * 3, trainer)


def logits_of(model: Any, **given: Any) -> torch.Tensor:
    """Return the logits of a classifier."""
    return model(**given).logits


def first_of(model: Any, **given: Any) -> torch.Tensor:
    """Return the logits at the first token, as HHEM's published code does."""
    return model(**given).logits[:, 0, :]


def models_made() -> Iterator[tuple[str, Any, Tokenizer, dict[str, str], str | None, Callable[..., Any], str]]:
    """Yield name, model, tokenizer, special tokens, input template (None: a pair), logits and format of each model."""
    roberta = {"eos_token": "</s>", "pad_token": "<pad>", "cls_token": "<s>"}
    deberta = {"eos_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    three = {0: "contradiction", 1: "entailment", 2: "neutral"}
    two = 'kind = "classes"\nlabels = ["not_supported", "supported"]\n'
    tokenizer = byte_level()
    config: Any = transformers.RobertaConfig(
        **BODY, vocab_size=tokenizer.get_vocab_size(), type_vocab_size=1, pad_token_id=1, layer_norm_eps=1e-5
    )
    model: Any = transformers.RobertaForSequenceClassification(config)
    yield (
        "roberta",
        model,
        tokenizer,
        roberta,
        "{passage}</s>{claim}",
        logits_of,
        (two + 'text = "{passage}</s>{claim}"\nchunk = 100\nwindow = 160\n'),
    )
    tokenizer = pieces(["[PAD]", "[CLS]", "[SEP]", "[UNK]"], "[CLS]", "[SEP]")
    config = transformers.DebertaV2Config(
        **(BODY | {"max_position_embeddings": 512}), vocab_size=tokenizer.get_vocab_size(), relative_attention=True,
        position_buckets=24, norm_rel_ebd="layer_norm", share_att_key=True, pos_att_type=["p2c", "c2p"],
        position_biased_input=False, type_vocab_size=0, max_relative_positions=-1, id2label=three,
        label2id={name: place for place, name in three.items()},
    )  # fmt: skip
    model = transformers.DebertaV2ForSequenceClassification(config)
    yield "deberta", model, tokenizer, deberta, None, logits_of, ""
    tokenizer = word_pieces()
    config = transformers.BertConfig(**(BODY | {"max_position_embeddings": 256}), vocab_size=tokenizer.get_vocab_size(),
                                     num_labels=1, pad_token_id=0)  # fmt: skip
    model = transformers.BertForSequenceClassification(config)
    yield "bert", model, tokenizer, {"pad_token": "[PAD]"}, None, logits_of, 'kind = "score"\nwindow = 256\n'
    tokenizer = pieces(["<pad>", "</s>", "<unk>"], None, "</s>")
    t5 = {"eos_token": "</s>", "pad_token": "<pad>"}
    size = tokenizer.get_vocab_size()
    config = transformers.T5Config(**T5, vocab_size=size, num_labels=2, classifier_dropout=0.0, pad_token_id=0,
                                   decoder_start_token_id=0, eos_token_id=1)  # fmt: skip
    text = "<pad> Determine if the hypothesis is true given the premise?\n\nPremise: {passage}\n\nHypothesis: {claim}"
    model = transformers.T5ForTokenClassification(config)
    yield "hhem", model, tokenizer, t5, text, first_of, (two + f"text = {json.dumps(text)}\nwindow = 512\n")


class Exported(torch.nn.Module):
    """A model in the form of its ONNX file: input → logits."""

    def __init__(self, model: Any, ask: Callable[..., Any], names: list[str]) -> None:
        super().__init__()
        self.model, self.ask, self.names = model, ask, names

    def forward(self, *given: Any) -> Any:
        """Return the logits of a batch."""
        return self.ask(self.model, **dict(zip(self.names, given, strict=True)))


def export(place: Path, exported: Exported) -> None:
    """Write the network as `model.onnx`."""
    ids = torch.tensor([[5, 6, 7, 8, 9, 10, 11], [5, 9, 8, 7, 6, 5, 4]])
    example = {"input_ids": ids, "attention_mask": torch.ones_like(ids), "token_type_ids": torch.zeros_like(ids)}
    torch.onnx.export(
        exported,
        tuple(example[name] for name in exported.names),
        str(place / "model.onnx"),
        input_names=exported.names,
        output_names=["logits"],
        dynamic_axes={name: {0: "texts", 1: "tokens"} for name in exported.names} | {"logits": {0: "texts"}},
        opset_version=17,
        dynamo=False,
    )
    network = onnx.load(place / "model.onnx")
    for node in network.graph.node:  # node names are a fifth of the file
        node.name = ""
    onnx.save(network, place / "model.onnx")


def write(folder: Path, one: tuple[Any, ...]) -> None:
    """Write a model's folder with all its files."""
    name, model, tokenizer, specials, text, ask, declared = one
    place = folder / name
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    model.eval()
    with torch.no_grad():
        for key, weight in model.named_parameters():
            if key.startswith(("classifier.weight", "classifier.out_proj.weight")):
                weight.mul_(4 if name == "hhem" else 3)
            if name == "bert" and key == "classifier.bias":
                weight.sub_(3.4)
    tokenizer.save(str(place / "tokenizer.json"))
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **specials)
    reference = []
    for group in (PAIRS[:3], PAIRS[3:]):  # texts of one call are padded to the longest
        if text is None:
            given = fast(
                [p for p, _ in group],
                [c for _, c in group],
                padding=True,
                return_tensors="pt",
                return_token_type_ids=True,
            )
        else:
            texts = [text.replace("{passage}", p).replace("{claim}", c) for p, c in group]
            given = fast(texts, padding=True, return_tensors="pt")
        if name != "bert":
            given.pop("token_type_ids", None)
        with torch.no_grad():
            logits = ask(model, **given)
        for row, (passage, claim) in enumerate(group):
            there = given["attention_mask"][row].bool()
            ids = given["input_ids"][row][there].tolist()
            reference.append({"passage": passage, "claim": claim, "ids": ids, "logits": logits[row].tolist()})
    inputs = ["input_ids", "attention_mask", *(["token_type_ids"] if name == "bert" else [])]
    export(place, Exported(model, ask, inputs))
    config = {key: value for key, value in model.config.to_dict().items() if key not in LEFT_OUT}
    (place / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
    if declared:
        (place / "verifier.toml").write_text(declared, encoding="utf-8")
    (place / "reference.json").write_text(json.dumps(reference, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Write all models."""
    folder = Path(sys.argv[1])
    torch.manual_seed(20261121)
    for one in models_made():
        write(folder, one)


if __name__ == "__main__":
    main()
