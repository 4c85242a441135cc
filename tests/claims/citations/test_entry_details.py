"""Details of bibliography entries: addresses, access dates, and which entries name the same source."""

from __future__ import annotations

import calendar
from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.claims.citations import address, identity, read_date, read_entry, trimmed
from tests.lab.many_cases import try_all


@try_all(
    ("words", "day"),
    [
        ("2024-05-03", "2024-05-03"),
        ("2024-5-3", "2024-05-03"),
        ("3 May 2024", "2024-05-03"),
        ("03 MAY 2024", "2024-05-03"),
        ("3rd May 2024", "2024-05-03"),
        ("May 3, 2024", "2024-05-03"),
        ("May  3,\n2024", "2024-05-03"),
        ("12 Jan. 2024", "2024-01-12"),
        ("Sept. 3, 2024", "2024-09-03"),
        ("3. Mai 2024", "2024-05-03"),
        ("3. März 2024", "2024-03-03"),
        ("13. Dez. 2024", "2024-12-13"),
        ("03.05.2024", "2024-05-03"),
        ("3. 5. 2024", "2024-05-03"),
        ("1er mars 2024", "2024-03-01"),
        ("3 août 2024", "2024-08-03"),
        ("3 juil. 2024", "2024-07-03"),
        ("3 de mayo de 2024", "2024-05-03"),
        ("29 February 2024", "2024-02-29"),
    ],
)
def test_a_date_is_read_as_it_is_written_in_bibliographies(words: str, day: str) -> None:
    assert read_date(words) == day


@try_all(
    "words",
    [
        "", "2024", "May 2024", "5/3/2024", "3.5", "31 February 2024", "29 February 2023", "2024-13-01", "32.01.2024",
        "0 May 2024", "3 Ma 2024", "3 marvel 2024", "3 May 2024 or later", "3 May 24", "2024-05-03T10:00",
    ],
)  # fmt: skip
def test_an_ambiguous_or_impossible_day_is_not_a_date(words: str) -> None:
    assert read_date(words) is None


@given(st.dates(date(1990, 1, 1), date(2099, 12, 31)))
@settings(max_examples=40, deadline=None)
def test_every_day_is_read_in_every_style(day: date) -> None:
    month, short = calendar.month_name[day.month], calendar.month_abbr[day.month]
    for words in (
        day.isoformat(),
        f"{day.day} {month} {day.year}",
        f"{day.day} {short}. {day.year}",
        f"{month} {day.day}, {day.year}",
        f"{day.day:02}.{day.month:02}.{day.year}",
    ):
        assert read_date(words) == day.isoformat()


@try_all(
    ("entry", "accessed", "year"),
    [
        ("Kern (2004). Quays. https://a.example. Accessed 12 Jan. 2024.", "2024-01-12", "2004"),
        ("Kern (2004). Quays. Last visited: 2024-01-12.", "2024-01-12", "2004"),
        ("Kern, I. (2004). Quays. Retrieved Sept. 3, 2024, from https://a.example", "2024-09-03", "2004"),
        ("Kern, I. (2004). Kais. Abgerufen am 3. Mai 2024.", "2024-05-03", "2004"),
        ("Kern, I. (2004). Kais. Zugriff am 03.05.2024", "2024-05-03", "2004"),
        ("Kern, I. (2004). Quais. Consulté le 1er mars 2024.", "2024-03-01", "2004"),
        ("Kern, I. (2004). Muelles. Consultado el 3 de mayo de 2024.", "2024-05-03", "2004"),
        ("Kern, I. Quays. Accessed 3 May 2024.", "2024-05-03", None),
        ("Kern, I. (2004). Quays. Accessed in spring.", None, "2004"),
        ("Kern, I. (2004). Quays, 3 May 2003.", None, "2004"),
    ],
)
def test_the_access_date_is_not_the_year_of_the_work(entry: str, accessed: str | None, year: str | None) -> None:
    reference = read_entry(entry)
    assert (reference.accessed, reference.year) == (accessed, year)


@try_all(
    ("text", "url", "doi", "arxiv"),
    [
        ("nothing", None, None, None),
        ("see https://a.example/x_(y)).", "https://a.example/x_(y)", None, None),
        ("see www.a.example.", "https://www.a.example", None, None),
        ("HTTPS://A.example/x", "HTTPS://A.example/x", None, None),
        ("first https://a.example, then https://b.example", "https://a.example", None, None),
        ("doi:10.1234/ab(c)d).", None, "10.1234/ab(c)d", None),
        ("https://doi.org/10.1234/ab.c.", None, "10.1234/ab.c", None),
        ("https://dx.doi.org/10.1234/x%2Fy", None, "10.1234/x/y", None),
        ("https://press.example/doi/10.1234/ab", "https://press.example/doi/10.1234/ab", None, None),
        ("https://a.example, doi 10.1234/ab", "https://a.example", "10.1234/ab", None),
        ("arXiv:2305.14627v2", None, None, "2305.14627v2"),
        ("https://arxiv.org/pdf/2305.14627v1.pdf", None, None, "2305.14627v1"),
        ("https://export.arxiv.org/abs/math.GT/0309136", None, None, "math.GT/0309136"),
        ("me@www.example", None, None, None),
    ],
)
def test_the_address_of_an_entry_is_found(text: str, url: str | None, doi: str | None, arxiv: str | None) -> None:
    assert address(text) == (url, doi, arxiv)


@given(st.text(st.sampled_from("ab./()[]{}!?,;:'\"*_’”é"), max_size=20))
@settings(max_examples=60, deadline=None)
def test_trimming_an_address_removes_only_trailing_marks_and_is_idempotent(text: str) -> None:
    short = trimmed(text)
    assert text.startswith(short)
    assert trimmed(short) == short
    assert not any(char.isalnum() or char == "/" for char in text[len(short) :])


@try_all(
    ("one", "other"),
    [
        ("https://a.example/x", "http://www.A.example/x/"),
        ("https://a.example/x", "a.example/x"),
        ("https://a.example/x", "https://a.example/x#part"),
        ("https://a.example/x", "https://a.example/x?utm_source=chat"),
        ("https://a.example/x?id=3", "https://a.example/x?utm_source=chat&utm_medium=b&id=3"),
        ("https://a.example/x?id=3", "https://a.example/x?id=3&ref=chat"),
        ("https://a.example", "https://a.example/"),
    ],
)
def test_addresses_of_one_page_are_the_same(one: str, other: str) -> None:
    assert identity(one) == identity(other)


@try_all(
    ("one", "other"),
    [
        ("https://a.example/x", "https://a.example/X"),
        ("https://a.example/x?id=3", "https://a.example/x?id=4"),
        ("https://a.example/x?id=3", "https://a.example/x"),
        ("https://a.example/x", "https://b.example/x"),
        ("https://a.example/x", "https://m.a.example/x"),
    ],
)
def test_addresses_of_different_pages_are_not(one: str, other: str) -> None:
    assert identity(one) != identity(other)


def test_a_doi_takes_precedence_over_an_arxiv_id_and_that_over_an_address() -> None:
    url = "https://a.example/x"
    assert identity(url, "10.1234/AB", "2305.1") == identity(None, "10.1234/ab") != identity(url)
    assert identity(url, None, "2305.14627v2") == identity(None, None, "2305.14627") != identity(url)
    assert identity(None) is None
    assert identity("") is None
