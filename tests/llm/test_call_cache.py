"""Replies that are stored, asked for once, recorded, replayed and exchanged in files."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict

from factscope.core import CacheRow, InputError, StoreError, UsageError
from factscope.llm import (
    BatchFolder,
    Cache,
    CallLimits,
    Ledger,
    ModelClient,
    ModelError,
    ReplaySender,
    Reply,
    UnreadableError,
    ask,
    json_reader,
    reply_to_json,
    schema_of,
    write_recording,
)
from tests import lab
from tests.lab import warm
from tests.lab.http import Asked
from tests.lab.models import respond
from tests.llm.model_requests import KEY, client, environment, question


class Opinion(BaseModel):
    """The reply that the tests ask for."""

    model_config = ConfigDict(extra="forbid")

    label: Literal["supported", "contradicted"]
    reason: str


SCHEMA = schema_of(Opinion)
READ = json_reader(Opinion)


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Cache]:
    with Cache(tmp_path / "replies.db") as opened:
        yield opened


def kept(path: Path) -> int:
    with Cache(path) as opened:
        return sum(1 for _ in opened.rows())


async def opinions(using: ModelClient, numbers: range, ledger: Ledger | None = None) -> list[Opinion]:
    answers = await asyncio.gather(*(ask(using, question(n, schema=SCHEMA), READ, ledger=ledger) for n in numbers))
    return [answer.value for answer in answers]


def test_an_answered_question_is_not_asked_again(server: lab.Server, cache: Cache) -> None:
    async def run() -> None:
        ledger = Ledger()
        async with client(server, cache=cache) as using:
            first = await opinions(using, range(20), ledger)
        async with client(server, cache=cache) as using:
            assert (await opinions(using, range(25), ledger))[:20] == first
            assert (using.hits, server.count()) == (20, 25)
            assert using.cached(question(3, schema=SCHEMA))
            assert not using.cached(question(3, schema=SCHEMA, sample=2))
        (usage,) = ledger.usage()
        assert (usage.calls, usage.cached_calls) == (25, 20)

    asyncio.run(run())
    assert server.count() == 25


@pytest.mark.parametrize(
    "change",
    [
        {"temperature": 0.5},
        {"temperature": None},
        {"sample": 2},
        {"seed": 1},
        {"max_tokens": 9},
        {"logprobs": 0},
        {"schema": None},
    ],
)
def test_whatever_decides_the_answer_is_in_the_key(server: lab.Server, change: dict[str, object]) -> None:
    async def run() -> None:
        async with client(server) as using:
            plain = question(schema=SCHEMA)
            assert using.key(plain) == using.key(question(schema=dict(SCHEMA)))
            assert using.key(plain) != using.key(question(**{"schema": SCHEMA, **change}))

    asyncio.run(run())


def test_identical_concurrent_questions_are_asked_once(server: lab.Server) -> None:
    server.script([{"do": {"delay": 0.2}}])

    async def run() -> None:
        async with client(server) as using:
            first = asyncio.create_task(using.complete(question()))
            others = [asyncio.create_task(using.complete(question())) for _ in range(50)]
            await asyncio.sleep(0.05)
            first.cancel()
            assert len({reply.text for reply in await asyncio.gather(*others)}) == 1
            assert server.count() == 1
            alone = asyncio.create_task(using.complete(question(1)))
            await asyncio.sleep(0.05)
            alone.cancel()
            await asyncio.gather(alone, return_exceptions=True)
            assert not using._flights

    asyncio.run(run())


def test_a_question_is_not_asked_twice_while_its_reply_is_being_stored(server: lab.Server, cache: Cache) -> None:
    async def run() -> None:
        async with client(server, cache=cache) as using:
            for _ in range(5):
                await asyncio.gather(*(opinions(using, range(5)) for _ in range(20)))

    asyncio.run(run())
    assert server.count() == 5


@pytest.mark.parametrize(
    ("do", "kind"),
    [
        ({"refusal": "no"}, "refusal"),
        ({"finish_reason": "length"}, "length"),
        ({"status": 400}, "bad_request"),
        ({"text": "I would rather not say."}, "unreadable"),
        ({"text": '{"label": "supported", "reason": "cut of'}, "unreadable"),
        ({"wrong_label": True}, "unreadable"),
    ],
)
def test_an_unusable_reply_is_never_stored(server: lab.Server, cache: Cache, do: dict[str, object], kind: str) -> None:
    server.script([{"do": do}])

    async def run() -> tuple[ModelError, Ledger]:
        ledger = Ledger()
        async with client(server, cache=cache) as using:
            with pytest.raises(ModelError) as caught:
                await ask(using, question(schema=SCHEMA), READ, ledger=ledger)
            return caught.value, ledger

    failure, ledger = asyncio.run(run())
    assert failure.kind == kind
    assert failure.boundary == ("parse" if kind == "unreadable" else "model")
    assert not list(cache.rows())
    assert server.count() == (3 if kind == "unreadable" else 1)
    assert sum(usage.calls for usage in ledger.usage()) == (0 if kind == "bad_request" else server.count())


def test_an_unreadable_reply_is_asked_for_again_with_the_reason(server: lab.Server, cache: Cache) -> None:
    server.script([{"when": {"first": 1}, "do": {"wrong_label": True}}])

    async def run() -> None:
        async with client(server, cache=cache) as using:
            first = await ask(using, question(schema=SCHEMA), READ)
            second = await ask(using, question(schema=SCHEMA), READ)
            assert first.value == second.value
            assert second.reply.cached

    asyncio.run(run())
    _, again = (json.loads(each["body"])["messages"] for each in server.log())
    assert [message["role"] for message in again] == ["user", "assistant", "user"]
    assert "label" in again[2]["content"]
    assert "'supported' or 'contradicted'" in again[2]["content"]


def test_replies_are_on_disk_when_they_are_accepted(tmp_path: Path) -> None:
    """A process that ends abruptly right after accepting a reply has stored it."""
    code = (
        "import asyncio, os, sys; from pathlib import Path\n"
        "from factscope.llm.call_cache import Cache, CacheRow; from factscope.llm.call import Reply\n"
        "async def run():\n"
        "    cache = Cache(Path(sys.argv[1]))\n"
        "    rows = (CacheRow(f'{n:064x}', Reply(str(n), 'stop'), '{}') for n in range(500))\n"
        "    await asyncio.gather(*(cache.store(row) for row in rows))\n"
        "    os._exit(9)\n"
        "asyncio.run(run())\n"
    )
    path = tmp_path / "c.db"
    assert subprocess.run([warm.python(), "-c", code, str(path)]).returncode == 9
    assert kept(path) == 500


@pytest.mark.medium
def test_a_repeatedly_killed_run_pays_twice_only_for_calls_in_flight(
    server: lab.Server, tmp_path: Path, cases: Callable[[int], None]
) -> None:
    """Eight kills at any moment: each costs at most the eight calls in flight, and nothing is lost."""
    cases(8)
    code = (
        "import asyncio, os, sys; from pathlib import Path\n"
        "from factscope.llm.call_cache import Cache; from factscope.llm.model_client import ModelClient\n"
        "from factscope.llm.limits import CallLimits; from factscope.llm.http_calls import HttpSender\n"
        "from factscope.llm.structured import ask; from tests.llm.model_requests import question\n"
        "async def run():\n"
        "    cache = Cache(Path(sys.argv[1]))\n"
        "    async with ModelClient(HttpSender(os.environ, CallLimits(in_flight=8)), cache) as client:\n"
        "        await asyncio.gather(*(ask(client, question(n), str.upper) for n in range(400)))\n"
        "    cache.close()\n"
        "asyncio.run(run())\n"
    )
    server.script([{"do": {"delay": 0.03}}])
    path, kills, goal = tmp_path / "c.db", 0, 25
    variables = {**os.environ, **environment(server)}
    while True:
        process = subprocess.Popen([warm.python(), "-c", code, str(path)], env=variables)
        while process.poll() is None and (kills == 8 or server.count() < goal):
            time.sleep(0.005)
        if process.poll() is not None:
            break
        warm.kill(process)
        kills, goal = kills + 1, goal + 37
    assert (process.returncode, kills) == (0, 8)
    assert kept(path) == 400
    assert server.count() <= 400 + 8 * kills


def test_a_call_is_in_flight_until_its_reply_is_on_disk(server: lab.Server, tmp_path: Path) -> None:
    """However slow the disk, no more calls are made than may be in flight: otherwise a kill would cost more."""

    class Stuck(Cache):
        async def store(self, *replies: CacheRow[str]) -> None:
            if server.count() > 1:
                await asyncio.Event().wait()
            await super().store(*replies)

    async def run() -> None:
        with Stuck(tmp_path / "c.db") as cache:
            async with client(server, cache=cache, limits=CallLimits(in_flight=4)) as using:
                await ask(using, question(0), str.upper)
                tasks = [asyncio.create_task(ask(using, question(n), str.upper)) for n in range(1, 20)]
                await asyncio.sleep(0.5)
                assert server.count() == 1 + 4
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(run())


def test_many_processes_may_open_a_new_cache_at_once(tmp_path: Path, cases: Callable[[int], None]) -> None:
    cases(8)
    code = (
        "import asyncio, sys; from pathlib import Path\n"
        "from factscope.llm.call_cache import Cache, CacheRow; from factscope.llm.call import Reply\n"
        "with Cache(Path(sys.argv[1])) as cache:\n"
        "    asyncio.run(cache.store(CacheRow(sys.argv[2], Reply('x', 'stop'), '{}')))\n"
    )
    path = tmp_path / "c.db"
    started = [subprocess.Popen([warm.python(), "-c", code, str(path), str(n)]) for n in range(8)]
    assert [process.wait() for process in started] == [0] * 8
    assert kept(path) == 8


def test_a_cache_finds_replies_still_being_written(cache: Cache) -> None:
    async def run() -> None:
        task = asyncio.create_task(cache.store(CacheRow("k", Reply("text ✓", "stop", 1, 2), "{}")))
        await asyncio.sleep(0)
        assert cache.get("k") == Reply("text ✓", "stop", 1, 2, cached=True)
        await task
        assert cache.get("k") == Reply("text ✓", "stop", 1, 2, cached=True)
        assert cache.get("other") is None

    asyncio.run(run())


def test_a_cache_without_a_file_finds_its_stored_replies() -> None:
    with Cache() as cache:
        asyncio.run(cache.store(CacheRow("k", Reply("text", "stop"), "{}")))
        assert cache.get("k") == Reply("text", "stop", cached=True)
        assert [row.key for row in cache.rows()] == ["k"]


def test_replies_are_compressed_and_uncompressed_ones_are_still_read(cache: Cache) -> None:
    long = Reply('{"token": " yes", "logprob": -0.01}' * 500, "stop", 1, 2)
    asyncio.run(cache.store(CacheRow("packed", long, "{}")))
    with sqlite3.connect(cache.path) as database:
        (size,) = database.execute("SELECT length(value) FROM replies WHERE key = 'packed'").fetchone()
        row = "INSERT INTO replies (key, note, value, made) VALUES (?, '{}', ?, 1)"
        database.execute(row, ("plain", reply_to_json(long)))
        database.execute(row, ("damaged", b"not packed"))
    database.close()
    assert size < len(long.text) / 8
    assert cache.get("packed") == cache.get("plain") == replace(long, cached=True)
    assert cache.get("damaged") is None
    assert [row.key for row in cache.rows()] == ["packed", "plain"]


def test_an_invalid_or_too_new_cache_is_reported(tmp_path: Path) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"this is no database" * 100)
    with pytest.raises(StoreError, match="delete it"):
        Cache(broken)
    newer = tmp_path / "newer.db"
    with sqlite3.connect(newer) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(StoreError, match="newer Factscope"):
        Cache(newer)


def test_an_unwritable_cache_is_reported(cache: Cache) -> None:
    async def run() -> None:
        await cache.store(CacheRow("a", Reply("x", "stop"), "{}"))
        with sqlite3.connect(cache.path) as database:
            database.execute("DROP TABLE replies")
        database.close()
        with pytest.raises(StoreError, match="can't be written"):
            await cache.store(CacheRow("b", Reply("x", "stop"), "{}"))

    asyncio.run(run())


def test_no_key_is_stored_in_any_file(server: lab.Server, cache: Cache, tmp_path: Path) -> None:
    server.script([{"do": {"json": {"choices": [{"message": {"content": f"you sent {KEY}"}}]}}}])

    async def run() -> None:
        async with client(server, cache=cache) as using:
            await ask(using, question(), str.upper)
        async with ModelClient(BatchFolder(tmp_path / "batch", environment(server))) as using:
            with pytest.raises(ModelError, match="is waiting in"):
                await using.complete(question(7))

    asyncio.run(run())
    write_recording(cache, tmp_path / "run.jsonl")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) >= 3
    replies = "".join(row.value for row in cache.rows())
    assert replies
    for content in (replies.lower().encode(), *(path.read_bytes().lower() for path in files)):
        for form in (b"canary", b"c2sty2fuyxj5"):
            assert form not in content


def test_a_recorded_run_replays_without_a_server(server: lab.Server, cache: Cache, tmp_path: Path) -> None:
    server.script([{"when": {"first": 10}, "do": {"wrong_label": True}}])
    path = tmp_path / "run.jsonl"

    async def record() -> list[Opinion]:
        async with client(server, cache=cache) as using:
            values = await opinions(using, range(30))
            assert write_recording(cache, path, using.used) == 30
            return values

    values = asyncio.run(record())
    asked = server.count()

    async def replay(order: list[int]) -> list[Opinion]:
        with Cache(tmp_path / "other.db") as other:
            async with ModelClient(ReplaySender(path, other), other) as using:
                again = await asyncio.gather(*(opinions(using, range(n, n + 1)) for n in order))
                assert using.hits == 30
                write_recording(other, tmp_path / "again.jsonl")
        return [value for _, (value,) in sorted(zip(order, again, strict=True))]

    assert asyncio.run(replay(list(range(30)))) == values
    assert asyncio.run(replay(list(reversed(range(30))))) == values
    assert (tmp_path / "again.jsonl").read_bytes() == path.read_bytes()
    assert server.count() == asked


def test_a_call_that_was_not_recorded_is_named(tmp_path: Path, cache: Cache) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text("")

    async def run() -> None:
        async with ModelClient(ReplaySender(path, cache), cache) as using:
            await using.complete(question(5))

    with pytest.raises(ModelError, match="lacks a call of 'judge' to openai/lab: 'question 5'"):
        asyncio.run(run())


def test_a_recording_changed_by_hand_is_refused(server: lab.Server, cache: Cache, tmp_path: Path) -> None:
    async def run() -> None:
        async with client(server, cache=cache) as using:
            await opinions(using, range(1))

    asyncio.run(run())
    path = tmp_path / "run.jsonl"
    write_recording(cache, path)
    path.write_text(f"{path.read_text()}\n\n")  # as an editor leaves it
    with Cache(tmp_path / "edited.db") as edited:
        assert ReplaySender(path, edited).calls == 1
    path.write_text(path.read_text().replace("question 0", "question 1"))
    with Cache(tmp_path / "other.db") as other, pytest.raises(InputError, match="its key is not that of its call"):
        ReplaySender(path, other)


def test_a_missing_recording_is_named_with_a_hint_how_to_make_one(tmp_path: Path, cache: Cache) -> None:
    with pytest.raises(InputError, match=r"none\.jsonl can't be read: no such file or directory\.") as caught:
        ReplaySender(tmp_path / "none.jsonl", cache)
    assert "--record" in caught.value.hint


@pytest.mark.parametrize("line", ["x", "{}", '{"key": "a", "request": {}, "reply": {}}', "[1]", "[" * 100_000])
def test_a_line_that_is_not_a_recorded_call_is_named(tmp_path: Path, cache: Cache, line: str) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(InputError, match="line 1"):
        ReplaySender(path, cache)


def answer_batch(folder: Path, skip: int = 0) -> int:
    """Answer a folder's request files as a batch service would, except the first `skip`; return the number."""
    count = 0
    for path in sorted(folder.glob("requests-*.jsonl")):
        replies = []
        for line in path.read_text().splitlines():
            asked = json.loads(line)
            assert (asked["method"], asked["url"]) == ("POST", "/v1/chat/completions")
            count += 1
            if count <= skip:
                replies.append({"custom_id": asked["custom_id"], "response": None, "error": {"message": "expired"}})
                continue
            answer = json.loads(respond(Asked("/", {}, json.dumps(asked["body"]).encode()), {}).body)
            replies.append({"custom_id": asked["custom_id"], "response": {"status_code": 200, "body": answer}})
        written = "".join(json.dumps(reply) + "\n" for reply in reversed(replies))
        (folder / f"replies-{len(list(folder.iterdir()))}.jsonl").write_text(written)
    return count


