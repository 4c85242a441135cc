"""Groups of responses that share calls: who waits for whom, and that nobody waits forever."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from factscope.llm import CallGroup, GroupMember, ModelError

Ask = Callable[[Sequence[str]], Awaitable[Sequence[str | None]]]


def run(work: Callable[[CallGroup], Awaitable[Any]], size: int = 3) -> Any:
    """Do the work on a group within two seconds, and close it."""

    async def run_work() -> Any:
        group = CallGroup(size)
        try:
            async with asyncio.timeout(2):
                return await work(group)
        finally:
            await group.close()

    return asyncio.run(run_work())


def share(member: GroupMember, ask: Ask, most: int = 9) -> Awaitable[str | None]:
    return member.share(f"q{member.number}", lambda others, question: len(others) < most, ask)


@pytest.mark.parametrize("n_answers", [0, 2, 4])
def test_a_call_with_too_few_or_too_many_answers_fails_all_its_questions(n_answers: int) -> None:
    async def ask(questions: Sequence[str]) -> Sequence[str]:
        return ["yes"] * n_answers

    async def work(group: CallGroup) -> list[Any]:
        return await asyncio.gather(*(share(member, ask) for member in group.members), return_exceptions=True)

    assert [type(answer) for answer in run(work)] == [ValueError] * 3


def test_questions_are_grouped_in_the_order_of_the_responses_regardless_of_speed() -> None:
    calls: list[list[str]] = []

    async def ask(questions: Sequence[str]) -> Sequence[str]:
        calls.append(list(questions))
        return [f"a{question}" for question in questions]

    async def work(group: CallGroup) -> dict[int, str | None]:
        answers: dict[int, str | None] = {}

        async def one(number: int) -> None:
            answers[number] = await share(group.members[number], ask, most=2)

        await asyncio.gather(*(one(number) for number in (4, 2, 0, 3, 1)))
        return answers

    assert run(work, 5) == {0: "aq0", 1: "aq1", 2: "aq2", 3: "aq3", 4: None}  # the last has no one to share with
    assert calls == [["q0", "q1"], ["q2", "q3"]]


def test_a_failure_reaches_each_question_as_a_separate_error() -> None:
    async def ask(questions: Sequence[str]) -> Sequence[str]:
        raise ModelError("refusal", "No.")

    async def work(group: CallGroup) -> list[Any]:
        return await asyncio.gather(*(share(member, ask) for member in group.members), return_exceptions=True)

    failures = run(work)
    assert [failure.kind for failure in failures] == ["refusal"] * 3
    assert len({id(failure) for failure in failures}) == 3


def test_no_response_waits_for_one_that_finished_or_was_cancelled() -> None:
    async def ask(questions: Sequence[str]) -> Sequence[str]:
        return [" ".join(questions)] * len(questions)

    async def work(group: CallGroup) -> list[Any]:
        first, second, third = group.members
        asked = [asyncio.ensure_future(share(member, ask)) for member in (first, second)]
        await asyncio.sleep(0)
        assert not any(each.done() for each in asked)  # the third may still have a question
        third.leave()
        third.leave()  # leaving twice is harmless
        answers = await asyncio.gather(*asked)
        assert await share(third, ask) is None
        late = asyncio.ensure_future(share(first, ask))
        await asyncio.sleep(0)
        second.next_turn()
        return [*answers, await late]

    assert run(work) == ["q0 q1", "q0 q1", None]


def test_a_stopped_group_begins_no_call_and_closing_ends_those_in_progress() -> None:
    begun: list[Sequence[str]] = []

    async def ask(questions: Sequence[str]) -> Sequence[str]:
        begun.append(questions)
        await asyncio.sleep(60)
        return questions

    async def work(group: CallGroup) -> list[Any]:
        asked = [asyncio.ensure_future(share(member, ask)) for member in group.members]
        await asyncio.sleep(0.01)
        await group.close()
        return await asyncio.gather(*asked, return_exceptions=True)

    assert [type(answer) for answer in run(work)] == [asyncio.CancelledError] * 3
    assert begun == [["q0", "q1", "q2"]]

    async def stopped(group: CallGroup) -> bool:
        group.stop()
        asked = [asyncio.ensure_future(share(member, ask)) for member in group.members]
        await asyncio.sleep(0.01)
        waiting = not any(each.done() for each in asked)
        for each in asked:
            each.cancel()
        return waiting

    assert run(stopped)
    assert len(begun) == 1
