"""Tables in plain text, with cells separated by spaces."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.claims.text import aligned_rows, cells, named_cells, named_rows
from factscope.evidence import open_collection
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


def test_rows_and_their_column_names_are_found() -> None:
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
        ("Rent        980 euros\nHeating     190 euros\n", 0),  # two lines of two cells are ambiguous
        ("It rained.  We stayed in.\nIt snowed.  We went out.\nIt thawed.  We slept.\n", 0),  # wide spaces after stops
        ("The  wide   lines\nof this poem   go\nwherever   they  like\n", 0),  # no columns
        ("One line with   three   cells\n", 0),
        (2 * "The left column of a page of prose and\tthe right one, which is on the same line\n" + "Ends\there\n", 0),
        ("", 0),
    ],
)
def test_only_aligned_cells_form_columns(text: str, n_rows: int) -> None:
    assert len(aligned_rows(text)) == n_rows


@given(st.text("ab .\t\n|-", max_size=80))
def test_rows_are_lines_of_the_text_in_order(text: str) -> None:
    spans = aligned_rows(text)
    assert spans == sorted(spans)
    assert all(text[start:end].strip() == text[start:end] and "\n" not in text[start:end] for start, end in spans)


def test_a_row_is_read_with_its_column_names_and_quoted_verbatim(tmp_path: Path) -> None:
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
def test_consecutive_rows_that_name_their_columns_are_found(text: str, n_rows: int) -> None:
    assert len(named_rows(text)) == n_rows


def test_the_cells_of_a_row_are_paired_with_their_names() -> None:
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


def test_a_table_with_names_on_two_lines_a_rule_and_a_short_total_is_read(tmp_path: Path) -> None:
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
def test_names_on_several_lines_and_lines_between_rows_are_read(
    tmp_path: Path, text: str, query: str, row: str
) -> None:
    assert reading(tmp_path, text, query).splitlines()[-1] == row


def reading(folder: Path, text: str, query: str) -> str:
    (folder / "table.txt").write_text(text, encoding="utf-8")
    settings = Passages(top_k=1, window=1, in_context=True)
    [result] = open_collection([folder / "table.txt"], folder / "cache").search(query, settings)
    assert result.reading
    return result.reading


PROGRAMME = """Programme

 9:00   Registration            Foyer
 9:30   Welcome                 Hall A     A. Lee
10:00   The new bridge          Hall A     B. Ray
11:00   Coffee
"""
SEGMENTS = """Segment results

            Revenue            Profit
           2023    2024     2023    2024
Pumps       120     140       12      15
Valves       80      75       (3)      2
"""
AGES = """Population by age group

                      2011                2021
               Number      %       Number      %
0-14           12,100   18.2       11,400   16.5
15-64          42,300   63.5       43,900   63.6
"""
UNEQUAL_GROUPS = """Results

                  Revenue             Profit
           2022    2023    2024     2023    2024
Pumps       110     120     140       12      15
Valves       70      80      75       (3)      2
"""
INVENTORY = """Inventory as of 31 March

Item            Stock   Price

Fasteners
Bolt M8          1000    0.12
Nut M8            500    0.08

Tools
Hammer             20   14.50
Wrench             12   18.00

Total            1532   32.70
"""
FEES = """Fees 2024

Category        Member   Guest
Adult               40      60
Child               15      25

Fees 2025

