"""A queue of three samples, its annotators, and `factscope annotate` as a separate process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.lab import warm

from .served import Client, Reply

FELM: dict[str, Any] = {
    "index": "b1",
    "domain": "wk",
    "source": "quora",
    "prompt": "When was the bridge of Marlow opened?",
    "response": "The Marlow bridge was opened in 1931. It has six arches. It crosses the Thames.",
    "segmented_response": ["The Marlow bridge was opened in 1931.", "It has six arches.", "It crosses the Thames."],
    "labels": [True, False, True],
    "comment": ["", "It has four.", ""],
    "type": [None, "knowledge_error", None],
    "ref": ["https://bridge.example/marlow"],
    "ref_contents": ["The bridge has four arches."],
}
PLAIN = {"id": "plain", "prompt": "Tell me of the moon.", "response": "The moon is round 🌕. It is made of cheese."}
APART = {
    "index": "m1",
    "domain": "math",
    "prompt": "2 + 2 * 3?",
    "response": "It is 12, since 2 + 2 = 4.",
    "segmented_response": ["2 + 2 = 4.", "4 * 3 = 12."],
    "labels": ["yes", "no"],
}
ROWS = [FELM, PLAIN, APART]


def write(folder: Path, rows: list[Any] | None = None) -> Path:
    """Write the samples to a file."""
    path = folder / "samples.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows or ROWS), encoding="utf-8")
    return path


class Person:
    """One seat of a queue, over the API."""

    def __init__(self, port: int, queue: str, key: str) -> None:
        self._client, self._at, self._key = Client(port), f"/api/v1/annotation/{queue}", key

    def get(self, rest: str = "") -> Reply:
        return self._client.get(f"{self._at}{rest}", Annotator_Key=self._key)

    def put(self, number: int, answer: Mapping[str, Any], revision: object) -> Reply:
        headers = {"Annotator-Key": self._key, "If-Match": f'"{revision}"'}
        return self._client.call("PUT", f"{self._at}/items/{number}", answer, headers)

    def item(self, number: int) -> dict[str, Any]:
        return dict(self.get(f"/items/{number}").json)

    def say(self, number: int, *kinds: str | None, **changes: Any) -> dict[str, Any]:
        """Mark the segments of a sample, None for right, else the kind of error, and finish it."""
        found = self.item(number)
        marks = [{"correct": kind is None, "kind": kind, "reason": "so it is" if kind else ""} for kind in kinds]
        reply = self.put(number, {**found["answer"], "marks": marks, "done": True, **changes}, found["revision"])
        assert reply.status == 200, reply.body
        return dict(reply.json)

    def states(self) -> list[str]:
        return [one["state"] for one in self.get().json["items"]]

    def export(self, form: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.get(f"/export?form={form}").body.decode().splitlines()]


class Annotating:
    """`factscope annotate` as a separate process."""

    def __init__(self, file: Path, *arguments: str) -> None:
        folder = file.parent
        ours = {name: value for name, value in os.environ.items() if not name.startswith("FACTSCOPE_")}
        ours |= {"FACTSCOPE_STORE": str(folder / "runs.db"), "FACTSCOPE_CACHE": str(folder / "cache")}
        command = [warm.python(), "-m", "factscope", "annotate", str(file), "--port", "0", "--no-browser"]
        self._child = subprocess.Popen(
            [*command, "--format", "json", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            env=ours,
        )
        assert self._child.stdout
        line = self._child.stdout.readline()
        assert line, self._child.communicate()[1]
        self.told = json.loads(line)
        self.addresses = {one["name"]: str(one["address"]) for one in self.told["people"]}

    def person(self, name: str) -> Person:
        """Return a person, over the API."""
        where, _, rest = self.addresses[name].partition("/annotate/")
        queue, _, key = rest.partition("#")
        return Person(int(where.rpartition(":")[2]), queue, key)

    def kill(self) -> None:
        """Kill the process."""
        warm.kill(self._child)
        self._child.communicate()

    def end(self) -> str:
        """End the process politely, and return its error output."""
        self._child.send_signal(signal.SIGTERM)
        return self._child.communicate()[1]
