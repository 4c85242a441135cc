"""Readers of replies about a whole response (FACTS Grounding). Pure functions that refuse an unclear reply.

The published starter code splits objects at `}` and a line end, drops those that it can't parse, and takes a reply
without objects for inaccurate. So a sentence that is unreadable or left out can turn a response accurate. Here it
can't: see `read_sentences`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from factscope.claims.text.plain_text import plain
from factscope.core import many
from factscope.llm.model_errors import UnreadableError
from factscope.llm.structured import after_thoughts, without_trailing_commas

ISSUES = ("No Issues", "Minor Issues", "Major Issues")
"""Findings that a rubric may make; only the last makes a response ineligible."""
ENOUGH = 0.8
"""Share of a sentence's letters, or of its words, that entries must repeat to count as being about it."""
_KEY = "instruction following"
_FENCE = re.compile(r"```[^\n`]*\n(.*?)(?:```|\Z)", re.DOTALL)
_END = re.compile(r"\}(?=\s*(?:[,;]?\s*(?:\{|\]|\}|```|\Z)|\n))|\n(?=\s*\{)")
"""Likely end of an object that can't be parsed; at worst it includes the next object."""
_DENIED = re.compile(r"(?:\b(?:not|neither|nor|cannot)|n['’]t)\W+(?:\w+\W+){0,2}$", re.IGNORECASE)
_DECODER = json.JSONDecoder(strict=False)
_MOST_OBJECTS = 2_000  # objects read from one reply
_DEEPEST = 8  # lists and objects inside one another


class SentenceLabel(NamedTuple):
    """A judge's label of one sentence."""

    text: str
    label: str
    """One of the allowed labels."""
    rationale: str
    excerpts: tuple[str, ...]
    """Excerpts as the judge gives them."""


class SentenceLabels(NamedTuple):
    """A reply about all sentences."""

    labels: tuple[SentenceLabel, ...]
    n_unread: int
    """Number of objects that could not be read, when others decide the response anyway."""
    n_left_out: int
    """Number of sentences without an object, when others decide the response anyway."""


def read_sentences(
    text: str, words: Sequence[str], passing: Sequence[str], expected: Sequence[str] = ()
) -> SentenceLabels:
    """Return the JSON objects of a reply, one per sentence: `sentence`, `label`, `rationale`, `excerpt`.

    They may be separate lines, an array or values of an object, in one or several code fences or none. `words` are the
    labels, in any case; `passing` are those that do not make the response inaccurate. An unreadable object is only
    counted when a readable one is inaccurate already; otherwise it might be the inaccurate one, so the reply is
    refused. The same holds for `expected` sentences that the reply leaves out. Raises UnreadableError.
    """
    labels: list[SentenceLabel] = []
    n_unread = 0
    for entry in _objects(text):
        sentence_label = _sentence_label(entry, words) if entry is not None else None
        if sentence_label is None:
            n_unread += 1
        else:
            labels.append(sentence_label)
    if not labels:
        raise UnreadableError("it holds no JSON object with a sentence and its label.")
    all_pass = all(sentence_label.label in passing for sentence_label in labels)
    if n_unread and all_pass:
        words_text = ", ".join(words)
        raise UnreadableError(
            f"{n_unread} of its JSON objects can't be read; each needs a `sentence` and a `label`, one of {words_text}."
        )
    left_out = _left_out([sentence_label.text for sentence_label in labels], expected)
    if left_out and all_pass:
        raise UnreadableError(
            f"it leaves out {many(len(left_out), 'sentence')} of the response, the first of them {left_out[0][:80]!r};"
            " give each a label."
        )
    return SentenceLabels(tuple(labels), n_unread, len(left_out))


def letters(text: str) -> str:
    """Return the letters and digits of a text, in lower case: what is left when one is copied in another form."""
    return "".join(filter(str.isalnum, text.casefold()))


def _left_out(texts: Sequence[str], expected: Sequence[str]) -> list[str]:
    """Return the expected sentences that none of a reply's texts is about.

    Texts may lack markup, and may hold several sentences or a part of one. One that is not in the response letter by
    letter may be a sentence with a slip corrected or a pronoun resolved, so its words are compared.
    """
    listed = [letters(plain(text)) for text in texts]
    targets = [letters(plain(sentence)) for sentence in expected]
    reply, response = "".join(listed), "".join(targets)
    reworded = [_words(text) for text, copied in zip(texts, listed, strict=True) if copied not in response]

    def is_listed(sentence: str, target: str) -> bool:
        n_copied = sum(len(copied) for copied in set(listed) if copied in target)
        if target in reply or n_copied >= ENOUGH * len(target):
            return True
        words = _words(sentence)
        return any(len(words & others) >= ENOUGH * len(words) for others in reworded)

    return [sentence for sentence, target in zip(expected, targets, strict=True) if not is_listed(sentence, target)]


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", plain(text).casefold()))


