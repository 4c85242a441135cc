"""The demo: bundled, offline, and honest about its findings."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import urllib.request
from pathlib import Path

import pytest

from tests.lab import warm

NO_NETWORK = """
import sys

def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.bind"):
        raise RuntimeError(f"network: {event} {arguments[1:]}")

sys.addaudithook(refuse)
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return an environment in which every Python process refuses the network."""
    (tmp_path / "sitecustomize.py").write_text(NO_NETWORK)
    return dict(os.environ) | {
        "PYTHONPATH": str(tmp_path),
        "FACTSCOPE_CACHE": str(tmp_path / "cache"),
        "FACTSCOPE_STORE": str(tmp_path / "runs.db"),
        "PYTHONUTF8": "1",
    }


def factscope(environment: dict[str, str], folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [warm.python(), "-m", "factscope", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)


def test_network_access_is_refused_in_the_test_environment(environment: dict[str, str]) -> None:
    code = "import socket; socket.create_connection(('127.0.0.1', 9))"
    done = subprocess.run([warm.python(), "-c", code], capture_output=True, text=True, env=environment)
    assert "network: socket." in done.stderr


def test_the_demo_runs_without_network_and_shows_all_three_verdicts(
    environment: dict[str, str], tmp_path: Path
) -> None:
    done = factscope(environment, tmp_path, "demo", "--no-page")
    assert done.returncode == 0, done.stderr
    for count in (r"✓ \d+ supported", r"✗ \d+ contradicted", r"\? \d+ undecided"):
        assert re.search(count, done.stdout), done.stdout
    assert "<html" in (tmp_path / "factscope-demo.html").read_text(encoding="utf-8")


def test_an_unknown_demo_lists_the_available_ones(environment: dict[str, str], tmp_path: Path) -> None:
    done = factscope(environment, tmp_path, "demo", "nothing.txt")
    assert done.returncode == 2
    assert "lighthouse.txt" in done.stderr
    assert "conversations-facts.md" not in done.stderr  # facts for another example


@pytest.mark.medium
@pytest.mark.parametrize(
    ("text", "verifier"),
    [
        ("lighthouse.txt", "builtin"),
        *((text, "builtin-features") for text in ("harbour-guide.md", "ferry-dialogue.txt")),
        *(pytest.param(text, "builtin", marks=pytest.mark.slow) for text in ("harbour-guide.md", "ferry-dialogue.txt")),
    ],
)
def test_counts_of_the_examples_add_up_and_are_reproducible(
    environment: dict[str, str], tmp_path: Path, text: str, verifier: str
) -> None:
    examples = Path(__file__).parents[2] / "examples"
    arguments = ["check", str(examples / text), "-e", str(examples / "harbour"), "-f", "json", "--fresh"]
    arguments += ["--verifier", verifier]
    first = factscope(environment, tmp_path, *arguments)
    if text == "lighthouse.txt":
        assert first.stdout == factscope(environment, tmp_path, *arguments).stdout
    report = json.loads(first.stdout)
    assert sum(report["counts"].values()) == len(report["claims"])
    assert report["counts"]["failed"] == 0


@pytest.mark.medium
def test_the_demo_ends_with_the_address_of_a_page(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").unlink()
    done = factscope(environment, tmp_path, "demo", "-q")
    assert done.returncode == 0, done.stderr
    address, _, example = done.stdout.split()[-1].partition("#example=")
    try:
        with urllib.request.urlopen(f"{address}api/v1/setup") as reply:
            assert example in {sample["id"] for sample in json.load(reply)["samples"]}
    finally:
        if begun := re.search(r"kill (\d+)", done.stderr):
            os.kill(int(begun[1]), signal.SIGTERM)
    assert begun or ":8642/" in address


def test_a_server_without_visitors_shuts_down(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").unlink()
    done = factscope(environment, tmp_path, "serve", "--no-browser", "--port", "0", "--idle", "0.01")
    assert done.returncode == 0, done.stderr
    assert "Factscope is at http://127.0.0.1:" in done.stdout
