"""Fixtures shared by many tests: a folder of documents, tools for it, and a scripted verifier."""

from __future__ import annotations

import fcntl
import gc
import os
import signal
import sys
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings

from factscope.core.records import Span
from factscope.engine import Settings, Tools, open_tools
from factscope.judging.verifiers import ClaimPair, Prediction, Verifier
from tests.lab import warm
from tests.lab.shared_scores import scores_in, share

# Processes that tests start write bytecode whatever the environment says: otherwise each one compiles all libraries
# again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


def pytest_configure(config: pytest.Config) -> None:
    """Start the helper before all workers: they share it, and its imports are compiled once."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell ignores Ctrl-C in background processes, and so would all processes that the tests interrupt.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.getoption("numprocesses", default=None):
        # Each worker takes a processor: more linear-algebra threads would busy-wait for each other.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        warm.commands()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let one worker compile the tests before the others collect them, or each of them would compile all.

    Collection makes next to no garbage, so garbage collection is off.
    """
    with Path(__file__).open("rb") as lock:
        if "PYTEST_XDIST_WORKER" in os.environ:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                fcntl.flock(lock, fcntl.LOCK_SH)
        gc.disable()
        try:
            return (yield)
        finally:
            gc.enable()


def pytest_collection_finish() -> None:
    """Exclude thousands of tests and their imports from later garbage collection, and collect less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000)  # measured: saves half of the collection time, 3 % of the test time


DOCUMENTS = {
    "bridge.md": "# The bridge\n\nThe Marlow bridge was opened in 1931. It has four arches and is 212 metres long.\n\n"
    "It was designed by Ida Kern, who also built the town hall.",
    "town.txt": "The town hall of Marlow stands on the market square. It was finished in 1908. "
    "The mayor of Marlow is elected every five years.",
}
TEXT = (
    "# Marlow\n\nThe Marlow bridge was opened in 1931. It has six arches. Have you seen it? "
    "The town hall was finished in 1908. Penguins waddle across Antarctica.\n"
)


class ScriptedVerifier:
    """A verifier for tests: `answer` decides, and every pair is recorded."""

    name = "scripted-1"

    def __init__(self, answer: Callable[[ClaimPair], Prediction]) -> None:
        self.answer = answer
        self.asked: list[ClaimPair] = []

    def verify(self, pairs: Sequence[ClaimPair]) -> list[Prediction]:
        self.asked += pairs
        return [self.answer(pair) for pair in pairs]


def agreeable(pair: ClaimPair) -> Prediction:
    """Support every pair, with the first word of the passage as its quote."""
    return Prediction("supported", 0.9, Span(start=0, end=len(pair.passage.split()[0])), "agrees with everything")


@pytest.fixture(scope="session", autouse=True)
def shared_scores(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Ask the network about each pair once for all processes and runs; once per run if there is no cache."""
    if cache := getattr(request.config, "cache", None):
        share(scores_in(cache.mkdir("network-scores")))
        return
    folder = tmp_path_factory.getbasetemp()
    share((folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "network-scores")


@pytest.fixture
def forked_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork multiprocessing workers from a process with all imports, like the processes that tests start."""
    monkeypatch.setattr("multiprocessing.spawn._python_exe", os.fsencode(warm.python()))


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    for name, text in DOCUMENTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(store=tmp_path / "state" / "runs.db", cache=tmp_path / "cache")


@pytest.fixture
def tools(documents: Path, settings: Settings) -> Tools:
    return open_tools(documents, settings=settings)


def with_verifier(tools: Tools, verifier: Verifier, workers: int = 4) -> Tools:
    """Return tools with the same evidence, judged by `verifier`."""
    return Tools(sources=tools.sources, verifiers={"builtin": lambda: verifier}, workers=workers)


def at_least(number: int, in_all: int) -> int:
    """Return a test's number of cases: more in `make test-all`, and for the whole reliability card."""
    return in_all if os.environ.get("SELFTEST_CASES") == "all" else number


# The same examples on every run: a test that fails here fails everywhere.
hypothesis_settings.register_profile("same", derandomize=True, deadline=None, max_examples=at_least(30, in_all=100))
hypothesis_settings.load_profile("same")


@pytest.fixture
def cases(record_property: Callable[[str, object], None]) -> Callable[[int], None]:
    """Record how many cases a test tries, for the reliability card."""

    def note(number: int) -> None:
        record_property("cases", number)

    return note
