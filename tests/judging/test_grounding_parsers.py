"""Replies about a whole response: what is read, counted, or refused rather than guessed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.judging import ISSUES, last_word, read_issues, read_sentences
from factscope.llm import UnreadableError
from tests.lab.many_cases import try_all

WORDS = ["supported", "unsupported", "contradictory", "no_rad"]
PASSING = ["supported", "no_rad"]
GOOD = {"sentence": "It opened in 1931.", "label": "supported", "rationale": "Said.", "excerpt": "opened in 1931"}
BAD = {"sentence": "It has six arches.", "label": "unsupported", "rationale": "Not said.", "excerpt": None}


def labels(text: str) -> tuple[list[str], int]:
    found = read_sentences(text, WORDS, PASSING)
    return [one.label for one in found.labels], found.n_unread


def lines(*objects: Any) -> str:
    return "\n".join(map(json.dumps, objects))


@try_all(
    "text",
    [
        lines(GOOD, BAD),
        f"```json\n{lines(GOOD, BAD)}\n```",
        f"Here it is:\n```json\n{json.dumps(GOOD)}\n```\nand\n```\n{json.dumps(BAD)}\n```",  # several blocks
        json.dumps([GOOD, BAD]),  # an array
        json.dumps([GOOD, BAD], indent=2),
        json.dumps({"sentences": [GOOD, BAD]}),
        f"{json.dumps(GOOD)}{json.dumps(BAD)}",  # on one line
        f"{json.dumps(GOOD)},\n{json.dumps(BAD)},",
        lines(GOOD, BAD).replace("{", "{{").replace("}", "}}"),  # braces doubled, as in the published template
        f"<think>{{}} perhaps</think>\n{lines(GOOD, BAD)}",
        f"```json\n{lines(GOOD, BAD)}",  # unclosed fence
        lines({**GOOD, "label": "Supported "}, {"Sentence": "It has six arches.", "LABEL": "UNSUPPORTED"}),
        f"{json.dumps(GOOD, indent=1)}\n{json.dumps(BAD, indent=1)}".replace("null\n", "null,\n"),
    ],
)
def test_all_reply_formats_of_models_are_read(text: str) -> None:
    assert labels(text) == (["supported", "unsupported"], 0)


def test_the_rationale_and_excerpts_of_a_sentence_are_read() -> None:
    one, two = read_sentences(
        lines({**GOOD, "excerpt": ["a b", " ", "c d"]}, {**BAD, "excerpt": "null"}), WORDS, PASSING
    ).labels
    assert (one.text, one.rationale, one.excerpts) == ("It opened in 1931.", "Said.", ("a b", "c d"))
    assert two.excerpts == ()


RESPONSE = [
    "The **bridge** was opened in [1931](https://example.org/a/long/address).",
    "It's “old”, and\nit has six arches.[2]",
    "| Length | 212 m |",
]


@try_all(
    "listed",
    [
        RESPONSE,
        ["The bridge was opened in 1931.", "it's 'old', and it has six arches", "Length: 212 m"],  # without markup
        ['The bridge was opened in 1931. It\'s "old", and it has six arches.', "Length 212 m"],  # merged
        ["The bridge was", "opened in 1931.", "It's “old”", "and it has six arches.", "| Length | 212 m |"],  # split
        ["It was opened: the bridge, in 1931.", "It's “old”, and the bridge has six arches.", "Length | 212 m"],
    ],
)
def test_a_sentence_can_be_copied_in_another_form(listed: list[str]) -> None:
    reply = lines(*({**GOOD, "sentence": sentence} for sentence in listed))
    assert read_sentences(reply, WORDS, PASSING, RESPONSE).n_left_out == 0


@try_all(
    "listed",
    [RESPONSE[:1], RESPONSE[1:], ["The bridge was opened in 1931. It's “old”."], ["It has six towers."]],
)
def test_an_omitted_sentence_never_makes_a_response_accurate(listed: list[str]) -> None:
    reply = [{**GOOD, "sentence": sentence} for sentence in listed]
    with pytest.raises(UnreadableError, match="leaves out"):
        read_sentences(lines(*reply), WORDS, PASSING, RESPONSE)
    assert read_sentences(lines(*reply, BAD), WORDS, PASSING, RESPONSE).n_left_out > 0


def test_similar_sentences_are_distinguished() -> None:
    response = ["In 2019 the profit of the firm was 5 million.", "In 2020 the profit of the firm was 5 million."]
    with pytest.raises(UnreadableError, match="leaves out 1 sentence of the response, the first of them 'In 2020"):
        read_sentences(lines({**GOOD, "sentence": response[0]}), WORDS, PASSING, response)


BROKEN = [
    '{"sentence": "It is old.", "label": "unsupp',
    '{"sentence": "It is old.", "label": }',
    '{"sentence": "It is old.", "label": "dubious"}',
    '{"sentence": "", "label": "supported"}',
    '{"label": "unsupported"}',
    '{"sentence": "It is "old".", "label": "unsupported"}',
]


@pytest.mark.parametrize("broken", BROKEN)
def test_an_unreadable_sentence_never_makes_a_response_accurate(broken: str) -> None:
    with pytest.raises(UnreadableError):
        labels(f"{json.dumps(GOOD)}\n{broken}")
    with pytest.raises(UnreadableError):
        labels(f"{broken}\n{json.dumps(GOOD)}")


@pytest.mark.parametrize("broken", BROKEN)
def test_an_unreadable_sentence_beside_an_inaccurate_one_is_counted(broken: str) -> None:
    assert labels(f"{json.dumps(BAD)}\n{broken}\n") == (["unsupported"], 1)
    assert labels(f"{broken}\n{lines(GOOD, BAD)}") == (["supported", "unsupported"], 1)


@pytest.mark.parametrize(
    "text", ["", "All is well.", "{}", "[]", "```json\n```", '{"label": 3}', "{" * 5000, '{"a":' * 3000]
)
def test_a_reply_without_sentences_is_refused(text: str) -> None:
    with pytest.raises(UnreadableError):
        labels(text)


SENTENCES = st.lists(
    st.fixed_dictionaries(
        {
            "sentence": st.text(min_size=1).filter(str.strip),
            "label": st.sampled_from(WORDS),
            "rationale": st.text(),
            "excerpt": st.none() | st.text() | st.lists(st.text(), max_size=2),
        }
    ),
    min_size=1,
    max_size=6,
)


@given(SENTENCES, st.sampled_from([None, 1]), st.booleans())
def test_the_label_is_read_whatever_the_sentence_contains(
    objects: list[dict[str, Any]], indent: int | None, array: bool
) -> None:
    text = json.dumps(objects, indent=indent) if array else "\n".join(json.dumps(one, indent=indent) for one in objects)
    if "```" in text:
        return
    found = read_sentences(text, WORDS, PASSING)
    assert [(one.text, one.label) for one in found.labels] == [
        (one["sentence"].strip(), one["label"]) for one in objects
    ]


@given(SENTENCES, st.data())
def test_a_reply_truncated_anywhere_is_never_overinterpreted(objects: list[dict[str, Any]], data: Any) -> None:
    text = lines(*objects)
    cut = text[: data.draw(st.integers(0, len(text)))]
    try:
        found = read_sentences(cut, WORDS, PASSING)
    except UnreadableError:
        return
    whole = [one["label"] for one in objects]
    said = [one.label for one in found.labels]
    assert "```" in text or said == whole[: len(said)]
    if not found.n_unread:
        return
    assert set(said) - set(PASSING)


@given(st.text())
def test_no_text_breaks_the_readers(text: str) -> None:
    for read in (lambda: labels(text), lambda: read_issues(text), lambda: last_word(text, WORDS)):
        try:
            read()
        except UnreadableError:
            continue


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ('```json\n{"Instruction Following": "No Issues"}\n```', "No Issues"),
        ('{{"Instruction Following": "Major Issue(s)"}}', "Major Issues"),  # braces doubled
        ('{"instruction_following": "minor issue"}', "Minor Issues"),
        ('{"Verdict": {"Instruction Following": "Major Issues."}}', "Major Issues"),
        ('It is {fine}.\n```\n{"Instruction Following": "Minor Issue(s)",}\n```', "Minor Issues"),
    ],
)
def test_the_verdict_of_a_rubric_is_read(text: str, verdict: str) -> None:
    assert read_issues(text) == verdict
    assert verdict in ISSUES


@pytest.mark.parametrize(
    "text",
    [
        "Major Issues",
        '{"Instruction Following": "Some Issues"}',
        '{"Instruction Following": "No Issues"}\n{"Instruction Following": "Major Issues"}',
        '{"Instruction Following": ["No Issues"]}',
        '{"Other": "No Issues"}',
    ],
)
def test_a_rubric_without_a_clear_verdict_is_refused_rather_than_eligible(text: str) -> None:
    with pytest.raises(UnreadableError):
        read_issues(text)


ACCURATE = ["Accurate", "Inaccurate"]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Inaccurate", "Inaccurate"),
        ("It seems accurate at first.\nBut the year is wrong.\n**Inaccurate**", "Inaccurate"),
        ("The final label: accurate.", "Accurate"),
        ("[Accurate]\n\n", "Accurate"),
    ],
)
def test_the_last_label_counts(text: str, label: str) -> None:
    assert last_word(text, ACCURATE) == label


@pytest.mark.parametrize(
    "text", ["", "Fine.", "Accurate or inaccurate?", "It is not accurate.", "It isn't quite accurate"]
)
def test_an_ambiguous_last_line_is_refused(text: str) -> None:
    with pytest.raises(UnreadableError):
        last_word(text, ACCURATE)
