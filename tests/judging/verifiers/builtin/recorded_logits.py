"""Logits of the built-in encoder for a few pairs, recorded again after each change of the encoder.

    python -m tests.judging.verifiers.builtin.recorded_logits

The recording names the encoder's hash, so that a forgotten one is noticed.
"""

from __future__ import annotations

import json
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factscope.judging.verifiers.builtin.cross_encoder import FILE, SMALL, EncoderTexts
from tests.judging.verifiers.builtin.pairs import PAIRS

RECORDING = Path(__file__).with_name("logits.json")


class Recording(NamedTuple):
    """The logits of one encoder."""

    encoder: str
    """SHA-256 of its file."""
    logits: NDArray[np.float64]
    """Pairs × labels."""


def pairs() -> list[EncoderTexts]:
    """Every third claim, its passage between the passages before and after it, so that lengths vary."""
    passages = [passage for *_, passage in PAIRS]
    places = range(1, len(PAIRS) - 1, 3)
    return [EncoderTexts(PAIRS[place][2], " ".join(passages[place - 1 : place + 2])) for place in places]


def encoder_hash() -> str:
    """SHA-256 of the encoder in the package."""
    return sha256(files("factscope.judging.verifiers.builtin").joinpath(FILE).read_bytes()).hexdigest()


def read() -> Recording:
    """The recording beside this file."""
    values = json.loads(RECORDING.read_text(encoding="utf-8"))
    return Recording(values["encoder"], np.array(values["logits"]))


def record() -> None:
    """Write the recording of today's encoder."""
    rows = ",\n  ".join(json.dumps([round(value, 4) for value in row]) for row in SMALL.logits(pairs()).tolist())
    text = f'{{"encoder": "{encoder_hash()}", "logits": [\n  {rows}\n]}}\n'
    RECORDING.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    record()
