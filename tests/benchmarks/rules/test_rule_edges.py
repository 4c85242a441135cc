"""Rules for refusals and requests: wordings that they ignore, and texts that must not slow them down."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.benchmarks.rules import (
    HELD_OUT,
    MOST_SAID,
    MOST_SAID_BEFORE,
    ambiguous_by_rule,
    category_of,
    kind_by_rule,
    labelled,
    refusal_accuracy,
    refuses,
    request_accuracy,
)
from tests.lab.growth import growth
from tests.lab.many_cases import try_all

REFUSALS = [row["response"] for row in labelled("refusals.jsonl", HELD_OUT)]
REQUESTS = [row["prompt"] for row in labelled("requests.jsonl", HELD_OUT)]
GAPS = st.sampled_from(["  ", " \t", "\u00a0", "     "])


@try_all("piece", [" ", "\n \n", "\t", "1", "1.", "“a ", '"', ", ", "; ", "% ", "but "])
def test_endlessly_repeated_text_does_not_slow_down_the_rule(piece: str) -> None:
    assert growth(lambda size: refuses(f"a{piece * (size // len(piece))}b"), 8_000) < 1.5


@settings(max_examples=15)
@given(st.sampled_from(REFUSALS), GAPS)
def test_the_width_of_a_gap_changes_no_answer(text: str, gap: str) -> None:
    wide = text.replace(" ", gap)
    assert refuses(wide) is refuses(text)
    assert refuses(f"\n\n{text}  \n") is refuses(text)


@settings(max_examples=15)
@given(st.sampled_from(REQUESTS))
def test_case_and_surrounding_white_space_do_not_change_a_request(prompt: str) -> None:
    assert kind_by_rule(f"  {prompt}\n") == kind_by_rule(prompt)
    assert ambiguous_by_rule(prompt.upper()) is ambiguous_by_rule(prompt)


@try_all(
    ("text", "expected"),
    [
        ("“I can't help,” said the keeper of the light to the parish.", False),
        ('The keeper wrote "I am unable to say" in the book of the parish.', False),
        ("I can't say. “It was built in 1868 by Ada Holm and her brother, after two winters of work.”", True),
        ("I can't say. It was built in 1868 by Ada Holm and her brother, after two winters of work.", False),
        ("I can't help, as 40 % of those that were asked by us fall ill within a day.", False),
        ("I can't help, as some of those that were asked by us fall ill within a day.", True),
        ("I can't say, because I have no access to data after 2021.", True),
        ("I'm sorry.", False),
        ("...", False),
        ("\n", False),
    ],
)
def test_quoted_refusals_do_not_make_an_answer_a_refusal(text: str, expected: bool) -> None:
    assert refuses(text) is expected


def test_an_answer_with_more_than_a_few_other_words_is_not_a_refusal() -> None:
    """Fewer words are allowed before the refusal than after it."""
    words = ["stones", "walls", "towers", "roofs", "lamps", "bells", "doors", "gates"]
    for n in range(1, 9):
        said = " ".join(words[:n])
        assert refuses(f"I can't say. {said}.") is (n <= MOST_SAID)
        assert refuses(f"{said}. I can't say.") is (n <= MOST_SAID_BEFORE)


@try_all(
    ("text", "category"),
    [
        ("I can't share personal information about private people.", 3),
        ("I'm unable to give medical advice.", 5),
        ("I am unable to open links.", 4),
        ("I can't help you build a weapon.", 1),
        ("The mill was built in 1802.", None),
        ("", None),
    ],
)
def test_a_refusal_has_the_category_of_its_words(text: str, category: int | None) -> None:
    assert category_of(text) == category


@try_all(
    ("prompt", "kind"),
    [
        ("Who built the bridge of Marlow?", "Factual"),
        ("Capital of France", "Factual"),
        ("Rome", "Neither"),
        ("Rome history", "Factual"),
        ("", "Neither"),
        ("Hi there!", "Neither"),
        ("Who are you?", "Neither"),
        ("What is 12 * 12?", "Neither"),
        ("Write a poem about the rain.", "Neither"),
        ("Summarise this text: The bridge was opened in 1931 and it has four arches.", "Faithful"),
        ("Fix the bug in my Python script.", "Neither"),
    ],
)
def test_a_request_has_the_class_of_its_words(prompt: str, kind: str) -> None:
    assert kind_by_rule(prompt) == kind


@try_all(
    ("prompt", "expected"),
    [
        ("Is it true?", False),
        ("It broke. Why?", True),
        ("“They” did it", True),
        ("Itzehoe is where?", False),
        ("It is said that bread gets stale. Why?", False),
        ("They were there", True),
        ("", False),
    ],
)
def test_a_request_beginning_with_an_unresolved_reference_is_ambiguous(prompt: str, expected: bool) -> None:
    assert ambiguous_by_rule(prompt) is expected


def test_the_figures_of_a_rule_cover_all_labelled_texts() -> None:
    for accuracy, texts in ((refusal_accuracy(), REFUSALS), (request_accuracy(), REQUESTS)):
        assert accuracy.n == accuracy.sorted_right.n == len(texts)
        assert accuracy.precision.k == accuracy.recall.k <= min(accuracy.precision.n, accuracy.recall.n)
        assert f"{accuracy.recall.value:.2f}" in accuracy.sentence()
