"""Tables of plain text, whose cells are kept apart by spaces."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.claims.text.table_lines import aligned_rows, cells, named_cells, named_rows
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
    return [cells(text[start:end]) for start, end in aligned_rows(text)]


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
        ("Place     Houses destroyed\nUpper Town        4\nOld Market       63\nTotal           159\n", 4),
        ("Rent        980 euros\nHeating     190 euros\n", 0),  # two lines of two cells may be anything
        ("It rained.  We stayed in.\nIt snowed.  We went out.\nIt thawed.  We slept.\n", 0),  # wide spaces after stops
        ("The  wide   lines\nof this poem   go\nwherever   they  like\n", 0),  # no columns
        ("One line with   three   cells\n", 0),
        (2 * "The left column of a page of prose and\tthe right one, which is on the same line\n" + "Ends\there\n", 0),
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


@try_all(
    ("text", "n_rows"),
    [
        ("Segment: Pumps; 2023: 41; 2024: 45\nSegment: Valves; 2023: 18; 2024: 17\n", 2),
        ("Pumps; 2023: 41; 2024: 45\nValves; 2023: 18; 2024: 17\n", 2),  # the first column has no name
        ("Segment: Pumps; 2023: 41; 2024: 45\n", 0),  # alone it may be a sentence
        ("Segment: Pumps; 2023: 41\n\nSegment: Valves; 2023: 18\n", 0),
        ("He came late; reason: rain\nShe came early; purpose: talks\n", 0),
    ],
)
def test_rows_that_name_their_columns_are_found_below_each_other(text: str, n_rows: int) -> None:
    assert len(named_rows(text)) == n_rows


def test_the_cells_of_a_row_come_with_their_names() -> None:
    assert named_cells("Pumps; 2023: 41; 2024: 4: 5") == [("", "Pumps"), ("2023", "41"), ("2024", "4: 5")]
    assert named_cells("No row: this is a sentence.") == []


def test_the_table_of_a_word_document_is_read_whole_for_a_comparison(tmp_path: Path) -> None:
    document = pytest.importorskip("docx").Document()
    document.add_heading("Harnvik Bank", 1)
    document.add_paragraph("Amounts in EUR million unless stated otherwise.")
    rows = [("", "H1 2024", "H1 2023"), ("Total income", "528.0", "516.4"), ("Net profit", "188.3", "193.6")]
    table = document.add_table(len(rows), 3)
    for line, texts in zip(table.rows, rows, strict=True):
        for cell, text in zip(line.cells, texts, strict=True):
            cell.text = text
    document.save(str(tmp_path / "bank.docx"))
    bank = open_collection([tmp_path / "bank.docx"], tmp_path / "cache")
    alone = Passages(top_k=1, window=1, in_context=True)
    [row], [whole] = bank.search("Net profit was EUR 188.3 million.", alone), bank.search("Net profit rose.", alone)
    assert row.reading
    assert row.reading.endswith("\nNet profit; H1 2024: EUR 188.3 million; H1 2023: EUR 193.6 million")
    assert whole.reading
    assert whole.reading.splitlines()[-2:] == [
        "Total income; H1 2024: EUR 528.0 million; H1 2023: EUR 516.4 million",
        "Net profit; H1 2024: EUR 188.3 million; H1 2023: EUR 193.6 million",
    ]


LIBRARIES = """Branch             Loans     Visits   Hours open
                                       per week
-----------------------------------------------
Central          318,420    241,900       58
Eastgate          96,715     88,340       40
Quayside         104,280     79,450       42
Mobile library    19,205          –        –
-----------------------------------------------
Total            538,620    409,690
"""


def test_names_on_two_lines_a_rule_and_a_short_total(tmp_path: Path) -> None:
    (tmp_path / "key-figures.txt").write_text(f"LIBRARIES OF HARNSTEAD\n\n{LIBRARIES}", encoding="utf-8")
    libraries = open_collection([tmp_path], tmp_path / "cache")
    settings = Passages(top_k=1, window=1, in_context=True)
    [row], [whole] = (
        libraries.search("Eastgate had 96,715 loans.", settings),
        libraries.search("Eastgate had the most loans.", settings),
    )
    eastgate = "Branch: Eastgate; Loans: 96,715; Visits: 88,340; Hours open per week: 40"
    assert row.reading
    assert row.reading.endswith(f"\n{eastgate}")
    assert whole.reading
    assert eastgate in whole.reading.splitlines()
    assert whole.reading.splitlines()[-2:] == [
        "Branch: Mobile library; Loans: 19,205; Visits: –; Hours open per week: –",
        "Branch: Total; Loans: 538,620; Visits: 409,690",
    ]


SPENDING = """Schedule B. Spending by department (thousands of dollars)

                    FY2024      FY2025
                    Actual     Adopted
                  --------    --------
