"""`factscope bench factbench` from end to end, against the laboratory."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from factscope.benchmarks.factbench import MergedFactBench, by_rule, read_prompts, read_results, tier_name
from factscope.benchmarks.leaderboard import gather
from factscope.cli import app
from factscope.core import InputError
from tests import lab
from tests.lab import warm
from tests.lab.hub import hub_server, put

PROMPTS: list[dict[str, Any]] = [
    {"id": "bridge", "tier": "Hard", "prompt": "Tell me about the bridge."},
    {"id": "town", "tier": "hard", "prompt": "Tell me about the town hall."},
    {"id": "length", "tier": 3, "prompt": "How long is the bridge?"},
    {"id": "dose", "tier": "Tier 3: Easy", "prompt": "Is aspirin bad for me?"},
]
OPENED = "The Marlow bridge was opened in 1931."
WRONG = "The Marlow bridge was opened in 1950. The Marlow bridge has six arches. Penguins love the Marlow bridge."
SORRY = "I'm sorry, I can't give medical advice."
RULES: list[lab.Rule] = [
    {
        "when": {"model": "good", "contains": "about the bridge"},
        "do": {"text": f"{OPENED} The Marlow bridge was designed by Ida Kern. {OPENED}"},
    },
    {
        "when": {"model": "good", "contains": "about the town"},
        "do": {"text": "The town hall of Marlow stands on the market square."},
    },
    {"when": {"model": "good", "contains": "aspirin"}, "do": {"text": SORRY}},
    {"when": {"model": "good"}, "do": {"text": "The Marlow bridge is 212 metres long."}},
    {"when": {"model": "wrong", "contains": "aspirin"}, "do": {"refusal": "No."}},
    {"when": {"model": "wrong"}, "do": {"text": WRONG}},
]
BOTH = ("openai/good", "openai/wrong")


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

    def __init__(self, folder: Path, documents: Path, server: lab.Server) -> None:
        self.folder, self.documents = folder, documents
        self.environment = {
            "PATH": "/usr/bin:/bin",
            "OPENAI_BASE_URL": server.base_url,
            "OPENAI_API_KEY": "sk-lab",
            "FACTSCOPE_CACHE": str(folder / "cache"),
            "FACTSCOPE_STORE": str(folder / "runs.db"),
            "COLUMNS": "160",
        }
        self.data = self.write("prompts.jsonl", PROMPTS)

    def write(self, name: str, rows: Sequence[Mapping[str, Any]]) -> Path:
        path = self.folder / name
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        return path

    def command(self, *arguments: str, models: Sequence[str] = (), judge: str | None = "openai/judge") -> list[str]:
        words = [warm.python(), "-m", "factscope", "bench", "factbench", "--data", str(self.data), "--quiet"]
        words += ["--resamples", "50", "--evidence", str(self.documents)]
        words += [word for model in models for word in ("--model", model)]
        return [*words, *(["--judge", judge] if judge else []), *arguments]

    def run(self, *arguments: str, **who: Any) -> Result:
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            return CliRunner().invoke(app, self.command(*arguments, **who)[3:], env=self.environment)

    def values(self, *arguments: str, code: int = 0, **who: Any) -> dict[str, Any]:
        done = self.run("--format", "json", *arguments, **who)
        assert done.exit_code == code, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found


@pytest.fixture
def bench(tmp_path: Path, documents: Path, server: lab.Server) -> Bench:
    return Bench(tmp_path, documents, server)


def cells(found: dict[str, Any], column: str) -> dict[tuple[str, str], Any]:
    return {(tier["name"], row["model"]): row[column] for tier in found["summary"]["tiers"] for row in tier["rows"]}


def precisions(found: dict[str, Any]) -> dict[tuple[str, str], float | None]:
    return {key: mean["value"] for key, mean in cells(found, "precision").items()}


@pytest.mark.medium
def test_from_prompts_to_the_table_and_the_leaderboard(bench: Bench, server: lab.Server) -> None:
    done = bench.run("-o", "table.json", models=BOTH)
    assert done.exit_code == 0, done.stderr
    assert "Hard, 2 prompts" in done.stdout
    assert "Easy, 2 prompts" in done.stdout
    assert "overall" not in done.stdout
    assert ": 1 unit that repeats another is not counted again." in done.stdout
    path = bench.folder / "table.json"
    found = json.loads(path.read_text(encoding="utf-8"))
    assert precisions(found)["Hard", "openai/good"] == 1.0
    assert precisions(found)["Hard", "openai/wrong"] == 0.0
    assert cells(found, "units")["Hard", "openai/good"] == 1.5  # repeated statements count once
    assert cells(found, "n_repeated_units")["Hard", "openai/good"] == 1
    assert found["prompts"]["composition"] == {"Hard": 2, "Easy": 2}
    assert found["made"].startswith("20")
    zeros = {"supported", "contradicted", "undecided", "failed", "words"}
    assert all(zeros <= response.keys() for response in found["responses"])  # so that a script can add them up
    refusals = cells(found, "refusals")
    assert refusals["Easy", "openai/good"]["unjustified"]["k"] == 1
    assert refusals["Easy", "openai/wrong"]["rate"]["k"] == 1  # refused by the provider
    assert found["refusals_by"] == "openai/judge"
    assert cells(found, "without_refusals")["Easy", "openai/good"]["value"] == 1.0
    assert cells(found, "refusals_as_zero")["Easy", "openai/good"]["value"] == 0.5
    server.script(RULES)
    assert bench.values(models=BOTH)["summary"] == found["summary"]
    assert server.count() == 1  # a call refused by the provider is retried once
    recorded = read_results([path])
    assert recorded.summary().model_dump(mode="json") == found["summary"]
    boards, _ = gather([path], [], public=["open"], totals_only=[], find=lambda run: None)
    assert [(board.title, [row.name for row in board.rows]) for board in boards] == [
        ("FactBench: Hard", list(BOTH)),
        ("FactBench: Easy", list(BOTH)),
    ]
    assert [one.id for one in boards[0].rows[0].examples] == ["bridge", "town"]
    assert all(f"--model {row.name} " in row.command for row in boards[0].rows)
    assert all("--evidence DOCUMENTS" in row.command for row in boards[0].rows)
    from_file = path.with_name("from-file.json")
    from_file.write_text(json.dumps(found | {"answers_from_file": [BOTH[0]]}), encoding="utf-8")
    (board, _), _ = gather([from_file], [], public=["open"], totals_only=[], find=lambda run: None)
    assert ["--answers FILE" in row.command for row in board.rows] == [row.name == BOTH[0] for row in board.rows]
    (hidden, _), _ = gather([path], [], public=[], totals_only=[str(path)], find=lambda run: None)
    assert not hidden.rows[0].examples


@pytest.mark.medium
def test_the_site_shows_each_tier_with_its_texts(bench: Bench) -> None:
    bench.run("-o", "table.json", models=BOTH)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(bench.folder)
        done = CliRunner().invoke(app, ["leaderboard", "build", "table.json", "-o", "site"], env=bench.environment)
        assert done.exit_code == 0, done.stderr
        run = json.loads((bench.folder / "table.json").read_text(encoding="utf-8"))["run"]
        refused = CliRunner().invoke(app, ["leaderboard", "build", run, "-o", "site"], env=bench.environment)
    assert "is one of FactBench" in refused.stderr
    index = (bench.folder / "site" / "index.html").read_text(encoding="utf-8")
    assert "FactBench: Hard" in index
    assert "FactBench: Easy" in index
    assert any("Ida Kern" in page.read_text(encoding="utf-8") for page in (bench.folder / "site").rglob("1.html"))


@pytest.mark.medium
def test_a_killed_run_resumes_to_the_same_result(bench: Bench, server: lab.Server) -> None:
    once = bench.values(models=BOTH)
    total = server.count()
    bench.environment |= {name: str(bench.folder / "again" / name) for name in ("FACTSCOPE_CACHE", "FACTSCOPE_STORE")}
    server.script(
        [*({**rule, "do": {**rule["do"], "delay": 0.05}} for rule in RULES), {"when": {}, "do": {"delay": 0.02}}]
    )
    with subprocess.Popen(
        bench.command("--in-flight", "2", models=BOTH), env=bench.environment, cwd=bench.folder, stderr=subprocess.PIPE
    ) as child:
        while server.count() < 25 and child.poll() is None:
            time.sleep(0.02)
        warm.kill(child)
    before = server.count()
    assert before < total
    found = bench.values(models=BOTH)
    assert found["summary"] == once["summary"]
    refused_again, in_flight_when_killed = 1, 2
    assert server.count() <= total + refused_again + in_flight_when_killed


def test_answers_from_a_file_need_no_model(bench: Bench, server: lab.Server) -> None:
    path = bench.write(
        "answers.jsonl",
        [
            {"id": "bridge", "model": "mine", "response": OPENED},
            {"prompt": "Tell me about the  town hall.", "model": "mine", "response": None},
            {"id": "length", "model": "mine", "response": "NaN"},
            {"id": "dose", "model": "mine", "response": SORRY},
            {"id": "moon", "model": "mine", "response": "Cheese."},
        ],
    )
    done = bench.run("--answers", str(path), "--method", "builtin", "-o", "table.json", judge=None)
    assert done.exit_code == 0, done.stderr
    assert server.count() == 0
    assert "answers to prompts that are not in the data" in done.stderr
    assert "by a small rule for English" in done.stdout
    found = json.loads((bench.folder / "table.json").read_text(encoding="utf-8"))
    assert precisions(found)["Hard", "mine"] == 1.0
    assert [cells(found, "n_no_answer")[tier, "mine"] for tier in ("Hard", "Easy")] == [1, 1]
    assert found["refusals_by"] == "rule"
    assert cells(found, "refusals")["Easy", "mine"]["by_category"] == {"ethical and legal advice": 1}
    assert cells(found, "refusals")["Easy", "mine"]["unjustified"]["n"] == 0


def test_a_model_without_a_score_is_not_compared_in_the_notes(bench: Bench) -> None:
    rows = [{"id": "bridge", "model": "mine", "response": OPENED}, {"id": "bridge", "model": "mute", "response": ""}]
    path = bench.write("answers.jsonl", [*rows, {"id": "bridge", "model": "dumb", "response": "Why?"}])
    shown = bench.run("--answers", str(path), "--method", "builtin", judge=None).stdout
    assert "apart" not in shown
    assert "By hallucination score the order" not in shown


def test_progress_begins_once_with_the_evidence(bench: Bench) -> None:
    path = bench.write("answers.jsonl", [{"id": "bridge", "model": "mine", "response": OPENED}])
    arguments = bench.command("--answers", str(path), "--method", "builtin", judge=None)[3:]
    done = CliRunner().invoke(app, [word for word in arguments if word != "--quiet"], env=bench.environment)
    assert "Starting …\nReading evidence" in done.stderr
    assert done.stderr.count("Starting …") == 1


def test_claims_in_an_unsupported_language_lower_the_coverage(bench: Bench) -> None:
    german = "Die Brücke von Marlow wurde im Jahr 1931 eröffnet. Das Rathaus steht seit vielen Jahren am Markt."
    rows = [
        {"id": "bridge", "model": "mine", "response": f"{OPENED} {german}"},
        {"id": "town", "model": "mine", "response": german},
        {"id": "length", "model": "mine", "response": OPENED},
        {"id": "dose", "model": "mine", "response": german},
    ]
    path = bench.write("answers.jsonl", rows)
    done = bench.run("--answers", str(path), "--method", "builtin", "-o", "table.json", judge=None)
    assert done.exit_code == 0, done.stderr
    assert "mine: of 2 responses, 2 missing: not part of the means." in done.stdout
    assert "mine: units that could not be judged, and count for nothing: 4." in done.stdout
    found = json.loads((bench.folder / "table.json").read_text(encoding="utf-8"))
    assert precisions(found) == {("Hard", "mine"): None, ("Easy", "mine"): 1.0}
    assert [cells(found, "n_without_units")[tier, "mine"] for tier in ("Hard", "Easy")] == [0, 0]
    boards, _ = gather([bench.folder / "table.json"], [], public=[], totals_only=[], find=lambda run: None)
    told = [example.verdicts[0].word for board in boards for example in board.rows[0].examples]
    assert told == ["1 of 1 supported", "nothing could be judged"], "no row for the tier without a score"


def test_every_score_is_shown_with_its_coverage_in_each_format(bench: Bench) -> None:
    german = "Die Brücke von Marlow wurde im Jahr 1931 eröffnet. Das Rathaus steht seit vielen Jahren am Markt."
    rows = [
        {"id": "bridge", "model": "mine", "response": OPENED},
        {"id": "town", "model": "mine", "response": german},
        *({"id": name, "model": "mine", "response": OPENED} for name in ("length", "dose")),
    ]
    words = ("--answers", str(bench.write("answers.jsonl", rows)), "--method", "builtin")
    done = bench.run(*words, "-o", "table.json", judge=None)
    found = json.loads((bench.folder / "table.json").read_text(encoding="utf-8"))
    expected = {("Hard", "mine"): 1 / 3, ("Easy", "mine"): 1.0}  # one of three sentences is in English
    assert cells(found, "coverage") == pytest.approx(expected)
    hard, easy = done.stdout.split("Easy, 2 prompts")
    assert re.search(r"^ 1 +mine +100\.00 +0\.00 +1 .*\n.* of 2 ", hard, re.MULTILINE)
    assert " of 2 " not in easy.partition("Means over")[0]
    assert "Factual precision: in percent." in " ".join(done.stdout.split())
    lines = csv.DictReader(bench.run(*words, "-f", "csv", judge=None).stdout.splitlines())
    table = {(row["table"], row["measure"]): row for row in lines if row["model"] == "mine"}
    for tier, name in expected:
        row = table[tier, "coverage"]
        assert float(row["value"]) == pytest.approx(expected[tier, name], abs=1e-6)
    precision, missing = table["Hard", "factual_precision"], table["Hard", "missing"]
    assert (precision["value"], precision["n"], missing["value"], missing["n"]) == ("1.000000", "1", "1", "2")
    boards, _ = gather([bench.folder / "table.json"], [], public=[], totals_only=[], find=lambda run: None)
    assert [board.rows[0].coverage for board in boards] == pytest.approx(list(expected.values()))


def test_missing_results_are_reported_and_filled_in_by_the_same_command(bench: Bench, server: lab.Server) -> None:
    server.script([{"when": {"model": "good", "contains": "about the bridge"}, "do": {"status": 400}}, *RULES])
    found = bench.values(models=BOTH[:1], code=1)
    assert cells(found, "n_missing")["Hard", "openai/good"] == 1
    assert precisions(found)["Hard", "openai/good"] == 1.0
    table = bench.folder / "table.json"
    table.write_text(json.dumps(found), encoding="utf-8")
    (hard, easy), _ = gather([table], [], public=[], totals_only=[], find=lambda run: None)
    assert [board.rows[0].coverage for board in (hard, easy)] == [0.5, 1.0]
    server.script([{"when": {"contains": "whether the answer refuses"}, "do": {"status": 400}}, *RULES])
    found = bench.values(models=BOTH, code=1)
    assert found["counts"]["untyped_refusals"] == 4
    server.script(RULES)
    assert bench.values(models=BOTH)["counts"]["untyped_refusals"] == 0


@pytest.mark.medium
def test_a_dry_run_makes_no_calls_and_counts_existing_results(bench: Bench, server: lab.Server) -> None:
    estimate = bench.values("--dry-run", models=BOTH)
    assert server.count() == 0
    assert estimate["responses"] == 8
    assert estimate["answers_to_write"] == 8
    assert set(estimate["models"]) >= {"refusal", "extract", "judge"}
    _, high = estimate["calls"]
    assert high > 8 * 24  # a label for each unit of each answer
    bench.values(models=BOTH)
    done = server.count()
    assert done < high
    again = bench.values("--dry-run", models=BOTH)
    assert again["answers_to_write"] == 1  # a call refused by the provider is retried once
    assert again["calls"][1] < high / 4
    assert server.count() == done
    assert bench.run("--dry-run", models=BOTH).exit_code == 0


def test_an_arbiter_decides_where_labellers_disagree(bench: Bench, server: lab.Server) -> None:
    contrary = {"when": {"model": "second", "contains": "Penguins"}, "do": {"text": "[Supported]"}}
    server.script([contrary, *RULES])
    words = ("--labeller", "openai/first", "--labeller", "openai/second", "--arbiter", "openai/third")
    done = bench.run(*words, "-o", "table.json", models=BOTH)
    assert done.exit_code == 0, done.stderr
    assert "openai/first as labeller_1 and openai/second as labeller_2 agree on" in done.stdout
    found = json.loads((bench.folder / "table.json").read_text(encoding="utf-8"))["labellers"]
    agreement = found["agreement"]
    assert agreement["names"] == ["openai/first as labeller_1", "openai/second as labeller_2"]
    assert agreement["disagreements"]["k"] == 3
    assert 0 < agreement["pairs"][0]["kappa"] < 1
    assert agreement["pairs"][0]["kappa_interval"] is None  # withheld: too few units for a reliable interval
    asked = [json.loads(row["body"])["model"] for row in server.log()]
    assert asked.count("third") == 1  # the same unit three times, answered once and then cached
    alone = {(one["labeller"][:12], one["tier"], one["model"]): one["precision"] for one in found["alone"]}
    assert alone["openai/secon", "Hard", "openai/wrong"] > alone["openai/first", "Hard", "openai/wrong"]
    scores = [one["hallucination"] for one in found["alone"]]
    done = bench.run(*words, "--alpha", "0", "-o", "table.json", models=BOTH)
    found = json.loads((bench.folder / "table.json").read_text(encoding="utf-8"))["labellers"]
    without_undecided = [one["hallucination"] for one in found["alone"]]
    assert all(a <= b for a, b in zip(without_undecided, scores, strict=True))
    assert without_undecided != scores
    refused = bench.run("--labeller", "openai/first", models=BOTH)
    assert "nobody to agree with" in refused.stderr


def test_a_labeller_that_fails_is_named_and_does_not_borrow_the_labels_of_others(
    bench: Bench, server: lab.Server
) -> None:
    texts = {"bridge": OPENED, "town": "Zebras love the Marlow bridge."}
    rows = [{"id": name, "model": "mine", "response": text} for name, text in texts.items()]
    silent = [{"when": {"model": "second", "contains": "Zebras"}, "do": {"text": "?"}}]
    server.script([*silent, {"when": {"model": "mute"}, "do": {"text": "?"}}, *RULES])

    def found(*names: str) -> tuple[list[str], dict[str, float | None]]:
        words = [word for name in names for word in ("--labeller", f"openai/{name}")]
        result = bench.values("--answers", str(bench.write("some.jsonl", rows)), *words, code=1)["labellers"]
        alone = {one["labeller"].split()[0]: one["precision"] for one in result["alone"] if one["tier"] == "Hard"}
        return [name.split()[0] for name in result["agreement"]["names"]], alone

    three = {"openai/first": 0.5, "openai/second": 1.0, "openai/third": 0.5}
    assert found("first", "second", "third") == (list(three), three), "the second has labels of the bridge alone"
    two = {"openai/first": 0.5, "openai/mute": None}
    assert found("first", "mute") == (list(two), two)


def test_answers_missing_from_files_are_named_without_advice_to_run_again(bench: Bench) -> None:
    path = bench.write("one.jsonl", [{"id": "bridge", "model": "mine", "response": OPENED}])
    done = bench.run("--answers", str(path), "--method", "builtin", judge=None)
    assert done.exit_code == 1
    assert "mine lacks 3 answers; it is asked for answers only with --model mine" in done.stderr
    assert "Run the same command again" not in done.stderr


def test_alpha_of_each_model_is_computed_from_labels(bench: Bench) -> None:
    rows = [{"model": "openai/wrong", "id": "bridge", "factual": n < 2} for n in range(10)]
    rows += [{"model": "openai/good", "tier": "easy", "factual": "true"} for _ in range(10)]
    path = bench.write("labels.jsonl", [*rows, {"model": "openai/good", "factual": "perhaps"}])
    done = bench.run("--alpha-labels", str(path), "-o", "table.json", models=BOTH)
    assert done.exit_code == 1, done.stderr
    assert "rows that can't be used: " in done.stderr
    found = json.loads((bench.folder / "table.json").read_text(encoding="utf-8"))
    alphas = cells(found, "alpha")
    assert alphas["Hard", "openai/wrong"]["value"] > 0.5 > alphas["Hard", "openai/good"]["value"]
    assert cells(found, "hallucination_own_alpha")["Hard", "openai/wrong"]["value"] > 0
    assert read_results([bench.folder / "table.json"]).summary().alpha_by_tier[0].n == 20


def test_only_results_of_one_kind_can_be_combined(bench: Bench) -> None:
    for name in ("good", "wrong"):
        assert bench.run("-o", f"{name}.json", models=[f"openai/{name}"]).exit_code == 0
    paths = [bench.folder / "good.json", bench.folder / "wrong.json"]
    both: MergedFactBench = read_results(paths)
    assert [*both.by_model] == list(BOTH)
    assert len(both.summary().tiers[0].rows) == 2
    bench.data = bench.write("others.jsonl", PROMPTS[:2])
    bench.run("-o", "other.json", models=BOTH[:1])
    with pytest.raises(InputError, match="The prompts of"):
        read_results([paths[0], bench.folder / "other.json"])


def test_a_release_folder_is_read_and_bad_rows_are_reported(bench: Bench) -> None:
    duckdb = pytest.importorskip("duckdb")
    folder = bench.folder / "out" / "release" / "data"
    folder.mkdir(parents=True)
    rows = [*PROMPTS, {"id": "x", "tier": "Hard", "prompt": ""}, {"id": "bridge", "tier": "Hard", "prompt": "Another."}]
    source = bench.write("rows.jsonl", [{**row, "tier": str(row["tier"])} for row in rows])
    duckdb.sql(f"COPY (SELECT * FROM read_json_auto('{source}')) TO '{folder}/test.parquet' (FORMAT parquet)")
    about = {"evaluator": {"method": "verify", "models": {"judge": "openai/judge", "extract": "openai/judge"}}}
    (folder.parent / "factscope.json").write_text(json.dumps(about), encoding="utf-8")
    for name in ("out", "out/release"):
        bench.data = bench.folder / name
        done = bench.run("--format", "json", models=BOTH[:1])
        assert done.exit_code == 1, done.stderr
        assert json.loads(done.stdout)["prompts"]["composition"] == {"Hard": 2, "Easy": 2}
        assert "another has the same id" in done.stderr
        assert "column 'prompt' is empty" in done.stderr
        assert "were selected by verdicts of verify with openai/judge" in done.stderr
    about = {"evaluator": {"method": "baseline: nothing is looked up, no answer is evaluated"}}
    (folder.parent / "factscope.json").write_text(json.dumps(about), encoding="utf-8")
    assert "selected by verdicts" not in bench.run(models=BOTH[:1]).stderr


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "No prompt in"),
        ([{"tier": "Hard", "text_of": "x"}], "it has none of the columns prompt"),
        ([{"prompt": None}], "is empty"),
        ([{"prompt": "x" * 400_001}], "is longer than 400,000 characters"),
    ],
)
def test_a_file_without_usable_prompts_is_an_error(bench: Bench, rows: list[dict[str, Any]], message: str) -> None:
    bench.data = bench.write("bad.jsonl", rows)
    done = bench.run(models=BOTH)
    assert done.exit_code == 1
    assert message in done.stderr or "contains no rows" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_published_data_set_is_read_from_the_hub(tmp_path: Path) -> None:
    with hub_server() as hub:
        files = {f"tier_{n}.csv": f"prompt\nWhat is {n}?\nWhy is {n}?\n".encode() for n in (1, 2, 3)}
        put(hub, "launch/FactBench", "main", files)
        found = read_prompts(["launch/FactBench"], cache=tmp_path, environment={"HF_ENDPOINT": hub.url})
        (named,) = read_prompts(
            ["Expert=launch/FactBench:tier_2.csv"], cache=tmp_path, environment={"HF_ENDPOINT": hub.url}
        ).splits
    assert found.splits == ("Hard", "Moderate", "Easy")
    assert [(row.split, row.request.prompt) for row in found.rows][::2] == [
        ("Hard", "What is 1?"),
        ("Moderate", "What is 2?"),
        ("Easy", "What is 3?"),
    ]
    assert len({row.id for row in found.rows}) == 6
    assert named == "Expert"


def test_a_recording_replays_to_the_same_table(bench: Bench, server: lab.Server) -> None:
    models = ("openai/good",)
    first = bench.values("--record", "calls.jsonl", models=models)
    asked = server.count()
    bench.environment |= {name: str(bench.folder / "other" / name) for name in ("FACTSCOPE_CACHE", "FACTSCOPE_STORE")}
    again = bench.values("--replay", "calls.jsonl", models=models)
    assert again["summary"] == first["summary"]
    assert server.count() == asked
    words = ("--replay", "calls.jsonl", "--overall", "--limit", "1", "-o", "table.json")
    assert "overall, 2 prompts" in bench.run(*words, models=models).stdout
    boards, _ = gather([bench.folder / "table.json"], [], public=[], totals_only=[], find=lambda run: None)
    assert [len(board.rows[0].examples) for board in boards] == [1, 1, 2]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--model", "openai/m", "--arbiter", "openai/x"], "An arbiter needs labellers"),
        (["--model", "openai/m", "--method", "none"], "Unknown method"),
        ([], "There is nothing to measure"),
        (["--answers", "nowhere.jsonl"], "There is no such file"),
        (["--model", "openai/m", "--method", "builtin", "--labeller", "a/b", "--labeller", "c/d"], "no single model"),
        (["--model", "openai/m", "--judge", "openai/j", "--judge", "refuzal=openai/j"], "Did you mean refusal?"),
        (["--model", "openai/m", "--judge", "refusal=openai/j"], "--judge extract=provider/model"),
        (["--model", "nobody/m"], "nobody"),
    ],
)
def test_impossible_options_are_refused_before_any_call(
    bench: Bench, server: lab.Server, words: list[str], message: str
) -> None:
    done = bench.run(*words, judge=None if "--judge" in words else "openai/judge")
    assert done.exit_code == 2, done.output
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert server.count() == 0


def test_a_checker_from_the_family_of_the_model_is_reported(bench: Bench, server: lab.Server) -> None:
    path = bench.write("own.jsonl", [{"id": "bridge", "model": "openai/gpt-4o", "response": OPENED}])
    done = bench.run("--answers", str(path), "-o", "table.json", judge="openai/gpt-4.1")
    assert "openai/gpt-4o is checked by openai/gpt-4.1, of its own family" in done.stdout
    assert json.loads((bench.folder / "table.json").read_text(encoding="utf-8"))["same_family"] == {
        "openai/gpt-4o": ["openai/gpt-4.1"]
    }


def test_tiers_are_recognised_by_any_of_their_names() -> None:
    assert [tier_name(word) for word in ("hard", "1", "tier_2", "Tier 3: Easy", "EASY", "Expert")] == [
        "Hard", "Hard", "Moderate", "Easy", "Easy", "Expert",
    ]  # fmt: skip
    for other in ("very hard", "hard-won", "not easy", "Moderate to hard"):
        assert tier_name(other) == other, "another tier is not one of the three because it has a word of its name"


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("I'm sorry, but I can't help with making a weapon.", 1),
        ("I cannot confirm this, as it may be misinformation.", 2),
        ("Sorry, I can't share personal information about private people.", 3),
        ("I'm unable to browse the web.", 4),
        (SORRY, 5),
        ("I can't take sides in politics.", 6),
        ("I won't.", None),
    ],
)
def test_the_rule_recognises_refusals_and_their_category(text: str, category: int | None) -> None:
    assert by_rule(text)[:2] == (True, category)
    assert not by_rule(f"{OPENED} I can't say more.").refusal