Category        Member   Guest
Senior              30      50
Student             18      28
"""
BOXES = """Towns
┌────────────┬──────────┬────────┐
│ Town       │ People   │ Area   │
├────────────┼──────────┼────────┤
│ Arnby      │  412,000 │  88 km │
│ Belvik     │          │  41 km │
└────────────┴──────────┴────────┘
"""
LEADERS = """                            2023     2024
Revenue ................. 41,300   44,950
Costs ................... 30,100   32,400
"""


@try_all(
    ("text", "query", "expected"),
    [
        ("Monday:    closed\nTuesday:   9 - 17\nWeekend:   9 - 13\n", "Tuesday", "Tuesday: 9 - 17"),
        ("Monday      Closed\nTuesday     9 - 17\nWednesday   9 - 15\n", "Wednesday", "Wednesday: 9 - 15"),
        ("Founded\t1987\nEmployees\t1,250\nOwner\tHolt family\n", "Employees", "Founded: 1987\nEmployees: 1,250"),
        ("Canoe     12 EUR\nKayak     14 EUR\nDeposit   50 EUR\n", "Deposit", "Canoe: 12 EUR\nDeposit: 50 EUR"),
        (PROGRAMME, "Bridge", "Programme.\n10:00: The new bridge: Hall A: B. Ray"),
        ("Year      Visitors\n2021        12,400\n2022        15,100\n", "2022", "Year: 2022; Visitors: 15,100"),
        (
            "Segment    2023\n--------------\nPumps    41,300\nValves   18,000\n",
            "Valves",
            "Segment: Valves; 2023: 18,000",
        ),
        ("| Founded | 1987 |\n|---|---|\n| Seat | Leeds |\n", "Leeds", "Founded: 1987\nSeat: Leeds"),
        ("| Monday | closed |\n|---|---|\n| Tuesday | 9–17 |\n", "Tuesday", "Tuesday: 9–17"),
    ],
)
def test_the_first_entry_of_a_list_is_not_a_row_of_column_names(
    tmp_path: Path, text: str, query: str, expected: str
) -> None:
    assert reading(tmp_path, text, query).endswith(expected)


@try_all(
    ("text", "query", "expected"),
    [
        (SEGMENTS, "Valves", "Valves; Revenue 2023: 80; Revenue 2024: 75; Profit 2023: (3); Profit 2024: 2"),
        (AGES, "15-64", "15-64; 2011 Number: 42,300; 2011 %: 63.5; 2021 Number: 43,900; 2021 %: 63.6"),
        (UNEQUAL_GROUPS, "Valves", "Revenue: Profit\nValves: 70: 80: 75: (3): 2"),
        (SEGMENTS, "2023", "Segment results.\nRevenue: Profit\n2023: 2024: 2023: 2024"),
        ("Town\tPeople\tArea\nArnby\t412\t88\nBelvik\t\t41\nVik\t120\t\n", "Belvik", "Town: Belvik; Area: 41"),
        ("Town\tPeople\tArea\nArnby\t412\t88\nBelvik\t\t41\nVik\t120\t\n", "Vik", "Town: Vik; People: 120"),
        ("Town\tPeople\tArea\nArnby\t412\t88\nHolm\t96\t12\nBelvik\t41\n", "Belvik", "Belvik\t41"),
        ("Name\t\tAge\tTown\nIda\t\t41\tVik\nMaximilian\t38\tHolm\n", "Ida", "Name: Ida; Age: 41; Town: Vik"),
        (BOXES, "Arnby", "Town: Arnby; People: 412,000; Area: 88 km"),
        (BOXES, "Belvik", "Town: Belvik; Area: 41 km"),
        (LEADERS, "Costs", "Costs; 2023: 30,100; 2024: 32,400"),
    ],
)
def test_figures_are_read_with_their_own_column_name_or_none(
    tmp_path: Path, text: str, query: str, expected: str
) -> None:
    assert reading(tmp_path, text, query).endswith(expected)


PLANS = """         Basic     Premium
Price    free      9 euros a month
Boats    1         unlimited
Support  by mail   by mail and phone
"""
BALANCE = """Balance sheet as at 31 December

                      2024       2023
Fixed assets
  Ships             12,400     13,100
  Depreciation        (400)      (300)
                    12,000     12,800
Current assets
  Stocks               310        290
  Cash                 640        710
                     8,000      9,000
"""


@try_all(
    ("text", "query", "expected"),
    [
        (PLANS, "free price", "Price; Basic: free; Premium: 9 euros a month"),
        (PLANS, "unlimited boats", "Boats; Basic: 1; Premium: unlimited"),
        (BALANCE, "12,000", "Fixed assets – total; 2024: 12,000; 2023: 12,800"),
        (BALANCE, "8,000", ".\n2024: 8,000; 2023: 9,000"),
    ],
)
def test_rows_of_words_and_totals_without_a_label_are_read(
    tmp_path: Path, text: str, query: str, expected: str
) -> None:
    assert reading(tmp_path, text, query).endswith(expected)


@try_all(
    ("text", "query", "expected"),
    [
        (INVENTORY, "Nut", "Inventory as of 31 March. Fasteners.\nItem: Nut M8; Stock: 500; Price: 0.08"),
        (INVENTORY, "Wrench", "Inventory as of 31 March. Tools.\nItem: Wrench; Stock: 12; Price: 18.00"),
        (INVENTORY, "Total", "Inventory as of 31 March.\nItem: Total; Stock: 1532; Price: 32.70"),
        (INVENTORY, "Tools", "Inventory as of 31 March.\nTools"),
        (FEES, "Child", "Fees 2024.\nCategory: Child; Member: 15; Guest: 25"),
        (FEES, "Student", "Fees 2025.\nCategory: Student; Member: 18; Guest: 28"),
    ],
)
def test_a_row_is_read_with_the_headings_above_it(tmp_path: Path, text: str, query: str, expected: str) -> None:
    assert reading(tmp_path, text, query) == expected


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
def test_a_row_is_read_with_its_parent_row_and_its_shares(tmp_path: Path, query: str, reading: str) -> None:
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
