"""The command line, as used by a person or a script."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from tests.conftest import TEXT
from tests.lab import warm

Result = subprocess.CompletedProcess[str]


@pytest.fixture
def run(tmp_path: Path):
    """Run `factscope` in a separate folder, with its own store and cache."""

    def call(
        *arguments: str | Path, piped: str | bytes | None = None, read_as: str = "utf-8", **environment: str
    ) -> Result:
        content = piped.encode() if isinstance(piped, str) else piped
        done = subprocess.run(
            [warm.python(), "-m", "factscope", *map(str, arguments)],
            input=content,
            stdin=subprocess.DEVNULL if content is None else None,
            capture_output=True,
            cwd=tmp_path,
            env=clean_environment(tmp_path) | environment,
        )
        return subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode(read_as), done.stderr.decode(read_as)
        )

    return call


def clean_environment(folder: Path) -> dict[str, str]:
    others = ("FACTSCOPE_", "COLUMNS", "COVERAGE_")  # coverage measurement opens its own files
    kept = {name: value for name, value in os.environ.items() if not name.startswith(others)}
    return kept | {
        "FACTSCOPE_STORE": str(folder / "runs.db"),
        "FACTSCOPE_CACHE": str(folder / "cache"),
        "PYTHONUTF8": "1",
    }


def one_line(result: Result) -> str:
    """Return the message of a failed call: one line (and a hint), no traceback."""
    assert "Traceback" not in result.stderr
    lines = [line for line in result.stderr.splitlines() if line.startswith("factscope: ")]
    assert len(lines) == 1, result.stderr
    return result.stderr


def test_check_prints_one_valid_report_the_same_twice(run, documents: Path) -> None:
    first = run("check", TEXT, "--evidence", documents, "--format", "json")
    second = run("check", TEXT, "--evidence", documents, "--format", "json", "--fresh")
    kept = run("check", TEXT, "--evidence", documents, "--format", "json")
    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout == kept.stdout
    report = json.loads(first.stdout)
    jsonschema.validate(report, json.loads(run("schema").stdout))
    assert sum(report["counts"].values()) == len(report["claims"])
    assert report["counts"]["supported"] >= 1


def test_a_file_and_standard_input_are_read(run, documents: Path, tmp_path: Path) -> None:
    (tmp_path / "answer.md").write_text(TEXT, encoding="utf-8")
    from_file = run("check", "answer.md", "-e", documents, "-f", "json")
    from_pipe = run("check", "-", "-e", documents, "-f", "json", piped=TEXT)
    assert from_file.stdout == from_pipe.stdout != ""


def test_evidence_takes_many_paths_as_a_shell_writes_them(run, documents: Path) -> None:
    paths = [documents / "bridge.md", documents / "town.txt"]
    for arguments in (
        [TEXT, "--evidence", *paths, "-f", "json"],
        [TEXT, "-f", "json", "-e", *paths],
        ["-e", paths[0], TEXT, "-e", paths[1], "-f", "json"],
        ["--evidence", documents, "--format", "json", TEXT],
    ):
        done = run("check", *arguments)
        assert json.loads(done.stdout)["searched"]["n_documents"] == 2, arguments
    unclear = run("check", "--evidence", *paths, TEXT)
    assert unclear.returncode == 2, "which of them is the text?"


@pytest.mark.parametrize("ending", ["json", "jsonl", "md", "html", "csv", "txt"])
def test_the_file_extension_of_the_output_determines_its_format(
    run, documents: Path, tmp_path: Path, ending: str
) -> None:
    done = run("check", TEXT, "-e", documents, "-o", f"report.{ending}")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    content = (tmp_path / f"report.{ending}").read_text(encoding="utf-8")
    assert "Marlow bridge" in content
    if ending == "csv":
        assert len(list(csv.DictReader(io.StringIO(content)))) == 6


def test_the_terminal_report_says_every_state_in_words(run, documents: Path) -> None:
    done = run("check", TEXT, "-e", documents)
    assert "supported" in done.stdout
    assert "not checkable" in done.stdout
    assert "coverage" in done.stdout.lower()
    assert "\x1b" not in done.stdout, "no colour codes outside a terminal"


def test_progress_goes_to_standard_error_in_plain_lines(run, documents: Path) -> None:
    done = run("check", TEXT, "-e", documents, "-f", "json")
    assert "6 of 6 claims done" in done.stderr
    assert "\x1b" not in done.stderr
    assert run("check", TEXT, "-e", documents, "-f", "json", "-q").stderr == ""


def test_exit_codes_distinguish_score_from_coverage(run, documents: Path) -> None:
    assert run("check", TEXT, "-e", documents, "--min-score", "0.01", "--min-coverage", "1").returncode == 0
    low = run("check", TEXT, "-e", documents, "--min-score", "1")
    assert low.returncode == 3
    assert "factual_precision" in low.stderr
    assert run("check", "Is it? Why?", "-e", documents, "--min-score", "0").returncode == 3
    nothing = run("check", "Is it? Why?", "-e", documents, "--min-coverage", "0.5")
    assert nothing.returncode == 4
    assert "nothing to count" in nothing.stderr


@pytest.mark.medium
def test_stored_checks_can_be_exported_and_rescored(run, documents: Path, tmp_path: Path) -> None:
    straight = run("check", TEXT, "-e", documents, "-f", "json").stdout
    assert run("export", "last", "-f", "json").stdout == straight
    (tmp_path / "report.json").write_text(straight, encoding="utf-8")
    assert run("export", "report.json", "-f", "json").stdout == straight
    without = json.loads(
        run("score", "report.json", "--exclude-document", documents / "bridge.md", "-f", "json").stdout
    )
    assert without["excluded"]["documents"] == [str(documents / "bridge.md")]
    no_domain = run("score", "report.json", "--exclude-domain", "example.org")
    assert no_domain.returncode == 2
    assert no_domain.stderr == "factscope: No source of the report has a domain, so there is nothing to exclude.\n"
    plain = json.loads(run("score", "last", "-f", "json", "--measure", "hallucination(alpha=0)").stdout)
    assert [score["name"] for score in plain["scores"]] == ["hallucination(alpha=0)"]
    counted = run("score", "last", "--measure", "factual_precision", "--measure", "credibility").stdout
    assert re.search(r"factual_precision .* \d+ claims? ", counted)
    assert re.search(r"credibility .* \d+ passages? ", counted)
    assert "95\u00a0%" in counted  # not broken, however narrow the column
    twice = run("score", "last", "report.json", "-f", "json")
    assert twice.stderr == "Responses with several reports count more than once (r1).\n"
    both = json.loads(twice.stdout)
    assert both["reports"] == 2
    assert {score["over"] for score in both["scores"]} == {"responses"}


def test_exporting_an_unknown_check_lists_the_stored_ones(run, documents: Path) -> None:
    run("check", TEXT, "-e", documents)
    listed = run("export", "nothing-like-it").stderr
    assert re.search(r"last use \(UTC\):\s+[0-9a-f]{16}  \d{4}-\d\d-\d\d \d\d:\d\d  # Marlow The Marlow", listed)


def test_methods_and_settings_are_listed(run) -> None:
    methods = json.loads(run("methods", "list", "--format", "json").stdout)
    assert {"builtin", "standard", "verify"} <= {method["name"] for method in methods}
    assert "builtin" in run("methods", "list").stdout
    shown = json.loads(run("config", "show", "--format", "json", FACTSCOPE_WORKERS="7").stdout)
    assert {"name": "workers", "value": 7, "source": "environment"} in shown
    assert run("config", "show").returncode == 0


def test_settings_come_from_flag_environment_file_default_in_this_order(run, tmp_path: Path) -> None:
    def source_of_workers(**environment: str) -> tuple[object, str]:
        shown = json.loads(run("config", "show", "--format", "json", **environment).stdout)
        return next((s["value"], s["source"]) for s in shown if s["name"] == "workers")

    assert source_of_workers() == (4, "default")
    (tmp_path / "factscope.toml").write_text("workers = 5\n")
    assert source_of_workers() == (5, "factscope.toml")
    (tmp_path / ".env").write_text("FACTSCOPE_WORKERS=6\nSOMETHING_ELSE=1\n")
    assert source_of_workers() == (6, ".env")
    assert source_of_workers(FACTSCOPE_WORKERS="7") == (7, "environment")


def test_a_method_file_changes_what_it_names(run, documents: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        'name = "mine"\ntitle = "Mine"\nscores = ["hallucination(alpha=0.25)"]\n[evidence.passages]\ntop_k = 1\n'
    )
    report = json.loads(run("check", TEXT, "-e", documents, "-m", "mine.toml", "-f", "json").stdout)
    assert report["method"]["name"] == "mine"
    assert [score["name"] for score in report["scores"]] == ["hallucination(alpha=0.25)"]
    assert max(passage["rank"] for passage in report["passages"]) == 1


def test_doctor_tries_every_part(run) -> None:
    done = run("doctor", "--format", "json")
    assert done.returncode == 0, done.stdout
    assert [finding["works"] for finding in json.loads(done.stdout)] == [True] * 8
    broken = run("doctor", "--format", "json", FACTSCOPE_METHOD="bultin")
    assert broken.returncode == 1
    assert any("builtin" in finding["detail"] for finding in json.loads(broken.stdout) if not finding["works"])


@pytest.mark.parametrize(
    "arguments",
    [[], ["check"], ["demo"], ["score"], ["export"], ["doctor"], ["schema"], ["methods", "list"], ["config", "show"]],
)
def test_help_has_an_example(run, arguments: list[str]) -> None:
    done = run(*arguments, "--help")
    assert done.returncode == 0
    assert "Example: " in done.stdout


def test_help_and_import_load_nothing_heavy(tmp_path: Path) -> None:
    heavy = (
        "numpy",
        "pydantic",
        "rich",
        "jinja2",
        "trafilatura",
        "pypdf",
        "sentencex",
        "markdown_it",
        "sqlite3",
    )
    code = f"""
