"""Logits of the built-in encoders for a few pairs, recorded again after each change of an encoder.

    python -m tests.judging.verifiers.builtin.recorded_logits

The recording names each encoder's hash, so that an outdated recording is noticed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factscope.judging.verifiers.builtin import (
    ENCODER_FILE,
    MPNET,
    NETWORK,
    SMALL,
    CrossEncoder,
    EncoderTexts,
    open_encoder,
)
from tests.judging.verifiers.builtin.pairs import PAIRS

RECORDING = Path(__file__).with_name("logits.json")
LARGE = Path(__file__).parents[4] / "packages/verifier-large/src/factscope_verifier_large"


class Encoder(NamedTuple):
    """An encoder whose logits are recorded."""

    open: Callable[[], CrossEncoder]
    """Opens the encoder without scores from an earlier call."""
    files: tuple[Path, ...]
    step: int
    """Reads one pair in this many: the large encoder takes eight times as long."""

    def hash(self) -> str:
        """Return the SHA-256 of the files."""
        return sha256(b"".join(path.read_bytes() for path in self.files)).hexdigest()

    def pairs(self) -> list[EncoderTexts]:
        """Return some claims, each passage between its two neighbours, so that lengths vary."""
        passages = [passage for *_, passage in PAIRS]
        places = range(1, len(PAIRS) - 1, self.step)
        return [EncoderTexts(PAIRS[place][2], " ".join(passages[place - 1 : place + 2])) for place in places]

    def logits(self) -> NDArray[np.float64]:
        """Return the logits of these pairs, pairs × labels."""
        return self.open().logits(self.pairs())


def _large() -> CrossEncoder:
    session = open_encoder(LARGE / NETWORK)
    return CrossEncoder(lambda: session, MPNET)


_SMALL_FILE = Path(str(files("factscope.judging.verifiers.builtin").joinpath(ENCODER_FILE)))
ENCODERS = {
    "small": Encoder(lambda: CrossEncoder(SMALL.session), (_SMALL_FILE,), 3),
    "large": Encoder(_large, (LARGE / ENCODER_FILE, LARGE / NETWORK), 6),
}


class Recording(NamedTuple):
    """The logits of one encoder."""

    encoder: str
    """The encoder's hash."""
    logits: NDArray[np.float64]
    """Pairs × labels."""


def read(name: str) -> Recording:
    """Read the recording of an encoder from the file beside this one."""
    values = json.loads(RECORDING.read_text(encoding="utf-8"))[name]
    return Recording(values["encoder"], np.array(values["logits"]))


def record() -> None:
    """Record the logits of the current encoders."""
    parts = []
    for name, encoder in ENCODERS.items():
        rows = ",\n  ".join(json.dumps([round(value, 4) for value in row]) for row in encoder.logits().tolist())
        parts.append(f'"{name}": {{"encoder": "{encoder.hash()}", "logits": [\n  {rows}\n]}}')
    RECORDING.write_text("{{{}}}\n".format(",\n".join(parts)), encoding="utf-8")


if __name__ == "__main__":
    record()
