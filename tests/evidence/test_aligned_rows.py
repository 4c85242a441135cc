"""Tables of plain text, whose cells are kept apart by spaces."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from factscope.evidence.aligned_rows import aligned_rows, split_cells
from factscope.evidence.collection import open_collection
from factscope.methods import Passages
from tests.lab.many_cases import try_all

NOTES = """HARNVIK BANK
NOTES TO THE ACCOUNTS

Note 4  Loans to customers (EUR million)

                            30 Jun 2024    31 Dec 2023
Residential mortgages            18,240         17,905
Commercial property               6,310          6,475
Consumer loans                      930            985

Loans in stage 3 amounted to EUR 412 million.  A loan leaves stage 3 only after twelve months.
"""


def rows(text: str) -> list[list[str]]:
    return [split_cells(text[start:end]) for start, end in aligned_rows(text)]


def test_rows_and_the_names_of_their_columns_are_found() -> None:
    assert rows(NOTES) == [
        ["30 Jun 2024", "31 Dec 2023"],
        ["Residential mortgages", "18,240", "17,905"],
        ["Commercial property", "6,310", "6,475"],
        ["Consumer loans", "930", "985"],
    ]


@try_all(
    ("text", "n_rows"),
    [
        ("Name\tAge\tTown\nIda\t41\tMarn\nOve\t38\tBrenna\n", 3),
        ("Rent        980 euros\nHeating     190 euros\nGarage       45 euros\n", 3),
        ("Rent        980 euros\nHeating     190 euros\n", 0),  # two lines of two cells may be anything
        ("It rained.  We stayed in.\nIt snowed.  We went out.\nIt thawed.  We slept.\n", 0),  # wide spaces after stops
        ("The  wide   lines\nof this poem   go\nwherever   they  like\n", 0),  # no columns
        ("One line with   three   cells\n", 0),
        ("", 0),
    ],
)
def test_only_cells_below_each_other_are_columns(text: str, n_rows: int) -> None:
    assert len(aligned_rows(text)) == n_rows


@given(st.text("ab .\t\n|-", max_size=80))
def test_rows_are_lines_of_the_text_in_order(text: str) -> None:
    spans = aligned_rows(text)
    assert spans == sorted(spans)
    assert all(text[start:end].strip() == text[start:end] and "\n" not in text[start:end] for start, end in spans)


def test_a_row_is_read_with_the_names_of_its_columns_and_quoted_as_it_stands(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text(NOTES, encoding="utf-8")
    [found] = open_collection([tmp_path], tmp_path / "cache").search(
        "Commercial property loans came to EUR 6,310 million.", Passages(top_k=1, window=1, in_context=True)
    )
    assert found.text == "Commercial property               6,310          6,475"
    assert found.reading
    assert found.reading.endswith("Commercial property; 30 Jun 2024: EUR 6,310 million; 31 Dec 2023: EUR 6,475 million")
