"""Words that compare figures in a text."""

from __future__ import annotations

from factscope.claims.text import compares
from tests.lab.many_cases import try_all


@try_all(
    ("text", "expected"),
    [
        ("Corra has the largest population.", True),
        ("Corra is larger than Tarva.", True),
        ("The Lyra 5 is the most expensive model.", True),
        ("Visitors rose from June to July.", True),
        ("Sales fell in 2024.", True),
        ("Corra is an island with a larger harbour.", False),  # larger than what?
        ("The museum is in the west of the town.", False),
        ("Adults pay 7 crowns.", False),
    ],
)
def test_superlatives_comparatives_and_changes_are_comparing_words(text: str, expected: bool) -> None:
    assert compares(text) is expected
