"""The weights of a model by their names, read from its file in place: safetensors, or a checkpoint of PyTorch.

    safetensors:  length of the header, header (JSON: name → type, shape, place), the numbers, end to end

Nothing is copied before it is asked for, and nothing in a file is ever run (see `torch_file` for checkpoints).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from factscope.core.errors import UsageError

from .torch_file import weight_locations
from .weight_places import FETCH_AGAIN, WeightLocation, broken

ENDINGS = (".safetensors", ".bin", ".ckpt", ".pt")
_LONGEST_HEADER = 100_000_000

_TYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2",
    "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "<i1", "U8": "<u1", "BOOL": "<u1",
}  # fmt: skip


class Weights(Mapping[str, "NDArray[Any]"]):
    """Weights by name; numbers with a point come as float32."""

    def __init__(self, path: Path, locations: Mapping[str, WeightLocation]) -> None:
        """Raises UsageError when a place lies outside of the file."""
        self.path, self._locations = path, dict(locations)
        self._file = np.memmap(path, np.uint8, "r")
        for name, location in self._locations.items():
            if location.offset < 0 or location.offset + _bytes(location) > len(self._file):
                raise broken(path, f"{name[:80]!r} lies outside of it")

    def __getitem__(self, name: str) -> NDArray[Any]:
        location = self._locations[name]
        raw = (
            self._file[location.offset : location.offset + _bytes(location)]
            .view(_TYPES[location.kind])
            .reshape(location.shape)
        )
        if location.kind == "BF16":  # the upper half of a float32
            return np.asarray(raw.astype(np.uint32) << 16).view(np.float32)
        return np.asarray(raw, np.float32) if location.kind[0] == "F" else np.asarray(raw)

    def __iter__(self) -> Iterator[str]:
        return iter(self._locations)

    def __len__(self) -> int:
        return len(self._locations)

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of a weight, without reading it. Raises UsageError when the model has no such weight."""
        if name not in self._locations:
            raise UsageError(
                f"The model in {self.path.parent} has no weight {name!r}: its config.json is of another model.",
                "Use the config.json that belongs to it.",
            )
        return self._locations[name].shape


def read_weights(path: Path) -> Weights:
    """The weights in a file. Raises UsageError when it can't be read."""
    try:
        if not path.stat().st_size:
            raise broken(path, "it is empty")
        if path.suffix == ".safetensors":
            return Weights(path, _safetensors(path))
        return Weights(path, weight_locations(path))
    except OSError as error:
        raise UsageError(f"The model's file {path} can't be read: {error.strerror}.", FETCH_AGAIN) from None


def _bytes(weight_location: WeightLocation) -> int:
    return prod(weight_location.shape) * np.dtype(_TYPES[weight_location.kind]).itemsize


def _safetensors(path: Path) -> dict[str, WeightLocation]:
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if not 2 <= length <= _LONGEST_HEADER:
            raise broken(path, "it has no header of safetensors")
        header = file.read(length)
    try:
        header_values = json.loads(header)
        return {
            name: WeightLocation(
                _dtype(str(entry["dtype"])),
                tuple(map(_size, entry["shape"])),
                8 + length + int(entry["data_offsets"][0]),
            )
            for name, entry in header_values.items()
            if name != "__metadata__"
        }
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        raise broken(path, "its header can't be read") from None


def _dtype(kind: str) -> str:
    if kind not in _TYPES:
        raise ValueError(kind)
    return kind


def _size(number: object) -> int:
    if not isinstance(number, int) or number < 0:
        raise ValueError(number)
    return number
