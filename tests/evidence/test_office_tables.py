"""Tables of Excel, Word and PowerPoint files: every cell is read with its column's name, or without any name."""

from __future__ import annotations

import io
from datetime import date, datetime, time, timedelta
from typing import Any

import pytest

from factscope.evidence import Kind, TextRow, parse, read_table
from tests.lab.many_cases import try_all

Rows = list[tuple[Any, ...]]


def readings(data: bytes, kind: Kind) -> list[str]:
    return [item.text for item in parse(data, kind, 9, 10_000) if isinstance(item, TextRow)]


def workbook(sheets: dict[str, Rows], merged: str = "", shown: str = "") -> bytes:
    """Return a workbook of these sheets, with these cells `merged` in each and figures in the format `shown`."""
    book, file = pytest.importorskip("openpyxl").Workbook(), io.BytesIO()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
        for cell in (cell for row in sheet.iter_rows() for cell in row if shown and not isinstance(cell.value, str)):
            cell.number_format = shown
        for span in merged.split():
            sheet.merge_cells(span)
    book.save(file)
    return file.getvalue()


def word(rows: Rows, merged: list[tuple[int, int, int, int]]) -> bytes:
    document, file = pytest.importorskip("docx").Document(), io.BytesIO()
    fill(document.add_table(len(rows), len(rows[0])), rows, merged)
    document.save(file)
    return file.getvalue()


def slide(rows: Rows, merged: list[tuple[int, int, int, int]]) -> bytes:
    presentation, file = pytest.importorskip("pptx").Presentation(), io.BytesIO()
    shapes = presentation.slides.add_slide(presentation.slide_layouts[6]).shapes
    fill(shapes.add_table(len(rows), len(rows[0]), 0, 0, 9, 9).table, rows, merged)
    presentation.save(file)
    return file.getvalue()


def fill(table: Any, rows: Rows, merged: list[tuple[int, int, int, int]]) -> None:
    for top, left, bottom, right in merged:
        table.cell(top, left).merge(table.cell(bottom, right))
    for at, row in enumerate(rows):
        for column, text in enumerate(row):
            if text:
                table.cell(at, column).text = text


@try_all(
    ("value", "shown", "text"),
    [
        (0.612, "0.0%", "61.2%"),
        (-0.125, "0%;[Red]-0%", "-13%"),
        (-0.1, "+0.0%;-0.0%", "-10.0%"),
        (0.05, "+0.0%;-0.0%", "+5.0%"),
        (61.2, '0.0"%"', "61.2%"),
        (-2.3, r"0.0\%", "-2.3%"),
        (1200, '#,##0 "EUR"', "1200 EUR"),
        (-1200.5, "[$€-407] #,##0.00", "-€ 1200.5"),
        (41.5, '_("$"* #,##0.00_)', "$41.5"),
        (1_200_000, '#,##0.0,,"m"', "1200000"),  # shown as 1.2m
        (0.5, "# ?/?", "0.5"),
        (7, "General", "7"),
        (datetime.fromisoformat("2019-05-01"), "yyyy-mm-dd", "2019-05-01"),
        (datetime.fromisoformat("2019-05-01T09:30"), "d.m.yy h:mm", "2019-05-01 09:30"),
        (date(2024, 1, 1), "mmm-yy", "January 2024"),
        (date(2024, 1, 1), "yyyy", "2024"),
        (time(9, 30), "h:mm", "09:30"),
        (timedelta(hours=26, minutes=5), "[h]:mm", "26:05"),
        (timedelta(minutes=-95), "[mm]:ss", "-1:35:00"),
        (12.5, 'General" kg"', "12.5 kg"),
        (-1234.56 - 1e-12, "General", "-1234.56"),
        (2.5e15, "#,##0", "2500000000000000"),
        ("Half_xD83D_", "General", "Half_xD83D_"),
        ("Clean_x000D_\nand dry", "General", "Clean and dry"),
    ],
)
def test_a_cell_of_a_sheet_is_read_as_it_is_shown(value: object, shown: str, text: str) -> None:
    data = workbook({"Data": [("Item", "Value", "Note"), ("A", value, "x")]}, shown=shown)
    assert readings(data, "xlsx") == [f"Item: A; Value: {text}; Note: x"]


