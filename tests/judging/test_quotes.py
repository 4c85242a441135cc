"""Quotes located in a text, and never found where they do not occur."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from factscope.judging import BESIDE_THE_POINT, NOT_THERE, find_quote, look_up
from tests.conftest import at_least
from tests.lab.growth import growth
from tests.lab.many_cases import try_all

PASSAGE = (
    "The iron bridge — “over the Mirel” — opened to traffic\n\n in May 1913; it's 200\u00a0m long. A sign reads: ‘No "
    "bikes’. Cafe\u0301 Zoe\u0308 and the o\ufb03ce are near, at −5 °C. It cost 10² crowns, or 1½ more. "
    "Who won… nobody knows. ＦＵＬＬ width, so\u00adft hy\u200bphens, \u202bשלום\u202c, 한국어 and c\u00e2\u0323u. "
    "The iron bridge again."
)


@try_all(
    ("quote", "expected"),
    [
        ("opened to traffic in May 1913", "opened to traffic\n\n in May 1913"),
        ("“opened to traffic in May 1913.”", "opened to traffic\n\n in May 1913"),
        ('"...opened to traffic…"', "opened to traffic"),
        ("... opened to traffic,", "opened to traffic"),
        ("the iron bridge", "The iron bridge"),
        ("Opened to traffic", "opened to traffic"),
        ('bridge - "over the Mirel" - opened', "bridge — “over the Mirel” — opened"),
        ("bridge -- 'over the Mirel' -- opened", "bridge — “over the Mirel” — opened"),
        ("it’s 200 m long", "it's 200\u00a0m long"),
        ("reads: `No bikes´", "reads: ‘No bikes"),
        ("Café Zoë", "Cafe\u0301 Zoe\u0308"),
        ("the office", "the o\ufb03ce"),
        ("at -5 °C", "at −5 °C"),
        ("cost 10² crowns", "cost 10² crowns"),
        ("or 1½ more", "or 1½ more"),
        ("Who won... nobody knows", "Who won… nobody knows"),
        ("FULL width", "ＦＵＬＬ width"),
        ("soft hyphens", "so\u00adft hy\u200bphens"),
        ("so\u200bft hyphens, שלום", "so\u00adft hy\u200bphens, \u202bשלום"),
        ("한국어", "한국어"),
        ("and cậu", "and c\u00e2\u0323u"),
        ("(the iron bridge", None),
        ("191", "191"),
    ],
)
def test_a_quote_is_found_despite_differences_in_typography(quote: str, expected: str | None) -> None:
    span = find_quote(quote, PASSAGE)
    assert (span and span.of(PASSAGE)) == expected


@try_all(
    "quote",
    [
        "",
        "…",
        "“”",
        "it",
        "a",
        "— — —",
        "opened to traffic in May 1914",
        "opened to Traffic",
        "OPENED to traffic",
        "openedto traffic",
        "opened ... in May 1913",
        "opened to traffic […] 1913",
        "opened to traffic [...] 1913",
        "Cafe",
        "Cafe Zoe",
        "10 crowns",
        "cost 102 crowns",
        "11/2 more",
        "200 m long; it's",
        "한구",
        "no bikes allowed",
        "The bridge is iron",
    ],
)
def test_a_quote_missing_from_the_passage_is_not_found(quote: str) -> None:
    assert find_quote(quote, PASSAGE) is None


def test_the_first_place_wins() -> None:
    span = find_quote("Iron bridge", PASSAGE)
    assert span is not None
    assert span.start == PASSAGE.index("iron bridge")
    assert find_quote("anything", "") is None


SIMPLE = st.text(st.sampled_from("abcde ABC 123.,-'\n"), max_size=60)
LETTERS = st.one_of(
    st.sampled_from(
        [
            "ﬁ",
            "e\u0301",
            "é",
            "a",
            "B",
            "7",
            "\u00ad",
            "\u200b",
            "—",
            "-",
            "…",
            "“",
            "'",
            "ａ",
            "한",
            "m²",
            "½",
            "  ",
            "\t",
            "ậ",
            "´",
        ]
    ),
    st.characters(categories=("L", "Nd", "P", "S", "Z"), exclude_characters="".join(map(chr, range(0x1100, 0x3190)))),
)
"""Letters with their combining marks. Korean vowels alone would join the letter before them."""
RICH = st.lists(LETTERS, max_size=30).map("".join)


def plain(text: str) -> str:
    """Reduce a quote or the quoted place to a common form, differently from the code under test."""
    text = re.sub(
        "[\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]", "", text
    )
    text = unicodedata.normalize("NFKC", re.sub("[\U000e0000-\U000e0fff]", "", text))
    return "".join(character for character in text if character.isalnum()).casefold()


@given(st.one_of(SIMPLE, RICH), st.lists(LETTERS, min_size=3, max_size=30).map("".join), st.one_of(SIMPLE, RICH))
@settings(max_examples=at_least(100, in_all=400))
def test_every_stretch_of_a_passage_is_found(before: str, quote: str, after: str) -> None:
    assume(sum(character.isalnum() for character in quote) >= 3)
    passage = before + quote + after
    span = find_quote(quote, passage)
    assert span is not None
    assert plain(span.of(passage)) == plain(quote)
    assert span.start <= passage.index(quote) + len(quote)


@given(SIMPLE, st.data())
@settings(max_examples=at_least(100, in_all=400))
def test_a_quote_with_one_letter_changed_is_not_found(passage: str, data: st.DataObject) -> None:
    places = [at for at, character in enumerate(passage) if character.isalnum()]
    assume(len(places) >= 3)
    at = data.draw(st.sampled_from(places))
    changed = passage[:at] + data.draw(st.sampled_from("xyzXYZ789")) + passage[at + 1 :]
    assert find_quote(changed, passage) is None


@given(RICH, RICH)
@settings(max_examples=at_least(50, in_all=200))
def test_finding_a_quote_never_fails_on_any_input(quote: str, passage: str) -> None:
    span = find_quote(quote, passage)
    assert span is None or span.end <= len(passage)


LONG = 500_000


@pytest.mark.medium
@pytest.mark.parametrize(
    "pair",
    [
        lambda size: ("a" * (size // 2) + "b", "a" * size),
        lambda size: ("a" + "\u0301a" * (size // 4), "a\u0301" * (size // 2)),
        lambda size: ("…" * size + "abc", "abc"),
        lambda size: ("abc", "a" + "\u0323\u0301" * (size // 2)),
        lambda size: ("a" * (size // 4), "a" * size),
        lambda size: ("aaa", "a" * size),
    ],
)
def test_search_time_grows_linearly_with_length(pair: Callable[[int], tuple[str, str]]) -> None:
    assert growth(lambda size: find_quote(*pair(size), whole=True), LONG) < 1.5


def test_the_line_mark_of_material_is_not_part_of_a_quote() -> None:
    passage = "The bridge has four arches.\nIt opened in 1931."
    assert find_quote("four arches.\n> It opened", passage) == find_quote("four arches.\nIt opened", passage)
    quoted = "He wrote:\n> It opened in 1931."
    assert find_quote("wrote:\n> It opened", quoted) is not None


@pytest.mark.parametrize(
    ("quote", "claim", "fault"),
    [
        ("opened to traffic in May 1913", "The Mirel bridge was opened in 1911", None),
        ("May 1913", "It was opened in 1913", None),
        ("iron bridge", "The bridge is made of iron", None),
        ("Café Zoë and the office are near", "Two businesses stand close by", None),
        ("It cost 10² crowns, or 1½ more", "Die Brücke war teuer", None),
        ("The", "The bridge is made of iron", BESIDE_THE_POINT),
        ("it's", "It's an iron bridge", BESIDE_THE_POINT),
        ("and the", "The bridge is made of iron and steel", BESIDE_THE_POINT),
        ("A sign reads", "The bridge is made of iron", BESIDE_THE_POINT),
        ("made of iron", "The bridge is made of iron", NOT_THERE),
        ("", "The bridge is made of iron", NOT_THERE),
    ],
)
def test_a_quote_must_be_in_the_passage_and_bear_on_the_claim(quote: str, claim: str, fault: str | None) -> None:
    place = look_up(quote, PASSAGE, claim)
    assert place == (fault or find_quote(quote, PASSAGE))


@try_all(
    ("quote", "passage"),
    [
        ("17 people died in the fire", "Officials said 117 people died in the fire on Monday."),
        ("we expect a loss of 5", "In 2024 we expect a loss of 5.4 million."),
        ("a loss of 5.", "In 2024 we expect a loss of 5,400 crowns."),
        ("200 people died", "In all, 1,200 people died."),
        ("5 degrees were measured", "It was cold: -5 degrees were measured at noon."),
        ("5 degrees were measured", "It was cold: −5 degrees were measured at noon."),
        ("legal to use the drug", "It is illegal to use the drug."),
        ("the drug is legal", "They say that the drug is legally sold."),
    ],
)
def test_a_quote_inside_a_longer_word_or_number_is_not_found(quote: str, passage: str) -> None:
    assert look_up(quote, passage, quote) == NOT_THERE


@try_all(
    ("quote", "passage"),
    [
        ("17 people died", "First 117 people died, then 17 people died."),
        ("a loss of 5", "Not a loss of 5.4, but a loss of 5."),
        ("17 people died", "It burned—17 people died."),
        ("opened in 1931", "The bridge was opened in 1931, 12 years later."),
        ("bridge was opened", "The bridge was opened¹ in 1931."),
        ("the bridge", "It was the bridge's keeper."),
        ("桥于1931年", "这座桥于1931年通车。"),
        ("สะพานเปิด", "มีสะพานเปิดใช้งาน"),
    ],
)
def test_a_quote_of_whole_words_is_found(quote: str, passage: str) -> None:
    span = look_up(quote, passage, quote)
    assert not isinstance(span, str)
    assert span.start == passage.rindex(quote)


def test_stop_words_of_the_passages_language_are_not_evidence() -> None:
    german = "Die Brücke wurde im Mai 1913 für den Verkehr geöffnet, und sie ist 200 Meter lang."
    assert look_up("für den", german, "Die Brücke ist für den Verkehr gesperrt.") == BESIDE_THE_POINT
    assert not isinstance(look_up("für den Verkehr", german, "Die Brücke ist für den Verkehr gesperrt."), str)
