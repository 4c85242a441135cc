"""Confidence from tokens: the model's own odds among the labels, or honestly none."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.judging import first_word_label, json_label_confidences, label_confidence
from factscope.llm import Reply, TokenLogprob, reply_from_json, reply_to_json
from tests.lab.many_cases import try_all

WORDS = ("supported", "contradicted", "not_enough_evidence")
VERIFY = ("Supported", "Contradicted", "Unverifiable")

Odds = str | tuple[str, float] | tuple[str, dict[str, float]]
"""A token alone, with its probability, or with the probabilities of the likeliest tokens, itself included."""


def reply(*odds: Odds, text: str | None = None) -> Reply:
    tokens = [_token(each) for each in odds]
    said = "".join(token.token for token in tokens)
    return Reply(said if text is None else text, "stop", logprobs=tuple(tokens))


def _token(odds: Odds) -> TokenLogprob:
    if isinstance(odds, str):
        return TokenLogprob(odds, 0.0)
    token, known = odds
    if isinstance(known, float):
        return TokenLogprob(token, math.log(known))
    return TokenLogprob(token, math.log(known[token]), tuple((text, math.log(p)) for text, p in known.items()))


@try_all(
    ("odds", "label", "allowed", "expected"),
    [
        # without alternatives: the plain joint probability, even when the label's tokens contain other text
        (["[", ("Sup", 0.5), ("ported", 0.8), "]"], "Supported", VERIFY, 0.4),
        (["so\n", ("[Sup", 0.5), ("ported].", 0.8)], "Supported", VERIFY, 0.4),
        (["Final Verdict:", (" yes", 0.7)], "yes", ("yes", "no"), 0.7),
        (["**Final Verdict:** ", ("yes", 0.7), "**.\n"], "yes", ("yes", "no"), 0.7),
        # alternatives that lead to no label are dropped; other spellings of a label count with it
        (["[", ("Supported", {"Supported": 0.6, "Contr": 0.2, "The": 0.2}), "]"], "Supported", VERIFY, 0.75),
        (["[", ("Sup", {"Sup": 0.4, "Supported": 0.2, "S": 0.1, "Contr": 0.3}), "ported]"], "Supported", VERIFY, 0.7),
        (["[", ("supported", {"supported": 0.3, "Supported": 0.3, "Un": 0.4}), "]"], "Supported", VERIFY, 0.6),
        (["A: ", ("yes", {"yes": 0.5, " yes": 0.1, " no": 0.2, "\n": 0.2}), "."], "yes", ("yes", "no"), 0.75),
        # the choice is made where the labels diverge, token by token
        (
            ["[", ("not", {"not": 0.5, "supported": 0.5}), ("_supp", {"_supp": 0.6, "_enough": 0.2}), "orted]"],
            "not_supported",
            ("supported", "not_supported", "not_enough_evidence"),
            0.375,
        ),
        (
            ["[", ("Not", {"Not": 0.9, "Supported": 0.1}), (" Supported", {" Supported": 1.0}), "]"],
            "Not Supported",
            ("Supported", "Not Supported"),
            0.9,
        ),
        (
            ["[", ("Supported", {"Supported": 0.8, "Not": 0.2}), ("]", {"]": 1.0})],
            "Supported",
            ("Supported", "Not Supported"),
            0.8,
        ),
        # one label is the beginning of another: the next token decides
        (
            ["[", ("Supported", {"Supported": 1.0}), ("]", {"]": 0.5, " in": 0.3, " by": 0.2})],
            "Supported",
            ("Supported", "Supported in part"),
            0.625,
        ),
        (
            ["[", ("Supported", {"Supported": 1.0}), (" in part", {"]": 0.5, " in part": 0.3}), "]"],
            "Supported in part",
            ("Supported", "Supported in part"),
            0.375,
        ),
        # sampled, so the token is not among the likeliest
        (["[", ("Un", {"Un": 0.1, "Sup": 0.9}), "verifiable]"], "Unverifiable", VERIFY, 0.1),
    ],
)
def test_the_confidence_of_a_final_label_is_that_of_its_tokens(
    odds: list[Odds], label: str, allowed: Sequence[str], expected: float
) -> None:
    assert label_confidence(reply(*odds), label, allowed) == pytest.approx(expected)


def test_a_token_not_among_the_most_likely_counts_too() -> None:
    token = TokenLogprob("Un", math.log(0.1), (("Sup", math.log(0.6)), ("Contr", math.log(0.3))))
    said = Reply("Unverifiable", "stop", logprobs=(token, TokenLogprob("verifiable", 0.0)))
    assert label_confidence(said, "Unverifiable", VERIFY) == pytest.approx(0.1)


def test_tokens_before_and_after_the_reply_text_are_ignored() -> None:
    odds: list[Odds] = ["I see. [", ("Sup", 0.1), "ported]?\n</think>", "\n[", ("Sup", 0.5), "ported]", "<|end|>"]
    assert label_confidence(reply(*odds, text="[Supported]"), "Supported", VERIFY) == pytest.approx(0.5)
    assert label_confidence(reply(*odds, text="\n[Supported]"), "Supported", VERIFY) == pytest.approx(0.5)


@pytest.mark.parametrize(
    "said",
    [
        Reply("[Supported]", "stop"),
        Reply("[Supported]", "stop", logprobs=()),
        reply("[", "Sup", "ported", "]", text="[Supported] "),
        reply("[", "▁Sup", "ported", "]", text="[Supported]"),
        reply("bytes:\\xe2", "\\x80", "[Supported]", text="“[Supported]"),
        reply("[Contradicted]"),
        reply("[Supported]\nSo much for that"),
        reply(""),
        Reply("[Supported]", "stop", logprobs=(TokenLogprob("[Supported]", math.nan),)),
        Reply("[Supported]", "stop", logprobs=(TokenLogprob("[Supported]", 0.7),)),
        Reply("[Supported]", "stop", logprobs=(TokenLogprob("[Supported]", -0.1, (("[Un", math.nan),)),)),
    ],
)
def test_none_rather_than_a_guess(said: Reply) -> None:
    assert label_confidence(said, "Supported", VERIFY) is None


def test_an_impossible_token_has_zero_confidence() -> None:
    said = Reply("[Supported]", "stop", logprobs=(TokenLogprob("[Supported]", -9999.0, (("[Un", 0.0),)),))
    assert label_confidence(said, "Supported", VERIFY) == 0.0
    assert label_confidence(said, "Supported", ["Supported"]) == 0.0


def judged(*labels: Odds, between: str = '", "quote": "the \\"label\\": x"}, {"reason": "a", "label": "') -> Reply:
    odds: list[Odds] = ['{"judgements": [{"label": "']
    for at, label in enumerate(labels):
        odds += [between] * (at > 0) + [label]
    return reply(*odds, '"}]}')


def test_each_judgement_of_a_json_reply_has_its_own_confidence() -> None:
    said = judged(
        ("supported", {"supported": 0.6, "contradicted": 0.2}),
        ("contradicted", {"contradicted": 0.9, "not": 0.1}),
        ("supported", 0.3),
    )
    words = ["supported", "contradicted", "supported"]
    assert json_label_confidences(said, words, WORDS) == pytest.approx((0.75, 0.9, 0.3))
    again = reply_from_json(reply_to_json(said))
    assert json_label_confidences(again, words, WORDS) == pytest.approx((0.75, 0.9, 0.3))


def test_labels_can_span_several_tokens_with_surrounding_punctuation() -> None:
    odds: list[Odds] = ['{"label', '":', (' "not', {' "not': 0.5, ' "supported': 0.25, " null": 0.25}), "_enough"]
    said = reply(*odds, ("_evidence", 1.0), ('"}', {'"}': 1.0}))
    (found,) = json_label_confidences(said, ["not_enough_evidence"], WORDS)
    assert found == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("said", "labels"),
    [
        (judged("supported", "supported"), ["supported"]),
        (judged("supported"), ["supported", "supported"]),
        (judged("supported", "contradicted"), ["contradicted", "supported"]),
        (judged("Supported"), ["supported"]),
        (judged("s\\u0075pported"), ["supported"]),
        (Reply('{"label": "supported"}', "stop"), ["supported"]),
        (reply('{"label":', '"supported"}', text='{"label": "supported"}'), ["supported"]),
    ],
)
def test_all_or_none_of_the_labels_are_found_in_the_text(said: Reply, labels: list[str]) -> None:
    assert json_label_confidences(said, labels, WORDS) == (None,) * len(labels)


def test_one_broken_probability_does_not_affect_the_others() -> None:
    said = judged("supported", "contradicted")
    assert said.logprobs is not None
    broken = tuple(t._replace(logprob=math.nan) if t.token == "supported" else t for t in said.logprobs)
    again = Reply(said.text, "stop", logprobs=broken)
    assert json_label_confidences(again, ["supported", "contradicted"], WORDS) == (None, 1.0)


ALTERNATIVES = st.dictionaries(
    st.sampled_from(["supported", "Supp", "not", "contr", "x", " supported", '"', ""]),
    st.floats(-20, 0.0),
    max_size=5,
)


@given(st.sampled_from(WORDS), st.lists(st.integers(1, 18), max_size=4), st.lists(ALTERNATIVES, min_size=8, max_size=8))
def test_confidence_is_a_share_however_the_label_is_tokenised(
    label: str, cuts: list[int], tops: list[dict[str, float]]
) -> None:
    text = f'{{"label": "{label}"}}'
    places = sorted({0, 11, *(11 + cut for cut in cuts if 11 + cut < len(text)), len(text)})
    tokens = tuple(
        TokenLogprob(text[a:b], -0.5, tuple(top.items())) for a, b, top in zip(places, places[1:], tops, strict=False)
    )
    (found,) = json_label_confidences(Reply(text, "stop", logprobs=tokens), [label], WORDS)
    assert found is not None
    assert 0 <= found <= 1


def test_labels_without_any_probability_are_not_a_label() -> None:
    token = TokenLogprob("The", 0.0, (("Yes", -9999.0), ("No", -9999.0)))
    assert first_word_label(Reply("The", "stop", logprobs=(token,)), ["Yes", "No"]) is None
