"""A model to run, its input, and a runtime: the values that all runtimes share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factscope.judging.verifiers.published.model_spec import ClassifierSpec

Feeds = Mapping[str, NDArray[np.int64]]
"""Input by name, texts × tokens: numbers of tokens, which of them are there, and which text each belongs to."""
Way = Literal["cpu", "cuda", "mps"]
"""The devices of PyTorch."""


class Runtime(NamedTuple):
    """A loaded network; safe to run from several threads."""

    run: Callable[[Feeds], NDArray[Any]]
    """Input → logits, texts × outputs."""
    inputs: tuple[str, ...]
    """The input that it takes."""
    batches: bool
    """Whether it reads many texts in one run, as a graphics card does best; else each by itself."""
    threads: int = 1
    """Texts, each by itself, that are best read at the same time."""


class ModelFiles(NamedTuple):
    """Files of a model."""

    path: Path
    """Its network or its weights."""
    config: Mapping[str, Any]
    """Its settings."""
    form: ClassifierSpec
    answers: tuple[int, ...] | None
    """Of one that answers in words: the tokens whose logits are asked for."""

    @property
    def kind(self) -> str:
        """Its architecture, as settings files call it."""
        return str(self.config.get("model_type", "none"))
