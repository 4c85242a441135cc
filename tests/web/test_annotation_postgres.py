"""Annotation stored in PostgreSQL, by two servers at once."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from factscope.core import open_database
from factscope.engine import Settings
from factscope.web.annotation import Annotations, QueueMember, read_tasks

from .annotating import Person, write
from .served import server
from .test_postgres import address  # noqa: F401 - a fixture


@pytest.mark.medium
def test_two_servers_keep_the_same_answers(address: str, tmp_path: Path) -> None:  # noqa: F811
    database = open_database(address)
    seats = [QueueMember(name=name, role="annotator") for name in ("Ada", "Ben")]
    queue, keys = Annotations(database).open_queue("samples", read_tasks(write(tmp_path)).tasks, seats)
    database.close()
    with ExitStack() as stack:
        one, two = (
            stack.enter_context(
                server(Settings(store=tmp_path / name / "runs.db", cache=tmp_path / name / "cache"), address)
            )
            for name in ("one", "two")
        )
        here, there = (Person(port, queue, keys[seats[0]]) for port in (one, two))
        answer = here.item(1)["answer"]
        assert here.put(1, {**answer, "references": ["\x00 is not an address"]}, 0).json["revision"] == 1
        assert there.put(1, answer, 0).status == 412
        assert there.item(1)["answer"]["references"] == ["\x00 is not an address"]
        there.say(1, None, "fooled", None)
        Person(two, queue, keys[seats[1]]).say(1, None, None, None)
        judge = Person(one, queue, next(key for seat, key in keys.items() if seat.role == "adjudicator"))
        assert judge.states() == ["open", "waiting", "waiting"]
        assert judge.get("/agreement").json["percent"]["value"] == 2 / 3
