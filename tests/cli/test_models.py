"""The command line with language models: calls made, replies cached, reasons to stop, and the messages about them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import lab
from tests.lab import warm

from .test_cli import clean_environment, one_line

TEXT = "The Marlow bridge was opened in 1931. It has six arches. The town hall was finished in 1908."
Result = subprocess.CompletedProcess[str]


@pytest.fixture
def server() -> Iterator[lab.Server]:
    with lab.model_server() as made:
        yield made


class Place:
    """A folder with a text, evidence and a model, and the command run in it."""

    def __init__(self, folder: Path, documents: Path, server: lab.Server) -> None:
        self.folder, self.documents, self.server = folder, documents, server
        self.text = folder / "text.txt"
        self.text.write_text(TEXT, encoding="utf-8")

    def environment(self, **more: str) -> dict[str, str]:
        secrets = {"OPENAI_BASE_URL": self.server.base_url, "OPENAI_API_KEY": "sk-lab-canary"}
        return clean_environment(self.folder) | secrets | more

    def __call__(self, *arguments: str | Path, **environment: str) -> Result:
        return subprocess.run(
            [warm.python(), "-m", "factscope", *map(str, arguments)],
            capture_output=True,
            text=True,
            cwd=self.folder,
            env=self.environment(**environment),
            stdin=subprocess.DEVNULL,
        )

    def check(self, *arguments: str | Path, **environment: str) -> Result:
        return self("check", self.text, "-e", self.documents, "--model", "openai/lab", *arguments, **environment)

    def report(self, *arguments: str | Path, **environment: str) -> dict:
        done = self.check("--format", "json", "-q", *arguments, **environment)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture
def place(tmp_path: Path, documents: Path, server: lab.Server) -> Place:
    return Place(tmp_path, documents, server)


def test_standard_is_the_method_when_a_model_is_named(place: Place) -> None:
    report = place.report()
    assert report["method"]["name"] == "standard"
    assert set(report["models"].values()) == {"openai/lab"}
    assert report["counts"]["contradicted"] == 1
    assert report["corrections"][0]["text"]
    done = place.check()
    assert "no model was called" in done.stderr
    assert "sk-lab-canary" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--model", "opnai/x"], 2, "Did you mean openai?"),
        (["--model", "gpt-4"], 2, "provider/model"),
        (["--model", "mistral/x"], 2, "MISTRAL_API_KEY"),
        (["--model", "juge=openai/lab"], 2, "Did you mean judge?"),
        (["--model", "judge="], 2, "without a model"),
        (["--model", "judge=openai/a", "--model", "judge=openai/b"], 2, "two models for judge"),
        (["--max-cost", "1"], 2, "price"),
        (["-m", "wrong.toml"], 2, "sampels"),
        (["-m", "prompt.toml"], 2, "nowhere.md"),
        (["--replay", "nothing.jsonl"], 1, "nothing.jsonl"),
    ],
)
def test_a_wrong_call_is_one_message_and_no_call(place: Place, arguments: list[str], code: int, said: str) -> None:
    (place.folder / "wrong.toml").write_text('name="x"\ntitle="t"\nbased_on="standard"\n[judge]\nsampels=3\n')
    (place.folder / "prompt.toml").write_text(
        'name="x"\ntitle="t"\nbased_on="standard"\n[judge]\nprompt="nowhere.md"\n'
    )
    instead = arguments[0] == "--model" and "=" not in arguments[1]
    done = place("check", place.text, "-e", place.documents, *arguments) if instead else place.check(*arguments)
    assert done.returncode == code, done.stderr
    assert said in one_line(done) + done.stderr
    assert place.server.count() == 0


@pytest.mark.parametrize(("status", "said"), [(401, "OPENAI_API_KEY"), (404, "openai/lab"), (403, "OPENAI_API_KEY")])
def test_a_bad_key_or_model_stops_after_two_calls(place: Place, status: int, said: str) -> None:
    place.server.script([{"do": {"status": status, "json": {"error": {"message": "no such thing"}}}}])
    done = place.check("--method", "verify")
    assert done.returncode == 1
    assert said in done.stderr
    assert place.server.count() <= 2
    assert "sk-lab-canary" not in done.stdout + done.stderr


@pytest.mark.medium
def test_an_unused_model_is_an_error_only_if_named_on_the_command_line(place: Place) -> None:
    data, config = rows(place, 1), {"FACTSCOPE_MODEL": "openai/lab"}
    asked = [
        ("check", place.text, "-e", place.documents, "--method", "builtin"),
        ("check", place.text, "-e", place.documents, "--method", "builtin", "--dry-run"),
        ("check", place.text, "-e", place.documents, "--verifier", "builtin-features"),
        ("run", data, "-e", place.documents, "--method", "builtin"),
        ("review", place.text, "-e", place.documents, "--method", "builtin", "--min-score", "0"),
    ]
    for words in asked:
        refused = place(*words, "--model", "judge=openai/lab")
        assert refused.returncode == 2, words
        assert "asks no language model: judge=openai/lab would not be used" in one_line(refused)
        assert place(*words, **config).returncode == 0, words
    assert place.server.count() == 0


def test_an_unreachable_server_is_named(place: Place) -> None:
    done = place.check(OPENAI_BASE_URL="http://127.0.0.1:9/v1")
    assert done.returncode == 1
    assert "Is the server running?" in done.stderr


@pytest.mark.medium
def test_an_unreachable_proxy_is_named_without_its_password(place: Place) -> None:
    proxies = {"HTTPS_PROXY": "http://me:hunter2@127.0.0.1:9", "OPENAI_BASE_URL": "https://models.example/v1"}
    done = place.check(**proxies)
    assert done.returncode == 1
    assert "openai/lab at https://models.example/v1, through the proxy 127.0.0.1:9: connection refused." in done.stderr
    assert "HTTPS_PROXY" in done.stderr
    assert "hunter2" not in done.stdout + done.stderr
    assert place.check(**proxies, NO_PROXY="models.example").stderr.count("proxy") == 0


def test_a_model_that_ignores_the_schema_leaves_failures_and_no_labels(place: Place) -> None:
    place.server.script([{"do": {"text": "I would rather not say."}}])
    done = place.check("--format", "json", "-q")
    assert done.returncode == 1
    assert "3 of 3 claims failed" in done.stderr
    report = json.loads(done.stdout)
    assert report["counts"]["failed"] == 3
    assert report["judgements"] == []
    assert {failure["stage"] for failure in report["failures"]} == {"claims"}
    place.server.script([])
    assert place.report()["counts"]["failed"] == 0  # the same command retries failures


def test_an_estimate_makes_no_call_and_knows_the_cache(place: Place) -> None:
    before = json.loads(place.check("--dry-run", "--format", "json").stdout)
    assert place.server.count() == 0
    assert before["calls"][0] >= 2
    assert before["cached_calls"] == 0
    assert before["cost"] is None
    place.report()
    made = place.server.count()
    after = json.loads(place.check("--dry-run", "--format", "json").stdout)
    assert after["calls"] == [0, 0]
    assert after["cached_calls"] == made == place.server.count()
    assert before["calls"][0] <= made <= before["calls"][1]


def test_a_recording_replays_without_key_server_or_cache(place: Place, tmp_path: Path) -> None:
    first = place.report("--record", tmp_path / "calls.jsonl", "--no-store")
    assert "sk-lab-canary" not in (tmp_path / "calls.jsonl").read_text()
    nothing = {"OPENAI_API_KEY": "", "OPENAI_BASE_URL": "", "FACTSCOPE_CACHE": str(tmp_path / "other")}
    again = place.report("--replay", tmp_path / "calls.jsonl", "--no-store", **nothing)
    for report in (first, again):
        del report["usage"]  # the first run made the calls, the second reused them
    assert again == first
    other = place.check("--replay", tmp_path / "calls.jsonl", "--no-store", "--method", "verify", "-q", **nothing)
    assert "Record the run again" in other.stdout + other.stderr
    (tmp_path / "temporary").mkdir()
    broken = place.check("--replay", place.text, "--method", "verify", TMPDIR=str(tmp_path / "temporary"), **nothing)
    assert "line 1, is not a recorded call" in broken.stderr
    assert list(tmp_path.glob("temporary/factscope-*")) == []


def test_batch_files_are_answered_step_by_step(place: Place, tmp_path: Path) -> None:
    """A whole check through files: commands write missing requests, and someone puts the replies beside them."""
    direct = place.report("--no-store", FACTSCOPE_CACHE=str(tmp_path / "direct"))
    made = place.server.count()
    folder = tmp_path / "batch"
    for step in range(10):
        done = place.check("--batch", folder, "--no-store", "--format", "json", "-q", OPENAI_API_KEY="")
        if done.returncode == 0:
            break
        assert "calls are waiting in" in done.stderr
        requests = [
            json.loads(line) for path in folder.glob("requests-*.jsonl") for line in path.read_text().splitlines()
        ]
        assert requests
        replies = [
            {"custom_id": asked["custom_id"], "response": {"status_code": 200, "body": answer(place.server, asked)}}
            for asked in requests
        ]
        (folder / f"replies-{step}.jsonl").write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    by_files = json.loads(done.stdout)
    assert {v["unit_id"]: v["outcome"] for v in by_files["verdicts"]} == {
        v["unit_id"]: v["outcome"] for v in direct["verdicts"]
    }
    assert not list(folder.glob("requests-*.jsonl"))
    assert place.server.count() == 2 * made


def test_a_limit_is_refused_with_batch_files(place: Place, tmp_path: Path) -> None:
    for limit in ("--max-calls", "--max-tokens", "--max-cost"):
        done = place.check("--batch", tmp_path / "batch", limit, "1")
        assert (done.returncode, limit[2:].replace("-", "_") in done.stderr) == (2, True), done.stderr
        one_line(done)
    assert not (tmp_path / "batch").exists()


def answer(server: lab.Server, asked: dict) -> dict:
    from urllib.request import Request, urlopen

    request = Request(f"{server.base_url}/chat/completions", json.dumps(asked["body"]).encode())
    with urlopen(request) as reply:
        return json.loads(reply.read())


def test_a_spent_budget_ends_the_calls_and_the_same_command_resumes(place: Place) -> None:
    done = place.check("--max-calls", "1", "--format", "json", "-q")
    report = json.loads(done.stdout)
    assert place.server.count() == 1
    assert report["counts"]["failed"] > 0
    assert {failure["boundary"] for failure in report["failures"]} == {"budget"}
    assert place.report()["counts"]["failed"] == 0


def rows(place: Place, number: int) -> Path:
    path = place.folder / "answers.jsonl"
    lines = [{"id": f"a{n}", "response": f"The Marlow bridge was opened in {1931 + n % 2}."} for n in range(number)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def run(place: Place, data: Path, *arguments: str | Path, **environment: str) -> Result:
    return place("run", data, "-e", place.documents, "--model", "openai/lab", *arguments, **environment)


def test_one_run_checks_many_responses(place: Place) -> None:
    data = rows(place, 6)
    done = run(place, data, "-o", place.folder / "claims.csv")
    assert done.returncode == 0, done.stderr
    assert "6 responses" in done.stderr
    assert len((place.folder / "claims.csv").read_text().splitlines()) == 7
    made = place.server.count()
    again = run(place, data, "--format", "jsonl")
    assert again.returncode == 0
    assert [json.loads(line)["response"]["id"] for line in again.stdout.splitlines()] == [f"a{n}" for n in range(6)]
    assert place.server.count() == made
    assert "6 of them kept from before" in again.stderr


@pytest.mark.medium
def test_short_responses_share_calls_on_request_and_in_replays(place: Place) -> None:
    data = place.folder / "answers.jsonl"
    texts = ("was opened in 1931", "has four arches", "is 212 metres long")
    data.write_text("".join(json.dumps({"response": f"The Marlow bridge {text}."}) + "\n" for text in texts))
    assert run(place, data, "-o", place.folder / "alone.jsonl", "--store", place.folder / "alone.db").returncode == 0
    recorded = (data, "--share-calls", "--record", place.folder / "calls.jsonl", "-o", place.folder / "shared.jsonl")
    place.server.script([])
    done = run(place, *recorded, FACTSCOPE_CACHE=str(place.folder / "fresh"))
    assert done.returncode == 0, done.stderr
    judging = [call for call in place.server.log() if "You are given passages, claims" in call["body"]]
    assert [all(f"r{n}.s1.c1" in call["body"] for n in (1, 2, 3)) for call in judging] == [True]
    replayed = ("--share-calls", "--replay", place.folder / "calls.jsonl", "--store", place.folder / "replayed.db")
    asked = place.server.count()
    assert run(place, data, *replayed, "-o", place.folder / "replayed.jsonl").returncode == 0
    assert place.server.count() == asked
    found = [
        [json.loads(line)["counts"] for line in (place.folder / f"{name}.jsonl").read_text().splitlines()]
        for name in ("alone", "shared", "replayed")
    ]
    assert found[0] == found[1] == found[2]


def test_a_method_without_shareable_calls_gets_a_notice(place: Place) -> None:
    done = run(place, rows(place, 2), "--method", "facts-and-evidence", FACTSCOPE_SHARE_CALLS="true")
    assert done.returncode == 0
    assert "The method facts-and-evidence has no calls that responses can share." in done.stderr


def test_a_bad_row_is_named_and_the_rest_is_used(place: Place) -> None:
    data = rows(place, 2)
    with data.open("a") as file:
        file.write('{"id": "a9", "response": ""}\nnot JSON\n')
    done = run(place, data, "--format", "jsonl")
    assert done.returncode == 1
    kinds = [json.loads(line)["type"] for line in done.stdout.splitlines()]
    assert kinds == ["report", "report", "left_out", "left_out"]
    assert "Row 3" in done.stderr
    assert "Row 4" in done.stderr
    nothing = place.folder / "nothing.jsonl"
    nothing.write_text('{"id": 1, "colour": "red"}\n')
    wrong = run(place, nothing)
    assert wrong.returncode in (1, 2)
    assert "colour" in wrong.stderr


def test_a_run_retries_only_failed_checks(place: Place) -> None:
    data = rows(place, 6)
    place.server.script([{"when": {"contains": "1932"}, "do": {"text": "no"}}])
    done = run(place, data, "--format", "jsonl")
    assert done.returncode == 1
    assert "3 with failures" in done.stderr
    place.server.script([])
    done = run(place, data, "--format", "jsonl")
    assert done.returncode == 0
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(report["counts"]["failed"] == 0 for report in reports)
    assert all("1932" in call["body"] for call in place.server.log())


@pytest.mark.medium
def test_one_interrupt_keeps_what_was_in_flight(place: Place) -> None:
    data = place.folder / "answers.jsonl"
    lines = [json.dumps({"response": f"The Marlow bridge {n} was opened in 1931."}) for n in range(40)]
    data.write_text("\n".join(lines), encoding="utf-8")
    place.server.script([{"do": {"delay": 0.4}}])
    command = [warm.python(), "-m", "factscope", "run", str(data), "-e", str(place.documents), "--model", "openai/lab"]
    process = subprocess.Popen(
        command, cwd=place.folder, env=place.environment(), stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    while process.poll() is None and place.server.count() < 8:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130, err
    assert "in flight" in err
    assert "run the same command again to carry on" in err
    assert "Traceback" not in err
    asked = {call["body"] for call in place.server.log()}
    place.server.script([])
    assert run(place, data, "-q").returncode == 0
    assert not asked & {call["body"] for call in place.server.log()}  # no request is repeated


@pytest.mark.medium
def test_two_runs_are_compared(place: Place) -> None:
    data = rows(place, 6)
    assert run(place, data, "-q").returncode == 0
    assert place("run", data, "-e", place.documents, "--method", "builtin", "-q").returncode == 0
    from factscope.engine import Store

    with Store(place.folder / "runs.db") as store:
        ids = [row.id for row in store.runs()]
    done = place("compare", *ids, "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)
    assert place("compare", ids[0], "zzz").returncode == 2
    file = place("export", data, "--to", "phoenix")
    assert file.returncode == 2
    assert "is a file; a stored check is needed here" in file.stderr
    assert "is not a record of a report" in place("compare", ids[0], data).stderr
    assert "compare" in place("compare", *ids).stdout or os.name


def test_a_missing_data_set_is_one_message_and_leaves_no_run(place: Place) -> None:
    done = run(place, place.folder / "missing.jsonl")
    assert done.returncode in (1, 2)
    one_line(done)
    assert "no checks are stored yet" in place("export", "last").stderr


@pytest.mark.medium
def test_progress_shows_the_pending_calls(place: Place) -> None:
    busy = {"status": 429, "headers": {"Retry-After": "3"}}
    place.server.script([{"when": {"first": 1}, "do": busy}])
    done = place.check("--progress", "json", "--no-store", "--timeout", "30")
    assert done.returncode in (0, 1), done.stderr
    lines = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    waits = [line["waiting"] for line in lines if "waiting" in line]
    assert "extracting claims from 3 sentences · attempt 2 of 6 · the server asked to wait 3 s" in waits
