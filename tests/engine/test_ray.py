"""A real Ray cluster of processes on this machine: the same results as without it, whichever process dies."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from factscope.core import StoreError
from factscope.engine import Settings
from factscope.engine.ray import BrokerClient, CallBroker, plain_settings
from factscope.evidence.search import SearchError
from factscope.llm import ModelError
from tests import lab
from tests.lab import warm

pytestmark = pytest.mark.xdist_group("ray")
ROOT = Path(__file__).parents[2]
ROWS = [
    {"id": f"r{n}", "text": f"Lighthouse {n} was built in {1800 + n}. It is {20 + n} metres tall.", "model": "m"}
    for n in range(24)
]


class Place:
    """A folder with a data set, and the commands run in it against a model server."""

    def __init__(self, folder: Path, server: lab.Server) -> None:
        self.folder, self.server = folder, server
        (folder / "rows.jsonl").write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")

    def command(self, name: str, *more: str) -> list[str]:
        """Return the command line of a run with its own store and cache."""
        out = self.folder / f"{name}.json"
        cluster = "--ray-workers" in more  # which starts processes with the same Python
        python = sys.executable if cluster else warm.python()
        evidence = str(ROOT / "examples" / "harbour")
        return [
            *(python, "-m", "factscope", "run", "rows.jsonl", "--evidence", evidence, "--model", "openai/stand-in"),
            *("--store", f"{name}.db", "--quiet", "-o", str(out), *more),
        ]

    def environment(self, name: str) -> dict[str, str]:
        """Return variables with a separate cache, and with a key that must not appear anywhere."""
        keys = {"OPENAI_API_KEY": "sk-secret-of-the-driver", "OPENAI_BASE_URL": self.server.base_url}
        return {**os.environ, **keys, "FACTSCOPE_CACHE": str(self.folder / f"cache-{name}")}

    def run(self, name: str, *more: str) -> subprocess.CompletedProcess[str]:
        """Run the command to its end."""
        return subprocess.run(
            self.command(name, *more),
            cwd=self.folder,
            env=self.environment(name),
            capture_output=True,
            text=True,
            check=False,
        )

    def result(self, name: str) -> dict[str, object]:
        """Return the output without the parts that differ between two identical runs."""
        values: dict[str, object] = json.loads((self.folder / f"{name}.json").read_text(encoding="utf-8"))
        return {key: values[key] for key in ("run", "method", "models", "responses", "finished", "scores")}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    with lab.model_server([{"do": {"delay": 0.2}}]) as server:
        yield Place(tmp_path_factory.mktemp("cluster"), server)


def actors(folder: Path, kind: str) -> list[int]:
    """Return the ids of the cluster's running processes of one kind."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            title = (each / "cmdline").read_bytes()
            mine = f"FACTSCOPE_CACHE={folder}".encode() in (each / "environ").read_bytes()
        except OSError:
            continue
        if title.startswith(f"ray::{kind}".encode()) and mine:
            found.append(int(each.name))
    return found


@pytest.mark.medium
@pytest.mark.parametrize("workers", [(2,), pytest.param((2, 4), marks=pytest.mark.slow)])
def test_two_and_four_workers_give_the_same_result_as_one_process(place: Place, workers: tuple[int, ...]) -> None:
    here = f"here{len(workers)}"
    place.server.script([{"do": {"delay": 0.05}}])
    assert place.run(here).returncode == 0
    alone = place.server.count()
    for n in workers:
        name = f"ray{n}of{len(workers)}"
        place.server.script([{"do": {"delay": 0.05}}])
        done = place.run(name, "--engine", "ray", "--ray-workers", str(n))
        assert (done.returncode, done.stderr) == (0, "")
        assert place.server.count() == alone
        assert place.result(name) == place.result(here)


@pytest.mark.slow
def test_responses_share_calls_within_a_worker_as_in_one_process(place: Place) -> None:
    place.server.script([{"do": {"delay": 0.05}}])
    assert place.run("shared-here", "--share-calls").returncode == 0
    sharing = place.server.count()
    place.server.script([{"do": {"delay": 0.05}}])
    done = place.run("shared-ray", "--share-calls", "--engine", "ray", "--ray-workers", "2")
    assert (done.returncode, done.stderr) == (0, "")
    assert place.server.count() == sharing
    assert place.result("shared-ray") == place.result("shared-here")


