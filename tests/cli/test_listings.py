"""Listings of available and missing components: `factscope models`, `search`, `methods`; and misspelled names."""

from __future__ import annotations

import http.server
import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from factscope.cli import COMMANDS, Section, app
from factscope.llm import PROVIDERS


class Offering(http.server.BaseHTTPRequestHandler):
    """A local server that lists its models."""

    def do_GET(self) -> None:
        body = json.dumps({"data": [{"id": "qwen3:8b"}, {"id": "llama3"}]}).encode()
        self.send_response(200 if self.path == "/v1/models" else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture
def local_server() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Offering) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FACTSCOPE_CACHE", str(tmp_path / "cache"))
    for provider in PROVIDERS.values():
        for name in (*provider.keys, *provider.addresses):
            monkeypatch.delenv(name, raising=False)
    return CliRunner()


def listed(run: CliRunner, *words: str) -> dict:
    done = run.invoke(app, [*words, "--format", "json"])
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def test_available_models_and_the_needs_of_the_others_are_listed(
    run: CliRunner, local_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", local_server)
    monkeypatch.setenv("HOSTED_VLLM_API_BASE", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    monkeypatch.setenv("FACTSCOPE_MODEL", "openai/gpt-4.1-mini")
    values = listed(run, "models")
    rows = {row["provider"]: row for row in values["providers"]}
    assert rows.keys() >= PROVIDERS.keys()
    assert values["configured"] == {"*": "openai/gpt-4.1-mini"}
    assert rows["ollama"]["ready"]
    assert rows["ollama"]["models"] == ["qwen3:8b", "llama3"]
    assert rows["openai"]["ready"]
    assert "gpt-4.1-mini" in rows["openai"]["models"]
    assert (rows["mistral"]["ready"], rows["mistral"]["state"]) == (False, "export MISTRAL_API_KEY=…")
    assert rows["azure"]["state"] == "export AZURE_OPENAI_ENDPOINT=https://NAME.openai.azure.com"
    assert not rows["vllm"]["ready"]
    assert "HOSTED_VLLM_API_BASE" in rows["vllm"]["state"]
    text = run.invoke(app, ["models"])
    assert "qwen3:8b, llama3" in text.stdout
    assert "sk-canary" not in text.stdout + text.stderr


def test_available_search_engines_and_the_needs_of_the_others_are_listed(
    run: CliRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SERPER_API_KEY", raising=False)
    rows = {row["name"]: row for row in listed(run, "search", "list")["engines"]}
    assert rows["wikipedia"]["ready"]
    assert rows["wikipedia"]["state"] == "at https://en.wikipedia.org"
    assert (rows["serper"]["ready"], rows["serper"]["state"]) == (False, "export SERPER_API_KEY=…")
    assert "wikipedia" in run.invoke(app, ["search"]).stdout


def test_methods_list_their_missing_requirements(run: CliRunner) -> None:
    without = run.invoke(app, ["methods"]).stdout
    assert "  1 call, " in without
    assert " 1 calls" not in without
    assert "missing: a model (--model)" in " ".join(without.split())
    assert "missing" not in without.partition("cascade")[0]  # the first is builtin
    assert "missing" not in run.invoke(app, ["methods", "--model", "ollama/qwen3"]).stdout
    priced = run.invoke(app, ["methods", "--model", "openai/gpt-4.1-nano"]).stdout
    assert " tokens, $0.00" in priced
    assert not re.search(r"\$0\.0+ *$", priced, re.MULTILINE), "a price above 0 must not read as free"


@pytest.mark.parametrize("command", ["methods", "verifiers", "benchmarks"])
def test_only_names_begin_at_the_edge_of_a_list(run: CliRunner, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    entries = json.loads(run.invoke(app, [command, "list", "-f", "json"]).stdout)
    lines = run.invoke(app, [command, "list"]).stdout.splitlines()
    names = [entry.get("name") or entry["id"] for entry in entries]
    assert [line.partition("  ")[0] for line in lines if line[:1].strip()] == names
    assert max(map(len, lines)) <= 60
    assert not [line for line in lines if line != line.rstrip()]


def test_a_misspelled_command_gets_suggestions(run: CliRunner) -> None:
    done = run.invoke(app, ["chek"])
    assert done.exit_code == 2
    assert "Did you mean check?" in done.stderr
    assert "No such command 'qqq'" in run.invoke(app, ["qqq"]).stderr


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_in_the_table_exists_and_has_help(run: CliRunner, name: str) -> None:
    entry = COMMANDS[name]
    words = [[name, below] for below in entry.commands] if isinstance(entry, Section) else [[name]]
    for command in words:
        done = run.invoke(app, [*command, "--help"])
        assert done.exit_code == 0, done.stderr
        own = " ".join(["factscope", *command]).removesuffix(" list")  # may be left out
        assert own in " ".join(done.stdout.partition("Example")[2].split())
