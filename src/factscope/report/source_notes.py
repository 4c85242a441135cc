"""Sources in words: their kind, author and date, and warnings for readers who rely on them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from factscope.core import CATEGORIES, Category, Document, Exclusions, Failure, Passage, Report, plurals
from factscope.report import wording
from factscope.report.evidence_cards import Card, order_spans

CATEGORY_WORDS: dict[Category, str] = {
    **{category: category.replace("_", " ") for category in CATEGORIES},
    "scientific_medical": "scientific or medical",
}

_ASSIGNED_BY = {
    "own": "from your own list",
    "table": "from the built-in list",
    "suffix": "restricted domain",
    "rule": "guessed from its name",
    "page": "stated by the page",
}
"""How a category was assigned; any other word is the name of the model that was asked."""

NOT_CATEGORISED = "uncategorised"

ORDERS = "contains instructions aimed at AI models"
COPY = "the same text as"
UNREADABLE = "could not be read"

_FLAGS = {
    "instruction_like": ORDERS,
    "hidden_instruction_like": "hidden instructions aimed at AI models were removed",
    "mixed_scripts": "letters of one alphabet pass for those of another",
    "possibly_hidden": "some of its text may be hidden from readers",
    "hidden_text_removed": "hidden text removed",
    "folded_text": "some of its text shows only once unfolded",
    "truncated": "read only in part",
    "boilerplate_only": "no main text found",
    "paywalled": "behind a paywall",
    "needs_javascript": "needs JavaScript to show its text",
    "encoding_guessed": "encoding guessed",
}
"""Notes on a source for a reader, the most serious first."""

_GRAVE = {"instruction_like", "hidden_instruction_like", "mixed_scripts", "possibly_hidden"}
"""Flags that affect whether a source can be trusted."""

_MOST_ORDERS = 3  # instructions to a model that are quoted
_LONGEST_ORDER = 120
"""Characters of each quoted instruction to a model."""


class Flag(NamedTuple):
    """A note on a source for the reader."""

    text: str
    grave: bool
    """Whether it affects trust, and must stand out."""


class Origin(NamedTuple):
    """One kind of source, and its share of the evidence."""

    kind: str
    n: int
    """Passages."""
    share: str
    """Of all passages, as a percentage with one decimal."""


def kind(document: Document) -> str | None:
    """Return a description such as `news (from the built-in list)`; `None` for a source without a category."""
    if document.category == "other" and document.category_by is None:
        return None
    by = document.category_by
    origin = _ASSIGNED_BY.get(by, f"said by {by}") if by else None
    return CATEGORY_WORDS[document.category] + (f" ({origin})" if origin else "")


def byline(document: Document) -> list[str]:
    """Return its author and date, if it states them."""
    author = document.author and f"by {document.author}"
    return list(filter(None, (author, document.publisher, document.published and f"published {document.published}")))


def on_card(card: Card) -> list[str]:
    """Describe the source of a card beside its name: its kind, author and date."""
    return [*filter(None, [kind(card.document)]), *byline(card.document)] if card.document else []


def in_full(document: Document) -> list[str]:
    """Return all known details of a source except its name, its address and its flags."""
    origin = kind(document) or (wording.web_address(document.url) and NOT_CATEGORISED)
    language = document.language and f"language {document.language}"
    fetched = document.fetched_at and f"fetched {_moment(document.fetched_at)}"
    return [*byline(document), *filter(None, (origin, language, fetched))]


def is_described(report: Report) -> bool:
    """Return whether anything but its name is known of a source, which is not so for the files of a folder."""
    return any(set(in_full(document)) - {NOT_CATEGORISED} or document.flags for document in report.documents)


def flags(names: Sequence[str]) -> list[Flag]:
    """Return flags in words, the most serious first. An unknown flag is shown as it is."""
    ranked = sorted(dict.fromkeys(names), key=lambda name: list(_FLAGS).index(name) if name in _FLAGS else len(_FLAGS))
    return [Flag(_FLAGS.get(name, name), name in _GRAVE) for name in ranked]


def flags_of(card: Card) -> list[Flag]:
    """Return the flags of a card's source, except for instructions to a model that the card shows itself."""
    flag_names = {"instruction_like"} if card.orders else set()
    return flags([name for name in (card.document.flags if card.document else ()) if name not in flag_names])


def warnings(card: Card) -> list[str]:
    """List the reasons to distrust a card: about its source, then about its own words."""
    order_text = orders(card.passage) if card.passage else None
    return [flag.text for flag in flags_of(card) if flag.grave] + ([order_text] if order_text else [])


def orders(passage: Passage) -> str | None:
    """Return text such as `contains instructions aimed at AI models: “Ignore …”`, each once.

    It is `None` when the text contains none.
    """
    orders_found = [wording.one_line(span.of(passage.text)) for span in order_spans(passage)]
    quoted_orders = [f"“{wording.clip(order, _LONGEST_ORDER)}”" for order in dict.fromkeys(orders_found)]
    more = f" and {len(quoted_orders) - _MOST_ORDERS} more" if len(quoted_orders) > _MOST_ORDERS else ""
    return f"{ORDERS}: {', '.join(quoted_orders[:_MOST_ORDERS])}{more}" if quoted_orders else None


