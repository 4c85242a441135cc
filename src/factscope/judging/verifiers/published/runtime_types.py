"""A model to run, its input, and a runtime: the values that all runtimes share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factscope.judging.verifiers.published.model_spec import ClassifierSpec

Feeds = Mapping[str, NDArray[np.int64]]
"""Inputs by name, texts × tokens: token numbers, the attention mask, and the text that each token belongs to."""
Way = Literal["cpu", "cuda", "mps"]
"""The devices of PyTorch."""


class Runtime(NamedTuple):
    """A loaded network; safe to run from several threads."""

    run: Callable[[Feeds], NDArray[Any]]
    """Input → logits, texts × outputs."""
    inputs: tuple[str, ...]
    """Names of the inputs that it takes."""
    batches: bool
    """Whether to run many texts at once, which is best on a graphics card; otherwise one by one."""
    threads: int = 1
    """Texts that are best run at the same time, one by one."""


class ModelFiles(NamedTuple):
    """Files of a model."""

    path: Path
    """Its network or its weights."""
    config: Mapping[str, Any]
    """Its settings."""
    form: ClassifierSpec
    answers: tuple[int, ...] | None
    """For a model that answers in words: the tokens whose logits are used."""

    @property
    def kind(self) -> str:
        """Its architecture, as named in its settings."""
        return str(self.config.get("model_type", "none"))