YEARS = [("Segment", "Revenue", "", "Profit", ""), ("", "2023", "2024", "2023", "2024"), ("Pumps", "8", "9", "1", "2")]
PUMPS = "Segment: Pumps; Revenue 2023: 8; Revenue 2024: 9; Profit 2023: 1; Profit 2024: 2"


def test_column_names_on_two_rows_are_joined_in_all_formats() -> None:
    merged = [(0, 1, 0, 2), (0, 3, 0, 4), (0, 0, 1, 0)]
    assert readings(word(YEARS, merged), "docx") == [PUMPS]
    assert readings(slide(YEARS, merged), "pptx") == [PUMPS]
    for spans in ("B1:C1 D1:E1 A1:A2", ""):
        assert readings(workbook({"Data": [tuple(cell or None for cell in row) for row in YEARS]}, spans), "xlsx") == [
            PUMPS
        ]


@try_all(
    ("sheets", "merged", "texts"),
    [
        ({"Data": [("Region", "Area\n(km2)"), ("North", 88)]}, "", ["Region: North; Area (km2): 88"]),
        (
            {"Data": [("Country", "Year", "People"), ("Italy", 2020, 59), (None, 2021, 58)]},
            "A2:A3",
            ["Country: Italy; Year: 2020; People: 59", "Country: Italy; Year: 2021; People: 58"],
        ),
        ({"2024": [("Region", "Sales"), ("North", 120)]}, "", ["Sheet: 2024; Region: North; Sales: 120"]),
        (
            {name: [("Region", "Sales"), ("North", 120)] for name in ("Budget", "Actual")},
            "",
            ["Sheet: Budget; Region: North; Sales: 120", "Sheet: Actual; Region: North; Sales: 120"],
        ),
        ({"Budget": [("id", "text"), ("a", "It opened.")], "Actual": []}, "", ["It opened."]),
        (
            {"Data": [("EUR million", 2023, 2024), ("Revenue", 120, 130), ("Employees", 40, 50)]},
            "",
            ["EUR million: Revenue; 2023: EUR 120 million; 2024: EUR 130 million",
             "EUR million: Employees; 2023: 40; 2024: 50"],
        ),
        (
            {"Data": [("Sales (in EUR thousands)",), (), ("Region", 2023, 2024), ("North", 1234, -80)]},
            "A1:C1",
            ["Region: North; 2023: EUR 1.234 million; 2024: −EUR 80 thousand"],
        ),
        (
            {"Data": [("Company", "Acme"), ("Founded", 1987), ("Opened on", date(1987, 3, 1))]},
            "",
            ["| Company | Acme |\n| Founded | 1987 |\n| Opened on | 1987-03-01 |"],
        ),
    ],
)  # fmt: skip
def test_the_rows_of_a_sheet_are_read_with_their_column_names(
    sheets: dict[str, Rows], merged: str, texts: list[str]
) -> None:
    assert readings(workbook(sheets, merged), "xlsx") == texts


def test_a_pivot_table_has_its_column_names() -> None:
    rows = [("Sum of Sales", "Column Labels"), ("Row Labels", "2023", "2024", "Grand Total"), ("North", "1", "2", "3")]
    table = read_table(rows)
    assert table == (["Sum of Sales"], ["Row Labels", "2023", "2024", "Grand Total"], [["North", "1", "2", "3"]])
    quarters = [rows[0], ("", "2023", "", "2024"), ("Row Labels", "Q1", "Q2", "Q1"), ("North", "1", "2", "3")]
    assert read_table(quarters).names == ["Row Labels", "2023 Q1", "2023 Q2", "2024 Q1"]


def test_the_title_of_a_sheet_is_the_title_of_its_rows() -> None:
    data = workbook({"Data": [("Sales 2024",), (), ("Region", "Sales"), ("North", 1)]}, "A1:B1")
    assert [item.title for item in parse(data, "xlsx", 9, 10_000) if isinstance(item, TextRow)] == ["Sales 2024"]