def copies(card: Card) -> str | None:
    """Return text such as `the same text as p2`, or for the first of them `p2; copies: p4, p5`."""
    if card.passage is None:
        return None
    if card.passage.copy_of:
        return f"{COPY} {short_id(card.passage, card.passage.copy_of)}"
    if card.copies:
        copies_text = ", ".join(short_id(card.passage, name) for name in card.copies)
        return f"{short_id(card.passage)}; {'copy' if len(card.copies) == 1 else 'copies'}: {copies_text}"
    return None


def short_id(passage: Passage, name: str | None = None) -> str:
    """Return the id of a passage within its claim: `p2` for `s3.c1.p2`. `name` is another of the same claim."""
    return (name or passage.id).removeprefix(f"{passage.claim_id}.")


def ruled_out(card: Card) -> str | None:
    """Return why it does not count: a person excluded it, or it contradicts too weakly."""
    if not card.excluded:
        return "too weak to count" if card.too_weak else None
    return "a copy, not counted again" if card.as_copy else "excluded by a person"


def read_with(card: Card) -> str | None:
    """Return how many other passages were read as one with that of a card; `None` where it was read alone."""
    if card.judgement is None or "read_together" not in card.judgement.flags:
        return None
    return f"read as one with {plurals.many(len(card.judgement.passage_ids) - 1, 'other passage')}"


def origins(report: Report) -> list[Origin]:
    """Count the passages from each kind of source, and their share (Facts&Evidence, section 3).

    None when no source has a category.
    """
    documents = {document.id: document for document in report.documents}
    counts: Counter[str] = Counter()
    for passage in report.passages:
        document = documents.get(passage.document_id)
        is_described = document is not None and kind(document) is not None
        counts[CATEGORY_WORDS[document.category] if document and is_described else NOT_CATEGORISED] += 1
    if not set(counts) - {NOT_CATEGORISED}:
        return []
    ranked = [*CATEGORY_WORDS.values(), NOT_CATEGORISED]
    shares = [(name, counts[name], counts[name] / counts.total()) for name in ranked if counts[name]]
    return [Origin(name, n, wording.percent(share, 1)) for name, n, share in shares]


def copied(report: Report) -> str | None:
    """State how many passages are copies; `None` when none is."""
    n, of = sum(passage.copy_of is not None for passage in report.passages), len(report.passages)
    once = "; each text counts once" if report.excluded.copies else ""
    repeat = "repeats another" if n == 1 else "repeat others"
    return f"{n} of {plurals.many(of, 'passage')} {repeat} for the same claim, word by word{once}" if n else None


def excluded(exclusions: Exclusions) -> str | None:
    """List a person's exclusions, such as `2 passages, the site example.org, blog; copies count once`."""
    names = [
        *([plurals.many(len(exclusions.passages), "passage")] if exclusions.passages else []),
        *([plurals.many(len(exclusions.documents), "source")] if exclusions.documents else []),
        *(f"the site {domain}" for domain in exclusions.domains),
        *(f"sources of the kind “{CATEGORY_WORDS[category]}”" for category in exclusions.categories),
        *(["copies of the same text, but for the first"] if exclusions.copies else []),
    ]
    return f"excluded by a person: {', '.join(names)}" if names else None


def searched(report: Report) -> str | None:
    """Return values such as `searched with Wikipedia, and in 3 documents`; `None` when nothing could be searched."""
    at = report.searched
    if at is None:
        return None
    if at.id == "context":
        n_contexts = len(report.response.context) or len(report.documents)
        return f"searched in {plurals.many(n_contexts, 'document')} that came with the text"
    engines = _engine_titles(at.engines)
    positions = [f"with {' and '.join(engines)}"] if engines else []
    individual = len(report.response.context) if "context" in at.id.split("+") else 0
    n = at.n_documents + individual
    positions += [f"in {plurals.many(n, 'document')}"] if n or not engines else []
    return f"searched {', and '.join(positions)}"


def not_read(report: Report, most: int = 10) -> str | None:
    """Name evidence that could not be used, or not whole, such as `Evidence: old.pdf: is damaged; and 2 more`."""
    problems = report.searched.problems if report.searched else ()
    more = [f"and {len(problems) - most:,} more"] if len(problems) > most else []
    return f"Evidence: {'; '.join([*problems[:most], *more])}" if problems else None


def _engine_titles(names: Sequence[str]) -> list[str]:
    """Return titles of search engines, each once. Without any, the engines are not imported."""
    if not names:
        return []
    from factscope.evidence.search.engine_registry import engine_title

    return [engine_title(name) for name in dict.fromkeys(names)]


def unreadable_source(failure: Failure) -> tuple[str, str]:
    """Return the address of a source that could not be fetched or read, and the reason without the address."""
    about = failure.about or ""
    return about, failure.message.removeprefix(about).strip()


def unread_line(failure: Failure) -> str:
    """Return the same in a sentence, without the advice."""
    about, text = unreadable_source(failure)
    sentence = re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0]
    return f"{about} {sentence}".strip()


def known_elsewhere(cards: Sequence[Card], cards_shown: Sequence[Card]) -> Iterator[str]:
    """Yield instructions to a model in passages that were read but are not shown, each with its source."""
    visited = {card.passage.id for card in cards_shown if card.passage}
    for card in cards:
        if card.passage and card.passage.id not in visited and (message := orders(card.passage)):
            visited.add(card.passage.id)
            yield f"{card.source} {message}"


def _moment(declared: str) -> str:
    """Return a time in UTC to the minute; anything else unchanged."""
    match = re.fullmatch(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:[\d.]+)?(Z|\+00:00)", declared)
    return f"{match[1]} {match[2]} UTC" if match else declared
