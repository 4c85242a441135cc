"""Scores of the built-in network, shared by all test processes and later runs: no pair is read twice.

The network takes most of the time of a check by `builtin`, and hundreds of tests check the same few examples. Its
scores follow from the pair, its files and the processor: `tests/judging/verifiers/builtin/test_hybrid.py` asks new
interpreters, which share nothing, and `test_encoder.py` beside it the network itself. Each line of the file is the hash
of a pair and its scores; a line that a process could not finish is skipped.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path

from factscope.core import onnx
from factscope.judging.verifiers.builtin import CrossEncoder, EncoderTexts, cross_encoder, wordpiece

Scores = tuple[float, ...]
_VARIABLE = "TESTS_SHARED_SCORES"
_HASH = 16
"""Bytes of a hash."""


class SharedScores:
    """Replacement for the encoder's function that reads one pair."""

    def __init__(self, file: Path, read: Callable[[CrossEncoder, EncoderTexts], Scores]) -> None:
        self.file = file
        self._read = read
        self._known: dict[str, Scores] = {}
        self._end = 0
        os.register_at_fork(before=self._catch_up)  # so that the fork knows everything known here

    def __call__(self, encoder: CrossEncoder, texts: EncoderTexts) -> Scores:
        if encoder is not cross_encoder.SMALL:
            return self._read(encoder, texts)
        pair = blake2b("\0".join(texts).encode("utf-8", "surrogatepass"), digest_size=_HASH).hexdigest()
        if pair not in self._known:
            self._catch_up()
        if pair not in self._known:
            self._known[pair] = self._read(encoder, texts)
            line = f"{pair} {' '.join(map(repr, self._known[pair]))}\n"
            with suppress(OSError), self.file.open("ab", buffering=0) as file:
                file.write(line.encode())
        return self._known[pair]

    def _catch_up(self) -> None:
        """Read the scores that other processes have written since."""
        start = self._end  # threads running this at once do the same work
        with suppress(OSError), self.file.open("rb") as file:
            file.seek(start)
            whole, newline, _ = file.read().rpartition(b"\n")
            for line in whole.decode("ascii").splitlines():
                pair, *scores = line.split(" ")
                if len(pair) == 2 * _HASH and len(scores) == 3:
                    self._known[pair] = tuple(map(float, scores))
            self._end = start + len(whole) + len(newline)


def scores_in(folder: Path, files: Iterable[Path] | None = None) -> Path:
    """Name the file in a folder for this network's scores, and delete the others, which no run uses again.

    `files` are all that the scores of a pair depend on, besides the packages and the processor.
    """
    builtin = Path(cross_encoder.__file__).parent
    modules = (Path(str(module.__file__)) for module in (cross_encoder, wordpiece, onnx))
    processor = {line for line in onnx._processor().splitlines() if line.startswith(("model name", "flags"))}
    about = (version("onnxruntime"), version("numpy"), sys.platform, platform.machine(), *sorted(processor))
    hashed = blake2b(repr(about).encode(), digest_size=_HASH)
    for path in files or (builtin / cross_encoder.ENCODER_FILE, builtin / wordpiece.VOCABULARY, *modules):
        hashed.update(path.read_bytes())
    file = folder / hashed.hexdigest()
    for other in set(folder.iterdir()) - {file}:
        other.unlink(missing_ok=True)
    return file


def share(file: Path) -> None:
    """Share scores through a file, in this process and in those forked from it or by its helper."""
    cross_encoder._scores = SharedScores(file, cross_encoder._scores)  # type: ignore[assignment]
    os.environ[_VARIABLE] = str(file)


def share_as(environment: Mapping[str, str]) -> None:
    """Share scores as these variables ask, unless this process already does."""
    if _VARIABLE in environment and not isinstance(cross_encoder._scores, SharedScores):
        share(Path(environment[_VARIABLE]))
