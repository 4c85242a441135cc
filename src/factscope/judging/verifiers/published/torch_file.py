"""Locations of weights in a PyTorch checkpoint (`pytorch_model.bin`, `.ckpt`), without running anything in it.

Such a file is a zip archive, uncompressed: `…/data.pkl` says in Python's pickle language which weight has which shape
and lies in which of the files `…/data/0`, `…/data/1`, … To unpickle a file is to run it, as it may call any function.
Here its steps are only read: names of functions stay names, what is called with which values is written down, and the
tensors are found by their one form,

    torch._utils._rebuild_tensor_v2(("storage", torch.FloatStorage, "0", device, size), offset, shape, stride, …)

Files from before PyTorch 1.6 have another layout, and are refused.
"""

from __future__ import annotations

import pickletools
import zipfile
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from factscope.core.errors import UsageError

from .weight_places import WeightLocation, broken

_KINDS = {
    "DoubleStorage": "F64", "FloatStorage": "F32", "HalfStorage": "F16", "BFloat16Storage": "BF16",
    "LongStorage": "I64", "IntStorage": "I32", "ShortStorage": "I16", "CharStorage": "I8", "ByteStorage": "U8",
    "BoolStorage": "BOOL",
}  # fmt: skip
_SIZES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1, "BOOL": 1}
_LONGEST = 256_000_000
"""Bytes of a description that are read; those of large models have a few hundred thousand."""
_STATE = "state_dict"
"""Where training programs keep the weights in what they save."""


class _GlobalName(NamedTuple):
    """A function or class that the description names."""

    name: str


class _GlobalCall(NamedTuple):
    """A call that the description would have made, with its arguments."""

    callee: object
    values: object


class _StoredNumbers(NamedTuple):
    """One of the files of numbers."""

    kind: str
    key: str


def weight_locations(path: Path) -> dict[str, WeightLocation]:
    """Locate each weight in the file. Raises UsageError for another file, OSError for one that can't be read."""
    try:
        with zipfile.ZipFile(path) as archive:
            infos = {info.filename: info for info in archive.infolist()}
            described = next((name for name in infos if name.endswith("/data.pkl") or name == "data.pkl"), None)
            if described is None or infos[described].file_size > _LONGEST:
                raise broken(path, "it has no description of its weights")
            root = described.removesuffix("data.pkl")
            tensors = _tensors(_read(archive.read(described)))
            starts = {name: _start(path, info) for name, info in infos.items() if name.startswith(f"{root}data/")}
    except zipfile.BadZipFile:
        raise UsageError(
            f"{path} is not a checkpoint of PyTorch that can be read here: it may be older than PyTorch 1.6.",
            "Save it again as safetensors: safetensors.torch.save_file(torch.load(FILE, weights_only=True), NEW).",
        ) from None
    except (ValueError, IndexError, KeyError, TypeError, AttributeError, RecursionError):
        raise broken(path, "its description can't be read") from None
    lost = next((name for name, (stored, _, _) in tensors.items() if f"{root}data/{stored.key}" not in starts), None)
    if lost is not None or not tensors:
        raise broken(path, f"the numbers of {lost[:80]!r} are not in it" if lost else "it contains no weights")
    return {
        name: WeightLocation(stored.kind, shape, starts[f"{root}data/{stored.key}"] + first * _SIZES[stored.kind])
        for name, (stored, first, shape) in tensors.items()
    }


def _start(path: Path, info: zipfile.ZipInfo) -> int:
    """Return the offset of a file in an archive: after its own header, whose length the list does not tell."""
    if info.compress_type != zipfile.ZIP_STORED:
        raise broken(path, "its numbers are compressed")
    with path.open("rb") as file:
        file.seek(info.header_offset + 26)
        lengths = file.read(4)
    return info.header_offset + 30 + int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little")


def _tensors(value: object) -> dict[str, tuple[_StoredNumbers, int, tuple[int, ...]]]:
    """The tensors of a dictionary by name: file, first number, shape. Those in other orders are refused."""
    if isinstance(value, dict) and isinstance(value.get(_STATE), dict):
        value = value[_STATE]
    tensors = {}
    for name, tensor in value.items() if isinstance(value, dict) else ():
        if isinstance(tensor, _GlobalCall) and tensor.callee == _GlobalName("torch._utils _rebuild_parameter"):
            tensor = tensor.values[0]  # type: ignore[index]  # noqa: PLW2901 - it raises what its caller takes care of
        if not isinstance(tensor, _GlobalCall) or tensor.callee != _GlobalName("torch._utils _rebuild_tensor_v2"):
            continue
        stored, first, shape, stride = tensor.values[:4]  # type: ignore[index]  # it raises what its caller takes care of
        rows = tuple(prod(shape[axis + 1 :]) for axis in range(len(shape)))
        if not isinstance(stored, _StoredNumbers) or any(
            step != row for step, row, size in zip(stride, rows, shape, strict=True) if size > 1
        ):
            raise ValueError(name)
        tensors[str(name)] = (stored, int(first), tuple(int(size) for size in shape))
    return tensors