import sys
import factscope, factscope.cli
print([name for name in {heavy!r} if name in sys.modules])
"""
    without = clean_environment(tmp_path)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=without)
    assert done.stdout.strip() == "[]"


def test_check_demo_and_papers_begin_before_the_engine_is_imported(tmp_path: Path) -> None:
    code = """
import sys
import factscope.cli.check_command, factscope.cli.demo_command, factscope.cli.papers_command
print([name for name in sys.modules if name == "factscope.engine" or name.startswith("factscope.engine.")])
"""
    without = clean_environment(tmp_path)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=without)
    assert done.stdout.strip() == "[]"


def test_completion_knows_shells_and_methods(run) -> None:
    factscope = warm.commands() / "factscope"
    asked = {"_FACTSCOPE_COMPLETE": "complete_bash", "COMP_WORDS": "factscope check x --method bu", "COMP_CWORD": "4"}
    done = subprocess.run([factscope], capture_output=True, text=True, env=dict(os.environ) | asked)
    assert "builtin" in done.stdout.split()
    for shell in ("bash", "zsh", "fish"):
        script = subprocess.run(
            [factscope],
            capture_output=True,
            text=True,
            env=dict(os.environ) | {"_FACTSCOPE_COMPLETE": f"source_{shell}"},
        )
        assert "_FACTSCOPE_COMPLETE" in script.stdout


# Common mistakes.


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["missing.txt"], 2, "File not found: missing.txt"),
        (["my answer.md"], 2, "File not found: my answer.md"),
        (["folder/missing"], 2, "File not found: folder/missing"),
        (["."], 2, "is a folder"),
        ([""], 1, "empty"),
        (["   "], 1, "empty"),
        (["A text of words.", "--method", "bultin"], 2, "Did you mean builtin?"),
        (["A text of words.", "--method", "nope.toml"], 2, "nope.toml can't be read"),
        (["A text of words.", "-o", "report.xyz"], 2, "is not a known format"),
        (["A text of words.", "-o", "a.html", "-o", "a.md"], 2, "--output is given more than once"),
        (["A text of words.", "-o", "no/such/folder/report.html"], 1, "can't be written"),
        (["A text of words."], 2, "--evidence"),
        (["A text of words.", "--evidence", "nowhere"], 2, "nowhere"),
    ],
)
def test_wrong_calls_get_one_clear_line(run, documents: Path, arguments: list[str], code: int, said: str) -> None:
    evidence = [] if "--evidence" in said or "--evidence" in arguments else ["--evidence", str(documents)]
    done = run("check", *arguments, *evidence)
    assert done.returncode == code, done.stderr
    assert said in one_line(done)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00", "not UTF-8"),
        ("Straße in der Stadt".encode("latin-1"), "not UTF-8"),
        (b"text\x00more", "binary"),
        (b"%PDF-1.4\n1 0 obj << /Type /Catalog >> endobj\n", "is a PDF, not text"),
        (b"\n<!DOCTYPE HTML>\n<title>a</title><p>The bridge was opened in 1931.", "is a web page, not text"),
        (b"", "empty"),
        (b"a sentence here. " * 300_000, "5,100,000 characters; at most 2,000,000"),
    ],
)
def test_content_that_is_not_text_is_refused_in_one_line(run, documents: Path, content: bytes, said: str) -> None:
    done = run("check", "-", "--evidence", documents, piped=content)
    assert done.returncode == 1
    assert said in one_line(done)


def test_text_with_a_byte_order_mark_or_in_utf16_is_read(run, documents: Path) -> None:
    plain = run("check", "-", "-e", documents, "-f", "csv", piped=TEXT)
    for encoding in ("utf-8-sig", "utf-16"):
        assert run("check", "-", "-e", documents, "-f", "csv", piped=TEXT.encode(encoding)).stdout == plain.stdout


def test_oversized_input_is_not_read_to_its_end(run, documents: Path) -> None:
    done = run("check", "-", "--evidence", documents, piped=b"word " * 3_000_000)
    assert done.returncode == 1
    assert "larger than 8 MB" in one_line(done)


@pytest.mark.parametrize("content", [b"= broken", b"method = 'caf\xe9'", b"workers = 'many'", b"colour = 1"])
def test_a_bad_project_file_is_named(run, documents: Path, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "factscope.toml").write_bytes(content)
    done = run("check", TEXT, "-e", documents)
    assert done.returncode == 2
    assert "factscope.toml" in one_line(done)


def test_evidence_may_come_from_the_environment(run, documents: Path) -> None:
    paths = os.pathsep.join(str(documents / name) for name in ("bridge.md", "town.txt"))
    done = run("check", TEXT, "-f", "json", FACTSCOPE_EVIDENCE=paths)
    assert json.loads(done.stdout)["searched"]["n_documents"] == 2


def test_a_method_file_with_an_unknown_field_names_it(run, documents: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('name = "mine"\ntitle = "Mine"\ncolour = "red"\n')
    done = run("check", TEXT, "-e", documents, "-m", "mine.toml")
    assert done.returncode == 2
    assert "colour" in one_line(done)


def test_an_empty_claim_is_refused_and_not_reported_as_without_evidence(run, documents: Path) -> None:
    done = run("evidence", " ", "--evidence", documents)
    assert (done.returncode, done.stdout) == (2, "")
    assert "The claim is empty." in one_line(done)


def test_an_unclosed_quote_names_all_the_lines_of_evidence_it_swallows(run, tmp_path: Path) -> None:
    rows = ["text,title", "The lens came in 1858.,a", '"It weighed two tons.,b', "It had 816 pieces.,c", "It broke.,d"]
    (tmp_path / "log.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    said = "log.csv, line 3: is not CSV up to line 5, and all rows in between are lost"
    for words in (["evidence", "The lens came in 1858."], ["check", "The lens came in 1858.", "--no-store"]):
        done = run(*words, "--evidence", str(tmp_path / "log.csv"))
        assert done.returncode == 0, done.stderr
        assert said in done.stderr, words


def test_a_bad_line_of_evidence_is_named_and_the_rest_is_used(run, tmp_path: Path) -> None:
    rows = ['{"text": "The Marlow bridge was opened in 1931."}', "{broken", '{"text": "It has four arches."}']
    (tmp_path / "facts.jsonl").write_text("\n".join(rows))
    done = run("check", TEXT, "-e", "facts.jsonl", "-f", "json")
    assert done.returncode == 0
    assert "facts.jsonl" in done.stderr
    assert "2" in done.stderr.split("facts.jsonl", 1)[1].splitlines()[0]
    assert json.loads(done.stdout)["counts"]["supported"] >= 1


def test_an_unwritable_store_prevents_storing_but_not_the_check(run, documents: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    broken = {"FACTSCOPE_STORE": str(tmp_path / "file" / "runs.db")}
    done = run("check", TEXT, "-e", documents, "-f", "json", **broken)
    assert done.returncode == 1
    assert "--no-store" in one_line(done)
    assert "not stored" in done.stderr
    assert done.stdout == run("check", TEXT, "-e", documents, "-f", "json").stdout
    assert run("check", TEXT, "-e", documents, "--no-store", **broken).returncode == 0


@pytest.mark.medium
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
def test_a_full_disk_is_named_and_the_old_output_stays_whole(run, documents: Path, tmp_path: Path) -> None:
    with Path("/dev/full").open("wb", buffering=0) as full:
        done = subprocess.run(
            [warm.python(), "-m", "factscope", "check", TEXT, "-e", documents, "-f", "html", "-q"],
            stdout=full,
            stderr=subprocess.PIPE,
            env=clean_environment(tmp_path),
        )
    assert done.returncode == 1
    assert done.stderr.decode().startswith("factscope: Standard output can't be written: no space left on device.")
    code = "import resource, runpy, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
    code += (
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)); runpy.run_module('factscope', run_name='__main__')"
    )
    (tmp_path / "report.html").write_text("old")
    run("check", TEXT, "-e", documents, "-o", "report.json")
    done = subprocess.run(
        # A fork would write its coverage, and without -B a module's bytecode would be truncated for all later tests.
        [sys.executable, "-B", "-c", code, "export", "report.json", "-o", "report.html"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=clean_environment(tmp_path),
    )
    assert done.returncode == 1, done.stderr
    assert "report.html can't be written: file too large" in one_line(done)
    assert (tmp_path / "report.html").read_text() == "old"
    assert not list(tmp_path.glob(".report*"))
    for arguments in (["methods", "list"], ["--help"], ["score", "report.json"]):
        with Path("/dev/full").open("wb", buffering=0) as full:
            command = [warm.python(), "-m", "factscope", *arguments]
            done = subprocess.run(
                command, stdout=full, stderr=subprocess.PIPE, cwd=tmp_path, env=clean_environment(tmp_path)
            )
        assert done.returncode == 1
        assert b"Traceback" not in done.stderr
        assert b"no space left on device" in done.stderr.lower()


@pytest.mark.parametrize("words", [["check", TEXT, "-e", "docs"], ["methods", "list"]])
def test_a_reader_that_closes_early_is_not_a_failure(words: list[str], documents: Path, tmp_path: Path) -> None:
    here, there = os.pipe()
    os.close(here)
    done = subprocess.run(
        [warm.python(), "-m", "factscope", *[str(documents) if word == "docs" else word for word in words]],
        stdout=there,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=clean_environment(tmp_path),
    )
    os.close(there)
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr


def test_a_wrong_choice_is_named_with_the_right_ones(run) -> None:
    done = run("check", TEXT, "--strictness", "nope")
    assert done.returncode == 2
    assert "Invalid value for '--strictness': 'nope' is not one of 'low', 'normal', 'high'" in done.stderr


def test_output_is_written_through_devices_and_links(run, documents: Path, tmp_path: Path) -> None:
    assert run("check", TEXT, "-e", documents, "-f", "html", "-o", "/dev/null").returncode == 0
    assert not Path("/dev/null").is_file()
    (tmp_path / "there.md").write_text("old")
    (tmp_path / "link.md").symlink_to("there.md")
    assert run("export", "last", "-o", "link.md").returncode == 0
    assert (tmp_path / "link.md").is_symlink()
    assert "Marlow" in (tmp_path / "there.md").read_text(encoding="utf-8")


FAST = ("--verifier", "builtin-features")
"""Features alone: tests with thousands of claims aren't about the verifier."""