@pytest.mark.slow
def test_a_worker_killed_midway_loses_nothing_and_pays_for_nothing_twice(place: Place) -> None:
    place.server.script([{"do": {"delay": 0.05}}])
    assert place.run("whole").returncode == 0
    alone = place.server.count()
    place.server.script([{"do": {"delay": 0.5}}])
    name, killed = "killed", threading.Event()
    process = subprocess.Popen(
        place.command(name, "--engine", "ray", "--ray-workers", "4"), cwd=place.folder, env=place.environment(name)
    )
    while process.poll() is None and not killed.is_set():
        if place.server.count() > alone // 4 and (found := actors(place.folder / f"cache-{name}", "Worker")):
            os.kill(found[0], signal.SIGKILL)
            killed.set()
        time.sleep(0.05)
    assert process.wait(240) == 0
    assert killed.is_set()
    assert place.server.count() == alone
    assert place.result(name) == place.result("whole")


@pytest.mark.slow
def test_a_lost_broker_ends_the_run_with_a_message(place: Place) -> None:
    place.server.script([{"do": {"delay": 0.5}}])
    process = subprocess.Popen(
        place.command("gone", "--engine", "ray", "--ray-workers", "2"),
        cwd=place.folder,
        env=place.environment("gone"),
        stderr=subprocess.PIPE,
        text=True,
    )
    while process.poll() is None and place.server.count() < 10:
        time.sleep(0.05)
    for number in actors(place.folder / "cache-gone", "CallBroker"):
        os.kill(number, signal.SIGKILL)
    _, said = process.communicate()
    assert process.returncode == 1
    assert "broker" in said
    assert "Traceback" not in said


@pytest.mark.slow
def test_a_run_with_a_killed_driver_is_resumed_by_the_same_command(place: Place) -> None:
    place.server.script([{"do": {"delay": 0.3}}])
    name, more = "stopped", ("--engine", "ray", "--ray-workers", "2")
    process = subprocess.Popen(place.command(name, *more), cwd=place.folder, env=place.environment(name))
    while place.server.count() < 20 and process.poll() is None:
        time.sleep(0.05)
    process.kill()
    process.wait()
    assert place.run(name, *more).returncode == 0
    assert place.run("unbroken").returncode == 0
    assert place.result(name) == place.result("unbroken")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--ray-address", "127.0.0.1:1"), "There is no Ray cluster at 127.0.0.1:1"),
        (("--ray-address", "ray://127.0.0.1:1"), "--ray-address auto"),
        (("--batch", "calls"), "can't be combined with the engine ray"),
    ],
)
def test_impossible_settings_are_reported(place: Place, more: tuple[str, ...], said: str) -> None:
    done = place.run("bad", "--engine", "ray", *more)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_no_secret_is_left_in_the_logs(place: Place) -> None:
    logs = Path("/tmp/ray/session_latest/logs")
    assert not [path for path in logs.glob("*") if path.is_file() and b"sk-secret" in path.read_bytes()]


@pytest.mark.slow
def test_a_wrong_key_is_reported_as_in_a_local_run(place: Place) -> None:
    place.server.script([{"do": {"status": 401, "json": {"error": {"message": "no such key"}}}}])
    here, there = place.run("key-here"), place.run("key-ray", "--engine", "ray", "--ray-workers", "2")
    assert there.returncode == here.returncode != 0
    assert here.stderr.splitlines()[-1] == there.stderr.splitlines()[-1]
    assert "OPENAI_API_KEY" in there.stderr


def test_workers_get_files_as_absolute_paths_and_page_addresses_unchanged() -> None:
    settings = Settings(evidence=(Path("docs"), "https://example.org/page"), cache=Path("here"))
    plain = plain_settings(settings)
    assert plain["evidence"] == (Path("docs").absolute(), "https://example.org/page")
    assert (plain["cache"], Settings(**plain).evidence) == (Path("here").absolute(), plain["evidence"])


def test_a_stop_reaches_the_broker() -> None:
    told: list[str] = []
    broker = SimpleNamespace(drain=SimpleNamespace(remote=lambda: told.append("drain")))
    BrokerClient(broker, {}).drain()
    assert told == ["drain"]
    assert callable(CallBroker.drain)


def test_failures_keep_their_fields_between_processes() -> None:
    call = ModelError("length", "It was cut off.", "Ask for less.", wait=2.0, more_room=True)
    for failure in (
        call,
        SearchError("rate_limit", "Too many.", "Wait.", wait=3.0),
        StoreError("It is full.", "Tidy."),
    ):
        copy = pickle.loads(pickle.dumps(failure))
        assert (type(copy), str(copy), vars(copy)) == (type(failure), str(failure), vars(failure))