def test_a_batch_continues_once_its_replies_are_in_the_folder(server: lab.Server, cache: Cache, tmp_path: Path) -> None:
    folder = tmp_path / "batch"

    async def run() -> list[object]:
        async with ModelClient(BatchFolder(folder, environment(server)), cache) as using:
            asks = [ask(using, question(n % 10, schema=SCHEMA), READ) for n in range(20)]
            ended = await asyncio.gather(*asks, return_exceptions=True)
        return [each.kind if isinstance(each, ModelError) else each for each in ended]

    assert set(asyncio.run(run())) == {"pending"}
    assert answer_batch(folder, skip=2) == 10
    assert asyncio.run(run()).count("pending") == 4
    assert answer_batch(folder) == 2
    assert "pending" not in asyncio.run(run())
    assert not list(folder.glob("requests-*"))
    assert server.count() == 0

    async def directly() -> None:
        async with client(server, cache=cache) as using:
            await opinions(using, range(10))

    asyncio.run(directly())
    assert server.count() == 0


def test_a_batch_needs_no_key_and_reports_errors_in_its_files(tmp_path: Path) -> None:
    folder = tmp_path / "batch"
    folder.mkdir()

    async def run() -> None:
        async with ModelClient(BatchFolder(folder, {})) as using:
            with pytest.raises(ModelError, match="is waiting in"):
                await using.complete(question())

    asyncio.run(run())
    (folder / "replies.jsonl").write_text("no reply\n")
    with pytest.raises(InputError, match="line 1"):
        BatchFolder(folder, {})
    with pytest.raises(UsageError, match="can't be used"):
        BatchFolder(folder / "replies.jsonl", {})


def test_ask_accepts_any_reader_and_stops_after_the_allowed_attempts(server: lab.Server) -> None:
    def never(text: str) -> str:
        raise UnreadableError(f"{len(text)} letters are too many.")

    async def run() -> None:
        async with client(server) as using:
            await ask(using, question(), never, again=1)

    with pytest.raises(ModelError, match=r"asked 2 times: .* letters are too many"):
        asyncio.run(run())
    assert server.count() == 2