@pytest.mark.medium
def test_interrupting_a_check_keeps_finished_work(tmp_path: Path, documents: Path, run) -> None:
    (tmp_path / "long.txt").write_text(" ".join(f"The Marlow bridge was opened in {n}." for n in range(1, 200)))
    child = subprocess.Popen(
        [warm.python(), "-m", "factscope", "check", "long.txt", "-e", documents, "-f", "json", *FAST],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=clean_environment(tmp_path),
    )
    assert child.stderr
    while not re.match(r"[1-9]\d* of \d+ claims done", line := child.stderr.readline()):
        assert line, "it ended before it began"
    child.send_signal(signal.SIGINT)
    out, err = child.communicate()
    assert child.returncode == 130
    assert out == ""
    assert "to carry on" in err
    assert "Traceback" not in err
    stopped = run("export", "last")
    assert "stopped before it finished" in one_line(stopped)
    again = run("check", "long.txt", "-e", documents, "-f", "json", *FAST)
    assert again.returncode == 0
    first_line = next(line for line in again.stderr.splitlines() if "claims done" in line)
    assert int(first_line.split()[0]) > 0, "it carried on from where it was stopped"
    assert json.loads(again.stdout)["counts"]["failed"] == 0


def test_an_interruption_without_a_store_reports_no_stored_results(tmp_path: Path, documents: Path) -> None:
    (tmp_path / "long.txt").write_text(" ".join(f"The Marlow bridge was opened in {n}." for n in range(1, 4_000)))
    child = subprocess.Popen(
        [warm.python(), "-m", "factscope", "check", "long.txt", "-e", documents, "--no-store"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=clean_environment(tmp_path),
    )
    assert child.stderr
    while "claims done" not in (line := child.stderr.readline()):
        assert line, "it ended before it began"
    child.send_signal(signal.SIGINT)
    _, err = child.communicate()
    assert child.returncode == 130
    assert "Interrupted" in err
    assert "kept" not in err


def test_a_report_in_any_data_format_can_be_scored(run, documents: Path, tmp_path: Path) -> None:
    run("check", TEXT, "-e", documents, "-o", "report.jsonl")
    run("export", "last", "-o", "report.json")
    one, other = (run("score", f"report.{ending}", "-f", "json").stdout for ending in ("json", "jsonl"))
    assert one == other != ""
    run("score", "report.jsonl", "--exclude-category", "other", "-o", "without.json")
    without = json.loads((tmp_path / "without.json").read_text(encoding="utf-8"))
    assert without["counts"]["supported"] == 0
    kept = json.loads(run("score", "without.json", "-f", "json").stdout)
    assert kept["excluded"] == without["excluded"], "what was left out stays out until someone says otherwise"


def test_the_lines_of_a_run_can_be_scored(run, documents: Path, tmp_path: Path) -> None:
    rows = [{"id": str(number), "text": TEXT} for number in range(2)]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    run("run", "rows.jsonl", "-e", documents, "-o", "out.jsonl")
    scored = json.loads(run("score", "out.jsonl", "-f", "json").stdout)
    assert scored["reports"] == 2
    assert {score["over"] for score in scored["scores"]} == {"responses"}
    done = run("export", "out.jsonl", "-o", "out.md")
    assert (done.returncode, "holds 2 reports, and one is needed" in one_line(done)) == (2, True)


def test_a_summary_of_a_run_names_the_command_that_writes_its_lines(run, documents: Path, tmp_path: Path) -> None:
    rows = [{"id": str(number), "text": TEXT} for number in range(2)]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    run("run", "rows.jsonl", "-e", documents, "-o", "summary.json")
    done = run("score", "summary.json")
    assert (done.returncode, "summary.json is the summary of a run" in one_line(done)) == (1, True)
    command = re.search(r"factscope (export \w+ -o run\.jsonl)", one_line(done))
    assert command
    run(*command[1].split())
    lines, stored = (run("score", source, "-f", "json").stdout for source in ("run.jsonl", "last"))
    assert json.loads(lines)["reports"] == 2
    assert lines == stored
    done = run("check", TEXT, "-e", documents, "--previous", "last")
    assert (done.returncode, "holds 2 reports, and one is needed" in one_line(done)) == (2, True)


def test_an_earlier_check_with_a_different_strictness_is_not_reused(run, documents: Path) -> None:
    run("check", TEXT, "-e", documents)
    done = run("check", TEXT, "-e", documents, "--previous", "last", "--strictness", "low")
    assert (done.returncode, "The earlier check used other settings" in one_line(done)) == (2, True)
    assert run("check", TEXT, "-e", documents, "--previous", "last", "--strictness", "normal").returncode == 0


def test_claims_on_excluded_evidence_are_counted(run, documents: Path, tmp_path: Path) -> None:
    run("check", TEXT, "-e", documents, "-o", "report.json")
    done = run("score", "report.json", "--exclude-category", "other", "-o", "without.md")
    assert re.search(r"Of the claims, \d+ of \d+ excluded: they rest on excluded evidence", done.stderr)
    assert "no checkable claim" not in (tmp_path / "without.md").read_text(encoding="utf-8")


def test_an_output_never_overwrites_an_input(run, documents: Path, tmp_path: Path) -> None:
    (tmp_path / "in.md").write_text(TEXT, encoding="utf-8")
    for output in ("in.md", documents / "bridge.md", documents / "report.html"):
        done = run("check", "in.md", "-e", documents, "-o", output)
        assert done.returncode == 2
        assert "which this command reads" in one_line(done)
    assert (tmp_path / "in.md").read_text(encoding="utf-8") == TEXT
    assert not (documents / "report.html").exists()


def test_pipes_are_read(run, documents: Path) -> None:
    straight = run("check", TEXT, "-e", documents, "-f", "json").stdout
    assert run("export", "-", "-f", "json", piped=straight).stdout == straight
    assert json.loads(run("score", "-", "-f", "json", piped=straight).stdout)["reports"] == 1
    for command in ("score", "compare"):
        assert "Standard input is named twice" in one_line(run(command, "-", "-", piped=straight))
    nothing = one_line(run("score", "-", piped="{}"))
    assert "Standard input contains no report" in nothing
    assert run("check", "/dev/stdin", "-e", documents, "-f", "json", piped=TEXT).stdout == straight
    assert run("export", "/dev/stdin", "-f", "json", piped=straight).stdout == straight
    assert run("check", "/dev/null", "-e", documents).returncode == 1


def test_a_misspelled_environment_variable_is_named(run) -> None:
    done = run("config", "show", FACTSCOPE_WORKER="3")
    assert done.returncode == 2
    assert "FACTSCOPE_WORKERS" in one_line(done)


def test_hostile_file_names_cannot_affect_the_terminal(run, tmp_path: Path) -> None:
    folder = tmp_path / "evil"
    folder.mkdir()
    (folder / "good.txt").write_text("The Marlow bridge was opened in 1931.")
    (folder / "\x1b]0;pwned\x07.txt").write_bytes(b"\x00\x01binary")
    done = run("check", TEXT, "-e", folder)
    assert done.returncode == 0
    assert "pwned" in done.stderr
    assert "\x1b" not in done.stderr + done.stdout
    for line in ('{"type": []}', '{"type": ' + "[" * 100_000):  # a record of no type, and a depth that ends a parser
        (tmp_path / "evil.jsonl").write_text(f"{line}\n")
        assert "Line 1 is not a record of a report" in one_line(run("score", "evil.jsonl"))
    (tmp_path / "evil.json").write_text(json.dumps({"\x1b]0;pwned\x07": 1}))
    assert "\x1b" not in one_line(run("score", "evil.json"))


@pytest.mark.medium
def test_files_with_names_that_are_not_utf8_are_checked(run, documents: Path, tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9")
    (tmp_path / f"{name}.md").write_text(TEXT, encoding="utf-8")
    (tmp_path / f"{name}.jsonl").write_text(json.dumps({"response": TEXT}) + "\n", encoding="utf-8")
    for words in (["run", f"{name}.jsonl"], ["check", f"{name}.md", "--cited", "--offline"], ["review", f"{name}.md"]):
        done = run(*words, "-e", documents)
        assert "Traceback" not in done.stderr, words
        assert done.returncode == (3 if words[0] == "review" else 0), (words, done.stderr)
    assert "caf\\xe9.md" in done.stdout.replace("\\\\", "\\")


@pytest.mark.medium
def test_an_old_terminal_encoding_does_not_end_a_command(run, documents: Path) -> None:
    for encoding in ("latin-1", "ascii"):
        for arguments in (["check", TEXT + " 東京", "-e", str(documents)], ["methods", "list"], ["doctor"]):
            done = run(*arguments, read_as=encoding, PYTHONUTF8="0", PYTHONIOENCODING=encoding)
            assert done.returncode == 0, done.stderr
