"""Scales stated once for a table: rows are read with their scale, and quoted as in the document."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from factscope.evidence import FoundPassage, open_collection
from factscope.methods import Passages
from tests.lab.many_cases import try_all

ROWS = """|---|--:|--:|--:|
| Pumps | 41,300 | 44,950 | 8.8 |
| Employees | 398 | 412 | 3.5 |
| Other | (350) | 900 | – |
"""
ALONE = Passages(top_k=1, window=0, in_context=True)


@pytest.fixture
def find(tmp_path: Path) -> Callable[..., FoundPassage]:
    """Return a search for the best passage of a text."""

    def best(text: str, words: str = "Pumps 2024") -> FoundPassage:
        (tmp_path / "report.md").write_text(text, encoding="utf-8")
        [passage] = open_collection([tmp_path / "report.md"], tmp_path / "cache").search(words, ALONE)
        return passage

    return best


@try_all(
    ("caption", "corner"),
    [
        ("Segment revenue (EUR thousands)", "Segment"),
        ("Segment revenue (in EUR thousand)", "Segment"),
        ("Segment revenue", "EUR thousands"),
        ("Segment revenue", "Segment (EUR '000)"),
        ("Segment revenue", "Item, EUR k"),
    ],
)
def test_a_row_is_read_with_the_scale_of_its_table(
    find: Callable[..., FoundPassage], caption: str, corner: str
) -> None:
    text = f"# Annual report\n\n{caption}\n\n| {corner} | 2023 | 2024 | Change (%) |\n{ROWS}"
    passage = find(text)
    assert passage.text == "| Pumps | 41,300 | 44,950 | 8.8 |"
    assert passage.reading
    assert passage.reading.endswith("2023: EUR 41.3 million; 2024: EUR 44.95 million; Change (%): 8.8")


@pytest.mark.parametrize(
    ("scale", "expected"),
    [
        ("All amounts in thousands of euros.", "2024: 44.95 million euros"),
        ("Figures in € million", "2024: €44,950 million"),
        ("Balance sheet (in millions of US dollars)", "2024: 44,950 million US dollars"),
        ("Passengers (thousands)", "2024: 44.95 million"),
        ("Key figures (£bn)", "2024: £44,950 billion"),
        ("(Unaudited, in thousands of U.S. dollars)", "2024: 44.95 million U.S. dollars"),
        ("(dollars in thousands, except per share amounts)", "2024: 44.95 million dollars"),
        ("Table 1: Revenue in EUR million", "2024: EUR 44,950 million"),
        ("Revenue by segment, NOK m", "2024: NOK 44,950 million"),
        ("Revenue (TEUR)", "2024: EUR 44.95 million"),
        ("Revenue ('000)", "2024: 44.95 million"),
        ("Key figures (in millions, except per share amounts)", "2024: 44,950 million"),
    ],
)
def test_a_scale_can_be_written_in_many_ways(find: Callable[..., FoundPassage], scale: str, expected: str) -> None:
    passage = find(f"# Annual report\n\n{scale}\n\n| Segment | 2023 | 2024 | Change (%) |\n{ROWS}")
    assert passage.reading
    assert expected in passage.reading


def test_a_column_can_have_its_own_scale(find: Callable[..., FoundPassage]) -> None:
    text = "| Division | Staff | Revenue 2023 (£m) |\n|---|---|---|\n| Frozen | 1,210 | 142 |\n"
    passage = find(text, "Frozen")
    assert passage.reading
    assert passage.reading.endswith("Division: Frozen; Staff: 1,210; Revenue 2023 (£m): £142 million")


def test_a_scale_after_the_year_of_a_column_applies_to_amounts_only(find: Callable[..., FoundPassage]) -> None:
    text = "| | 2024 £'000 | 2023 £'000 |\n|---|---|---|\n| Turnover | £ 4,120 | (3,980) |\n| Employees | 41 | 39 |\n"
    assert (find(text, "Turnover").reading or "").endswith("2024 £'000: £4.12 million; 2023 £'000: −£3.98 million")
    assert (find(text, "Employees").reading or "").endswith("2024 £'000: 41; 2023 £'000: 39")


def test_a_figure_with_a_currency_sign_has_the_scale_of_its_table(find: Callable[..., FoundPassage]) -> None:
    table = "\n\n| Segment | 2023 | 2024 |\n|---|---|---|\n| Pumps | $ 41,300 | $(350) |\n"
    plain, worded = (
        find(f"# Report\n\nSales (in thousands){table}"),
        find(f"# R\n\nSales (thousands of dollars){table}"),
    )
    assert (plain.reading or "").endswith("2023: $41.3 million; 2024: −$350 thousand")
    assert (worded.reading or "").endswith("2023: $41.3 million; 2024: −$350 thousand")


def test_a_row_can_have_its_own_scale(find: Callable[..., FoundPassage]) -> None:
    text = "| Item | 2022 | 2021 |\n|---|--:|--:|\n| Revenue (million crowns) | 946 | 871 |\n| Ships | 14 | 15 |\n"
    passage = find(text, "Revenue crowns 2022")
    assert passage.reading
    assert passage.reading.endswith(
        "Item: Revenue (million crowns); 2022: 946 million crowns; 2021: 871 million crowns"
    )


def test_a_loss_is_scaled_but_a_headcount_in_the_same_table_is_not(find: Callable[..., FoundPassage]) -> None:
    text = f"# Annual report\n\nKey figures (EUR thousands)\n\n| Item | 2023 | 2024 | Change (%) |\n{ROWS}"
    employees, other = find(text, "Employees 2024"), find(text, "Other 2024")
    assert employees.reading
    assert employees.reading.endswith("2023: 398; 2024: 412; Change (%): 3.5")
    assert other.reading
    assert other.reading.endswith("2023: −EUR 350 thousand; 2024: EUR 900 thousand; Change (%): –")


@try_all(
    "caption",
    [
        "Length (m)",
        "The group earned 4 million.",
        "Results",
        "Population (2011)",
        "Weights (k)",
        "New York: Thousand Islands",
        "How to earn millions",
    ],
)
def test_other_lines_are_not_scales(find: Callable[..., FoundPassage], caption: str) -> None:
    passage = find(f"# Annual report\n\n{caption}\n\n| Segment | 2023 | 2024 | Change (%) |\n{ROWS}")
    assert passage.reading
    assert "2024: 44,950" in passage.reading


def test_a_note_at_the_beginning_holds_for_all_tables(find: Callable[..., FoundPassage]) -> None:
    note = "*1 January – 30 June 2024. Amounts in EUR million unless stated otherwise.*"
    rows = "| Pumps | -151.4 | 1,036.3 |\n| Return on equity, % | 10.8 | 11.2 |\n"
    table = f"| | H1 2024 | Full year 2023 |\n|---|--:|--:|\n{rows}"
    text = f"# Report\n\n{note}\n\n## Key figures\n\n{table}"
    pumps, share = find(text, "Pumps"), find(text, "Return on equity")
    assert pumps.reading
    assert pumps.reading.endswith("Pumps; H1 2024: −EUR 151.4 million; Full year 2023: EUR 1,036.3 million")
    assert share.reading
    assert share.reading.endswith("H1 2024: 10.8; Full year 2023: 11.2")


def test_the_scale_of_an_earlier_table_is_not_that_of_the_next(find: Callable[..., FoundPassage]) -> None:
    first = "Revenue (EUR million)\n\n| Segment | 2023 | 2024 |\n|---|--:|--:|\n| Valves | 41 | 45 |\n"
    second = "## Weights\n\n| Item | 2023 | 2024 |\n|---|--:|--:|\n| Pumps | 310 | 320 |\n"
    passage = find(f"# Report\n\n{first}\n{second}")
    assert passage.reading
    assert "2024: 320" in passage.reading


@try_all(
    ("above", "names", "cells", "expected"),
    [
        ("(EUR million)", "Item | 2024", "Stores | 322", "322"),
        ("(EUR million)", "Item | 2024", "Personnel | 4,200", "4,200"),
        ("(EUR million)", "Item | 2024", "Staff costs | 42", "EUR 42 million"),
        ("(EUR million)", "Item | 2024", "Dividend | 0.55", "0.55"),
        ("(EUR million)", "Item | 2024", "Change in inventories | 3", "EUR 3 million"),
        ("(EUR million)", "Item | 2024", "Net income (loss) | (3)", "−EUR 3 million"),
        ("(EUR million)", "Item | 2024", "Emissions (t) | 120", "120"),
        ("(EUR million)", "Item | Change (%)", "Revenue (million crowns) | 3.5", "3.5"),
        ("(EUR million)", "Company | Founded", "Alfa | 1987", "1987"),
        ("(EUR million)", "Team | Headcount", "Sales | 44", "44"),
        ("(EUR million)", "Region | Pumps", "North | 44", "EUR 44 million"),
        ("(EUR million)\n\n## Headcount", "Team | 2024", "Leeds | 44", "44"),
        ("Revenue by segment (EUR million)", "Segment | 2024", "Hotels | 44", "EUR 44 million"),
        ("Amounts are in EUR million.\n\n## Workforce", "Site | 2024", "Leeds | 402", "402"),
        ("Amounts are in EUR million.\n\n## Safety", "Site | 2024", "Leeds | 402", "402"),
        ("Amounts are in EUR million.\n\n## Income", "Source | 2024", "Leeds | 402", "EUR 402 million"),
        ("(in thousands of US dollars)", "Item | 2024", "Net sales | $ 41,300", "$41.3 million"),
        ("(EUR million)", "Item | 2024", "Net sales | $ 41,300", "$ 41,300"),
        ("(EUR thousand)", "Item | 2024", "Income | 1'234*", "EUR 1.234 million"),
        ("(EUR thousand)", "Item | 2024", "Income | > 70", "> EUR 70 thousand"),
        ("", "Item | 2024 £'000", "Turnover | 4,120", "£4.12 million"),
    ],
)
def test_a_scale_applies_only_to_figures_it_fits(
    find: Callable[..., FoundPassage], above: str, names: str, cells: str, expected: str
) -> None:
    text = f"# Key figures\n\n{above}\n\n| {names} |\n|---|--:|\n| {cells} |\n"
    assert (find(text, cells).reading or "").endswith(f": {expected}")


def test_a_column_of_years_or_ranks_is_not_scaled_like_money_columns(find: Callable[..., FoundPassage]) -> None:
    names = "| Company | Starting | Revenue | Places |\n|---|--:|--:|--:|\n"
    passage = find(f"# Companies\n\nThe largest (EUR million)\n\n{names}| Alfa | 1987 | 1,200 | 14 |\n", "Alfa")
    assert (passage.reading or "").endswith("Starting: 1987; Revenue: EUR 1,200 million; Places: 14")


@try_all(
    ("below", "expected"),
    [
        ("\\* without pensions\n\n*In thousands of euros.*\n", "1.34 million euros"),
        ("Amounts in EUR thousands.\n", "EUR 1.34 million"),
        ("The council met in May.\n", "1,340"),
        ("In thousands of euros.\n\n| Town | Staff | Cost |\n|---|---|---|\n| Arnby | 4 | 12 |\n", "1,340"),
    ],
)
def test_a_note_below_a_table_is_its_scale(find: Callable[..., FoundPassage], below: str, expected: str) -> None:
    text = f"# Budget\n\n| Department | Plan | Actual |\n|---|---|---|\n| Roads | 1,200 | 1,340 |\n\n{below}"
    assert (find(text, "Roads plan").reading or "").endswith(f"Actual: {expected}")


@try_all(
    ("file", "expected"),
    [
        ("Results,,\n(in EUR thousands),,\n,2023,2024\nRevenue,41300,44950\n", "Revenue; 2023: EUR 41.3 million"),
        ("# Units: thousands of euros\nyear,revenue,staff\n2023,1500,9\n", "revenue: 1.5 million euros; staff: 9"),
        ("Results,,\nItem,2023,2024\nRevenue,41300,44950\nIn EUR thousands.,,\n", "2024: EUR 44.95 million"),
        ("Company,Revenue (EUR m),Staff\nAlfa,1200,4\n", "Revenue (EUR m): EUR 1200 million; Staff: 4"),
        ("Company,Revenue,Staff\nAlfa,1200,4\n", "Revenue: 1200; Staff: 4"),
    ],
)
def test_a_row_of_a_file_has_the_scale_of_its_title_note_or_column(tmp_path: Path, file: str, expected: str) -> None:
    (tmp_path / "a.csv").write_text(file, encoding="utf-8")
    [passage] = open_collection([tmp_path / "a.csv"], tmp_path / "cache").search("Revenue year 2023", ALONE)
    assert expected in (passage.reading or "")
    assert passage.text in file or passage.text.partition("\n\n")[2] in file


@try_all(
    ("caption", "names", "row", "expected"),
    [
        ("Fees (EUR million)", "Player|Goals|Fee", "Pumps|11|4.5", "Goals: 11; Fee: EUR 4.5 million"),
        ("Rounds (EUR million)", "Company|Amount|Investors", "Pumps|12|4", "Amount: EUR 12 million; Investors: 4"),
        ("Board fees (EUR million)", "Member|Meetings|Fee", "Pumps|8|40", "Meetings: 8; Fee: EUR 40 million"),
        (
            "Exports (EUR million)",
            "Country|Exports 2023|Companies 2023|Share 2023",
            "Pumps|131|14|0.4",
            "Exports 2023: EUR 131 million; Companies 2023: 14; Share 2023: 0.4",
        ),
        ("Costs (EUR million)", "Team|Wages|Trainees", "Sales pumps|2|3", "Wages: EUR 2 million; Trainees: 3"),
        ("Season (EUR million)", "Team|Wins|Losses", "Pumps|8|3", "Wins: 8; Losses: 3"),
        ("Key figures (EUR million)", "Figure|2023|2024", "Pump suppliers|212|220", "2023: 212; 2024: 220"),
        ("Key figures (EUR million)", "Figure|2023|2024", "Pumps: new contracts|52|53", "2023: 52; 2024: 53"),
        ("Segments (EUR million)", "Unit|Revenue|2024", "Pump helicopters|52|3", "Revenue: EUR 52 million; 2024: 3"),
        ("Funds (EUR million)", "Fund|Assets|Fee", "Pumps|41|0.4", "Assets: EUR 41 million; Fee: 0.4"),
    ],
)
def test_a_scale_of_money_is_not_applied_to_counts(
    find: Callable[..., FoundPassage], caption: str, names: str, row: str, expected: str
) -> None:
    rule = "|".join("-" * len(names.split("|")))
    passage = find(f"# Report\n\n{caption}\n\n|{names}|\n|{rule}|\n|{row}|\n", row.replace("|", " "))
    assert passage.reading
    assert passage.reading.endswith(f"; {expected}")
