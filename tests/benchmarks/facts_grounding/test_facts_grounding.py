"""`factscope bench facts-grounding` from end to end, against the laboratory."""

from __future__ import annotations

import csv
import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from factscope.benchmarks.facts_grounding import panel_of
from factscope.cli import app
from tests import lab
from tests.lab import warm

BRIDGE = "The Marlow bridge was opened in 1931. It has four arches and is 212 metres long. It was designed by Ida Kern."
TOWN = "The town hall of Marlow stands on the market square. It was finished in 1908."
EXAMPLES = [
    {"id": "bridge", "request": "Tell me about the bridge.", "context": BRIDGE},
    {"id": "town", "request": "Tell me about the town hall.", "context": TOWN},
]
GOOD = {
    "bridge": "The Marlow bridge was opened in 1931. The Marlow bridge was designed by Ida Kern.",
    "town": "The town hall of Marlow stands on the market square, finished in 1908.",
}
WRONG = "The Marlow bridge was opened in 1950. The Marlow bridge has six arches, and much else."
RULES: list[lab.Rule] = [
    {"when": {"model": "good", "contains": "about the bridge"}, "do": {"text": GOOD["bridge"]}},
    {"when": {"model": "good", "contains": "about the town"}, "do": {"text": GOOD["town"]}},
    {"when": {"model": "wrong"}, "do": {"text": WRONG}},
    {"when": {"model": "terse"}, "do": {"text": "The Marlow bridge was opened in 1931."}},
]
JUDGES = ("json=openai/judge-a", "implicit=openai/judge-b", "response=openai/judge-c")


@pytest.fixture(scope="module")
def running_server() -> Iterator[lab.Server]:
    with lab.model_server() as server:
        yield server


@pytest.fixture
def server(running_server: lab.Server) -> lab.Server:
    running_server.script(RULES)
    return running_server


class Bench:
    """The command, with its own store and cache."""

    def __init__(self, folder: Path, server: lab.Server) -> None:
        self.folder = folder
        self.environment = {
            "PATH": "/usr/bin:/bin",
            "OPENAI_BASE_URL": server.base_url,
            "OPENAI_API_KEY": "sk-lab",
            "FACTSCOPE_CACHE": str(folder / "cache"),
            "FACTSCOPE_STORE": str(folder / "runs.db"),
            "COLUMNS": "160",
            "SOURCE_DATE_EPOCH": "1795291200",
        }
        self.data = folder / "examples.jsonl"
        self.data.write_text("\n".join(map(json.dumps, EXAMPLES)), encoding="utf-8")

    def command(self, *arguments: str, models: tuple[str, ...] = (), judges: tuple[str, ...] = JUDGES) -> list[str]:
        words = [warm.python(), "-m", "factscope", "bench", "facts-grounding", "--data", str(self.data), "--quiet"]
        words += ["--resamples", "50"]
        words += [word for model in models for word in ("--model", model)]
        words += [word for judge in judges for word in ("--judge", judge)]
        return [*words, *arguments]

    def run(self, *arguments: str, **who: tuple[str, ...]) -> Result:
        """Run the command in this process; `test_what_is_killed_carries_on` starts a separate one."""
        words = self.command(*arguments, **who)[3:]
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            return CliRunner().invoke(app, words, env=self.environment)

    def values(self, *arguments: str, code: int = 0, **who: tuple[str, ...]) -> dict[str, Any]:
        done = self.run("--format", "json", *arguments, **who)
        assert done.exit_code == code, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found


@pytest.fixture
def bench(tmp_path: Path, server: lab.Server) -> Bench:
    return Bench(tmp_path, server)


def averages(found: dict[str, Any], table: str = "final") -> dict[str, float | None]:
    return {row["model"]: row["average"]["score"] for row in found["summary"][table]["rows"]}


