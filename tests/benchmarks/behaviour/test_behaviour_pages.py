"""Results of a suite as tables and as a page: every checker and kind, and exactly the cases that came out wrong."""

from __future__ import annotations

from typing import Any

from factscope.benchmarks.behaviour import (
    Behaviour,
    BehaviourRow,
    PairRow,
    SentenceRow,
    document,
    headline,
    pair_figures,
    tables,
    text_figures,
    to_html,
)
from factscope.report import Block, Paragraph, Table, Title

Pair = tuple[str, str, str | None]


def pair_rows(*pairs: Pair) -> list[PairRow]:
    names = ("kind", "label", "answer")
    fixed = {"claim": "The claim.", "evidence": "The evidence.", "rationale": "Its reason."}
    return [
        PairRow.model_validate(fixed | dict(zip(names, pair, strict=True)) | {"id": f"id-{n}"})
        for n, pair in enumerate(pairs)
    ]


def on_pairs(checker: str, *pairs: Pair, suite: str = "mine", digest: str = "ab") -> BehaviourRow:
    rows = pair_rows(*pairs)
    return BehaviourRow(checker=checker, suite=suite, digest=digest, pairs=pair_figures(rows), judged=tuple(rows))


def on_texts(checker: str, *rows: dict[str, Any]) -> BehaviourRow:
    sentences = tuple(SentenceRow.model_validate({"text": "t", "retrieved": None} | row) for row in rows)
    return BehaviourRow(checker=checker, suite="mine", digest="ab", texts=text_figures(sentences), sentences=sentences)


def result(*rows: BehaviourRow, commit: str | None = None, left_out: tuple[str, ...] = ()) -> Behaviour:
    made = "2026-11-28T17:00:00+00:00"
    return Behaviour(rows=rows, factscope="1.2", commit=commit, made=made, left_out=left_out)


def by_title(behaviour: Behaviour) -> dict[str, Table]:
    blocks: list[Block] = list(tables(behaviour))
    titles = [block.text for block in blocks if isinstance(block, Title)]
    return dict(zip(titles, (block for block in blocks if isinstance(block, Table)), strict=True))


def test_the_kinds_table_has_a_column_per_checker_and_basic_kinds_first() -> None:
    good = on_pairs("good", ("units", "supported", "supported"), ("verbatim", "supported", "supported"))
    bad = on_pairs("bad", ("units", "supported", "contradicted"), ("verbatim", "supported", None))
    found = by_title(result(good, bad))
    assert list(found) == ["mine (ab): 2 pairs", "mine (ab): by kind"]
    kinds = found["mine (ab): by kind"]
    assert kinds.heads == ("kind", "good", "bad")
    assert kinds.rows == (("verbatim *", "1/1", "0/0"), ("units", "1/1", "0/1 (1, 0)"))
    assert [row[0] for row in found["mine (ab): 2 pairs"].rows] == ["good", "bad"]


def test_errors_of_a_checker_are_counted_out_of_the_possible_ones() -> None:
    pairs: list[Pair] = [
        ("units", "supported", "contradicted"),
        ("units", "supported", "supported"),
        ("units", "contradicted", "supported"),
        ("units", "not_enough", "supported"),
        ("units", "not_enough", None),
    ]
    (table, kinds) = by_title(result(on_pairs("c", *pairs))).values()
    cells = dict(zip(table.heads, table.rows[0], strict=True))
    assert cells == {
        "checker": "c",
        "three labels": "0.250",
        "basic kinds": "–",
        "balanced accuracy": "0.250",
        "accused": "1/2",
        "passed": "1/1",
        "failed": "1",
    }
    assert kinds.rows == (("units", "1/4 (1, 1)"),)


def test_suites_with_the_same_name_but_different_cases_have_separate_tables() -> None:
    first, second = (on_pairs("c", ("units", "supported", "supported"), digest=name) for name in ("ab", "cd"))
    assert [title for title in by_title(result(first, second)) if "by kind" not in title] == [
        "mine (ab): 1 pair",
        "mine (cd): 1 pair",
    ]


def test_texts_have_a_table_below_the_pairs() -> None:
    rows: list[dict[str, Any]] = [
        {"sentence": "a", "label": "contradicted", "outcome": "contradicted", "retrieved": True},
        {"sentence": "b", "label": "supported", "outcome": "contradicted", "retrieved": False},
        {"sentence": "c", "label": "not_checkable", "outcome": "not_checkable", "text": "u"},
    ]
    found = by_title(result(on_texts("c", *rows), on_pairs("d", ("units", "supported", "supported"))))
    assert list(found) == ["mine (ab): 1 pair", "mine (ab): by kind", "mine (ab): 2 texts, 3 sentences"]
    table = found["mine (ab): 2 texts, 3 sentences"]
    assert table.rows == (("c", "1/1", "0/1", "1/2", "0/1", "0/0", "1/1", "1/2", "0"),)


def test_the_headline_has_the_commit_of_a_checkout() -> None:
    row = on_pairs("c", ("units", "supported", "supported"))
    assert headline(result(row)) == "Factscope 1.2, 2026-11-28"
    assert headline(result(row, commit="abc123")) == "Factscope 1.2 (abc123), 2026-11-28"


def test_checkers_that_could_not_be_measured_are_named_last() -> None:
    behaviour = result(on_pairs("c", ("units", "supported", "supported")), left_out=("x: <not> here",))
    blocks = list(document(behaviour))
    assert blocks[0] == Paragraph("Factscope 1.2, 2026-11-28")
    assert blocks[-1] == Paragraph("Left out: x: <not> here")
    assert "Left out: x: &lt;not&gt; here" in to_html(behaviour)


def test_the_page_lists_wrong_results_only() -> None:
    pairs = on_pairs(
        "c", ("units", "supported", "supported"), ("date", "not_enough", None), ("kin", "supported", "not_enough")
    )
    rows: list[dict[str, Any]] = [
        {"sentence": "right", "label": "supported", "outcome": "supported", "retrieved": False},
        {"sentence": "open", "label": "not_enough", "outcome": "no_evidence"},
        {"sentence": "too", "label": "not_enough", "outcome": "undecided"},
        {"sentence": "accused", "label": "supported", "outcome": "contradicted", "retrieved": False},
        {"sentence": "lost", "label": "not_enough", "outcome": "failed"},
    ]
    page = to_html(result(pairs, on_texts("c", *rows)))
    assert page.count("The deciding quote was not retrieved.") == 1
    for sentence, shown in (("right", 0), ("open", 0), ("too", 0), ("accused", 1), ("lost", 1)):
        assert page.count(f"<b>{sentence}</b>") == shown
    for number, shown in ((0, 0), (1, 1), (2, 1)):
        assert page.count(f"<br>id-{number}</td>") == shown
    assert page.count("<td>failed</td>") == 2
    assert page.count("<td>not enough</td>") == 3
