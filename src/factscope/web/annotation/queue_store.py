"""Queues, seats and answers in the server's store. An answer is on disk before it is reported as saved.

annotation_queues   id, name, guidelines, whether suggestions are shown from the start
annotation_items    queue, number, task (JSON)
annotation_seats    queue, name, role, key: the secret in the address by which a person is known
annotation_answers  queue, number, seat, revision, answer (JSON)
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from hashlib import sha256
from typing import Concatenate, ParamSpec, TypeVar

from factscope.core import Cursor, Database, UsageError
from factscope.web.annotation.annotation_forms import Annotation, QueueMember, Role, StoredTask
from factscope.web.annotation.task_answers import TaskAnswers
from factscope.web.check_tables import make_tables
from factscope.web.problems import ProblemError, not_found

P = ParamSpec("P")
T = TypeVar("T")
_KEY_BYTES = 12  # 96 bits: can't be guessed
TABLES = (
    """
    CREATE TABLE IF NOT EXISTS annotation_queues (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, guidelines TEXT, suggest INTEGER NOT NULL, at DOUBLE PRECISION NOT NULL
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS annotation_items (
        queue TEXT NOT NULL REFERENCES annotation_queues (id), number INTEGER NOT NULL, task TEXT NOT NULL,
        PRIMARY KEY (queue, number)
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS annotation_seats (
        queue TEXT NOT NULL REFERENCES annotation_queues (id), name TEXT NOT NULL, role TEXT NOT NULL,
        key TEXT NOT NULL, PRIMARY KEY (queue, name)
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS annotation_answers (
        queue TEXT NOT NULL, number INTEGER NOT NULL, seat TEXT NOT NULL, revision INTEGER NOT NULL,
        answer TEXT NOT NULL, at DOUBLE PRECISION NOT NULL, PRIMARY KEY (queue, number, seat),
        FOREIGN KEY (queue, number) REFERENCES annotation_items (queue, number)
    )
    """,
)


@dataclass(frozen=True)
class Queue:
    """A queue, with who works on it."""

    id: str
    name: str
    guidelines: str | None
    suggest: bool
    """Whether suggestions are shown before the first answer."""
    members: tuple[QueueMember, ...]

    @property
    def annotators(self) -> tuple[str, ...]:
        """Names of those who answer alone."""
        return tuple(member.name for member in self.members if member.role == "annotator")


def _transaction(
    work: Callable[Concatenate[Annotations, Cursor, P], T],
) -> Callable[Concatenate[Annotations, P], T]:
    """Make a method that takes a cursor one transaction."""

    @wraps(work)
    def in_transaction(annotations: Annotations, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return annotations.database.do(lambda cursor: work(annotations, cursor, *args, **kwargs))

    return in_transaction


class Annotations:
    """Store of annotations.

    Every method is one transaction, blocks, and may raise StoreError.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        make_tables(database, TABLES)

    @_transaction
    def open_queue(
        self,
        cursor: Cursor,
        name: str,
        tasks: Sequence[StoredTask],
        members: Sequence[QueueMember],
        *,
        guidelines: str | None = None,
        suggest: bool = False,
    ) -> tuple[str, dict[QueueMember, str]]:
        """Make the queue of these tasks, or add annotators to the existing one; return its id, and each member's key.

        A queue without an annotator gets one, and one with several an adjudicator.

        Raises UsageError when somebody has another role already, or two adjudicators or reviewers would work on it.
        """
        bodies = [task.model_dump_json() for task in tasks]
        queue = _id(name, bodies)
        created = cursor.execute(
            "INSERT INTO annotation_queues VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
            (queue, name, guidelines, int(suggest), time.time()),
        )
        if created:
            items = [(queue, number, body) for number, body in enumerate(bodies, 1)]
            cursor.many("INSERT INTO annotation_items VALUES (?, ?, ?)", items)
        else:
            cursor.execute(
                "UPDATE annotation_queues SET guidelines = COALESCE(?, guidelines), suggest = ? WHERE id = ?",
                (guidelines, int(suggest), queue),
            )
        _add_seats(cursor, queue, members)
        present = list(_keys(cursor, queue))
        _must_be_one_each(present, members)
        _add_seats(cursor, queue, _missing_members(present))
        return queue, _keys(cursor, queue)

    @_transaction
    def find(self, cursor: Cursor, name: str, tasks: Sequence[StoredTask]) -> Queue | None:
        """Return the queue of these tasks; None when there is none."""
        return _queue(cursor, _id(name, [task.model_dump_json() for task in tasks]))

    @_transaction
    def delete(self, cursor: Cursor, queue: Queue) -> None:
        """Delete a queue, with its members and all of their answers."""
        for table in ("answers", "seats", "items"):
            cursor.execute(f"DELETE FROM annotation_{table} WHERE queue = ?", (queue.id,))  # noqa: S608 - fixed names
        cursor.execute("DELETE FROM annotation_queues WHERE id = ?", (queue.id,))

    @_transaction
    def enter(self, cursor: Cursor, queue: str, key: str) -> tuple[Queue, QueueMember]:
        """Return the queue and the member that a key belongs to. Raises ProblemError (404)."""
        result, keys = _queue(cursor, queue), _keys(cursor, queue)
        entered = [
            member for member, seat_key in keys.items() if secrets.compare_digest(seat_key.encode(), key.encode())
        ]
        if not result or not entered:
            raise not_found("queue of yours")
        return result, entered[0]

    @_transaction
    def items(self, cursor: Cursor, queue: Queue) -> list[TaskAnswers]:
        """Return all tasks of a queue with their answers."""
        tasks = cursor.rows("SELECT number, task FROM annotation_items WHERE queue = ? ORDER BY number", (queue.id,))
        answers, annotators = _answers(cursor, queue), len(queue.annotators)
        return [
            TaskAnswers(number, StoredTask.model_validate_json(body), answers.get(number, {}), annotators)
            for number, body in tasks
        ]

    @_transaction
    def item(self, cursor: Cursor, queue: Queue, number: int, member: QueueMember) -> tuple[TaskAnswers, int]:
        """Return a task with all answers to it, and the revision of this person's. Raises ProblemError (404)."""
        result = cursor.rows("SELECT task FROM annotation_items WHERE queue = ? AND number = ?", (queue.id, number))
        if not result:
            raise ProblemError(404, f"This queue has no sample {number}.", "Its list says which it has.")
        answers = _answers(cursor, queue, number).get(number, {})
        stored = StoredTask.model_validate_json(result[0][0])
        return TaskAnswers(number, stored, answers, len(queue.annotators)), _revision(cursor, queue, number, member)

    @_transaction
    def save(
        self, cursor: Cursor, queue: Queue, number: int, member: QueueMember, revision: int, answer: Annotation
    ) -> int:
        """Store an answer that replaces the one of this `revision`; return the new revision.

        It is on disk when this returns.

        Raises ProblemError (412) when the answer was changed meanwhile.
        """
        body, now = answer.model_dump_json(), time.time()
        if revision:
            written = cursor.execute(
                "UPDATE annotation_answers SET answer = ?, at = ?, revision = revision + 1"
                " WHERE queue = ? AND number = ? AND seat = ? AND revision = ?",
                (body, now, queue.id, number, member.name, revision),
            )
        else:
            written = cursor.execute(
                "INSERT INTO annotation_answers VALUES (?, ?, ?, 1, ?, ?) ON CONFLICT (queue, number, seat) DO NOTHING",
                (queue.id, number, member.name, body, now),
            )
        if not written:
            present = _revision(cursor, queue, number, member)
            raise ProblemError(
                412,
                f"This answer was changed elsewhere (revision {present}, not {revision}).",
                "Load it again; then keep yours over it, or take it.",
            )
        return revision + 1


def _id(name: str, bodies: Sequence[str]) -> str:
    """Return the id of a queue from its name and its tasks, so that the same file opens the same queue."""
    return sha256("\n".join([name, *bodies]).encode()).hexdigest()[:12]


def _queue(cursor: Cursor, queue: str) -> Queue | None:
    rows = cursor.rows("SELECT name, guidelines, suggest FROM annotation_queues WHERE id = ?", (queue,))
    if not rows:
        return None
    name, guidelines, suggest = rows[0]
    return Queue(queue, name, guidelines, bool(suggest), tuple(_keys(cursor, queue)))


def _keys(cursor: Cursor, queue: str) -> dict[QueueMember, str]:
    """Return the key of each member of a queue."""
    rows = cursor.rows("SELECT name, role, key FROM annotation_seats WHERE queue = ? ORDER BY role, name", (queue,))
    return {QueueMember(name=name, role=role): key for name, role, key in rows}


def _add_seats(cursor: Cursor, queue: str, members: Sequence[QueueMember]) -> None:
    cursor.many(
        "INSERT INTO annotation_seats VALUES (?, ?, ?, ?) ON CONFLICT (queue, name) DO NOTHING",
        [(queue, member.name, member.role, secrets.token_urlsafe(_KEY_BYTES)) for member in members],
    )


def _missing_members(members: Sequence[QueueMember]) -> list[QueueMember]:
    """Return the required members that are missing, named after their roles."""
    roles = [member.role for member in members]
    if not roles.count("annotator"):
        return [QueueMember(name="annotator", role="annotator")]
    single = roles.count("annotator") == 1 or "adjudicator" in roles
    return [] if single else [QueueMember(name="adjudicator", role="adjudicator")]


def _must_be_one_each(members: Sequence[QueueMember], queue_members: Sequence[QueueMember]) -> None:
    """Raise UsageError when a person would have two roles, or a single-person role two people."""
    if other := next((request for request in queue_members if request not in members), None):
        known_values = next(member.role for member in members if member.name == other.name)
        raise UsageError(
            f"{other.name!r} is {known_values} of this queue, and can't be {other.role} too.", "Name another."
        )
    roles: tuple[Role, ...] = ("adjudicator", "reviewer")
    for role in roles:
        names = [member.name for member in members if member.role == role]
        if len(names) > 1:
            raise UsageError(f"This queue would have two in the role of {role}: {', '.join(names)}.", "Name one.")


def _answers(cursor: Cursor, queue: Queue, number: int | None = None) -> dict[int, dict[QueueMember, Annotation]]:
    """Return the answers of a queue by task, or those on one task."""
    judges = {member.name: member for member in queue.members}
    results: dict[int, dict[QueueMember, Annotation]] = {}
    for task, name, body in cursor.rows(
        "SELECT number, seat, answer FROM annotation_answers WHERE queue = ? AND (number = ? OR ? = 0)"
        " ORDER BY number, seat",
        (queue.id, number or 0, number or 0),
    ):
        results.setdefault(int(task), {})[judges[name]] = Annotation.model_validate_json(body)
    return results


def _revision(cursor: Cursor, queue: Queue, number: int, member: QueueMember) -> int:
    rows = cursor.rows(
        "SELECT revision FROM annotation_answers WHERE queue = ? AND number = ? AND seat = ?",
        (queue.id, number, member.name),
    )
    return int(rows[0][0]) if rows else 0