def read_issues(text: str) -> str:
    """Return the one of `ISSUES` that the reply's JSON names under `Instruction Following`. Raises UnreadableError.

    The published template shows its form with doubled braces, and a judge may copy them. Without a verdict the starter
    code takes the response for eligible; here the reply is unreadable.
    """
    issues_found = set()
    for values in _objects(text):
        for key, value in (values or {}).items():
            if " ".join(key.casefold().replace("_", " ").split()) == _KEY:
                issues_found.add(_issues(value))
    if None in issues_found or not issues_found:
        raise UnreadableError(
            f'it holds no JSON object {{"Instruction Following": …}} with one of {", ".join(ISSUES)}.'
        )
    if len(issues_found) > 1:
        raise UnreadableError("it gives more than one verdict.")
    return next(filter(None, issues_found))


def last_word(text: str, words: Sequence[str]) -> str:
    """Return the label on the last line that contains any of `words`, as a whole word in any case.

    Raises UnreadableError.

    A reply whose reasoning ends with `Inaccurate` has that label; a last line with two different labels is refused.
    """
    spelled = {word.casefold(): word for word in words}
    longest = sorted(words, key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)", re.IGNORECASE)
    for line in reversed(after_thoughts(text).splitlines()):
        words_found = {spelled[match.casefold()] for match in pattern.findall(line)}
        if len(words_found) > 1:
            raise UnreadableError("its last label stands beside another one.")
        if words_found:
            if _DENIED.search(pattern.split(line)[0]):
                raise UnreadableError("its last label is denied; give the label alone on the last line.")
            return words_found.pop()
    raise UnreadableError(f"it holds none of the labels {', '.join(words)}.")


def _issues(value: object) -> str | None:
    plain = " ".join(str(value).casefold().replace("(s)", "s").split()).rstrip(".")
    issue_of = {issue.casefold(): issue for issue in ISSUES}
    return issue_of.get(plain) or issue_of.get(f"{plain}s")


def _sentence_label(values: dict[str, Any], words: Sequence[str]) -> SentenceLabel | None:
    plain = {str(key).casefold().strip(): value for key, value in values.items()}
    sentence, label = plain.get("sentence"), plain.get("label")
    word_of = {word.casefold(): word for word in words}
    if not isinstance(sentence, str) or not sentence.strip() or not isinstance(label, str):
        return None
    word = word_of.get(label.strip().casefold())
    if word is None:
        return None
    rationale, excerpt = plain.get("rationale"), plain.get("excerpt", plain.get("excerpts"))
    listed = excerpt if isinstance(excerpt, list) else [excerpt]
    excerpts = tuple(excerpt.strip() for excerpt in listed if isinstance(excerpt, str) and _is_excerpt(excerpt))
    return SentenceLabel(sentence.strip(), word, rationale.strip() if isinstance(rationale, str) else "", excerpts)


def _is_excerpt(text: str) -> bool:
    return text.strip().casefold() not in ("", "null", "none", "n/a")


def _objects(reply: str) -> Iterator[dict[str, Any] | None]:
    """Yield the JSON objects of a reply, including those in lists of an outer object; None for each unreadable one."""
    text = after_thoughts(reply)
    blocks = _FENCE.findall(text)
    text = "\n".join(blocks) if blocks else text
    at, count = text.find("{"), 0
    while at >= 0 and count < _MOST_OBJECTS:
        count += 1
        if text.startswith("{{", at):  # doubled, as in the published template
            at += 1
        try:
            values, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            closing = _END.search(text, at)
            end = closing.end() if closing else len(text)
            values = _mended(text[at:end])
        if isinstance(values, dict):
            yield from _unwrapped(values)
        else:
            yield None
        at = text.find("{", end)


def _mended(text: str) -> Any:
    """Return a JSON object after removing trailing commas; None when it has other errors too."""
    try:
        return json.loads(without_trailing_commas(text), strict=False)
    except (ValueError, RecursionError):
        return None


def _unwrapped(values: dict[str, Any], depth: int = 0) -> Iterator[dict[str, Any]]:
    inner = [entry for value in values.values() for entry in (value if isinstance(value, list) else [value])]
    inside = [entry for entry in inner if isinstance(entry, dict)]
    keys = {str(key).casefold().strip() for key in values}
    if not inside or keys & {"sentence", "label"} or depth > _DEEPEST:
        yield values
        return
    for entry in inside:
        yield from _unwrapped(entry, depth + 1)
