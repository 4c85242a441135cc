"""Comparisons as shown: the same numbers and words in each form, nothing active, readable without colours."""

from __future__ import annotations

import io
import json
import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.cells import cell_len
from rich.console import Console

from factscope.core import Outcome
from factscope.core.records import Report
from factscope.report import MARKS, MOST_CHANGES, diff_document, markdown_text, print_document, to_json
from factscope.scoring import RunComparison, compare
from tests.lab.many_cases import try_all
from tests.report.payloads import SOME
from tests.scoring.two_runs import METHOD, checked, runs

CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
COLOURS = re.compile(r"\x1b\[[\d;]*m")


def shown(comparison: RunComparison, width: int = 100, **console: object) -> str:
    out = io.StringIO()
    blocks = diff_document(comparison, MOST_CHANGES)
    print_document(blocks, Console(file=out, width=width, **console))  # type: ignore[arg-type]
    return out.getvalue()


def to_markdown(comparison: RunComparison) -> str:
    return markdown_text.blocks_to_markdown(diff_document(comparison), headings=True)


def flat(comparison: RunComparison) -> str:
    return " ".join(shown(comparison).split())


def two(*ends: tuple[Outcome, Outcome]) -> RunComparison:
    """Compare two runs on one response with one statement per item."""
    reports = [
        {"a": checked("a", [(f"Fact {k}.", end[side]) for k, end in enumerate(ends)], reason=f"reason {side}")}
        for side in (0, 1)
    ]
    return compare(*reports, names=("old run", "new run"))


@pytest.fixture(scope="module")
def better() -> RunComparison:
    return compare(*runs(40, 0.3), ["factual_precision", "hallucination", "coverage", "credibility"])


def hostile(text: str) -> RunComparison:
    """Make a comparison with the text wherever outside text can appear."""
    reports: list[dict[str, Report]] = []
    for outcome in ("supported", "contradicted"):
        method = {**METHOD, "title": f"{text}{outcome}", f"k{text}": outcome}
        reports.append({text: checked(text, [(text, outcome)], reason=text, method=method)})
    return compare(*reports, names=(text, text))


def test_a_difference_is_described_in_words_with_its_sign_interval_and_p(better: RunComparison) -> None:
    text = flat(better)
    precision = better.scores[0]
    assert precision.interval is not None
    assert (
        f"+{precision.value:.3f} factual_precision: differs, higher in the second run ·"
        f" {precision.first:.3f} → {precision.second:.3f} · 95% interval"
        f" +{precision.interval.low:.3f} to +{precision.interval.high:.3f} · p <0.0001, adjusted <0.0001 · 40 responses"
    ) in text
    assert "hallucination(alpha=0.5): differs, lower in the second run" in text
    assert "0.000 coverage: no difference beyond chance" in text
    assert "none credibility: no response has a value in both runs · 0 responses, 40 left out" in text
    assert "claims supported: differs, higher in the second run" in text
    assert "lower is better" in text


def test_the_head_says_how_many_verdicts_changed_and_what_was_left_out() -> None:
    found = two(("supported", "contradicted"), ("failed", "supported"), ("undecided", "undecided"))
    lines = shown(found, 200).splitlines()
    assert lines[:4] == [
        "The verdict changed on 2 of 3 claims in both runs.",
        "  · First run: old run · 1 response · coverage 67%",
        "  · Second run: new run · 1 response · coverage 100%",
        "  1 response compared",
    ]
    assert lines[4].startswith("  ! Coverage differs by 33 points")
    assert "too few responses to tell" in flat(found)
    assert "The verdict changed on none of 1 claim in both runs." in shown(two(("failed", "failed")))
    first, second = runs(3, 0)
    missing = compare({**first, "x": first["r0"]}, {name: report for name, report in second.items() if name != "r2"})
    assert "2 responses compared · not compared: 2 only in the first run" in flat(missing)


def test_coverage_is_labelled_as_of_the_compared_responses_if_others_exist() -> None:
    alone = {"b": checked("b", [("Fact 1.", "failed")])}
    both = {"a": checked("a", [("Fact 0.", "supported")])}
    text = flat(compare(both | alone, both, names=("old", "new")))
    assert "First run: old · 2 responses · coverage 100% of the 1 compared" in text
    assert "Second run: new · 1 response · coverage 100%" in text


