"""Table rows common to all formats: column names on several rows, and rows without any names."""

from __future__ import annotations

from factscope.claims.text import are_names
from factscope.evidence import TextRow, joined_names, parse, read_table
from tests.lab.many_cases import try_all


@try_all(
    ("table", "names"),
    [
        (",2023,,2024,\nSegment,Q1,Q2,Q1,Q2\nPumps,1,2,3,4", "Segment|2023 Q1|2023 Q2|2024 Q1|2024 Q2"),
        ("Region,2023,2024\n,GWh,GWh\nNorth,12,13", "Region|2023 GWh|2024 GWh"),
        ("Region,,2023,\n,Code,GWh,%\nNorth,N1,5,6", "Region|Code|2023 GWh|2023 %"),
        ("Part,Europe,,Asia,\n,2023,2024,2023,2024\n,EUR,EUR,EUR,EUR\nA,1,2,3,4",
         "Part|Europe 2023 EUR|Europe 2024 EUR|Asia 2023 EUR|Asia 2024 EUR"),
        ("Club,2022/23,2023/24\nKiel,12,13", "Club|2022/23|2023/24"),
        ("Region,Plan,Actual\nTotal,n/a,n/a\nNorth,12,13", "Region|Plan|Actual"),
    ],
)  # fmt: skip
def test_column_names_are_the_same_in_all_formats(table: str, names: str) -> None:
    rows = [line.split(",") for line in table.splitlines()]
    assert read_table(rows).names == names.split("|")
    *_, last = (item.text for item in parse(table.encode(), "csv", 9, 10_000) if isinstance(item, TextRow))
    pairs = zip(names.split("|"), rows[-1], strict=True)
    assert last.partition("\n")[0] == "; ".join(f"{name}: {cell}" for name, cell in pairs)
    cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    page = f"<html><body><h1>Report</h1><p>{'The table has all of it. ' * 9}</p><table>{cells}</table></body></html>"
    (read,) = (item.text for item in parse(page.encode(), "html", 9, 10_000) if isinstance(item, TextRow))
    assert names.replace("|", " | ") in read.splitlines()


@try_all(
    ("first", "below"),
    [
        ("Pump A|Berlin|120", "Pump B|Kiel|130"),
        ("Smith|Mayor|2010-14", "Jones|Mayor|2014-18"),
        ("Mon|closed", "Tue|9-17"),
        ("Fee|EUR500|EUR600", "Cost|EUR5|EUR6"),
        ("Opened|May 1987", "Height|12 m"),
        ("Fee|EUR 500|EUR 600", "Perks|none|lounge"),
        ("Ann|Room 1|Room 2", "Bo|closed|Room 1"),
    ],
)
def test_entries_are_not_column_names(first: str, below: str) -> None:
    assert not are_names(first.split("|"), [below.split("|")], is_ruled=False)
    assert not read_table([first.split("|"), below.split("|")]).names


@try_all(
    ("names", "below"),
    [
        ("Museum|2021/22|2022/23", "Castle|8,000|7,400"),
        ("Station|1961-90|1991–20", "Arnby|812|831"),
        ("Season|2018–19|2019–20", "Visitors|12,400|12,500"),
        ("Time|Room 1|Room 2|Notes", "Noon|Yoga class|Choir|quiet"),
        ("Property|Kite 3|Kite 4", "Weight|1.2 kg|1.1 kg"),
        ("Town|0–17|18–64|65+", "Arnby|2,100|7,400|1,900"),
    ],
)
def test_years_and_consecutive_numbers_are_column_names(names: str, below: str) -> None:
    assert are_names(names.split("|"), [below.split("|")], is_ruled=False)


def test_a_first_row_is_not_joined_to_column_names_that_lack_one_for_remarks() -> None:
    rows = [["Support", "yes", "yes", "by mail"], ["Users", "1", "10", ""]]
    assert joined_names([["Feature", "Basic", "Pro", ""], *rows])[1] == 1
    assert joined_names([["", "Basic", "Pro", ""], *rows])[1] == 1


def test_ragged_rows_are_read() -> None:
    table = b"a,b,c\n1\n* note\nNorth,1,2\n"
    assert len([item for item in parse(table, "csv", 9, 10_000) if isinstance(item, TextRow)]) == 3