@try_all(
    ("rows", "text"),
    [
        ([("Founded", "1987"), ("Seat", "Leeds")], "| Founded | 1987 |\n| Seat | Leeds |"),
        ([("Monday:", "closed"), ("Tuesday:", "10:00 - 17:00")], "| Monday | closed |\n| Tuesday | 10:00 - 17:00 |"),
        ([("9:00", "Opening", "Hall A"), ("10:00", "Bridges | arches", "Hall B")],
         "| 9:00 | Opening | Hall A |\n| 10:00 | Bridges \\| arches | Hall B |"),
        ([("Ticket", "Price"), ("Adult", "€12"), ("Child", "€6")],
         "Ticket: Adult; Price: €12\nTicket: Child; Price: €6"),
        ([("Prices from May", "Prices from May"), ("Ticket", "Price"), ("Adult", "€12")],
         "Prices from May\nTicket: Adult; Price: €12"),
        ([("Dish", "Price"), ("Soups", "Soups"), ("Fish", "6.00"), ("Pizzas", "Pizzas"), ("Fish", "9.00")],
         "Dish: Soups – Fish; Price: 6.00\nDish: Pizzas – Fish; Price: 9.00"),
        ([("Land", "Cases", "Deaths"), ("Norland", "", ""), ("Sorland", "120", "3"), ("Source: WHO", "", "")],
         "Land: Norland; Cases: –; Deaths: –\nLand: Sorland; Cases: 120; Deaths: 3\nLand: Source: WHO"),
    ],
)  # fmt: skip
def test_the_rows_of_a_table_in_a_document_or_slide_are_read(rows: Rows, text: str) -> None:
    spans = [(at, 0, at, 1) for at, row in enumerate(rows) if row[0] == row[1]]
    rows = [row if row[0] != row[1] else (row[0], "") for row in rows]
    assert readings(word(rows, spans), "docx") == [text]
    assert readings(slide(rows, spans), "pptx") == [text]


def test_a_table_nested_in_a_cell_is_read_on_the_line_of_its_row() -> None:
    document, file = pytest.importorskip("docx").Document(), io.BytesIO()
    table = document.add_table(2, 3)
    fill(table, [("Company", "Facts", "Town"), ("Acme", "", "Leeds")], [])
    fill(table.cell(1, 1).add_table(2, 2), [("Founded:", "1987"), ("Seat:", "Leeds")], [])
    document.save(file)
    assert readings(file.getvalue(), "docx") == ["Company: Acme; Facts: Founded: 1987; Seat: Leeds; Town: Leeds"]


GROUPS = [("EUR", "2024", "2023"), ("Assets", "", ""), ("Cash", "1", "2"), ("Total", "1", "2"), ("Debts", "", "")]


