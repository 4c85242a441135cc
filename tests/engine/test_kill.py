"""Checks killed at many points without warning: repeating the call leads to the same report."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from factscope.core.records import Verdict
from factscope.engine import Settings, Store, Tools, check_sync, chosen_method, open_tools
from tests.lab import warm

METHOD = chosen_method(Settings(verifier="builtin-features"))
"""The fast verifier: the kills must hit the storage of records."""

# Prints each batch once it is on disk, then waits for a line, so that the test chooses where to kill.
CHILD = """
import asyncio, sys
from pathlib import Path
from factscope.engine.run import check_stored
from factscope.engine.run_store import Store
from factscope.engine.find_method import chosen_method
from factscope.engine.open_tools import open_tools
from factscope.engine.settings import Settings

text, documents, store, cache = map(Path, sys.argv[1:])
tools = open_tools(documents, settings=Settings(store=store, cache=cache))
method = chosen_method(Settings(verifier="builtin-features"))

def tell(events):
    print(" ".join(e.unit_id for e in events if e.type == "verdict" and e.level == "claim") or "-", flush=True)
    sys.stdin.readline()

with Store(store) as kept:
    report = asyncio.run(check_stored(text.read_text(), method, tools, kept, tell))
print("DONE", flush=True)
"""


@pytest.mark.medium
@pytest.mark.parametrize(("n_kills", "n_claims"), [(6, 120), pytest.param(50, 400, marks=pytest.mark.slow)])
def test_the_report_is_the_same_after_any_number_of_kills(
    n_kills: int, n_claims: int, tmp_path: Path, documents: Path, tools: Tools, cases: Callable[[int], None]
) -> None:
    text = tmp_path / "text.txt"
    text.write_text(" ".join(f"The Marlow bridge was opened in {1900 + n}." for n in range(n_claims)))
    store, cache = tmp_path / "runs.db", tmp_path / "cache"
    told: set[str] = set()
    kills = 0
    for attempt in range(10 * n_kills):
        # An attempt writes its first verdicts with its fourth to sixth batch; the one after the last kill may finish.
        batches = 4 + attempt % 3 if kills < n_kills else 10_000
        finished, acknowledged = run_until_killed([text, documents, store, cache], stop_after=batches)
        told |= acknowledged
        with Store(store) as kept:
            (run,) = kept.runs()
            events = kept.events(run.id, "r1")
        assert told <= {e.unit_id for e in events if isinstance(e, Verdict)}, "a verdict that was told of is lost"
        if finished:
            break
        kills += 1
    assert kills >= n_kills
    cases(kills)
    whole = check_sync(text.read_text(), METHOD, tools)
    settings = Settings(store=store, cache=cache)
    assert whole.searched
    assert open_tools(documents, settings=settings).sources["local"].searched.id == whole.searched.id
    with Store(store) as kept:
        (run,) = kept.runs()
        assert run.finished
    assert len(told) == n_claims
    assert kept_report(store, documents, cache, text) == whole.model_dump_json()


def run_until_killed(arguments: list[Path], stop_after: int) -> tuple[bool, set[str]]:
    """Let the child write `stop_after` batches, then kill it; return whether it finished and the claims it reported."""
    child = subprocess.Popen(
        [warm.python(), "-c", CHILD, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdin
    assert child.stdout
    told: set[str] = set()
    with child.stdin, child.stdout:
        for _ in range(stop_after):
            line = child.stdout.readline().strip()
            if line == "DONE":
                child.wait()
                return True, told
            told |= set(line.split()) - {"-"}
            child.stdin.write("\n")
            child.stdin.flush()
        warm.kill(child)
    return False, told


def kept_report(store: Path, documents: Path, cache: Path, text: Path) -> str:
    """Return the report that the same command shows now."""
    import asyncio

    from factscope.engine import check_stored

    tools = open_tools(documents, settings=Settings(store=store, cache=cache))
    with Store(store) as kept:
        return asyncio.run(check_stored(text.read_text(), METHOD, tools, kept)).model_dump_json()
