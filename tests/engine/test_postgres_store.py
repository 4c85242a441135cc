"""Runs of the command line in PostgreSQL, which behaves as a store file does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from factscope.core import BusyError, StoreError, UsageError, open_database, printable
from factscope.core.records import Claim, Failure, Query, Response, Verdict
from factscope.engine import VERSION, Store, open_log
from tests.engine.test_old_stores import CHECKS, RECORDS, WHOLE
from tests.engine.test_run_store import begin, verdict
from tests.lab import warm
from tests.lab.many_cases import try_all
from tests.web.test_postgres import address  # noqa: F401 - a fixture

SECRET = "canary-secret"


@pytest.fixture
def schema(address: str, request: pytest.FixtureRequest) -> str:  # noqa: F811
    """Create a schema for the test, and return its address, which contains a password."""
    name = str(request.node.name).lower()[:40]
    database = open_database(address)
    database.do(lambda cursor: cursor.execute(f"CREATE SCHEMA {name}"))
    database.close()
    return address.replace(":@", f":{SECRET}@") + f"&options=-csearch_path%3D{name}"


@pytest.mark.medium
def test_records_attempts_and_owners_behave_as_in_a_file(schema: str) -> None:
    failure = Failure(unit_id="s2.c1", stage="judging", boundary="model", message="100 % down?")
    with Store(schema) as store, Store(schema) as other:
        begin(store)
        for name in ("r2", "r1"):
            store.reopen("a1", name, fresh=False)
        whole = [Verdict(unit_id=name, level="response", outcome="supported", rule="worst") for name in ("r1", "r2")]
        store.append_all("a1", [("r1", [Response(text="Ünïcode \x00 東京"), verdict(1), whole[0]])])
        store.append_all("a1", [("r2", [Response(id="r2", text="x"), failure, whole[1]])])
        assert other.ended("a1") == ["r2", "r1"], "in the order of their beginning"
        assert other.events("a1", "r1") == [Response(text="Ünïcode \x00 東京"), verdict(1), whole[0]]
        assert other.events("a1", "r2", only_outcome=True) == [Response(id="r2", text="x"), failure, whole[1]]
        store.finish("a1")
        assert other.runs()[0].finished
        other.reopen("a1", "r2", fresh=False)
        assert store.events("a1", "r2") == [Response(id="r2", text="x"), failure]
        assert store.ended("a1") == ["r1"]
        assert store.runs()[0].finished is None
        store.append("a1", "r2", [Claim(id="s2.c1", segment_id="s2", text="x", standalone="x")])
        assert failure not in store.events("a1", "r2"), "a claim that begins again"
        store.reopen("a1", "r1", fresh=True)
        assert store.events("a1", "r1") == []
        with store.owned("a1"):
            with pytest.raises(BusyError), other.owned("a1"):
                pass
            with other.owned("b2"):
                pass
        with other.owned("a1"):
            pass


def test_a_damaged_record_is_skipped_and_named(schema: str) -> None:
    with Store(schema, read_only=True) as store:
        begin(store)
        store.append("a1", "r1", [verdict(1), verdict(2)])
        store.database.do(lambda cursor: cursor.execute("UPDATE events SET body = '{' WHERE key = 's1.c1.claim'"))
        assert store.events("a1", "r1") == [verdict(2)]
        assert [record.key for record in store.damaged] == ["s1.c1.claim"]


def test_tables_from_an_old_server_are_migrated(schema: str) -> None:
    database = open_database(schema)
    for statement in filter(str.strip, CHECKS.replace("BLOB", "BYTEA").split(";")):
        if "PRAGMA" not in statement:
            database.do(lambda cursor, statement=statement: cursor.execute(statement))
    rows = [(n, event.type, event.model_dump_json()) for n, event in enumerate(RECORDS, 1)]
    database.do(
        lambda cursor: cursor.execute(
            "INSERT INTO checks (id, owner, hash, state, created, queued, title, request, progress, counts, scores)"
            " VALUES ('c1', 'o', '', 'done', '2026-01-01', 0, 'A text', '{}', '{}', 'null', '[]')"
        )
    )
    database.do(lambda cursor: cursor.many("INSERT INTO events VALUES ('c1', ?, ?, ?)", rows))
    database.close()
    opened = open_log(schema)
    assert opened.rows("SELECT version FROM form") == [(VERSION,)]
    opened.close()
    with Store(schema) as store:
        assert store.events("c1", "") == list(RECORDS)
        begin(store)
        query = Query(id="s9.c1.q1", claim_id="s9.c1", text="x")
        store.append("a1", "r1", [query, WHOLE])
        assert store.events("a1", "r1") == [query, WHOLE]


def call(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the command line."""
    command = [warm.python(), "-m", "factscope", *arguments]
    return subprocess.run(command, input="", capture_output=True, text=True, cwd=folder)


