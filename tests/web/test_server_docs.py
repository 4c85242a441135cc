"""docs/server.md matches the code."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

from factscope.web import described
from tests.lab import warm
from tests.web.served import Client

PAGE = (Path(__file__).parents[2] / "docs" / "server.md").read_text(encoding="utf-8")
HERE = "http://127.0.0.1:8642"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_documented_requests_are_answered(port: int) -> None:
    script = "\n".join(block for block in blocks("sh") if "curl" in block).replace(HERE, f"http://127.0.0.1:{port}")
    done = subprocess.run(["bash", "-ec", script.replace("curl -s", "curl -sSf")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert '"category":"news"' in done.stdout


def test_the_documented_problem_matches_the_reply(client: Client) -> None:
    (shown,) = blocks("json")
    reply = client.post("/api/v1/checks", {"text": "It has six arches."})
    assert reply.json == json.loads(shown)


def test_the_documented_python_code_runs(port: int) -> None:
    (code,) = blocks("python")
    code = code.replace(HERE, f"http://127.0.0.1:{port}")
    done = subprocess.run([warm.python(), "-W", "error", "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("supported\n", "")


def test_every_documented_address_exists() -> None:
    paths = {path.replace("{check_id}", "{id}") for path in described().openapi()["paths"]}
    for shown in re.findall(r"`(?:GET |POST |PUT |DELETE )(/[a-z0-9_/{}.]+)", PAGE):
        path = shown.replace("{other}", "{other_id}").replace("/samples/{id}", "/samples/{sample_id}")
        assert path in paths | {"/openapi.json"} or f"/api/v1{path}" in paths, shown