def test_the_table_of_outcomes_has_each_with_its_glyph_and_word() -> None:
    text = shown(two(("supported", "contradicted"), ("supported", "supported"), ("undecided", "no_evidence")))
    head, _, *rows = text.partition("first ↓ ")[2].partition("\n\n")[0].splitlines()
    assert " ".join(head.split()) == "second → ✓ supported ✗ contradicted ? undecided ∅ no evidence"
    assert [line.split() for line in rows if line.strip()] == [
        ["✓", "supported", "1", "1", "0", "0"],
        ["✗", "contradicted", "0", "0", "0", "0"],
        ["?", "undecided", "0", "0", "0", "1"],
        ["∅", "no", "evidence", "0", "0", "0", "0"],
    ]


def test_the_gravest_changes_come_first_with_their_reasons() -> None:
    text = shown(two(("failed", "undecided"), ("no_evidence", "supported"), ("contradicted", "supported")))
    changes = text.partition("Changed verdicts")[2]
    assert re.findall(r"(\w+) → . (\w+)  a (s\d)", changes) == [
        ("contradicted", "supported", "s3"),
        ("evidence", "supported", "s2"),
        ("failed", "undecided", "s1"),
    ]
    assert changes.split("\n")[2:5] == ["      · “Fact 2.”", "      · first: reason 0", "      · second: reason 1"]


def test_all_forms_hold_the_same_changes(better: RunComparison) -> None:
    assert better.n_changed > MOST_CHANGES
    assert f"and {better.n_changed - MOST_CHANGES} more" in shown(better)
    markdown = to_markdown(better)
    assert len(re.findall(r"^- . [a-z ]+ → . [a-z ]+ r\d+ s\d+\.c1\n    - “", markdown, re.MULTILINE)) == len(
        better.changes
    )
    assert better.scores[0].finding in markdown
    assert RunComparison.model_validate(json.loads(to_json(better))) == better
    few = better.model_copy(update={"changes": better.changes[:3]})
    assert f"and {better.n_changed - 3} more" in to_markdown(few)


def test_markdown_tables_are_whole(better: RunComparison) -> None:
    lines = to_markdown(better).splitlines()
    tables = [len(re.findall(r"(?<!\\)\|", line)) for line in lines if line.startswith("|")]
    assert len(tables) >= 2 + 2
    for before, after in pairwise(lines):
        if before.startswith("|") and after.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", before)) == len(re.findall(r"(?<!\\)\|", after))


@pytest.mark.parametrize("width", [20, 40, 80, 120, 300])
def test_nothing_runs_over_the_edge(better: RunComparison, width: int) -> None:
    for line in shown(better, width).splitlines():
        assert cell_len(line) <= max(width, 28)


def test_colours_add_nothing(better: RunComparison) -> None:
    coloured = shown(better, force_terminal=True, color_system="truecolor", no_color=False)
    assert "\x1b[" in coloured
    assert COLOURS.sub("", coloured) == shown(better)


@try_all("payload", SOME)
def test_outside_text_is_inert(payload: str) -> None:
    comparison = hostile(payload or "empty")
    assert not CONTROLS.search(shown(comparison))
    assert not CONTROLS.search(to_json(comparison))
    markdown = to_markdown(comparison)
    assert not CONTROLS.search(markdown)
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(markdown)
    kinds = {token.type for block in tokens for token in [block, *(block.children or ())]}
    assert not kinds & {"html_block", "html_inline", "link_open", "image", "code_block", "fence", "code_inline"}


@settings(max_examples=40)
@given(st.text(min_size=1, max_size=60))
def test_any_text_is_inert(text: str) -> None:
    comparison = hostile(text)
    assert not CONTROLS.search(shown(comparison, 60))
    assert not CONTROLS.search(to_markdown(comparison))
    assert json.loads(to_json(comparison))["first"]["name"] == text


def test_runs_with_nothing_in_common_can_be_shown() -> None:
    nothing = compare({}, {})
    assert "No claim is in both runs." in shown(nothing)
    assert "Nothing could be compared" in to_markdown(nothing)
    assert all(mark.word not in shown(nothing) for mark in MARKS.values())
