"""Progress on standard error: every line has something new, pending calls are named, and the last state is printed."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from factscope.cli import ProgressDisplay, RunProgressDisplay, progress
from factscope.core import Event, Outcome
from factscope.core.records import Claim, Failure, Report, Segment, Span, Usage, Verdict
from tests.scoring.two_runs import checked


class Clock:
    """The time as a display sees it."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


class Done(NamedTuple):
    """Progress of a run."""

    done: int
    reused: int = 0
    with_failures: int = 0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    # Not `time.monotonic` itself: the event loop of another test's server would wait for a day.
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=clock))
    return clock


Said = Callable[[], list[str]]


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Said:
    """Return the lines since the last call."""

    def lines() -> list[str]:
        return capsys.readouterr().err.splitlines()

    return lines


def segment(number: int) -> Segment:
    return Segment(id=f"s{number}", span=Span(start=0, end=1), text="x", kind="sentence")


def claim(number: int, unit: str = "1") -> Claim:
    return Claim(id=f"s{number}.c{unit}", segment_id=f"s{number}", text="x", standalone="x")


def verdict(number: int, outcome: Outcome = "supported", unit: str = "1") -> Verdict:
    return Verdict(unit_id=f"s{number}.c{unit}", level="claim", outcome=outcome, rule="strongest")


def test_plain_lines_come_every_two_seconds_and_at_the_end_of_a_phase(clock: Clock, said: Said) -> None:
    with ProgressDisplay() as display:
        assert said() == ["Starting …"]
        for number in range(1, 5):
            display.reading(number, 5)
            clock.now += 0.9
        assert said() == ["Reading evidence: 1 of 5 files", "Reading evidence: 4 of 5 files"]
        display.reading(5, 5)
        display.reading(5, 5)
        assert said() == ["Reading evidence: 5 of 5 files"]
    assert said() == []


def test_the_last_state_is_printed_when_the_display_closes(clock: Clock, said: Said) -> None:
    with ProgressDisplay() as display:
        display.reading(1, 1_200)
        display.reading(2, 1_200)
        assert said()[-1] == "Reading evidence: 1 of 1,200 files"
    assert said() == ["Reading evidence: 2 of 1,200 files"]


def test_claims_are_counted_once_including_failed_ones(clock: Clock, said: Said) -> None:
    with ProgressDisplay() as display:
        display.events((segment(1), segment(2), claim(1), claim(1, "2"), claim(2)))
        assert said()[-1] == "0 of 3 claims done"
        display.events((verdict(1), verdict(1, unit="2"), verdict(1, "failed")))  # the first gets a corrected verdict
        display.events((verdict(2, "failed"),))
        assert said()[-1] == "3 of 3 claims done, 2 failed"
        display.events(())
        assert said() == []
        display.begin()
        display.events((segment(1),))
    assert said()[-1] == "0 of 1 claim done"


def test_verdicts_of_sentences_are_not_claims(clock: Clock, said: Said) -> None:
    whole = Verdict(unit_id="s1", level="segment", outcome="failed", rule="worst")
    with ProgressDisplay() as display:
        display.events((segment(1), segment(2), claim(1), whole))
    assert said()[-1] == "0 of 2 claims done"


def test_the_time_left_is_shown_once_the_pace_is_known(clock: Clock, said: Said) -> None:
    with ProgressDisplay() as display:
        events: tuple[Event, ...] = tuple(map(segment, range(1, 101)))
        clock.now += 50  # time before the first sentence doesn't count towards the pace
        display.events((*events, *map(claim, range(1, 101))))
        clock.now += 1.5
        display.events((verdict(1),))
        clock.now += 0.5
        display.events((verdict(2),))
        assert said()[-1] == "2 of 100 claims done, about 2 min left"
        clock.now += 118
        display.events((verdict(3),))
        assert said()[-1] == "3 of 100 claims done, about 65 min left"
        clock.now += 1_000
        display.events((verdict(4),))
        assert said()[-1] == "4 of 100 claims done, about 7 h 28 min left"
        clock.now += 2
        display.events(tuple(map(verdict, range(5, 94))))
        assert said()[-1] == "93 of 100 claims done, about 84 s left"


def test_a_new_estimate_of_the_time_left_does_not_cause_an_extra_line(clock: Clock, said: Said) -> None:
    with ProgressDisplay() as display:
        display.events((*map(segment, range(1, 101)), *map(claim, range(1, 101))))
        for number in range(1, 41):
            clock.now += 0.5
            display.events((verdict(number, "failed" if number % 2 else "supported"),))
        lines = said()
    assert lines[-1] == "40 of 100 claims done, 20 failed, about 30 s left"
    assert len(lines) == len(["Starting …", "0 of 100 claims done"]) + 40 * 0.5 / 2


def test_pending_calls_are_added_to_the_line_every_ten_seconds(clock: Clock, said: Said) -> None:
    display = ProgressDisplay()
    display.waiting("2 calls")  # not open yet
    with display:
        display.reading(1, 3)
        said()
        for seconds in (5, 4.9, 0.1, 9.9, 0.1):
            clock.now += seconds
            display.waiting(f"waiting at {clock.now:g}")
        display.waiting("")
    assert said() == [f"Reading evidence: 1 of 3 files · waiting at {number:g}" for number in (1_010, 1_020)]
    display.waiting("2 calls")
    assert said() == []