@pytest.mark.medium
def test_the_commands_store_checks_in_postgres_and_never_print_the_password(schema: str, tmp_path: Path) -> None:
    (tmp_path / "bridge.txt").write_text("The Marlow bridge was opened in 1931. It has four arches.")
    checked = [
        "check", "The Marlow bridge was opened in 1931.", "--evidence", "bridge.txt", "--verifier", "builtin-features",
        "--store", schema, "--format", "json",
    ]  # fmt: skip
    first = call(*checked, folder=tmp_path)
    again = call(*checked, folder=tmp_path)
    exported = call("export", "last", "--store", schema, "--format", "json", folder=tmp_path)
    assert (first.returncode, again.returncode, exported.returncode) == (0, 0, 0), first.stderr + exported.stderr
    assert first.stdout == again.stdout == exported.stdout
    doctor = call("doctor", "--store", schema, folder=tmp_path)
    assert "1 kept check" in doctor.stdout
    (tmp_path / "factscope.toml").write_text(f'store = "{schema}"')
    settings = call("config", "show", folder=tmp_path)
    assert printable(schema) in settings.stdout
    missing = call("export", "zzz", folder=tmp_path)
    refused = [call("store", command, folder=tmp_path) for command in ("check", "repair")]
    assert (missing.returncode, *(done.returncode for done in refused)) == (2, 2, 2)
    assert all("is not a file" in done.stderr for done in refused)
    for done in (first, again, exported, doctor, settings, missing, *refused):
        assert SECRET not in done.stdout + done.stderr


@pytest.mark.medium
def test_a_wrong_address_is_reported_in_two_lines_without_the_password(tmp_path: Path) -> None:
    for location, code, reason in (
        (f"postgresql://me:{SECRET}@127.0.0.1:1/none", 1, "can't be used"),
        (f"postgresql://me:{SECRET}/x@127.0.0.1/none", 2, "can't be read"),
        (f"postgresql://me:{SECRET}@[127.0.0.1/none", 2, "can't be read"),
        (f"mysql://me:{SECRET}@localhost/x", 2, "is not a kind of store"),
    ):
        done = call("check", "It was opened in 1931.", "--evidence", __file__, "--store", location, folder=tmp_path)
        assert (done.returncode, reason in done.stderr) == (code, True), done.stderr
        assert SECRET not in done.stdout + done.stderr
        assert "Traceback" not in done.stderr


def test_without_psycopg_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(UsageError, match="psycopg, which is not installed"):
        Store("postgresql://localhost/x")


def test_a_location_is_shown_without_possible_secrets() -> None:
    for location in (
        f"postgresql://me:{SECRET}@host:5432/name",
        f"postgresql://host/name?password={SECRET}@x",
        f"postgresql://me:{SECRET}/x@host/name",
        f"postgresql://me:{SECRET}?x@host/name",
        f"postgresql://[{SECRET}",
    ):
        assert SECRET not in printable(location)
    assert printable("postgresql://me:x@host:5432/name") == "postgresql://host/name"
    assert urlsplit(printable("postgresql://me:x@host/name")).username is None
    assert printable(Path("runs.db")) == "runs.db"


UNESCAPED = (
    "postgresql://me:canary@secret@127.0.0.1/none",
    "postgresql://me:canary@secret/letters@127.0.0.1/none",
    "postgresql://me:canary/letters@secret@127.0.0.1/none",
    "postgresql://me:canary/letters@127.0.0.1/none",
    "postgresql://me:canary@secret?letters@127.0.0.1/none",
    "postgresql://me:canary@secret#letters@127.0.0.1/none",
    "postgresql://me:12/canary@127.0.0.1/none",
    "postgresql://me:canary/none",
    "postgresql://127.0.0.1?password=secret@canary",
    "postgresql://me:x@127.0.0.1/none?password=secret@canary",
)


@try_all("location", UNESCAPED)
def test_no_part_of_an_unescaped_password_is_shown(location: str) -> None:
    with pytest.raises(UsageError, match="can't be read") as refused:
        Store(location)
    assert "%40" in refused.value.hint
    for text in (str(refused.value), refused.value.hint, printable(location)):
        assert not any(piece in text for piece in ("canary", "secret", "letters"))


@try_all("location", ["me:x@127.0.0.1:1/none", "me:p?#%40@127.0.0.1:1/none", "127.0.0.1:1,127.0.0.1:1/none?user=a@b"])
def test_a_readable_address_is_connected_to(location: str) -> None:
    with pytest.raises(StoreError, match="Connection refused"):
        Store(f"postgresql://{location}")
    assert printable(f"postgresql://{location}").startswith("postgresql://127.0.0.1")
    assert printable(f"postgresql://{location}").endswith("/none")


def test_an_unreachable_database_is_a_store_error() -> None:
    with pytest.raises(StoreError, match="PostgreSQL store can't be used"):
        Store("postgresql://127.0.0.1:1/none")
