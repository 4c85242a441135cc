"""Published rows of the papers, to show, marked, below the user's own board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from factscope.benchmarks.leaderboard.boards import Figure, Leaderboard, ReferenceRow
from factscope.benchmarks.meta_eval import PLURALS
from factscope.benchmarks.papers.cells import figure, table
from factscope.scoring.intervals import wald

_TOKENS = "tokens, not words"


def with_published(board: Leaderboard) -> Leaderboard:
    """Return the board with the rows that its paper published: FACTS Grounding, FactBench or FELM."""
    if board.kind == "meta" and board.title not in ("Checkers on felm", "Checkers on felm, responses"):
        return board
    rows_of = {"facts-grounding": _facts, "factbench": _factbench, "meta": _felm}.get(board.kind)
    return replace(board, references=rows_of(board)) if rows_of else board


def _facts(board: Leaderboard) -> tuple[ReferenceRow, ...]:
    """Return the nine models of Tables 5 and 6, with values in the columns whose judge and split are the paper's."""
    before = {row["response_model"]: row for row in table("facts_table5_unadjusted") if row["split"] == "all"}
    rows = table("facts_table6_final")
    reference_rows = []
    for average in (row for row in rows if row["split"] == "all"):
        model = average["response_model"]
        by_column = {
            f"{row['judge']}, {row['split']}": _share(row) for row in rows if row["response_model"] == model
        } | {"average": _share(average), "before phase B": _share(before[model])}
        reference_rows.append(_row(board, model, by_column, average["fused_rank"], average["source"]))
    return tuple(reference_rows)


def _share(row: Mapping[str, str]) -> Figure:
    value = float(row["score_pct"]) / 100
    return Figure.of(value, wald(value, int(row["n"])))


def _factbench(board: Leaderboard) -> tuple[ReferenceRow, ...]:
    """Return the rows of the tier of this board; none for a tier that the paper does not have."""
    tier = board.title.rpartition(": ")[2].casefold()
    return tuple(
        _row(
            board,
            row["model"],
            {
                "factual precision": Figure(float(row["factual_precision_pct"]) / 100),
                "hallucination score": Figure(figure(row["hallucination_score"])),
                "words": Figure(figure(row["avg_tokens"]), mark=_TOKENS),
                "units": Figure(figure(row["avg_units"])),
                "undecidable": Figure(figure(row["avg_undecidable"])),
                "unsupported": Figure(figure(row["avg_unsupported"])),
            },
            row["rank"],
            row["source"],
        )
        for row in table("factbench_leaderboard")
        if row["tier_name"].casefold() == tier
    )


def _felm(board: Leaderboard) -> tuple[ReferenceRow, ...]:
    """Return all cells of Table 4 over all domains, of the level of this board."""
    level = "response" if dict(board.facts)["level"] == PLURALS["response"] else "segment"
    balanced = {_felm_key(row): figure(row["balanced_accuracy"]) for row in table("felm_table10_balanced_accuracy")}
    reference_rows = []
    for row in table("felm_table4_results"):
        if row["domain"] != "All" or row["level"] != level:
            continue
        percents = {"F1": figure(row["f1"]), "precision": figure(row["precision"]), "recall": figure(row["recall"])}
        percents["balanced accuracy"] = balanced.get(_felm_key(row))
        figures = {name: Figure(percent and percent / 100) for name, percent in percents.items()}
        name = f"{row['model']}, {row['unit']}s, {row['method']}"
        reference_rows.append(_row(board, name, figures, "", row["source"]))
    return tuple(reference_rows)


def _felm_key(row: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(row[name] for name in ("model", "domain", "level", "method", "unit"))


def _row(
    board: Leaderboard, name: str, figures: Mapping[str, Figure], rank: str, source: str | Sequence[str]
) -> ReferenceRow:
    empty = Figure(None)
    return ReferenceRow(name, tuple(figures.get(column.name, empty) for column in board.columns), rank, str(source))
