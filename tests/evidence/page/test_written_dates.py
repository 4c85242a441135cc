"""Dates in the usual notations: read as the day that they state, with nothing else taken for a date."""

from __future__ import annotations

from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.evidence.page import EARLIEST, LATEST, iso_date, without_dates
from tests.conftest import at_least
from tests.lab.many_cases import try_all

DAYS = st.dates(date(EARLIEST, 1, 1), date(LATEST, 12, 31))
NAMES = """
January Jan Januar janvier enero
February Feb Februar février febrero
March Mar März mars marzo
April Apr April avril abril
May May Mai mai mayo
June Jun Juni juin junio
July Jul Juli juillet julio
August Aug August août agosto
September Sept September septembre septiembre
October Oct Oktober octobre octubre
November Nov November novembre noviembre
December Dec Dezember décembre diciembre
"""
"""Names of each month: English, abbreviated, German, French and Spanish."""
MONTHS = [line.split() for line in NAMES.strip().splitlines()]


def notations(day: date) -> list[str]:
    english, short, german, french, spanish = MONTHS[day.month - 1]
    number, year = day.day, day.year
    return [
        f"{year}-{day.month:02}-{number:02}",
        f"{year}-{day.month:02}-{number:02}T23:59:59+13:00",
        f"{year}{day.month:02}{number:02}",
        f"{year}{day.month:02}{number:02}T101500Z",
        f"{year}{day.month:02}{number:02}101500",
        f"{year}/{day.month}/{number}",
        f"{number} {english} {year}",
        f"{english} {number}, {year}",
        f"Posted on {short.upper()}. {number}, {year} at 10:15 pm",
        f"{number}. {german} {year}, 10.15 Uhr",
        f"le {number}{'er' if number == 1 else ''} {french} {year}",
        f"{number} de {spanish} de {year}",
        f"{number:02}.{day.month:02}.{year}",
        f"{year}年{day.month}月{number}日",
        f"{year}년 {day.month}월 {number}일",
    ]


@given(DAYS)
@settings(max_examples=at_least(15, in_all=200))
def test_a_date_is_read_back_from_every_notation(day: date) -> None:
    for notation in notations(day):
        assert iso_date(notation) == day.isoformat(), notation


@given(DAYS)
@settings(max_examples=at_least(15, in_all=200))
def test_numbers_between_slashes_are_a_date_only_if_the_order_is_clear(day: date) -> None:
    is_clear = day.day > 12 or day.day == day.month
    expected = day.isoformat() if is_clear else None
    assert iso_date(f"{day.day}/{day.month}/{day.year}") == expected
    assert iso_date(f"{day.month}/{day.day}/{day.year}") == expected


@given(DAYS)
@settings(max_examples=at_least(15, in_all=200))
def test_a_line_with_only_a_date_has_no_other_words(day: date) -> None:
    for notation in (f"{day.day} {MONTHS[day.month - 1][0]} {day.year}", f"{day:%Y-%m-%d}", f"{day.year}年1月2日"):
        assert not any(map(str.isalnum, without_dates(notation))), notation


@try_all(
    "text",
    [
        "31 June 2019",
        "29 February 2023",
        f"{EARLIEST - 1}-12-31",
        f"{LATEST + 1}-01-01",
        "May 2019",
        "3 May 19",
        "the 3 marches 2019",
        "phone 2019-123-456",
        "id 120190503",
        "192.168.10.2019",
        "Tuesday",
        "x" * 200 + "2019-05-03",  # too far into the line for a byline
        "",
    ],
)
def test_a_nonexistent_or_unstated_date_is_none(text: str) -> None:
    assert iso_date(text) is None


def test_the_first_date_in_a_line_counts() -> None:
    assert iso_date("Updated 12:30, 3 May 2019 | Posted 1 May 2018") == "2019-05-03"
    assert iso_date("2019-05-03 to 2020-06-04") == "2019-05-03"


def test_words_beside_a_date_stay() -> None:
    assert without_dates("By Ada Lee, Friday 3rd May 2019 at 10:15 pm").split() == ["by", "ada", "lee,", "at"]
