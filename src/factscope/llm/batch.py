"""Batch files: calls without a reply are written to files, and answered by reply files that someone puts beside them.

The format is that of OpenAI's batch interface, which other vendors and offline vLLM runs read as well. Each model has
its own request file, as those services require. `custom_id` is the key of the call, so replies may come in any order,
in any number of files, and from people as well as from machines.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from itertools import chain, count
from pathlib import Path
from typing import Any

from factscope.core import InputError, UsageError
from factscope.llm.model_client import Sender, Settle
from factscope.llm.model_errors import ModelError
from factscope.llm.providers import Endpoint, endpoint

from .call import Call, Reply, one_line
from .wire import Dialect, body, reply_in, strike

_REQUESTS = "requests-"
_MAX_CHARACTERS = 200
"""Characters kept of a service's message about a failed call."""
REPLY = '{"custom_id": "…", "response": {"status_code": 200, "body": {"choices": [{"message": {"content": "…"}}]}}}'
"""Example of a line with a reply, for messages."""


def request_files(folder: Path) -> list[Path]:
    """Return the request files of a batch folder, in order of name. Raises OSError.

    A file with a reply in it does not count: people name replies after the requests, or write them into the same file.
    """
    return [path for path in sorted(folder.glob(f"{_REQUESTS}*.jsonl")) if not _has_reply(path)]


def _has_reply(path: Path) -> bool:
    with path.open(encoding="utf-8", errors="replace") as file:
        return any('"response":' in line for line in file)  # within one of our texts the quotes would be escaped


class BatchFolder(Sender):
    """Answers calls from the reply files of a folder, and collects those without a reply.

    `close` writes the request files.
    """

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        """Read the replies. Raises UsageError when the folder can't be used, InputError for a line without a reply."""
        self._folder = folder
        # The service that answers the files uses its own key.
        lookup = partial(endpoint, environment=environment, need_key=False)
        self._endpoint: Callable[[str], Endpoint] = cache(lookup)
        self._missing: dict[str, dict[str, str]] = {}
        self._replies: dict[str, dict[str, Any]] = {}
        self._refused: dict[str, str] = {}
        """The services' messages about failed calls."""
        self._reasons: dict[str, str] = {}
        """Those of the missing calls, without a key."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._read()
        except OSError as error:
            raise UsageError(f"The batch folder {folder} can't be used: {error.strerror}.") from None

    @property
    def missing(self) -> int:
        """Count the calls that have no reply yet."""
        return sum(len(lines) for lines in self._missing.values())

    @property
    def refused(self) -> tuple[str, ...]:
        """The services' messages about the calls without a reply that failed before."""
        return tuple(self._reasons.values())

    def address(self, model: str) -> str:
        """Return the base address that a live call to the model would use, so that both ways share the cache."""
        return self._endpoint(model).address

    async def send(self, call: Call, settle: Settle) -> Reply:
        """Return the reply from the files. Raises ModelError of kind `pending` when there is none."""
        where = self._endpoint(call.model)
        key = call.identity(where.address).key
        answer = self._replies.get(key)
        if answer is not None:
            # A call that was paid for, at an unknown price.
            reply = reply_in(answer, where, cut_is_whole=call.cut_is_whole)
            await settle(reply)
            return reply
        line = {"custom_id": key, "method": "POST", "url": "/v1/chat/completions"}
        request = {**line, "body": body(call, where, Dialect.of(where.provider), call.max_tokens)}
        self._missing.setdefault(call.model, {})[key] = json.dumps(request, ensure_ascii=False)
        reason = strike(self._refused.get(key, ""), where.key)[:_MAX_CHARACTERS]
        if reason:
            self._reasons[key] = reason
        raise ModelError(
            "pending",
            f"A call to {call.model} is waiting in {self._folder} for its reply."
            + (f" The last try failed: {reason}." if reason else ""),
            "Put the replies beside the request files and run the same command again.",
        )

    async def close(self) -> None:
        """Rewrite the request files with the calls that are still missing; no file if there are none.

        Raises UsageError.
        """
        try:
            for old in request_files(self._folder):
                old.unlink()
            for model, lines in self._missing.items():
                path = self._free(re.sub(r"[^A-Za-z0-9.-]+", "-", model))
                partial = path.with_suffix(".part")
                partial.write_text("".join(f"{lines[key]}\n" for key in sorted(lines)), encoding="utf-8")
                os.replace(partial, path)  # noqa: PTH105
        except OSError as error:
            raise UsageError(f"The batch folder {self._folder} can't be written: {error.strerror}.") from None

    def _free(self, name: str) -> Path:
        """Return a path for the requests to a model that no other file has.

        An existing file may hold replies, or requests to a model with a similar name.
        """
        names = chain([name], (f"{name}-{number}" for number in count(2)))
        return next(path for path in (self._folder / f"{_REQUESTS}{name}.jsonl" for name in names) if not path.exists())

    def _read(self) -> None:
        """Read the replies of all files.

        Raises InputError for a line that is neither reply nor request, and OSError.
        """
        for path in sorted(self._folder.glob("*.jsonl")):
            with path.open(encoding="utf-8-sig", errors="replace") as file:
                for number, line in enumerate(file, 1):
                    try:
                        if line.strip():
                            self._take(json.loads(line))
                    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
                        name = f"{path}, line {number},"
                        raise InputError(f"{name} is not a batch reply.", f"It looks like {REPLY}.") from None

    def _take(self, values: dict[str, Any]) -> None:
        """Store the reply of one line. A reply that says its call failed counts as missing."""
        if "method" in values:  # a request, or a copy of one
            return
        key, error = str(values["custom_id"]), values.get("error")
        response = None if error else values["response"]
        if not response or response.get("status_code", 200) != 200:
            self._refused[key] = one_line(error or (response or {}).get("body") or "no reason given")
        elif response["body"]["choices"][0]["message"]:
            self._replies[key] = response["body"]
        else:
            raise ValueError("an empty message")
