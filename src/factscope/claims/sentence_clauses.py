"""The clauses of an English sentence that are statements of their own.

One verdict on a sentence of a true and a false fact doesn't help a reader, and small networks judge it mostly by its
first fact. A sentence is cut only if every clause has a verb and a subject, its own or that of the first clause,
and means the same alone: never at conditions, reports, lists and ellipses (`sentence_clauses.toml`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from factscope.core import PatternFile
from factscope.core.records import Span

_WORDINGS = PatternFile(__package__, "sentence_clauses.toml")
_LONGEST = 400
"""Characters of a sentence that is cut."""
_LONGEST_SUBJECT = 8
"""Words of a subject; a longer one is probably a clause."""
_FEWEST_WORDS = 3
"""Words of a clause; a shorter one states nothing alone."""


class SentenceClause(NamedTuple):
    """A clause of a sentence."""

    span: Span
    """Where it is in the sentence, without the conjunction before it."""
    subject: str
    """Earlier words that are its subject, if it has none or only a pronoun; else empty."""
    predicate: int
    """Where the words after that subject begin in the sentence."""


def clauses(sentence: str) -> list[SentenceClause]:
    """Return the clauses of a sentence, or none if it can't be cut.

    Where a clause has a `subject`, this and the text from `predicate` on are a statement.
    """
    if len(sentence) > _LONGEST:
        return []
    whole = SentenceClause(Span(start=0, end=len(sentence.rstrip())), "", 0)
    enclosed = _enclosed(sentence)
    coordinated = _coordinated(sentence, enclosed) or [whole]
    results = [part for clause in coordinated for part in _with_relative(sentence, clause, enclosed)]
    return results if len(results) > 1 else []


def _coordinated(sentence: str, enclosed: Sequence[bool]) -> list[SentenceClause]:
    """Return the clauses joined by "and", a semicolon and the like, or none."""
    joints = [joint.span() for joint in _WORDINGS["joint"].finditer(sentence) if not enclosed[joint.start()]]
    if not joints or _WORDINGS["condition"].match(sentence):
        return []
    ends = [0, *(position for joint in joints for position in joint), len(sentence.rstrip())]
    spans = [Span(start=start, end=end) for start, end in zip(ends[::2], ends[1::2], strict=True)]
    subject = _subject(spans[0].of(sentence))
    if subject is None:
        return []
    results = [SentenceClause(spans[0], "", 0)]
    for before, span in pairwise(spans):
        clause = _clause(sentence, span, subject, before.of(sentence))
        if clause is None:
            return []
        results.append(clause)
        if _WORDINGS["report"].search(before.of(sentence)):
            subject = ""  # the next pronoun may mean what the report is about
    return results


def _with_relative(sentence: str, clause: SentenceClause, enclosed: Sequence[bool]) -> list[SentenceClause]:
    """Return a clause, followed by its last relative clause if that is about what stands right before it."""
    start = clause.span.start
    relative = _WORDINGS["relative"].search(clause.span.of(sentence))
    if relative is None or enclosed[start + relative.start("predicate")]:
        return [clause]
    before = relative["person"] or relative["thing"]
    end = start + relative.start("person" if relative["person"] else "thing") + len(before)
    predicate = start + relative.start("predicate")
    return [
        clause._replace(span=Span(start=start, end=end)),
        SentenceClause(Span(start=predicate, end=clause.span.end), before, predicate),
    ]


def _enclosed(sentence: str) -> list[bool]:
    """Return for each character whether it stands in brackets or quotation marks."""
    brackets = accumulate((character in "([") - (character in ")]") for character in sentence)
    quotes = accumulate(character in '"“”' for character in sentence)
    return [depth > 0 or count % 2 == 1 for depth, count in zip(brackets, quotes, strict=True)]


def _subject(first: str) -> str | None:
    """Return the subject of the first clause, empty if it may not be that of others; None if the clause has none."""
    verb = _verb(first)
    if verb is None or _WORDINGS["bound"].search(first) or _WORDINGS["incomplete"].search(first):
        return None
    subject = _WORDINGS["adverbs"].sub("", first[:verb].strip())
    is_long = len(subject.split()) > _LONGEST_SUBJECT or not {",", ":"}.isdisjoint(subject)
    return "" if is_long or _WORDINGS["opening"].match(subject) else subject


def _clause(sentence: str, span: Span, subject: str, before: str) -> SentenceClause | None:
    """Return a later clause, or None if it can't stand alone; `before` is the one before it."""
    text = span.of(sentence)
    is_incomplete = _WORDINGS["elliptical"].match(text) or _WORDINGS["incomplete"].search(text)
    if len(text.split()) < _FEWEST_WORDS or is_incomplete:
        return None
    is_apart = sentence[: span.start].rstrip().endswith(";")
    if _WORDINGS["report"].search(before):
        if not is_apart:
            return None
        subject = ""  # "it" may be the report's: "The firm said the pool would cost 9 million; it cost 14"
    if verb := _WORDINGS["goes_on"].match(text):
        is_in_subclause = _WORDINGS["subordinate"].search(before)
        is_participle = verb["past"] is not None and _may_be_participle(before, text, verb.end())
        is_of_subject = not (is_in_subclause or is_participle or is_apart)
        is_named = subject and not _WORDINGS["pronoun"].match(
            subject.lower()
        )  # "It drew 18,000 people" may be anything
        return SentenceClause(span, subject, span.start) if is_named and is_of_subject else None
    if _verb(text) is None:
        return None
    pronoun = _WORDINGS["pronoun"].match(text)
    if pronoun and subject and _is_subject(pronoun[0], subject, sentence) and not _WORDINGS["impersonal"].match(text):
        return SentenceClause(span, subject, span.start + pronoun.end())
    return SentenceClause(span, "", span.start)


def _is_subject(pronoun: str, subject: str, sentence: str) -> bool:
    """Tell whether a pronoun surely stands for the subject of the first clause."""
    verb = _WORDINGS["verb"].search(sentence)
    if verb is None or _WORDINGS["other_subject"].match(f"{pronoun} {subject} {verb[0]}"):
        return False
    has_new_thing = _WORDINGS["new_thing"].match(sentence, verb.end()) and not _WORDINGS["be"].match(verb[0])
    return not (pronoun == "it" and has_new_thing)


def _may_be_participle(before: str, text: str, end: int) -> bool:
    """Tell whether a verb in the past tense may be a participle: "… was founded in 1903 and renamed in 1950"."""
    if text.startswith(" by ", end):
        return True
    is_active = _WORDINGS["object"].match(text, end) and not _WORDINGS["with_object"].match(text)
    is_passive = _WORDINGS["passive"].search(before) is not None and not is_active
    return is_passive or _WORDINGS["shared"].search(before) is not None or _verb(text[end:]) is not None


def _verb(clause: str) -> int | None:
    """Return where the verb of a clause stands, unless only a subordinate clause has one."""
    verb, subordinate = _WORDINGS["verb"].search(clause), _WORDINGS["subordinate"].search(clause)
    return verb.start() if verb and not (subordinate and subordinate.start() < verb.start()) else None
