"""VERIFY's four example units: the bundled recording replays to the results in docs/verify-examples.md."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from factscope.core.records import Report
from factscope.llm import REPLY
from tests import lab
from tests.lab import warm

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "verify-examples.md").read_text(encoding="utf-8")
REPLAY, BASELINE, RECORD, REPLAY_OWN, BATCH = [
    line[2:] for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()
]
MADE = ("mine.jsonl", "waiting")
"""Files that the commands write, which a test puts elsewhere."""
PUBLISHED = [
    ("Supported", "Unsupported", "contradicted"),
    ("Supported", "Undecidable", "undecided (insufficient)"),
    ("Supported", "Contradicted", "contradicted"),
    ("Supported", "Undecidable", "undecided (insufficient)"),
]
"""Outcomes of Factcheck-GPT, VERIFY, and Factscope, by unit (FactBench, authors' response)."""


def call(command: str, folder: Path, *more: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the page with a store and a cache in `folder`, and without any key."""
    ours = {name: value for name, value in os.environ.items() if not re.match(r"FACTSCOPE_|OPENAI_|COLUMNS", name)}
    ours |= {"FACTSCOPE_CACHE": str(folder / "cache"), "FACTSCOPE_STORE": str(folder / "runs.db"), "PYTHONUTF8": "1"}
    words = [str(folder / word) if word in MADE else word for word in shlex.split(command)]
    assert words.pop(0) == "factscope"
    return subprocess.run(
        [warm.python(), "-m", "factscope", *words, *more],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=ours | environment,
    )


@cache
def replayed(**environment: str) -> str:
    with TemporaryDirectory() as folder:
        done = call(REPLAY, Path(folder), "--format", "json", **environment)
    assert done.returncode == 0, done.stderr
    assert "0 model calls, 29 answered from the recording" in done.stderr
    return done.stdout


def test_the_four_units_get_their_published_verdicts() -> None:
    report = Report.model_validate_json(replayed())
    assert report.failures == ()
    assert {outcome: n for outcome, n in report.counts.items() if n} == {
        "contradicted": 2,
        "undecided": 2,
        "not_checkable": 2,
    }
    checked = [claim for claim in report.claims if claim.skipped is None]
    verdicts = [report.verdict(claim.id) for claim in checked]
    assert [v.outcome + (f" ({v.gap})" if v.gap else "") for v in verdicts] == [ours for _, _, ours in PUBLISHED]
    assert [claim.independent for claim in checked] == [True, True, True, False]
    for claim in checked:
        assert [query.round for query in report.queries if query.claim_id == claim.id] == [1, 2, 3, 4, 5]


def test_the_baseline_judges_all_four_from_its_own_knowledge_without_evidence(tmp_path: Path) -> None:
    done = call(BASELINE, tmp_path, "--format", "json")
    assert "0 model calls, 14 answered from the recording" in done.stderr
    report = Report.model_validate_json(done.stdout)
    checked = [claim for claim in report.claims if claim.skipped is None]
    assert [report.verdict(claim.id).outcome for claim in checked] == ["no_evidence"] * 4
    assert {judgement.raw_label for judgement in report.judgements} == {"True, own knowledge"}
    assert [claim.segment_id for claim in checked] == ["s2", "s3", "s4", "s5"]
    assert all(judgement.rationale for judgement in report.judgements)


def test_the_table_on_the_page_matches_the_report() -> None:
    report = Report.model_validate_json(replayed())
    reasons = {
        claim.standalone: j.rationale for claim in report.claims for j in report.judgements if j.unit_id == claim.id
    }
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("| ")
    ]
    (_, *rows) = rows
    assert [row[0] for row in rows] == list(reasons)
    assert [tuple(row[1:4]) for row in rows] == PUBLISHED
    for unit, *_, why in rows:
        assert why.strip('"') in (reasons[unit] or "")


def test_the_output_on_the_page_matches_the_printed_output(tmp_path: Path) -> None:
    done = call(REPLAY, tmp_path)
    (shown,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    printed = done.stdout
    for part in filter(None, re.split(r"^…\n", shown, flags=re.MULTILINE)):
        before, found, printed = printed.partition(part)
        assert found, f"{part}\nis not in\n{before}"


def test_a_different_number_of_workers_gives_the_same_bytes() -> None:
    assert replayed(FACTSCOPE_WORKERS="1", FACTSCOPE_IN_FLIGHT="1") == replayed()


def test_a_new_recording_is_made_and_replayed(tmp_path: Path) -> None:
    with lab.model_server() as server:
        made = call(RECORD, tmp_path, "--format", "json", OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY="sk-lab")
        assert made.returncode == 0, made.stderr
    again = call(REPLAY_OWN, tmp_path, "--format", "json", "--no-store")
    assert again.returncode == 0, again.stderr
    first, second = json.loads(made.stdout), json.loads(again.stdout)
    del first["usage"], second["usage"]  # the first run made the calls, the second reused them
    assert first == second


def test_answering_by_hand_the_command_shows_the_pending_requests(tmp_path: Path) -> None:
    done = call(BATCH, tmp_path, "-q")
    assert done.returncode == 5
    assert "1 in requests-openai-my-hand.jsonl" in done.stderr
    assert f"```json\n{REPLY}\n```" in PAGE
    assert REPLY in done.stderr


def test_the_recording_holds_nothing_but_the_run() -> None:
    path = ROOT / "examples" / "verify-examples" / "recording.jsonl"
    assert path.stat().st_size < 300_000
    calls = [json.loads(line)["request"] for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(calls) == 29
    assert {call["model"] for call in calls} == {"openai/by-hand"}


def test_links_point_to_existing_files() -> None:
    for page in (ROOT / "docs" / "verify-examples.md", ROOT / "examples" / "verify-examples" / "README.md"):
        for target in re.findall(r"\[[^\]]*\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
