"""The store compared with a dictionary: after any writes, closing and reopening, both hold the same records."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from factscope.core import BusyError
from factscope.core.records import Failure, Response, Verdict
from factscope.engine import Store, examine_store, repair_store
from tests.conftest import at_least
from tests.engine.test_run_store import begin, verdict

STEPS = 50
RUNS = at_least(8, in_all=220)
NAMES = st.sampled_from(["a1", "b2", "c3"])
RESPONSES = st.sampled_from(["r1", "r2"])


class StoreMachine(RuleBasedStateMachine):
    """A store and its expected content."""

    runs = Bundle("runs")
    steps = 0

    @initialize()
    def open(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.path = self.folder / "runs.db"
        self.store = Store(self.path)
        self.expected: dict[str, dict[str, dict[str, object]]] = {}
        self.finished: set[str] = set()

    def teardown(self) -> None:
        self.store.close()
        shutil.rmtree(self.folder)

    @rule(target=runs, run=NAMES)
    def begin(self, run: str) -> str:
        begin(self.store, run)
        self.expected.setdefault(run, {})
        return run

    @rule(run=runs, response=RESPONSES, numbers=st.lists(st.integers(1, 9), max_size=5), outcome=st.booleans())
    def append(self, run: str, response: str, numbers: list[int], outcome: bool) -> None:
        events = [verdict(number, "supported" if outcome else "contradicted") for number in numbers]
        self.store.append(run, response, [Response(id=response, text="Words."), *events])
        kept = self.expected[run].setdefault(response, {})
        kept["response"] = Response(id=response, text="Words.")
        kept.update({event.unit_id: event for event in events})

    @rule(run=runs, response=RESPONSES)
    def conclude(self, run: str, response: str) -> None:
        whole = Verdict(unit_id=response, level="response", outcome="supported", rule="strongest")
        self.store.append(
            run, response, [whole, Failure(unit_id=response, stage="scores", boundary="internal", message="No.")]
        )
        self.expected[run].setdefault(response, {}).update({"verdict of all": whole, "failure": None})

    @rule(run=runs, response=RESPONSES, fresh=st.booleans())
    def reopen(self, run: str, response: str, fresh: bool) -> None:
        self.store.reopen(run, response, fresh=fresh)
        self.finished.discard(run)
        kept = self.expected[run].setdefault(response, {})
        if fresh:
            kept.clear()
        kept.pop("verdict of all", None)
        kept.pop("failure", None)

    @rule(run=runs)
    def finish(self, run: str) -> None:
        self.store.finish(run)
        self.finished.add(run)

    @rule()
    def close_and_open(self) -> None:
        self.store.close()
        self.store = Store(self.path)

    @rule(run=runs)
    def own(self, run: str) -> None:
        with self.store.owned(run), Store(self.path) as other, pytest.raises(BusyError), other.owned(run):
            pass

    @rule()
    def damage_and_repair(self) -> None:
        """Damage and repair one record: all others survive, and its response is to be concluded again."""
        for run, responses in self.expected.items():
            for response, kept in responses.items():
                if key := next((key for key in kept if key.startswith("s")), None):
                    self.store.database.rows(
                        "UPDATE events SET body = '{' WHERE run = ? AND response = ? AND key LIKE ?",
                        (run, response, f"{key}.%"),
                    )
                    self.store.close()
                    assert not examine_store(self.path).whole
                    repair_store(self.path)
                    self.store = Store(self.path)
                    kept.pop(key)
                    kept.pop("verdict of all", None)
                    kept.pop("failure", None)
                    self.finished.discard(run)
                    return

    @invariant()
    def both_hold_the_same(self) -> None:
        StoreMachine.steps += 1
        assert {run.id for run in self.store.runs()} == set(self.expected)
        assert {run.id for run in self.store.runs() if run.finished} == self.finished
        for run, responses in self.expected.items():
            for response, kept in responses.items():
                events = self.store.events(run, response)
                verdicts = {event.unit_id: event for event in events if isinstance(event, Verdict)}
                assert verdicts == {event.unit_id: event for event in kept.values() if isinstance(event, Verdict)}
                assert any(isinstance(event, Failure) for event in events) == ("failure" in kept)
                assert any(isinstance(event, Response) for event in events) == ("response" in kept)


def test_a_store_holds_everything_written_whatever_happens_in_between(cases: Callable[[int], None]) -> None:
    with_steps = settings(max_examples=RUNS, stateful_step_count=STEPS, deadline=None, derandomize=True, database=None)
    run_state_machine_as_test(StoreMachine, settings=with_steps)
    cases(StoreMachine.steps)
