"""A loaded model: texts → tokens → logits. `runtime` chooses the library that runs it."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from factscope.core import BoundaryError, UsageError, batches, model_settings
from factscope.judging.verifiers.published.model_spec import ClassifierSpec

from .runtime import Feeds, ModelFiles, must_have_torch, open_runtime

BATCH_TOKENS = 16_384
"""Tokens in one run of the network on a graphics card, including padding. A CPU reads its texts one by one, each on one
core: measured with MiniLM's size, 64 texts of 100 to 200 tokens take 2.4 s of processor time that way, and 3.0 s in
batches, and a text's result does not depend on the others."""
GRAPHS = ("model.onnx", "onnx/model.onnx")
ENDINGS = (".safetensors", ".bin", ".ckpt", ".pt")
"""Extensions of files with weights for PyTorch."""
TOKENIZER = "tokenizer.json"
BYTES = ("vocab.json", "merges.txt")
"""Files that replace `TOKENIZER` in older models of RoBERTa's kind."""
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_NEEDED = ("onnxruntime", "tokenizers")
CONVERT = "Where transformers is installed, write one: AutoTokenizer.from_pretrained(FOLDER).save_pretrained(FOLDER)."


def weight_file(folder: Path) -> Path | None:
    """Return the file of a model's weights: its ONNX network, otherwise safetensors, otherwise a checkpoint.

    None when it has none.
    """
    candidates = [folder / name for name in (*GRAPHS, "model.safetensors", "pytorch_model.bin")]
    others = sorted(path for path in folder.glob("*") if path.suffix in ENDINGS)
    return next((path for path in [*candidates, *others] if path.is_file()), None)


