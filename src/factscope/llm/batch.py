"""Batch files: calls that are missing are written down, and answered by whoever puts replies beside them.

The form is that of OpenAI's batch interface, which other vendors and offline vLLM runs read as well. One file of
requests per model, for that is what they ask for; `custom_id` is the key of the call, so replies may come in any order,
in any number of files, and from people as well as from machines.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from factscope.errors import InputError, UsageError

from .call import Call, Reply, canonical, key_of
from .client import Settle
from .failures import ModelError
from .provider import Endpoint, endpoint
from .wire import Dialect, body, reply_in

_REQUESTS = "requests-"


class BatchFolder:
    """Answers calls from the reply files of a folder, and collects the others. `close` writes the request files."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        """Read the replies. Raises UsageError when the folder can't be used, InputError for a line that is no reply."""
        self._folder = folder
        # Who answers the files has a key of their own.
        self._environment = environment
        self._endpoints: dict[str, Endpoint] = {}
        self._missing: dict[str, dict[str, str]] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._replies = dict(self._read())
        except OSError as error:
            raise UsageError(f"The batch folder {folder} can't be used: {error.strerror}.") from None

    @property
    def missing(self) -> int:
        """How many calls have no reply yet."""
        return sum(len(lines) for lines in self._missing.values())

    def address(self, model: str) -> str:
        """The base address of a model, as it would be called directly: both ways share the cache."""
        if model not in self._endpoints:
            self._endpoints[model] = endpoint(model, self._environment, need_key=False)
        return self._endpoints[model].address

    async def send(self, call: Call, settle: Settle) -> Reply:
        """The reply from the files. Raises ModelError of kind `pending` when there is none."""
        key = key_of(canonical(call, self.address(call.model)))
        where = self._endpoints[call.model]
        answer = self._replies.get(key)
        if answer is not None:
            reply = reply_in(answer, where)  # a call that was paid for, at a price that is not known
            await settle(reply)
            return reply
        line = {"custom_id": key, "method": "POST", "url": "/v1/chat/completions"}
        request = {**line, "body": body(call, where, Dialect.of(where.provider))}
        self._missing.setdefault(call.model, {})[key] = json.dumps(request, ensure_ascii=False)
        raise ModelError(
            "pending",
            f"A call to {call.model} waits in {self._folder} for its reply.",
            "Put the replies beside the request files and run the same command again.",
        )

    async def close(self) -> None:
        """Write the request files anew: what is missing now, and no file where nothing is. Raises UsageError."""
        try:
            for old in self._folder.glob(f"{_REQUESTS}*.jsonl"):
                old.unlink()
            for model, lines in self._missing.items():
                path = self._folder / f"{_REQUESTS}{re.sub(r'[^A-Za-z0-9.-]+', '-', model)}.jsonl"
                part = path.with_suffix(".part")
                part.write_text("".join(f"{lines[key]}\n" for key in sorted(lines)), encoding="utf-8")
                os.replace(part, path)  # noqa: PTH105
        except OSError as error:
            raise UsageError(f"The batch folder {self._folder} can't be written: {error.strerror}.") from None

    def _read(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Keys and chat completions of all reply files. A line that says its call failed counts as missing."""
        for path in sorted(self._folder.glob("*.jsonl")):
            if path.name.startswith(_REQUESTS):
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
                if not line.strip():
                    continue
                try:
                    values = json.loads(line)
                    key, response = values["custom_id"], values.get("response")
                    good = not values.get("error") and response and response.get("status_code", 200) == 200
                    answer = response["body"] if good else None
                except (ValueError, KeyError, TypeError, AttributeError):
                    raise InputError(
                        f"{path}, line {number}, is no batch reply.",
                        'It looks like {"custom_id": …, "response": {"status_code": 200, "body": {…}}}.',
                    ) from None
                if answer is not None:
                    yield str(key), answer
