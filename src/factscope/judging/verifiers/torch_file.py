"""Where the weights stand in a checkpoint of PyTorch (`pytorch_model.bin`, `.ckpt`), without running anything in it.

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

from factscope.errors import UsageError

from .weights import Place, broken

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


class _Named(NamedTuple):
    """A function or class that the description names."""

    name: str


class _Called(NamedTuple):
    """What the description would have called, with which values."""

    what: object
    values: object


class _Stored(NamedTuple):
    """One of the files of numbers."""

    kind: str
    key: str


def places(path: Path) -> dict[str, Place]:
    """Where each weight stands in the file. Raises UsageError for another file, OSError for one that can't be read."""
    try:
        with zipfile.ZipFile(path) as archive:
            infos = {info.filename: info for info in archive.infolist()}
            described = next((name for name in infos if name.endswith("/data.pkl") or name == "data.pkl"), None)
            if described is None or infos[described].file_size > _LONGEST:
                raise broken(path, "it has no description of its weights")
            root = described.removesuffix("data.pkl")
            found = _tensors(_read(archive.read(described)))
            starts = {name: _start(path, info) for name, info in infos.items() if name.startswith(f"{root}data/")}
    except zipfile.BadZipFile:
        raise UsageError(
            f"{path} is no checkpoint of PyTorch that can be read here: it may be older than PyTorch 1.6.",
            "Save it anew as safetensors: safetensors.torch.save_file(torch.load(FILE, weights_only=True), NEW).",
        ) from None
    except (ValueError, IndexError, KeyError, TypeError, AttributeError, RecursionError):
        raise broken(path, "its description can't be read") from None
    lost = next((name for name, (stored, _, _) in found.items() if f"{root}data/{stored.key}" not in starts), None)
    if lost is not None or not found:
        raise broken(path, f"the numbers of {lost[:80]!r} are not in it" if lost else "it holds no weights")
    return {
        name: Place(stored.kind, shape, starts[f"{root}data/{stored.key}"] + first * _SIZES[stored.kind])
        for name, (stored, first, shape) in found.items()
    }


def _start(path: Path, info: zipfile.ZipInfo) -> int:
    """Where a file of an archive begins: after its own header, whose length the archive's list does not tell."""
    if info.compress_type != zipfile.ZIP_STORED:
        raise broken(path, "its numbers are compressed")
    with path.open("rb") as file:
        file.seek(info.header_offset + 26)
        lengths = file.read(4)
    return info.header_offset + 30 + int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little")


def _tensors(value: object) -> dict[str, tuple[_Stored, int, tuple[int, ...]]]:
    """The tensors of a dictionary by name: file, first number, shape. Those in other orders are refused."""
    if isinstance(value, dict) and isinstance(value.get(_STATE), dict):
        value = value[_STATE]
    found = {}
    for name, one in value.items() if isinstance(value, dict) else ():
        if isinstance(one, _Called) and one.what == _Named("torch._utils _rebuild_parameter"):
            one = one.values[0]  # type: ignore[index]  # noqa: PLW2901 - it raises what its caller takes care of
        if not isinstance(one, _Called) or one.what != _Named("torch._utils _rebuild_tensor_v2"):
            continue
        stored, first, shape, stride = one.values[:4]  # type: ignore[index]  # it raises what its caller takes care of
        rows = tuple(prod(shape[place + 1 :]) for place in range(len(shape)))
        if not isinstance(stored, _Stored) or any(
            step != row for step, row, size in zip(stride, rows, shape, strict=True) if size > 1
        ):
            raise ValueError(name)
        found[str(name)] = (stored, int(first), tuple(int(size) for size in shape))
    return found