@try_all(
    ("rows", "first_cells"),
    [
        ([*GROUPS, ("Loans", "3", "4"), ("Source: accounts", "", "")],
         ["Assets – Cash", "Total", "Debts – Loans", "Source: accounts"]),
        ([*GROUPS, ("Loans", "3", "4"), ("", "", ""), ("Profit", "3", "4")],
         ["Assets – Cash", "Total", "Debts – Loans", "Profit"]),
        ([("Town", "People", "Area"), ("Marlow", "", ""), ("Kiel", "41", "3")], ["Marlow", "Kiel"]),  # figures missing
        ([("Land", "Cases", "Deaths"), ("Norland", "", ""), ("Sorland", "120", "3"), ("Vestland", "", ""),
          ("Ostland", "80", "1"), ("Total", "200", "4")], ["Norland", "Sorland", "Vestland", "Ostland", "Total"]),
        ([("Item", "Price", "Note"), ("Oars", "", ""), ("Small", "30", ""), ("Sails", "", ""), ("Small", "200", ""),
          ("Flags", "12", "")], ["Oars", "Oars – Small", "Sails", "Sails – Small", "Flags"]),
        ([("Region", "Product", "Sales"), ("North", "Pumps", "1"), ("", "Total", "1"), ("South", "Pumps", "2"),
          ("", "Total", "2"), ("", "Grand total", "3"), ("", "Rest", "4")],
         ["North", "North", "South", "South", "", ""]),
        ([("Region", "Product", "Sales"), ("North", "Pumps", "1"), ("South", "Pumps", "2"), ("", "Total", "3")],
         ["North", "South", ""]),
        ([("Town", "Year", "People"), ("Kiel", "2020", "1"), ("Total", "2020", "5"), ("", "2021", "6")],
         ["Kiel", "Total", "Total"]),
        ([("Land", "Item", "2023"), ("Norland", "Total", "5"), ("", "Men", "2"), ("", "Total debt", "3"),
          ("", "Cash", "4")], ["Norland"] * 4),
        ([("Town", "Year", "People"), ("Marlow", "2020", "41"), ("", "2021", "42")], ["Marlow", "Marlow"]),
        ([("EUR", "2024", "2023"), ("Tangible", "2,000", "1,900"), ("", "2,520", "2,400")], ["Tangible", ""]),  # a sum
        ([("", "Staff", "Staff"), ("Marlow", "Ida", "Ove"), ("Kiel", "Ann", "Bo")], ["Marlow", "Kiel"]),
        ([("Name", "Phone", "Phone"), ("Ida", "Ann", "Bo"), ("Ove", "Cy", "Di")], ["Ida", "Ove"]),
        ([("", "Placebo", "Placebo"), ("Event", "n", "%"), ("Nausea", "14", "6.6")], ["Nausea"]),
        ([("Assets", "", ""), ("Cash", "1", "2"), ("Loans", "3", "4")], ["Cash", "Loans"]),  # no column names
        ([("Year", "Sales"), ("2023", "1"), ("2024", "2")], ["2023", "2024"]),
        ([("Power", "110 kW"), ("Weight", "240 kg")], ["Power", "Weight"]),
        ([("EUR thousand", "31.12.2024", "31.12.2023"), ("Ships", "12", "13")], ["Ships"]),
        ([("", "2024-12-31", "2023-12-31"), ("Ships", "12", "13")], ["Ships"]),
        ([("Customer", "Berg", "Date", "2024-05-04"), ("Street", "High 4", "Number", "104")], ["Customer", "Street"]),
        ([("Start", "1.5.2024", "End", "4.5.2024"), ("Pumps", "5", "Price", "12")], ["Start", "Pumps"]),
        ([("Stage", "1.5.2024", "4.5.2024"), ("Roof", "2.5.2024", "5.5.2024")], ["Stage", "Roof"]),
        ([("Ann", "31.12.2024", "Kiel"), ("Bo", "", "Bonn")], ["Ann", "Bo"]),
        ([("EUR", "2024", "2023"), ("Assets", "", ""), ("Cash", "1", "2"), ("", "1", "2"), ("Debts", "", ""),
          ("Loans", "1", "2")], ["Assets – Cash", "Assets", "Debts – Loans"]),
        ([("Town", "Year", "People"), ("Marlow", "", ""), ("Kiel", "2020", "1"), ("", "2021", "2"), ("Oslo", "", ""),
          ("Bonn", "2020", "1")], ["Marlow", "Kiel", "Kiel", "Oslo", "Bonn"]),
        ([("Round", "1", "2", "3", "Total"), ("Ann", "7", "9", "6", "22")], ["Ann"]),
        ([("", "1", "2"), ("Ann", "7", "9")], ["Ann"]),
        ([("Ann", "1", "2"), ("Bo", "7", "9")], ["Ann", "Bo"]),
        ([("Ann", "1", "2", "3"), ("Bo", "1", "2", "3")], ["Ann", "Bo"]),
        ([("EUR", "2024", "2023"), ("Assets", "", ""), ("Cash", "1", "2"), ("Assets", "1", "2"), ("Debts", "", ""),
          ("Loans", "1", "2")], ["Assets – Cash", "Assets", "Debts – Loans"]),
        ([("Region", "2023"), ("North", "120"), ("South", "80")], ["Region", "North", "South"]),
    ],
)  # fmt: skip
def test_the_first_cell_names_a_row(rows: Rows, first_cells: list[str]) -> None:
    assert [row[0] for row in read_table(rows).rows] == first_cells
