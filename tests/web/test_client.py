"""The typed Python client: made from the API description, and sufficient for a whole journey."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from factscope.core.records import Exclusions, Response
from factscope.engine import Settings
from factscope.web import (
    CallError,
    CheckRequest,
    Choices,
    ClaimsRequest,
    DroppedDocument,
    RecheckRequest,
    SegmentRequest,
    ServerClient,
)
from tests.lab import warm

from .served import DOCUMENT, TEXT, server

SECRET = "a-secret-of-this-test"
REQUEST = CheckRequest(text=TEXT, documents=(DroppedDocument(**DOCUMENT),))


@pytest.fixture
def api(port: int, request: pytest.FixtureRequest) -> Iterator[ServerClient]:
    with ServerClient(f"http://127.0.0.1:{port}", f"{SECRET} {request.node.name}") as found:
        yield found


def test_the_client_matches_the_api_description() -> None:
    script = Path(__file__).parents[2] / "scripts" / "client.py"
    done = subprocess.run([warm.python(), script, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_check_is_made_watched_changed_and_deleted(api: ServerClient) -> None:
    with api:
        check = api.create_check(REQUEST, idempotency_key="once")
        assert api.create_check(REQUEST, idempotency_key="once").id == check.id
        events = [event for event in api.watch(check.id) if event.type != "waiting"]
        assert [event.type for event in events][-2:] == ["state", "end"]
        assert list(api.watch(check.id, after=5)) == events[5:]
        whole = api.get_check(check.id)
        assert whole.report
        assert whole.report.verdict("s1").outcome == "supported"
        chosen = api.put_choices(check.id, Choices(exclude=Exclusions(documents=("bridge.txt",))), if_match='"0"')
        assert chosen.revision == 1
        with pytest.raises(CallError) as late:
            api.put_choices(check.id, Choices(), if_match='"0"')
        assert late.value.problem.status == 412
        assert b'"excluded":2' in api.export_check(check.id, format="json").replace(b" ", b"")
        assert [one.id for one in api.list_checks(limit=5).checks] == [check.id]
        assert api.compare_checks(check.id, check.id).n_changed == 0
        api.delete_check(check.id)
        with pytest.raises(CallError, match="There is no check here"):
            api.get_check(check.id)


def test_only_what_changed_is_checked_again(api: ServerClient) -> None:
    text = "The Marlow bridge has six arches. The Marlow bridge was opened in 1940."
    first = api.create_check(REQUEST.model_copy(update={"text": text}))
    list(api.watch(first.id))
    changed = text.replace("1940", "1931")
    planned = api.plan_recheck(first.id, RecheckRequest(text=changed))
    assert planned.changed == ("The Marlow bridge was opened in 1931.",)
    assert planned.kept == 1
    second = api.recheck(first.id, RecheckRequest(text=changed))
    assert second.previous == first.id
    list(api.watch(second.id))
    old, new = api.get_check(first.id).report, api.get_check(second.id).report
    assert old
    assert new
    assert new.verdict("s1.c1") == old.verdict("s1.c1")
    assert old.verdict("s2").outcome == "contradicted"
    assert new.verdict("s2").outcome != "contradicted"
    compared = api.compare_checks(first.id, second.id)
    assert compared.n_compared == 1


def test_steps_setup_and_samples(api: ServerClient) -> None:
    assert len(api.segment_text(SegmentRequest(text=TEXT)).segments) == 3
    assert len(api.extract_claims(ClaimsRequest(response=Response(text=TEXT))).claims) == 3
    setup = api.get_setup()
    assert api.open_sample(setup.samples[0].id).state == "done"
    assert api.estimate_check(REQUEST).calls.high == 0
    assert api.get_health().status == "ok"


def test_the_partial_report_of_a_running_check_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests import lab

    with lab.model_server([{"when": {"contains": "The claim:"}, "do": {"hang": True}}]) as models:
        monkeypatch.setenv("OPENAI_BASE_URL", models.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-lab")
        settings = Settings(store=tmp_path / "runs.db", cache=tmp_path / "cache", model={"*": "openai/lab"})
        with (
            server(settings, str(tmp_path / "server.db")) as port,
            ServerClient(f"http://127.0.0.1:{port}", SECRET) as api,
        ):
            check = api.create_check(REQUEST.model_copy(update={"method": "facts-and-evidence"}))
            next(event for event in api.watch(check.id) if event.type == "passage")
            running = api.get_check(check.id)
            assert running.state == "running"
            assert running.report
            assert running.report.passages
            assert running.report.scores == ()


def test_an_invalid_address_is_refused() -> None:
    from factscope.core import UsageError

    for address in ("localhost:8642", "http://", "http://127.0.0.1:bad", "http://127.0.0.1:99999", "http://[::1"):
        with pytest.raises(UsageError, match="not an address of a server"):
            ServerClient(address, SECRET)


def test_a_secret_is_sent_without_its_trailing_newline_and_never_shown(port: int) -> None:
    from factscope.core import UsageError

    address = f"http://127.0.0.1:{port}"
    with ServerClient(address, f"{SECRET} of a file\n") as api:
        assert api.list_checks().checks == ()
    for secret in (f"{SECRET}\nX: y", f"{SECRET}€"):
        with pytest.raises(UsageError, match="can't be sent") as raised:
            ServerClient(address, secret)
        assert SECRET not in str(raised.value)