def test_from_examples_to_the_table(bench: Bench, server: lab.Server) -> None:
    models = ("openai/good", "openai/wrong", "openai/terse")
    done = bench.run("-o", "table.json", models=models)
    assert done.exit_code == 0, done.stderr
    found = json.loads((bench.folder / "table.json").read_text(encoding="utf-8"))
    assert found["made"] == "2026-11-21T20:00:00Z"
    assert averages(found) == {"openai/good": 1.0, "openai/wrong": 0.0, "openai/terse": 0.0}
    # A terse reply can be grounded in the document without being an answer.
    assert averages(found, "unadjusted")["openai/terse"] == 0.5
    effects = {one["model"]: one["n_ineligible"] for one in found["summary"]["effects"]}
    assert effects == {"openai/good": 0, "openai/wrong": 0, "openai/terse": 2}
    assert found["examples"]["n"] == 2
    assert len(found["verdicts"]) == 6
    assert [one["template"] for one in found["judges"]] == ["json", "implicit", "response"]
    assert "openai/good" in done.stdout
    assert "100.0" in done.stdout
    # A second run makes no calls.
    server.script(RULES)
    assert bench.values(models=models)["summary"] == found["summary"]
    assert server.count() == 0


def test_a_killed_run_resumes_to_the_same_result(bench: Bench, server: lab.Server) -> None:
    models = ("openai/good", "openai/wrong", "openai/terse")
    slow = [{**rule, "do": {**rule["do"], "delay": 0.05}} for rule in RULES]
    server.script([*slow, {"when": {}, "do": {"delay": 0.05}}])
    asked = 0
    for patience in (4, 9):
        with subprocess.Popen(
            bench.command("--in-flight", "2", models=models),
            env=bench.environment,
            cwd=bench.folder,
            stderr=subprocess.PIPE,
        ) as child:
            while server.count() < patience and child.poll() is None:
                time.sleep(0.02)
            warm.kill(child)
        asked = server.count()
    found = bench.values(models=models)
    assert averages(found) == {"openai/good": 1.0, "openai/wrong": 0.0, "openai/terse": 0.0}
    own_answers, phase_a, phase_b = 3 * 2, 3 * 6, 3 * 6
    in_flight_when_killed = 2 * 2
    assert server.count() <= 6 + own_answers + phase_a + phase_b + in_flight_when_killed
    assert server.count() > asked


OFFICIAL = {
    "json": "Query: {{user_request}} Evidence: {{context_document}} Response: {{response}}\\nUse JSON.",
    "implicit_span_level": "{{user_request}} {{context_document}} {{response}} End with Final Answer.",
    "response_level": "{{user_request}} {{context_document}} {{response}} Let's think step-by-step.",
    "ineligible_responses_filter_no_context": '{{user_request}} test {{response_a}} baseline {{response_b}} {{"a": 1}}',
}


