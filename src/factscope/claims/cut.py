"""The claims of a segment, checked or skipped for a reason: for methods without a language model.

A sentence is one claim, or one for each clause that is a statement of its own (`sentence_clauses.py`).

A skipped segment stays in the report as a claim with the reason, so that no text disappears. Sentences without
checkable content are questions, opinions, advice, greetings and remarks.

The rules err on the side of checking: a statement that is wrongly skipped is lost, one that is wrongly checked merely
stays undecided. So they look only at the beginning of a sentence (a title in quotation marks or capitals matches none
of them) and at short praise as a whole, never at later words, which may be a quotation. Advice and remarks that also
state something ("Visit the tower, which was built in 1712") are checked. The wordings (`checkability.toml`) are
English; in other languages only the form of a question counts.

English has no mark for the imperative (`imperatives.toml`), so a verb counts only before a word that follows verbs but
not nouns ("Visit the …", not "Visit numbers …"), and only when its clause has no other verb ("Call for papers was …").
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from factscope.claims.sentence_clauses import SentenceClause, clauses
from factscope.claims.text.plain_text import plain
from factscope.claims.text.struck import without_struck
from factscope.claims.text.table_lines import cells
from factscope.claims.text.terms import Token, has_words, tokens
from factscope.core import ClaimKind, PatternFile
from factscope.core.records import Claim, Segment, Span

_IMPERATIVES = PatternFile(__package__, "imperatives.toml")


def is_advice(text: str) -> bool:
    """Return whether a sentence only tells the reader what to do, without an amount or time that could be confirmed."""
    if _IMPERATIVES["relative_clause"].search(text) or _IMPERATIVES["figure"].match(text):
        return False
    if _IMPERATIVES["request"].match(text) or _IMPERATIVES["do"].match(text):
        return True
    match = _IMPERATIVES["imperative"].fullmatch(text)
    if match is None:
        return False
    clause = _IMPERATIVES["clause"].split(match["rest"], maxsplit=1)[0]
    if match["sure"]:
        return _IMPERATIVES["be"].search(clause) is None
    if match["noun"] and _IMPERATIVES["third_person"].search(clause):
        return False
    return _IMPERATIVES["finite"].search(clause) is None


Reason = tuple[ClaimKind, str]
"""Unit type of a sentence, and the reason why it is not checked."""

QUESTION: Reason = ("question", "a question")
META: Reason = ("meta", "a remark about the answer")
OPINION_REASON: Reason = ("claim", "an opinion")
ADVICE: Reason = ("instruction", "a request or advice")
GREETING: Reason = ("other", "a greeting or thanks")

LONGEST = 400
"""Characters. A longer sentence is checked unless it is a question; the limit also bounds the cost of the patterns."""

# A quoted question makes a sentence a question only if there is nothing else: 'He asked "Why?"' states something.
_QUESTION = re.compile(r"[?？؟՞;][!?)\]*_\s]*$|^[(\[*_\s]*['\"“‘«„].*[?？؟՞;]['\"”’“»)\]*_\s]*$", re.DOTALL)
_CLOSING = " '\"”’“»)]*_!?"
_GREEK = re.compile(r"[\u0370-\u03ff]")
_FIGURE = re.compile(r"\d")
_FEWEST_WORDS = 3  # fewer words can't state anything checkable (our choice)
_IN_ADDRESS = r"[^\s\u0e00-\u109f\u1780-\u17ff\u2e80-\ufaff\uff00-\uffef]"
"""Not in an address: scripts without spaces between words, in which a sentence may follow at once."""
_ADDRESS = (
    rf"[<(]?(?:(?:https?://|www\.){_IN_ADDRESS}+|(?:doi:\s?)?10\.\d{{4,9}}/{_IN_ADDRESS}+"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+[.,;>)]*)"
)
_LINK_TITLE = r"""(?:["“'][^"”']{1,200}["”']|\((?![^)]*\b(?:is|are|was|were|has|have|had|will)\b)[^)]{1,200}\))"""
_ADDRESSES = re.compile(rf"{_ADDRESS}(?:\s+{_ADDRESS})*(?:\s+{_LINK_TITLE}[.,;]?)?", re.IGNORECASE)
"""Nothing but addresses, with the title of the last as in a definition of a link, or when it was read."""

_WORDINGS = PatternFile(__package__, "checkability.toml")


def unstated(text: str) -> Reason | None:
    """Return the type and reason of a sentence that is not checked; None when it states something."""
    if _QUESTION.search(text) and (text.rstrip(_CLOSING)[-1:] != ";" or _GREEK.search(text)):
        return QUESTION
    if len(text) > LONGEST:
        return None
    return None if _stated(text) != text else _by_opening(text)


def _stated(text: str) -> str:
    """Return a sentence without a remark that it opens with: "I can't say, but the bridge is closed"."""
    if len(text) > LONGEST or _by_opening(text) not in (META, GREETING):
        return text
    for opening in _WORDINGS["further_clause"].finditer(text):
        clause = text[opening.end() :]
        sentence = clause[:1].upper() + clause[1:]
        if _WORDINGS["goes_on"].match(clause) or len(tokens(clause)) < _FEWEST_WORDS:
            continue
        complete = (
            opening[0].endswith(("but ", "that "))  # before a clause with a verb, not before a list of things
            or _FIGURE.search(clause)
            or _IMPERATIVES["finite"].search(clause)
            or _WORDINGS["present_tense"].match(clause)
        )
        if complete and not _by_opening(sentence):
            return sentence
    return text


def _by_opening(text: str) -> Reason | None:
    if _WORDINGS["remark"].match(text):
        return META
    if _WORDINGS["greeting"].match(text):
        return GREETING
    if (
        _WORDINGS["opinion"].match(text)
        or _WORDINGS["praise"].fullmatch(text)
        or _WORDINGS["exclamation"].fullmatch(text)
    ):
        return OPINION_REASON
    return ADVICE if _WORDINGS["recommendation"].match(text) or is_advice(text) else None


_REFERRING = """
    he she it they this that these those his her its their him them here there such another both neither