def test_quiet_says_nothing(clock: Clock, said: Said) -> None:
    for form in ("auto", "json"):
        with ProgressDisplay(quiet=True, form=form) as display:  # type: ignore[arg-type]
            display.reading(1, 2)
            clock.now += 60
            display.waiting("1 call")
    assert said() == []


def test_json_progress_comes_ten_times_a_second_and_at_each_end(clock: Clock, said: Said) -> None:
    with ProgressDisplay(form="json") as display:
        for number in range(11):
            display.reading(number, 10)
            clock.now += 0.03
        clock.now += 1
        display.events((segment(1), claim(1)))
        display.waiting("1 call")
    values = [json.loads(line) for line in said()]
    assert [value["done"] for value in values[:4]] == [0, 4, 8, 10]
    assert [value["stage"] for value in values] == ["Reading evidence"] * 4 + ["Checking"]
    assert values[4] == {"stage": "Checking", "done": 0, "total": 1, "seconds": 0.0, "left": None}


def test_json_progress_has_the_pending_calls_and_the_seconds_left(clock: Clock, said: Said) -> None:
    with ProgressDisplay(form="json") as display:
        display.events(tuple(map(segment, range(4))))
        clock.now += 10
        display.events((claim(1), verdict(1)))
        clock.now += 0.2
        display.waiting("3 calls, the oldest 9 s")
    last, *_ = reversed([json.loads(line) for line in said()])
    assert last == {
        "stage": "Checking",
        "done": 1,
        "total": 4,
        "seconds": 10.2,
        "left": 30.0,
        "waiting": "3 calls, the oldest 9 s",
    }


def reported(name: str, *failures: str, cost: float | None = 0.5) -> Report:
    """Build a report with this cost and these failures; if the cost is unknown, with another model."""
    failed = [Failure(unit_id="r1", stage="judging", boundary="model", message=message) for message in failures]
    usage = Usage(role="judge", model="x/y" if cost else "x/free", calls=1, tokens_in=1, tokens_out=1, cost=cost)
    return checked(name, [("It is.", "supported")]).model_copy(update={"failures": tuple(failed), "usage": (usage,)})


def test_a_run_shows_how_many_responses_are_done_and_their_cost(clock: Clock, said: Said) -> None:
    with RunProgressDisplay(4, None) as display:
        clock.now += 10
        display.report(lambda: reported("a"), Done(1))  # type: ignore[arg-type]
        assert said()[-1] == "1 of 4 responses, $0.5000, about 30 s left"
        clock.now += 2
        display.report(lambda: reported("b", cost=None), Done(2))  # type: ignore[arg-type]
        assert said()[-1].startswith("2 of 4 responses, $0.5000 and more, about 12 s left")
        clock.now += 2
        display.report(lambda: reported("c", "No reply."), Done(3, with_failures=1))  # type: ignore[arg-type]
        assert said()[-1].startswith("3 of 4 responses, 1 with failures, $1.0000 and more")
    assert said() == ["1 with failures: No reply."]
    assert [row.cost for row in display.usage()] == [None, 1.0]


def test_responses_of_an_earlier_attempt_are_not_read_and_cost_nothing(clock: Clock, said: Said) -> None:
    def unread() -> Report:
        raise AssertionError("must not be read")

    with RunProgressDisplay(None, None) as display:
        clock.now += 10
        display.report(unread, Done(1, reused=1))  # type: ignore[arg-type]
        display.report(unread, Done(2, reused=2))  # type: ignore[arg-type]
        clock.now += 2
        display.report(lambda: reported("c"), Done(3, reused=2))  # type: ignore[arg-type]
        assert said()[-1] == "3 responses, $0.5000"
    assert said() == []


def test_the_most_frequent_reasons_for_failures_are_printed_at_the_end(clock: Clock, said: Said) -> None:
    reasons = {
        "a": ["A.", "B."],
        "b": ["A.", "A."],
        "c": ["A.", "B.", "C."],
        "d": ["D.\x1b[2J" + "x" * 400],
        "e": ["E."],
    }
    with RunProgressDisplay(5, None) as display:
        for number, (name, messages) in enumerate(reasons.items(), 1):
            display.report(lambda n=name, m=messages: reported(n, *m), Done(number))  # type: ignore[arg-type,misc]
        said()
    lines = said()
    assert lines[-4:] == ["3 with failures: A.", "2 with failures: B.", "1 with failures: C.",
                          "and 2 other reasons, which the reports have"]  # fmt: skip


def test_waiting_calls_of_a_batch_have_not_failed(clock: Clock, said: Said, tmp_path: object) -> None:
    with RunProgressDisplay(1, tmp_path) as display:  # type: ignore[arg-type]
        display.report(lambda: reported("a", "It waits in the batch."), Done(1, with_failures=1))  # type: ignore[arg-type]
    lines = said()
    assert not [line for line in lines if "It waits" in line or "failure" in line]
    assert "1 of 1 response, 1 not finished" in lines[-1]