def test_the_published_files_run_unchanged(bench: Bench, server: lab.Server) -> None:
    whole = [f"Use the text.\n\n{row['request']}\n\n{row['context']}" for row in EXAMPLES]
    columns = ("system_instruction", "user_request", "context_document", "full_prompt", "domain")
    rows = [
        ("Use the text.", row["request"], row["context"], full, "Legal")
        for row, full in zip(EXAMPLES, whole, strict=True)
    ]
    for name, header, content in (
        ("examples.csv", columns, rows),
        ("prompts.csv", ("evaluation_method", "evaluation_prompt"), list(OFFICIAL.items())),
    ):
        with (bench.folder / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([header, *content])
    bench.data = bench.folder / "examples.csv"
    sentences = [
        {"sentence": GOOD[name], "label": "supported", "excerpt": excerpt}
        for name, excerpt in (("bridge", "opened in 1931"), ("town", "finished in 1908"))
    ]
    server.script(
        [
            {"when": {"contains": "Use JSON."}, "do": {"text": "\n".join(map(json.dumps, sentences))}},
            {"when": {"contains": "End with Final"}, "do": {"text": "1. Fine.\nFinal Answer: Accurate"}},
            {"when": {"contains": "step-by-step"}, "do": {"text": "One year is wrong.\n\nInaccurate"}},
            {"when": {"contains": "baseline"}, "do": {"text": '{{"Instruction Following": "Minor Issue(s)"}}'}},
            *RULES,
        ]
    )
    found = bench.values("--prompts", "prompts.csv", models=("openai/good",))
    scores = [cell["score"] for cell in found["summary"]["final"]["rows"][0]["cells"]]
    assert scores == [1.0, 1.0, 0.0]
    asked = [json.loads(row["body"])["messages"] for row in server.log()]
    assert all(len(one) == 1 for one in asked)
    assert sum(one[0]["content"] in whole for one in asked) == 2 * (1 + 3)


def test_a_candidate_added_later_costs_only_its_own_calls(bench: Bench, server: lab.Server) -> None:
    bench.values(models=("openai/good",))
    before = server.count()
    found = bench.values(models=("openai/good", "openai/wrong"))
    assert set(averages(found)) == {"openai/good", "openai/wrong"}
    assert server.count() - before == 2 + 2 * 3 * 2  # its answers, and both phases by each judge; no new baseline


def test_a_judge_that_is_also_a_candidate_is_marked_and_answers_once(bench: Bench, server: lab.Server) -> None:
    judges = ("json=openai/judge-a", "response=openai/judge-b")
    done = bench.run(models=("openai/judge-a", "openai/good"), judges=judges)
    line = next(line for line in done.stdout.splitlines() if "openai/judge-a" in line)
    assert line.count("*") == 1
    assert "* the judge judges its own answers" in done.stdout
    assert "Preference of judge for its own answers" in done.stdout
    own = [json.loads(row["body"]) for row in server.log() if len(json.loads(row["body"])["messages"]) == 1]
    assert sum(body["model"] == "judge-a" for body in own) == 2  # once per example, for both candidate and judge


def test_answers_from_a_file_need_no_candidate_and_empty_ones_no_judge(bench: Bench, server: lab.Server) -> None:
    rows = [
        {"id": "bridge", "model": "mine", "response": GOOD["bridge"]},
        {"id": "town", "model": "mine", "response": "  "},
    ]
    path = bench.folder / "answers.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    found = bench.values("--answers", str(path))
    assert averages(found) == {"mine": 0.5}
    assert found["counts"]["empty_answers"] == 1
    assert found["summary"]["effects"][0]["n_ineligible"] == 1
    assert all("town hall" not in row["body"] for row in server.log())
    assert found["summary"]["agreement"][0]["grounding"]["n"] == 1
    (bench.folder / "table.json").write_text(json.dumps(found), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(bench.folder)
        words = ["bench", "facts-table", "table.json", "--resamples", "50", "-f", "json"]
        again = CliRunner().invoke(app, words, env=bench.environment)
    assert json.loads(again.stdout)["summary"] == found["summary"], "the file says which answers nobody judged"


@pytest.mark.parametrize("model", ["mine", "openai/good"])
@pytest.mark.parametrize("row", [[], [{"id": "town", "response": None}]])
def test_answers_absent_from_a_file_are_missing_and_no_model_is_asked(
    model: str, row: list[dict[str, Any]], bench: Bench, server: lab.Server
) -> None:
    rows = [{"id": "bridge", "response": GOOD["bridge"]}, *row]
    path = bench.folder / "answers.jsonl"
    path.write_text("\n".join(json.dumps({**one, "model": model}) for one in rows), encoding="utf-8")
    found = bench.values("--answers", str(path), code=1)
    assert averages(found) == {model: 1.0}
    assert found["counts"]["missing_answers"] == 1
    assert [one["accurate"] for one in found["verdicts"]] == [[True, True, True], [None, None, None]]
    assert not any(json.loads(row["body"])["model"] == "good" for row in server.log())
    forecast = bench.values("--answers", str(path), "--dry-run")
    assert forecast["responses"] == 1
    assert "answers_to_write" not in forecast


def test_an_unusable_row_gives_exit_code_1_and_does_not_affect_the_others(bench: Bench) -> None:
    answers = bench.folder / "answers.jsonl"
    rows = [{"id": name, "model": "mine", "response": text} for name, text in GOOD.items()]
    answers.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert averages(bench.values("--answers", str(answers))) == {"mine": 1.0}
    for path in (answers, bench.data):
        whole = path.read_text(encoding="utf-8")
        path.write_text(f"{whole}\n{{broken", encoding="utf-8")
        done = bench.run("--format", "json", "--answers", str(answers))
        assert done.exit_code == 1
        assert "rows that can't be used: is not JSON: " in done.stderr
        assert f"({path.name} row 3)" in done.stderr
        assert "Run the same command again" not in done.stderr
        assert averages(json.loads(done.stdout)) == {"mine": 1.0}
        path.write_text(whole, encoding="utf-8")


def test_a_model_named_with_its_answers_is_asked_only_for_the_missing_ones(bench: Bench) -> None:
    path = bench.folder / "answers.jsonl"
    path.write_text(json.dumps({"id": "bridge", "model": "openai/good", "response": GOOD["bridge"]}), encoding="utf-8")
    found = bench.values("--answers", str(path), models=("openai/good",))
    assert found["counts"]["missing_answers"] == 0
    assert averages(found) == {"openai/good": 1.0}


def test_failed_calls_are_missing_and_retried_by_the_same_command(bench: Bench, server: lab.Server) -> None:
    server.script([{"when": {"model": "judge-b"}, "do": {"status": 400}}, *RULES])
    found = bench.values(models=("openai/good",), code=1)
    cells = {cell["judge"]: cell for cell in found["summary"]["final"]["rows"][0]["cells"]}
    assert (cells["openai/judge-b"]["score"], cells["openai/judge-b"]["n_missing"]) == (None, 2)
    assert cells["openai/judge-a"]["score"] == 1.0
    assert averages(found) == {"openai/good": None}
    assert "NaN" not in json.dumps(found)
    assert found["counts"]["responses_with_failures"] == 2
    server.script(RULES)
    assert averages(bench.values(models=("openai/good",))) == {"openai/good": 1.0}
    assert {json.loads(row["body"])["model"] for row in server.log()} == {"judge-b"}


def test_failing_and_refusing_candidates_are_scored_and_counted(bench: Bench, server: lab.Server) -> None:
    server.script(
        [
            {"when": {"model": "good", "contains": "about the bridge"}, "do": {"status": 400}},
            {"when": {"model": "wrong"}, "do": {"refusal": "No."}},
            *RULES,
        ]
    )
    found = bench.values(models=("openai/good", "openai/wrong"), code=1)
    assert averages(found) == {"openai/good": 1.0, "openai/wrong": 0.0}
    assert found["counts"]["missing_answers"] == 1
    assert [(one["model"], one["n"]) for one in found["summary"]["refusals"]] == [
        ("openai/good", 0),
        ("openai/wrong", 2),
    ]


def test_scores_corrected_for_the_errors_of_a_judge(bench: Bench) -> None:
    path = bench.folder / "errors.json"
    path.write_text(json.dumps({"openai/judge-a": {"tp": 90, "fp": 20, "fn": 10, "tn": 80}}), encoding="utf-8")
    found = bench.values("--judge-errors", str(path), models=("openai/good",))
    (cell,) = found["summary"]["corrected"]
    assert (cell["judge"], cell["corrected"]["value"], cell["corrected"]["clipped"]) == ("openai/judge-a", 1.0, True)


@pytest.mark.parametrize(
    ("arguments", "judges", "message"),
    [
        ((), ("openai/judge-a",), "two to nine judges, not 1"),
        (("--model", "openai/good", "--prompts", "nothing.csv"), JUDGES, "can't be read"),
        ((), JUDGES, "nothing to measure"),
        (("--model", "nobody/good"), JUDGES, "Unknown provider"),
        (("--model", "openai/good", "--judge-errors", "examples.jsonl"), JUDGES, "has no error counts of judges"),
    ],
)
def test_wrong_calls_are_refused_before_any_call_is_made(
    bench: Bench, server: lab.Server, arguments: tuple[str, ...], judges: tuple[str, ...], message: str
) -> None:
    done = bench.run(*arguments, judges=judges)
    assert done.exit_code == 2, done.stderr
    assert message in done.stderr
    assert server.count() == 0


def test_a_judge_that_skips_most_of_a_response_is_reported(bench: Bench, server: lab.Server) -> None:
    one = {"sentence": "The Marlow bridge was opened in 1931.", "label": "supported", "excerpt": "opened in 1938"}
    strict: lab.Rule = {"when": {"contains": "Be very strict"}, "do": {"text": json.dumps(one)}}
    coded = f"The Marlow bridge was opened in 1931.\n\n```\n{'bridge = open(1931)' * 4}\n```"  # code may be left out
    server.script([strict, {"when": {"model": "good"}, "do": {"text": coded}}, *RULES])
    done = bench.run("--limit", "1", "-o", "table.json", models=("openai/good",))
    sentences = json.loads((bench.folder / "table.json").read_text(encoding="utf-8"))["counts"]["sentences"]
    assert sentences == {
        "n": 1,
        "unaligned": 0,
        "quote_not_found": 1,
        "quote_missing": 0,
        "downgraded": 0,
        "in_pieces": 0,
        "sparse": 1,
    }
    assert "listed less than half of it" in done.stdout
    assert "an excerpt that is not in the document" in done.stdout


def test_judges_of_a_panel_have_distinct_names() -> None:
    panel = panel_of(("a/x", "span=a/x", "a/y", "json=a/x"))
    assert panel.names() == ("a/x (json) #1", "a/x (span)", "a/y", "a/x (json) #2")


# Documents too long for a judge to read


LONG = f"{BRIDGE}\n\n" + "The council met in the morning and spoke about hedges.\n\n" * 700 + TOWN


def test_judging_long_documents_in_pieces_is_reported(bench: Bench, server: lab.Server) -> None:
    bench.data.write_text(json.dumps({**EXAMPLES[0], "context": LONG}), encoding="utf-8")
    models = ("openai/good", "openai/wrong")
    done = bench.run("--window", "5000", "-o", "table.json", models=models)
    assert done.exit_code == 0, done.stderr
    found = json.loads((bench.folder / "table.json").read_text(encoding="utf-8"))
    assert averages(found) == {"openai/good": 1.0, "openai/wrong": 0.0}
    assert found["counts"]["sentences"]["in_pieces"] == 2 * 3
    assert [one["window"] for one in found["method"]["judge"]["judges"]] == [5000] * 3
    assert "6 judgements are of documents longer than the judge's window" in done.stdout
    judged = [json.loads(row["body"]) for row in server.log() if len(json.loads(row["body"])["messages"]) > 1]
    assert all(sum(len(part["content"]) for part in one["messages"]) / 4 < 5000 for one in judged)


@pytest.mark.parametrize("window", ["many", "0", "openai/nobody=4000"])
def test_an_invalid_window_is_refused(bench: Bench, window: str) -> None:
    done = bench.run("--window", window, models=("openai/good",))
    assert done.exit_code == 2
    assert "--window" in done.stderr


def test_a_window_can_be_set_for_one_judge(bench: Bench) -> None:
    found = bench.values("--window", "openai/judge-b=9000", models=("openai/good",))
    assert [one["window"] for one in found["method"]["judge"]["judges"]] == [0, 9000, 0]
    assert found["counts"]["sentences"]["in_pieces"] == 0


# Estimated cost


def test_a_dry_run_makes_no_calls_and_lists_the_planned_ones(bench: Bench, server: lab.Server) -> None:
    models = ("openai/good", "openai/wrong")
    before = bench.values("--dry-run", models=models)
    assert server.count() == 0
    assert (before["responses"], before["answers_to_write"], before["cached_calls"]) == (4, 4, 0)
    assert before["calls"] == [4 * (1 + 3 + 3), 4 * (1 + 3 + 6)]
    bench.values("--limit", "1", models=models)
    made = server.count()
    after = bench.values("--dry-run", models=models)
    assert server.count() == made
    assert after["answers_to_write"] == 2
    assert after["cached_calls"] == 2 * 3 * 3  # a judge's own answer is cached once, and read for each response
    assert after["calls"] == [value / 2 for value in before["calls"]]
    assert before["calls"][0] / 2 <= made <= before["calls"][1] / 2


def test_a_dry_run_accounts_for_windows_and_prices(bench: Bench) -> None:
    bench.data.write_text(json.dumps({**EXAMPLES[0], "context": LONG}), encoding="utf-8")
    judges, models = ("openai/a", "span=openai/b"), ("openai/c",)
    assert bench.values("--dry-run", models=models, judges=judges)["cost"] is None
    prices = bench.folder / "prices.json"
    prices.write_text(json.dumps({"models": {f"openai/{name}": [1, 4] for name in "abc"}}), encoding="utf-8")
    bench.environment["FACTSCOPE_PRICES"] = str(prices)
    whole = bench.values("--dry-run", models=models, judges=judges)
    pieces = bench.values("--dry-run", "--window", "5000", models=models, judges=judges)
    assert 0 < whole["cost"][0] < whole["cost"][1]
    assert pieces["calls"][1] > whole["calls"][1]
    shown = bench.run("--dry-run", models=models, judges=judges).stdout
    assert "answers to write" in shown
    assert "no call was made" in shown