class Network:
    """A model ready to run; safe to use from several threads."""

    def __init__(self, folder: Path, form: ClassifierSpec) -> None:
        """Load the model. Raises UsageError when it can't be loaded, or its runtime is not installed."""
        _need_runtime()
        self.folder, self.form = folder, form
        self._config = model_settings(folder / "config.json", {})
        self._tokenizer = _tokenizer(folder, self._config)
        added = self._tokenizer.get_added_tokens_decoder().values()
        self._marks = sorted((token.content for token in added if token.special), key=len, reverse=True)
        answers = (self._token(form.not_supported), self._token(form.supported)) if form.kind == "answers" else None
        model = ModelFiles(_model_file(folder), self._config, form, answers)
        self._runtime = open_runtime(model, self._sample)
        if strange := sorted(set(self._runtime.inputs) - set(_INPUTS)):
            raise UsageError(f"The model in {folder} needs input that is not known here: {', '.join(strange)}.")
        self.overhead = len(self.encode("", "").ids)
        """Tokens of an input besides those of passage and claim."""

    def encode(self, passage: str, claim: str) -> Any:
        """Return the tokens of an input; special tokens spelled out in the texts are neutralised."""
        passage, claim = self._plain(passage), self._plain(claim)
        if self.form.text is None:
            return self._tokenizer.encode(passage, claim)
        before, _, after = self.form.text.partition("{passage}")
        if "{claim}" in before:
            before = before.replace("{claim}", claim)
        return self._tokenizer.encode(before + passage + after.replace("{claim}", claim))

    def pieces(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """Return, for each text, the positions of its tokens."""
        encoded = self._tokenizer.encode_batch([self._plain(text) for text in texts], add_special_tokens=False)
        return [each.offsets for each in encoded]

    def logits(self, inputs: Sequence[Any]) -> NDArray[np.float32]:
        """Run the model: inputs × outputs.

        Raises BoundaryError when it fails, and UsageError when its output does not have the declared format.
        """
        if not self._runtime.batches:
            with ThreadPoolExecutor(self._runtime.threads) as pool:
                return np.concatenate(list(pool.map(lambda model_input: self._run([model_input]), inputs)))
        results: list[NDArray[np.float32] | None] = [None] * len(inputs)
        for indices in batches([len(each.ids) for each in inputs], BATCH_TOKENS):
            for index, row in zip(indices, self._run([inputs[index] for index in indices]), strict=True):
                results[index] = row
        return np.array(results, np.float32)

    def _run(self, batch: Sequence[Any]) -> NDArray[np.float32]:
        feeds = self._arrays(batch)
        try:
            out = self._runtime.run({name: feeds[name] for name in self._runtime.inputs})
        except Exception as error:  # noqa: BLE001 - all that it raises has in common
            raise BoundaryError("model", f"The model in {self.folder} can't be run: {error}") from None
        n_outputs = {"classes": len(self.form.labels), "score": 1, "answers": 2}[self.form.kind]
        logits = np.asarray(out, np.float32)
        if logits.shape != (len(batch), n_outputs):
            raise UsageError(
                f"The model in {self.folder} gives outputs of the shape {logits.shape[1:]}, where its format declares"
                f" {n_outputs} for each text.",
                "Correct its verifier.toml.",
            )
        if not np.isfinite(logits).all():
            raise BoundaryError(
                "model",
                f"The model in {self.folder} gives no numbers that can be read (infinite, or NaN).",
                "Its weights are damaged: copy or fetch the model again.",
            )
        return logits

    def _arrays(self, batch: Sequence[Any]) -> Feeds:
        """Return inputs as arrays, padded to the length of the longest."""
        shape = (len(batch), max(len(each.ids) for each in batch))
        feeds = {name: np.zeros(shape, np.int64) for name in _INPUTS}
        feeds["input_ids"][:] = int(self._config.get("pad_token_id") or 0)
        for row, each in enumerate(batch):
            for name, values in zip(_INPUTS, (each.ids, each.attention_mask, each.type_ids), strict=True):
                feeds[name][row, : len(values)] = values
        return feeds

    def _sample(self) -> Feeds:
        """Return sample inputs of two texts, the second of them shorter."""
        return self._arrays([self.encode(text, "It rains.") for text in ("It rains in the north today.", "Rain.")])

    def _plain(self, text: str) -> str:
        """Return a text without the model's special tokens, so that it can't end the input early."""
        for mark in self._marks:
            if mark in text:
                text = text.replace(mark, f"{mark[0]} {mark[1:]}")
        return text

    def _token(self, token: int | str | None) -> int:
        token_id = token if isinstance(token, int) else self._tokenizer.token_to_id(str(token))
        if token_id is None:
            raise UsageError(f"The model in {self.folder} has no token {token!r}.", "Correct its verifier.toml.")
        return int(token_id)


def must_run(folder: Path) -> None:
    """Check a model without loading it, so that missing files are reported before a check has cost anything.

    Raises UsageError when it can't be run.
    """
    _need_runtime()
    path, config = _model_file(folder), model_settings(folder / "config.json", {})
    must_have_torch(path)
    _needs_tokenizer(folder, config)


def _model_file(folder: Path) -> Path:
    path = weight_file(folder)
    if path is None:
        raise UsageError(
            f"The folder {folder} contains no model: it has neither {' nor '.join(GRAPHS)} nor"
            " model.safetensors, nor another file of weights.",
            "A model in several files (model.safetensors.index.json) is too large to run here: serve it.",
        )
    return path


def _need_runtime() -> None:
    if missing := [name for name in _NEEDED if find_spec(name) is None]:
        raise UsageError(
            f"To run, a checker needs {' and '.join(missing)}: {'it is' if len(missing) == 1 else 'they are'} missing.",
            "Install what is needed: pip install 'factscope[verifiers]'",
        )


def _tokenizer(folder: Path, config: dict[str, Any]) -> Any:
    """Load the tokenizer. Raises UsageError when it does not exist or can't be used."""
    from tokenizers import Tokenizer

    _needs_tokenizer(folder, config)
    path = folder / TOKENIZER
    try:
        tokenizer = Tokenizer.from_file(str(path)) if path.is_file() else _byte_level(folder)
    except Exception as error:  # noqa: BLE001 - as above
        raise UsageError(f"The tokenizer in {folder} can't be read: {error}", "Copy the model again.") from None
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _needs_tokenizer(folder: Path, config: dict[str, Any]) -> None:
    older = all((folder / name).is_file() for name in BYTES) and "roberta" in str(config.get("model_type"))
    if not (older or (folder / TOKENIZER).is_file()):
        others = [name for name in ("spiece.model", "spm.model", "vocab.txt") if (folder / name).is_file()]
        has = f" It has {others[0]}, which is for another program." if others else ""
        raise UsageError(f"The model in {folder} has no {TOKENIZER}.{has}", CONVERT)


def _byte_level(folder: Path) -> Any:
    """Return RoBERTa's tokenizer from its two older files (Liu et al. 2019, section 4.4)."""
    from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers, processors

    tokenizer = Tokenizer(models.BPE.from_file(*(str(folder / name) for name in BYTES)))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.add_special_tokens([AddedToken(mark, special=True) for mark in ("<s>", "<pad>", "</s>", "<unk>")])
    tokenizer.add_special_tokens([AddedToken("<mask>", lstrip=True, special=True)])
    end, start = (int(tokenizer.token_to_id(mark) or 0) for mark in ("</s>", "<s>"))
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", end), ("<s>", start), True, False)
    return tokenizer
