"""`factscope serve`: its output, its refusals, and its end."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from factscope.core import StoreError, UsageError, open_database
from factscope.web import ServerAddress, examine
from tests.lab import warm

from .served import Client, Process


def serve(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    ours = dict(os.environ) | {"FACTSCOPE_STORE": str(folder / "runs.db"), "FACTSCOPE_CACHE": str(folder / "cache")}
    command = [warm.python(), "-m", "factscope", "serve", "--no-browser", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=ours | environment, check=False)


def test_the_server_reports_its_address_answers_and_ends_on_a_signal(tmp_path: Path) -> None:
    running = Process(tmp_path)
    assert running.address == f"http://127.0.0.1:{running.port}/"
    assert Client(running.port).get("/healthz").json["status"] == "ok"
    taken = serve(tmp_path, "--port", str(running.port))
    assert taken.returncode == 2
    assert "can't be listened on: address already in use.\n  Choose another port" in taken.stderr
    code, said = running.end(signal.SIGTERM)
    assert (code, said) == (0, "")
    assert (tmp_path / "server.db").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_any_other_host_needs_a_token(host: str) -> None:
    with pytest.raises(UsageError, match="needs a token"):
        examine(ServerAddress(host))
    with pytest.raises(UsageError, match="at least 16"):
        examine(ServerAddress(host, tokens=("short",)))
    examine(ServerAddress(host, tokens=("x" * 16,)))


@pytest.mark.parametrize("host", ["192.0.2.1", "nowhere.invalid", f"{'x' * 64}.example"])
def test_a_host_that_is_not_of_this_machine_is_named(host: str, tmp_path: Path) -> None:
    refused = serve(tmp_path, "--host", host, "--port", "0", FACTSCOPE_TOKEN="x" * 16)
    assert refused.returncode == 2
    assert f"{host}:0 can't be listened on" in refused.stderr
    assert "Name an address of this machine with --host" in refused.stderr


def test_a_refusal_is_two_lines_and_no_traceback(tmp_path: Path) -> None:
    refused = serve(tmp_path, "--host", "0.0.0.0")
    assert refused.returncode == 2
    assert "FACTSCOPE_TOKEN" in refused.stderr
    assert "Traceback" not in refused.stderr
    bad = serve(tmp_path, "--store", "mysql://localhost/x", "--port", "0")
    assert bad.returncode == 2
    assert "is not a kind of store" in bad.stderr
    missing = serve(tmp_path, "--evidence", "no-folder", "--port", "0")
    assert missing.returncode == 2
    assert "Evidence no-folder does not exist" in missing.stderr
    unknown = serve(tmp_path, "--model", "opnai/gpt", "--port", "0")
    assert unknown.returncode == 2
    assert "Unknown provider 'opnai'" in unknown.stderr


def test_a_foreign_database_is_not_used_as_a_store(tmp_path: Path) -> None:
    import sqlite3

    path = tmp_path / "other.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE mine (a)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="a database of another program"):
        open_database(str(path))
    assert path.read_bytes() == before
    (tmp_path / "text.db").write_text("not a database at all, but a text that is long enough")
    with pytest.raises(StoreError, match="can't be"):
        open_database(str(tmp_path / "text.db"))
