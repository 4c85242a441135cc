"""Hard replies: unclear ones are refused, and none is read as something it does not say."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest

from factscope.llm import UnreadableError, bracketed_label, claim_lines, fenced, marked_label, typed_units, wrong_ids
from tests.lab.growth import growth
from tests.lab.many_cases import try_all
from tests.llm import hard_replies, reply_corpus
from tests.llm.reply_corpus import LABELS, filled
from tests.llm.test_reply_forms import READ, READERS, Verdict, bracket, verdict

PREFIXES = ("BRACKETS", "VERDICT", "IDS", "UNITS", "FENCE", "CLAIMS", "JSON")


def cases() -> list[tuple[Callable[[str], Any], str, Any]]:
    """List readers, replies and expected readings, None for a reply to refuse."""
    found: list[tuple[Callable[[str], Any], str, Any]] = []
    for label in LABELS:
        found += [(bracket, filled(template, label), label) for template in hard_replies.BRACKETS_GOOD]
        found += [(bracket, filled(template, label), None) for template in hard_replies.BRACKETS_BAD]
        value = Verdict.model_validate({"label": label, "score": 1})
        found += [(READ, filled(template, label), value) for template in hard_replies.JSON_GOOD]
        found += [(READ, filled(template, label), None) for template in hard_replies.JSON_BAD]
    found += [(lambda t, n=count: wrong_ids(t, n), text, ids) for text, count, ids in hard_replies.IDS_GOOD]
    found += [(lambda t, n=count: wrong_ids(t, n), text, None) for text, count in hard_replies.IDS_BAD]
    plain: list[tuple[Callable[[str], Any], Sequence[tuple[str, Any]], Sequence[str]]] = [
        (verdict, hard_replies.VERDICT_GOOD, hard_replies.VERDICT_BAD),
        (lambda t: typed_units(t, reply_corpus.KINDS), hard_replies.UNITS_GOOD, hard_replies.UNITS_BAD),
        (fenced, hard_replies.FENCE_GOOD, hard_replies.FENCE_BAD),
        (claim_lines, hard_replies.CLAIMS_GOOD, hard_replies.CLAIMS_BAD),
    ]
    for read, good, bad in plain:
        found += [(read, text, value) for text, value in good]
        found += [(read, text, None) for text in bad]
    return found


CASES = cases()


def test_there_are_at_least_500_replies_that_differ_in_more_than_the_label() -> None:
    names = [f"{prefix}_{side}" for prefix in PREFIXES for side in ("GOOD", "BAD")]
    assert (
        sum(len({str(each) for each in (*vars(reply_corpus)[name], *vars(hard_replies)[name])}) for name in names)
        >= 500
    )


@try_all(("read", "text", "expected"), CASES)
def test_a_hard_reply_is_read_as_what_it_says_or_refused(read: Callable[[str], Any], text: str, expected: Any) -> None:
    if expected is None:
        with pytest.raises(UnreadableError, match=r"\w"):
            read(text)
    else:
        assert read(text) == expected


MENUS = [
    ("Supported", "Not Supported"),
    ("supported", "not_supported", "not_enough_evidence"),
    ("True", "Mostly True", "False"),
    ("Supported", "Supported in part"),
]


@pytest.mark.parametrize("menu", MENUS, ids=[" ".join(menu) for menu in MENUS])
def test_a_label_within_another_is_never_taken_for_it(menu: tuple[str, ...]) -> None:
    for label in menu:
        other = next(name for name in menu if name != label)
        assert bracketed_label(f"It is not [{other}].\nFinal label: [{label}]", menu) == label
        assert marked_label(f"Not {other}.\nFinal Answer: {label}.", "Final Answer", menu) == label
        for text in (
            f"not [{label}]",
            f"[not {label} at all]",
            f"[{label} in whole]",
            f"[{label}] in part",
            f"[{label}",
        ):
            with pytest.raises(UnreadableError):
                bracketed_label(text, menu)
        for text in (f"{label} or {other}", f"{label} to some degree", f"hardly {label}", f"{label}\n{other}"):
            with pytest.raises(UnreadableError):
                marked_label(f"Final Answer: {text}", "Final Answer", menu)


LONG = 300_000


@pytest.mark.medium
@pytest.mark.parametrize(
    "piece",
    ["{}", '{"a":1}', '{"label":"Supported","score":1}', "x\n", "[Supported]\n", "- a: Fact\n", "Claim_1: a\n",
     "Final Verdict:\n", "Answer: 1\n", "```\n", "[", "*", "\n ", '\\"', "1,", "</think>"],
)  # fmt: skip
@try_all("start", ["", '{"'])
def test_time_grows_linearly_with_the_length_of_a_reply(piece: str, start: str) -> None:
    def parse(read: Callable[[str], Any], size: int) -> None:
        with contextlib.suppress(UnreadableError):
            read(start + piece * (size // len(piece)))

    for read in READERS:
        assert growth(partial(parse, read), LONG) < 1.5
