"""Confidence of a model in a label, from the probabilities of its tokens or from several samples.

The probabilities of the tokens are the model's own, whereas a stated confidence is only text.
On questions with given options those of large models are well calibrated (Kadavath et al. 2022); G-Eval scores texts by
them (Liu et al. 2023, section 2). Here they are renormalised over the allowed labels, token by token:

    confidence = product over the label's tokens of  P(label) / P(any allowed label)

where, at one token, P(label) is the probability of all tokens, the one written and its likeliest alternatives, that
with what is already written begin or complete the label. `not` leads to both `not supported` and `not enough`, so the
token after it decides between these two. Alternatives that lead to no label (another case counts as the same word)
drop out. The server tells only the likeliest alternatives, so the number errs upwards by what it leaves out. At a token
without alternatives the factor is its plain probability.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from factscope.llm.call import Reply, TokenLogprob

_IN_JSON = re.compile(r'"label"\s*:\s*"((?:[^"\\]|\\.)*)"')
_OVER_ONE = 1e-3
"""A log-probability may exceed 0 by this much through rounding; a larger one is invalid."""


class _Tokens(NamedTuple):
    """The tokens of a reply, and the position of each in its text; negative for tokens before the text."""

    starts: list[int]
    tokens: Sequence[TokenLogprob]


def label_confidence(reply: Reply, label: str, allowed: Sequence[str]) -> float | None:
    """Read the model's confidence in the label that ends its reply, from 0 to 1, among the `allowed` labels.

    `label` is the one that `bracketed_label` or `marked_label` returned. None when the reply does not end with it, when
    the server sent no log-probabilities, or when its tokens are not those of the text.
    """
    end = len(reply.text)
    while end and not reply.text[end - 1].isalnum():
        end -= 1
    word = reply.text[max(end - len(label), 0) : end]
    tokens = _tokens(reply)
    if tokens is None or word.casefold() != label.casefold():
        return None
    return _confidence(tokens, end - len(word), word, allowed)


def first_word_label(reply: Reply, allowed: Sequence[str]) -> tuple[str, float | None] | None:
    """Return the likeliest of the `allowed` labels at the first token, with its share of their probabilities.

    Without log-probabilities it is the label that the reply begins with, without a share. None when no allowed label
    has any probability.
    """
    menu = frozenset(name.casefold() for name in allowed)
    words = {name.casefold(): name for name in allowed}
    first = next((token for token in reply.logprobs or () if re.search(r"\w", token.token)), None)
    weights: dict[str, float] = {}
    for text, likely in (_probabilities(first) if first else {}).items():
        if len(labels := _leads_to("", text, menu)) == 1:
            (label,) = labels
            weights[label] = weights.get(label, 0.0) + likely
    if any(weights.values()):
        label = max(weights, key=lambda name: (weights[name], name))
        return words[label], min(weights[label] / sum(weights.values()), 1.0)
    opening = re.match(r"[\W_]*(\w+)", reply.text)
    labels = _leads_to("", opening[1], menu) if opening else frozenset()
    return (words[min(labels)], None) if len(labels) == 1 else None


def json_label_confidences(reply: Reply, labels: Sequence[str], allowed: Sequence[str]) -> tuple[float | None, ...]:
    """Read the model's confidence in each `"label": "…"` of a JSON reply, from 0 to 1, in the order of the text.

    `labels` are those that were read from it, in the same order. All are None when the text does not hold just these
    (a draft before the answer, a word written with escapes), when the server sent no log-probabilities, or when its
    tokens are not those of the text; one is None when its own numbers make no sense.
    """
    matches = list(_IN_JSON.finditer(reply.text))
    tokens = _tokens(reply)
    if tokens is None or [match[1] for match in matches] != list(labels):
        return (None,) * len(labels)
    return tuple(_confidence(tokens, match.start(1), match[1], allowed) for match in matches)


def _tokens(reply: Reply) -> _Tokens | None:
    """Return the tokens with their positions, or None when they do not contain the text exactly.

    A model thinks before it answers, and invisible tokens may surround the answer; so the last occurrence counts.
    """
    if not reply.logprobs:
        return None
    at = "".join(token.token for token in reply.logprobs).rfind(reply.text)
    lengths = (len(token.token) for token in reply.logprobs)
    return None if at < 0 else _Tokens(list(accumulate(lengths, initial=-at))[:-1], reply.logprobs)


def _confidence(tokens: _Tokens, start: int, word: str, allowed: Sequence[str]) -> float | None:
    """Return the formula above for the label `word` that begins at `start`.

    It is None if a number in it makes no sense.
    """
    menu = frozenset(name.casefold() for name in allowed)
    label = word.casefold()
    confidence = 1.0
    for token, before in _deciding(tokens, start, word, menu):
        likely = _probabilities(token)
        leads = {text: _leads_to(before, text, menu) for text in likely}
        if label not in leads.get(token.token, ()):
            return None
        if token.top:
            any_label = sum(likely[text] for text, labels in leads.items() if labels)
            this_label = sum(likely[text] for text, labels in leads.items() if label in labels)
            confidence *= this_label / any_label if any_label else 0.0
        else:
            confidence *= likely[token.token]
    return min(confidence, 1.0)


def _deciding(tokens: _Tokens, start: int, word: str, menu: frozenset[str]) -> Iterator[tuple[TokenLogprob, str]]:
    """Yield the tokens that write a label, each with the part of the label before it.

    The token after the label follows, if it could continue the label.
    """
    label, end = word.casefold(), start + len(word)
    goes_on = any(name != label and name.startswith(label) for name in menu)
    first = bisect_right(tokens.starts, start) - 1
    for begin, token in zip(tokens.starts[first:], tokens.tokens[first:], strict=True):
        if begin > end or (begin == end and not goes_on):
            return
        yield token, word[: max(begin - start, 0)]


def _probabilities(token: TokenLogprob) -> dict[str, float]:
    """Return the probabilities of the written token and its alternatives; empty when one is invalid."""
    numbers = {**dict(token.top), token.token: token.logprob}
    if not all(number <= _OVER_ONE for number in numbers.values()):  # NaN is not
        return {}
    return {text: math.exp(min(number, 0.0)) for text, number in numbers.items()}


def _leads_to(before: str, text: str, menu: frozenset[str]) -> frozenset[str]:
    """Return the labels that start with `before` and `text`, or the one that these complete.

    Punctuation before a label is not part of it.
    """
    prefix = (before + text if before else re.sub(r"^[\W_]+", "", text)).casefold()
    begun = frozenset(name for name in menu if prefix and name.startswith(prefix))
    complete = [name for name in menu if re.match(re.escape(name) + r"(?!\s*\w)", prefix)]
    return begun or frozenset(sorted(complete, key=len)[-1:])
