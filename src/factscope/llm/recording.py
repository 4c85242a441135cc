"""Recordings: the calls of a run with their replies as JSON lines, and a sender that replays them."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import get_args

from factscope.core import CacheRow, InputError, UsageError, system_reason
from factscope.llm.call import Call, Reply, key_of, one_line, reply_from_json
from factscope.llm.call_cache import Cache
from factscope.llm.model_client import Sender, Settle
from factscope.llm.model_errors import Kind, ModelError
from factscope.llm.providers import endpoint

_KINDS: dict[str, Kind] = {kind: kind for kind in get_args(Kind)}


def write_recording(
    cache: Cache,
    path: Path,
    keys: Collection[str] | None = None,
    failed: Mapping[str, tuple[str, Kind]] | None = None,
) -> int:
    """Write the calls with these keys, or all of them, one per line in the order of their keys; return their number.

    `failed` are calls whose replies could not be used, with their requests: they fail in a replay as they did.

    The same calls give the same bytes. Raises StoreError, and UsageError when the file can't be written.
    """
    count = 0
    try:
        with path.open("w", encoding="utf-8", newline="\n") as file:
            for row in cache.rows():
                if keys is None or row.key in keys:
                    file.write(f'{{"key":"{row.key}","request":{row.note},"reply":{row.value}}}\n')
                    count += 1
            for key, (request, kind) in sorted((failed or {}).items()):
                if keys is None or key not in keys:
                    file.write(f'{{"key":"{key}","request":{request},"failed":"{kind}"}}\n')
                    count += 1
    except OSError as error:
        raise UsageError(f"The recording {path} can't be written: {error.strerror}.") from None
    return count


class CacheOnlySender(Sender):
    """Fails every call that is not in the cache. For estimates."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment

    def address(self, model: str) -> str:
        """Return the base address of a model, as it would be called."""
        return endpoint(model, self._environment, need_key=False).address

    async def send(self, call: Call, settle: Settle) -> Reply:
        """Raise ModelError of kind `pending`."""
        raise ModelError("pending", f"A call to {call.model} was not made.")


class ReplaySender(Sender):
    """Fails every call that is not in the recording; recorded replies come from the cache."""

    def __init__(self, path: Path, cache: Cache) -> None:
        """Load a recording into a cache, preferably a separate one. Raises InputError for a bad line, StoreError."""
        self._addresses: dict[str, str] = {}
        self._failed: dict[str, Kind] = {}
        self._path = path
        self.calls = cache.put_many(self._read())

    def _read(self) -> Iterator[CacheRow[str]]:
        try:
            with self._path.open(encoding="utf-8-sig") as file:
                for number, line in enumerate(file, 1):
                    if not line.strip():
                        continue
                    try:
                        values = json.loads(line)
                        request = one_line(values["request"])
                        if key_of(request) != values["key"]:
                            raise ValueError("its key is not that of its call")
                        self._addresses[values["request"]["model"]] = values["request"]["address"]
                        if "failed" in values:
                            self._failed[values["key"]] = _KINDS[values["failed"]]
                            continue
                        reply = reply_from_json(one_line(values["reply"]))
                    except (ValueError, KeyError, TypeError, RecursionError) as error:
                        raise InputError(f"{self._path}, line {number}, is not a recorded call: {error}.") from None
                    yield CacheRow(values["key"], reply, request)
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(
                f"The recording {self._path} can't be read: {system_reason(error)}.",
                "Name a file that a recording was written to: --record; pytest --factscope-record.",
            ) from None

    def address(self, model: str) -> str:
        """Return the model's address in the recording, so that a replay needs no settings; empty if it has none."""
        return self._addresses.get(model, "")

    async def send(self, call: Call, settle: Settle) -> Reply:
        """Raise ModelError: every recorded reply was found in the cache already."""
        key = call.identity(self.address(call.model)).key
        if key in self._failed:
            raise ModelError(self._failed[key], f"The reply of {call.model} could not be used when it was recorded.")
        start = " ".join(call.messages[-1].content.split())[:80] if call.messages else ""
        raise ModelError(
            "not_recorded",
            f"The recording {self._path.name} lacks a call of {call.role!r} to {call.model}: {start!r}… ({key[:12]}).",
            "Record the run again: its texts, method, prompts or models are not those of the recording.",
        )