def _read(text: bytes) -> object:
    """What a description describes, with `_Called` in the place of what it would have made by calling something."""
    stack: list[Any] = []
    marks: list[int] = []
    memo: dict[int, Any] = {}

    def since_mark() -> list[Any]:
        start = marks.pop()
        taken = stack[start:]
        del stack[start:]
        return taken

    for code, argument, _ in pickletools.genops(text):
        match code.name:
            case "PROTO" | "FRAME" | "STOP":
                pass
            case "MARK":
                marks.append(len(stack))
            case "BINPUT" | "LONG_BINPUT" | "PUT":
                memo[_number(argument)] = stack[-1]
            case "MEMOIZE":
                memo[len(memo)] = stack[-1]
            case "BINGET" | "LONG_BINGET" | "GET":
                stack.append(memo[_number(argument)])
            case "POP":
                stack.pop()
            case "GLOBAL":
                stack.append(_Named(str(argument)))
            case "STACK_GLOBAL":
                name, module = stack.pop(), stack.pop()
                stack.append(_Named(f"{module} {name}"))
            case "NONE" | "NEWTRUE" | "NEWFALSE":
                stack.append({"NONE": None, "NEWTRUE": True, "NEWFALSE": False}[code.name])
            case "EMPTY_DICT" | "EMPTY_LIST" | "EMPTY_TUPLE" | "EMPTY_SET":
                stack.append(
                    {"EMPTY_DICT": dict, "EMPTY_LIST": list, "EMPTY_TUPLE": tuple, "EMPTY_SET": list}[code.name]()
                )
            case "TUPLE" | "LIST" | "DICT" | "FROZENSET":
                stack.append(_gathered(code.name, since_mark()))
            case "TUPLE1" | "TUPLE2" | "TUPLE3":
                size = int(code.name[-1])
                stack[-size:] = [tuple(stack[-size:])]
            case "SETITEM" | "SETITEMS":
                taken = since_mark() if code.name == "SETITEMS" else [stack.pop(-2), stack.pop()]
                _put(stack[-1], taken)
            case "APPEND" | "APPENDS" | "ADDITEMS":
                taken = [stack.pop()] if code.name == "APPEND" else since_mark()
                if isinstance(stack[-1], list):
                    stack[-1].extend(taken)
            case "REDUCE" | "NEWOBJ":
                values, what = stack.pop(), stack.pop()
                stack.append({} if what == _Named("collections OrderedDict") else _Called(what, values))
            case "NEWOBJ_EX":
                _, values, what = stack.pop(), stack.pop(), stack.pop()
                stack.append(_Called(what, values))
            case "INST":
                stack.append(_Called(_Named(str(argument)), since_mark()))
            case "OBJ":
                taken = since_mark()
                stack.append(_Called(taken[0], taken[1:]))
            case "POP_MARK":
                since_mark()
            case "DUP":
                stack.append(stack[-1])
            case "BUILD":  # what would be done to an object after it was made
                stack.pop()
            case "BINPERSID":
                stack.append(_stored(stack.pop()))
            case _ if argument is not None:  # a number or a text
                stack.append(argument)
            case _:
                raise ValueError(code.name)
    return stack[-1]


def _number(argument: object) -> int:
    return int(str(argument))


def _gathered(name: str, taken: list[Any]) -> object:
    if name != "DICT":
        return tuple(taken) if name == "TUPLE" else taken
    made: dict[Any, Any] = {}
    _put(made, taken)
    return made


def _put(target: object, taken: list[Any]) -> None:
    """Keys and values in turn, into a dictionary. Keys that are no plain values are of no interest."""
    if isinstance(target, dict):
        target.update((key, value) for key, value in _pairs(taken) if isinstance(key, str | int | float | bool))


def _pairs(taken: list[Any]) -> Iterator[tuple[Any, Any]]:
    return zip(taken[::2], taken[1::2], strict=True)


def _stored(value: object) -> object:
    match value:
        case ("storage", _Named(name), str(key), *_) if name.rpartition(" ")[2] in _KINDS:
            return _Stored(_KINDS[name.rpartition(" ")[2]], key)
    return value
