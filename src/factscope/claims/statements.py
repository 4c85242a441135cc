"""Simpler statements that an English sentence makes: "Osgrave designed the recorder" of "the recorder, which …".

Networks judge a long sentence mostly by its main clause and by the words that it shares with a passage. They see that
one of its statements is false when they read that alone. Unlike clauses that are claims of their own
(`sentence_clauses.py`), these need not cover the sentence, and may repeat each other.
"""

from __future__ import annotations

from collections.abc import Iterator

from factscope.core import PatternFile

_WORDINGS = PatternFile(__package__, "statements.toml")
_LONGEST = 400
"""Characters of a sentence that is read in this way."""
_MOST = 6
"""Statements of one sentence."""
_FEWEST_WORDS = 3


def statements(sentence: str) -> list[str]:
    """Return the simpler statements of a sentence; none of a condition or report, or if it has none."""
    if len(sentence) > _LONGEST or _WORDINGS["not_stated"].search(sentence):
        return []
    simpler = dict.fromkeys(_as_sentence(text) for text in _parts(sentence) if _states(text))
    simpler.pop(_as_sentence(sentence), None)
    return list(simpler)[:_MOST]


def _parts(sentence: str) -> Iterator[str]:
    text = sentence
    if fronted := _WORDINGS["fronted"].match(text):
        yield (text := fronted["main"])
    for relative in _WORDINGS["relative"].finditer(text):
        noun, clause = relative["noun"], relative["clause"].rstrip(" .!")
        if relative["end"]:
            before = text[: relative.start("noun")].rstrip()
            comma = "," if before.endswith((",", " not")) else ""  # "Oslo, not Vik, which is small, is …"
            yield f"{text[: relative.end('noun')]}{comma} {text[relative.end() :].lstrip()}"
        if relative["joined"]:
            continue  # "Ann and Bo, who …" may be about both
        if _WORDINGS["predicate"].match(clause):
            yield f"{noun} {clause}"
        elif _WORDINGS["with_subject"].match(clause):
            yield from (f"{each} {noun}" for each in _WORDINGS["next_subject"].split(clause))
    if appositive := _WORDINGS["appositive"].match(text):
        yield (text := f"{appositive['noun']} {appositive['predicate']}")
    if passive := _WORDINGS["passive"].match(text):
        yield from (f"{passive['subject']} {passive['be']} {passive[part]}" for part in ("first", "second"))
    if trailing := _WORDINGS["trailing"].match(text):
        yield trailing["main"]
    if coordinated := _WORDINGS["coordinated"].match(text):
        yield from (f"{coordinated['subject']} {coordinated[part]}" for part in ("first", "second"))


def _states(text: str) -> bool:
    """Tell whether a text states something of its subject, and not of none or few of several."""
    is_limited = _WORDINGS["limited"].match(text)
    return len(text.split()) >= _FEWEST_WORDS and not is_limited and _WORDINGS["verb"].search(text) is not None


def _as_sentence(text: str) -> str:
    text = text.strip(" ,;.!")
    return f"{text[:1].upper()}{text[1:]}."