def _read(text: bytes) -> object:
    """Interpret a description, with a placeholder for anything that it would have made by a call."""
    reader = _PickleReader()
    for code, argument, _ in pickletools.genops(text):
        if not (reader.keeps(code.name, argument) or reader.gathers(code.name) or reader.calls(code.name, argument)):
            if argument is None:
                raise ValueError(code.name)
            reader.stack.append(argument)  # a number or a text
    return reader.stack[-1]


class _PickleReader:
    """The stack of values that a description works on. Each method takes a step if it is one of its own."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self._marks: list[int] = []
        self._memo: dict[int, Any] = {}

    def _since_mark(self) -> list[Any]:
        start = self._marks.pop()
        items = self.stack[start:]
        del self.stack[start:]
        return items

    def keeps(self, name: str, argument: object) -> bool:
        """Steps that mark, keep, fetch or drop values."""
        match name:
            case "PROTO" | "FRAME" | "STOP":
                pass
            case "MARK":
                self._marks.append(len(self.stack))
            case "BINPUT" | "LONG_BINPUT" | "PUT":
                self._memo[_number(argument)] = self.stack[-1]
            case "MEMOIZE":
                self._memo[len(self._memo)] = self.stack[-1]
            case "BINGET" | "LONG_BINGET" | "GET":
                self.stack.append(self._memo[_number(argument)])
            case "POP" | "BUILD":  # BUILD: what would be done to an object after it was made
                self.stack.pop()
            case "POP_MARK":
                self._since_mark()
            case "DUP":
                self.stack.append(self.stack[-1])
            case "NONE" | "NEWTRUE" | "NEWFALSE":
                self.stack.append({"NONE": None, "NEWTRUE": True, "NEWFALSE": False}[name])
            case _:
                return False
        return True

    def gathers(self, name: str) -> bool:
        """Steps that make and fill lists, tuples and dictionaries."""
        match name:
            case "EMPTY_DICT" | "EMPTY_LIST" | "EMPTY_TUPLE" | "EMPTY_SET":
                self.stack.append({} if name == "EMPTY_DICT" else () if name == "EMPTY_TUPLE" else [])
            case "TUPLE" | "LIST" | "DICT" | "FROZENSET":
                self.stack.append(_gathered(name, self._since_mark()))
            case "TUPLE1" | "TUPLE2" | "TUPLE3":
                size = int(name[-1])
                self.stack[-size:] = [tuple(self.stack[-size:])]
            case "SETITEM" | "SETITEMS":
                arguments = self._since_mark() if name == "SETITEMS" else [self.stack.pop(-2), self.stack.pop()]
                _set_items(self.stack[-1], arguments)
            case "APPEND" | "APPENDS" | "ADDITEMS":
                arguments = [self.stack.pop()] if name == "APPEND" else self._since_mark()
                if isinstance(self.stack[-1], list):
                    self.stack[-1].extend(arguments)
            case _:
                return False
        return True

    def calls(self, name: str, argument: object) -> bool:
        """Steps that would find or call something: it is written down, and nothing is called."""
        match name:
            case "GLOBAL":
                self.stack.append(_GlobalName(str(argument)))
            case "STACK_GLOBAL":
                inner, module = self.stack.pop(), self.stack.pop()
                self.stack.append(_GlobalName(f"{module} {inner}"))
            case "REDUCE" | "NEWOBJ":
                values, callee = self.stack.pop(), self.stack.pop()
                self.stack.append(
                    {} if callee == _GlobalName("collections OrderedDict") else _GlobalCall(callee, values)
                )
            case "NEWOBJ_EX":
                _, values, callee = self.stack.pop(), self.stack.pop(), self.stack.pop()
                self.stack.append(_GlobalCall(callee, values))
            case "INST":
                self.stack.append(_GlobalCall(_GlobalName(str(argument)), self._since_mark()))
            case "OBJ":
                arguments = self._since_mark()
                self.stack.append(_GlobalCall(arguments[0], arguments[1:]))
            case "BINPERSID":
                self.stack.append(_stored(self.stack.pop()))
            case _:
                return False
        return True


def _number(argument: object) -> int:
    return int(str(argument))


def _gathered(name: str, arguments: list[Any]) -> object:
    if name != "DICT":
        return tuple(arguments) if name == "TUPLE" else arguments
    mapping: dict[Any, Any] = {}
    _set_items(mapping, arguments)
    return mapping


def _set_items(target: object, arguments: list[Any]) -> None:
    """Keys and values in turn, into a dictionary. Keys that are not plain values are of no interest."""
    if isinstance(target, dict):
        target.update((key, value) for key, value in _pairs(arguments) if isinstance(key, str | int | float | bool))


def _pairs(arguments: list[Any]) -> Iterator[tuple[Any, Any]]:
    return zip(arguments[::2], arguments[1::2], strict=True)


def _stored(value: object) -> object:
    match value:
        case ("storage", _GlobalName(name), str(key), *_) if name.rpartition(" ")[2] in _KINDS:
            return _StoredNumbers(_KINDS[name.rpartition(" ")[2]], key)
    return value