"""
_DEPENDENT = frozenset(_REFERRING.split())


def silent(segment: Segment) -> bool:
    """Return whether a segment's form alone shows that it states nothing, so that no model needs to read it."""
    return segment.kind in ("code", "heading") or not has_words(plain(without_struck(segment.text)))


def column_names(segments: Sequence[Segment]) -> dict[str, list[str]]:
    """Return the names of the columns of each row below a table's header, by the segment's id."""
    names: list[str] = []
    by_row = {}
    for segment in segments:
        if segment.kind == "table_row":
            by_row[segment.id] = names
        else:
            names = cells(segment.text) if segment.kind == "heading" and "|" in segment.text else []
    return by_row


def _with_names(row: str, names: Sequence[str]) -> str | None:
    """Return a row as passages have it, `Name: cell; name: cell`; None where its cells are not all named."""
    row_cells = [plain(cell) for cell in cells(row)]
    if len(row_cells) != len(names) or len(names) < 2 or not row_cells[0] or not all(names[1:]):
        return None
    pairs = zip(map(plain, names), row_cells, strict=True)
    return "; ".join(": ".join(filter(None, pair)) for pair in pairs if pair[1].strip("-–—"))


def cut(segment: Segment, names: Sequence[str] = ()) -> Claim:
    """Return the claim that a segment makes, skipped with a reason when evidence could not decide it.

    `names` are those of the columns, for a row of a table.
    """
    left = without_struck(segment.text)
    text = plain(left)
    text = text if has_words(text) else plain(segment.text)
    words = tokens(text)
    kind, reason = _sort_out(segment, text, words)
    standalone = text if reason or segment.kind == "whole" else _with_names(left, names) or _stated(text)
    independent = not _refers_back(standalone)
    about = {"text": text, "standalone": standalone, "independent": independent, "kind": kind, "skipped": reason}
    return as_it_stands(segment).model_copy(update=about)


def _refers_back(text: str) -> bool:
    """Return whether a claim begins with a word that stands for something in the text before it."""
    first = next(iter(tokens(text)), None)
    return first is not None and first.text.casefold() in _DEPENDENT


def cut_clauses(segment: Segment, names: Sequence[str] = ()) -> list[Claim]:
    """Return the claims that a segment makes: one for each clause if all can be checked, else the one of `cut`."""
    complete = cut(segment, names)
    is_sentence = segment.kind in ("sentence", "list_item") and complete.standalone == complete.text
    if complete.skipped or not is_sentence or without_struck(segment.text) != segment.text:
        return [complete]
    claims = [_of_clause(segment, clause, number) for number, clause in enumerate(clauses(segment.text), 1)]
    return claims if claims and not any(claim.skipped for claim in claims) else [complete]


_FULL_VERBS = {"ll": "will", "re": "are", "ve": "have"}
_CONTRACTED = re.compile(r"^['’](ll|re|ve)\b")
"""The verb of "they'll", where a subject of several words takes the place of "they"."""


def _of_clause(segment: Segment, clause: SentenceClause, number: int) -> Claim:
    start = segment.span.start
    span = Span(start=start + clause.span.start, end=start + clause.span.end)
    claim = cut(segment.model_copy(update={"text": clause.span.of(segment.text), "span": span}))
    change: dict[str, object] = {"id": f"{segment.id}.c{number}"}
    if clause.subject:
        predicate = _CONTRACTED.sub(
            lambda verb: _FULL_VERBS[verb[1]], segment.text[clause.predicate : clause.span.end].strip()
        )
        change |= {"standalone": plain(f"{clause.subject} {predicate}"), "independent": False}
    return claim.model_copy(update=change)


def as_it_stands(segment: Segment) -> Claim:
    """Return a segment as a claim in its exact words, to be judged whatever it states."""
    return Claim(
        id=f"{segment.id}.c1",
        segment_id=segment.id,
        text=segment.text,
        standalone=segment.text,
        span=segment.span,
        alignment="exact",
    )


def _sort_out(segment: Segment, text: str, words: Sequence[Token]) -> tuple[ClaimKind, str | None]:
    """Return the unit type in VERIFY's terms, and the reason if the segment is not checked."""
    if segment.kind == "whole":  # a whole text can't be judged by its first or last words
        return ("fact", None) if words else ("other", "no words")
    if segment.kind == "code":
        return "data_format", "code"
    if segment.kind == "heading":
        return "other", "a heading states nothing"
    if not words:
        return "other", "no words"
    if not has_words(without_struck(segment.text)):
        return "other", "struck out"
    if _ADDRESSES.fullmatch(text):
        return "other", "an address states nothing"
    if reason := unstated(text):
        return reason
    if len(words) < _FEWEST_WORDS and not any(word.text[0].isdigit() for word in words):
        return "other", "too short to state anything"
    return "fact", None