Police               4,390       4,615
Contingency (1)         --         200
                  --------    --------
TOTAL               14,247      15,050

(1) Budgeted only.
"""
BREEDING = """Table 2. Breeding success in monitored plots

                          Nests      Chicks per nest
Site            Plots   in 2024     2023     2024
Stack of Hern       4       180     0.34     0.72
Gannel Head         3       145     0.57     0.95
"""
TARIFFS = """TARIFFS (pence)

                       1 Apr 2022   1 Apr 2023
Unit prices, per kWh
  Standard                   29.6         27.9
  Economy                    32.8         31.0
Fixed charge, per day
  Standing charge            36.5         36.5
"""


@try_all(
    ("text", "query", "row"),
    [
        (SPENDING, "Police", "Police; FY2024 Actual: 4.39 million dollars; FY2025 Adopted: 4.615 million dollars"),
        (SPENDING, "Contingency", "Contingency (1); FY2024 Actual: --; FY2025 Adopted: 200 thousand dollars"),
        (SPENDING, "TOTAL", "TOTAL; FY2024 Actual: 14.247 million dollars; FY2025 Adopted: 15.05 million dollars"),
        (
            BREEDING,
            "Gannel Head",
            "Site: Gannel Head; Plots: 3; Nests in 2024: 145; Chicks per nest 2023: 0.57; Chicks per nest 2024: 0.95",
        ),
        (TARIFFS, "Standing charge", "Standing charge; 1 Apr 2022: 36.5; 1 Apr 2023: 36.5"),
    ],
)
def test_names_on_several_lines_and_lines_between_rows(tmp_path: Path, text: str, query: str, row: str) -> None:
    (tmp_path / "table.txt").write_text(text, encoding="utf-8")
    settings = Passages(top_k=1, window=1, in_context=True)
    [found] = open_collection([tmp_path / "table.txt"], tmp_path / "cache").search(query, settings)
    assert found.reading
    assert found.reading.splitlines()[-1] == row


TRIAL = """# Trial

**Table 2. Disposition at week 24**

| | Placebo | 80 mg |
|---|---|---|
| Discontinued, n (%) | 26 (12.1) | 36 (16.7) |
| – adverse event | 5 | 19 |
"""


@try_all(
    ("query", "reading"),
    [
        ("Discontinued", "Discontinued, n (%); Placebo: 26 (12.1 %); 80 mg: 36 (16.7 %)"),
        ("adverse event", "Discontinued, n (%) – adverse event; Placebo: 5; 80 mg: 19"),
    ],
)
def test_a_row_is_read_with_the_one_it_is_a_part_of_and_with_its_shares(
    tmp_path: Path, query: str, reading: str
) -> None:
    (tmp_path / "trial.md").write_text(TRIAL, encoding="utf-8")
    settings = Passages(top_k=1, window=1, in_context=True)
    [found] = open_collection([tmp_path / "trial.md"], tmp_path / "cache").search(query, settings)
    assert found.reading
    assert found.reading.splitlines()[-1] == reading


def test_a_row_is_read_with_the_caption_of_its_table(tmp_path: Path) -> None:
    (tmp_path / "nests.txt").write_text(BREEDING, encoding="utf-8")
    settings = Passages(top_k=1, window=1, in_context=True)
    [found] = open_collection([tmp_path / "nests.txt"], tmp_path / "cache").search("Stack of Hern", settings)
    assert found.reading
    assert found.reading.startswith("Table 2. Breeding success in monitored plots")
