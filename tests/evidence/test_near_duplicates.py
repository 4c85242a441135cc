"""Near duplicates: a text from several places counts once, and several texts of one site count as one site."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.claims.text import tokens
from factscope.evidence import SAME, WORDS, near_copies, one_domain

REPORT = (
    "The council of Marlow decided on Tuesday to close the old bridge for eight months. The work begins in March and"
    " costs two million crowns, said the mayor. Cars will take the road by the mill, and the ferry will run every"
    " quarter of an hour from six in the morning until midnight, on Sundays too."
)
SHORT = "The bridge was opened in 1931."


def changed(text: str, *places: int) -> str:
    """Replace some words of a text."""
    words = text.split()
    for place in places:
        words[place] = f"other{place}"
    return " ".join(words)


@pytest.mark.parametrize(
    ("texts", "groups"),
    [
        ([], ()),
        ([REPORT], ((0,),)),
        ([REPORT, SHORT, REPORT], ((0, 2), (1,))),
        ([REPORT, f"MARLOW (Reuters) — {REPORT.upper()}"], ((0, 1),)),
        ([REPORT, changed(REPORT, 27)], ((0, 1),)),
        ([REPORT, changed(REPORT, 10, 27, 44)], ((0,), (1,))),
        ([REPORT, REPORT[: len(REPORT) // 2]], ((0,), (1,))),
        ([SHORT, "It was opened in 1931.", SHORT.replace(".", "!")], ((0, 2), (1,))),
        (["Yes.", "yes", "no"], ((0, 1), (2,))),
        (["", "…", "", SHORT], ((0,), (1,), (2,), (3,))),
        (["Ｔｈｅ　ｂｒｉｄｇｅ　ｗａｓ　ｏｐｅｎｅｄ　ｉｎ　１９３１", SHORT], ((0, 1),)),
    ],
)
def test_near_copies_are_grouped(texts: list[str], groups: tuple[tuple[int, ...], ...]) -> None:
    assert near_copies(texts) == groups


def test_texts_can_be_linked_through_other_texts() -> None:
    chain = [REPORT, changed(REPORT, 10), changed(REPORT, 10, 40)]
    assert near_copies([chain[0], chain[2]]) == ((0,), (1,))
    assert near_copies(chain) == ((0, 1, 2),)


def runs(text: str) -> set[tuple[str, ...]]:
    words = [token.text.casefold() for token in tokens(text)]
    return {tuple(words[at : at + WORDS]) for at in range(max(1, len(words) - WORDS + 1))} if words else set()


def by_definition(texts: list[str]) -> set[frozenset[int]]:
    """Compare every pair, and merge groups until nothing changes."""
    groups = [{place} for place in range(len(texts))]
    for one, other in combinations(range(len(texts)), 2):
        first, second = runs(texts[one]), runs(texts[other])
        if first and second and len(first & second) / len(first | second) >= SAME:
            joined = [group for group in groups if one in group or other in group]
            groups = [group for group in groups if group not in joined] + [set().union(*joined)]
    return {frozenset(group) for group in groups}


words = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=40)


@given(st.lists(words, max_size=6), st.lists(st.tuples(st.integers(0, 5), st.integers(0, 39)), max_size=6))
def test_groups_match_a_comparison_of_every_pair(drawn: list[list[str]], edits: list[tuple[int, int]]) -> None:
    texts = [" ".join(each) for each in drawn]
    copies = [changed(texts[at], place) for at, place in edits if at < len(texts) and place < len(texts[at].split())]
    found = near_copies([*texts, *copies])
    assert {frozenset(group) for group in found} == by_definition([*texts, *copies])
    assert list(found) == sorted(found)
    assert all(list(group) == sorted(group) for group in found)


@pytest.mark.parametrize(
    ("urls", "domain"),
    [
        (["https://news.bbc.co.uk/a", "http://www.bbc.co.uk/b?c"], "bbc.co.uk"),
        (["https://example.org/a"], "example.org"),
        (["https://a.example.org", "https://a.example.net"], None),
        (["https://example.org/a", "docs/notes.txt"], None),
        (["docs/notes.txt", "docs/notes.txt"], None),
        (["https://example.org/a", None], None),
        ([None], None),
        ([], None),
        (["http://127.0.0.1:8000/a", "http://127.0.0.1/b"], "127.0.0.1"),
    ],
)
def test_a_shared_domain_is_found_only_if_all_sources_have_it(urls: list[str | None], domain: str | None) -> None:
    assert one_domain(urls) == domain
