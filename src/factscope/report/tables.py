"""The report as Markdown for a reader and as CSV for a spreadsheet."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from urllib.parse import quote

from factscope.records import Document, Failure, Report
from factscope.report import words
from factscope.report.cards import Card
from factscope.report.marks import MARKS
from factscope.report.view import Part, Unit, View, view_of

COLUMNS = (
    "id",
    "level",
    "segment",
    "claim",
    "outcome",
    "word",
    "reason",
    "confidence",
    "judge",
    "quote",
    "source_title",
    "source_url",
    "judgements",
)
"""Of the CSV: one row per unit. `judgements` counts the labelled ones and the failed ones together."""

# A spreadsheet takes a cell that begins like this for a formula, the full-width forms in East Asian editions.
_FORMULA = re.compile("[=+\\-@\t\r\n＝＋－＠]")

# What Markdown or its common dialects read as markup inside a line, and what only counts where a line begins. The
# colon and the points of an address keep it from being linked by itself.
_MARKUP = re.compile(r"[\\`*_\[\]<>&|~$#!@^]|(?<=[a-zA-Z]):(?=//)|(?<=www)\.", re.IGNORECASE)
_LINE_START = re.compile(r"^(?:([-+=])|(\d+)([.)])(?=\s|$))")


def to_csv(report: Report) -> str:
    """One row per unit after a row of names (RFC 4180, UTF-8). A cell that could be a formula begins with `'`."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for part in view_of(report).parts:
        for unit in part.units:
            writer.writerow([_cell(value) for value in _row(unit)])
    return out.getvalue()


def _row(unit: Unit) -> Iterator[str]:
    verdict = unit.verdict
    shown = next((card for card in unit.best if card.quote), unit.near or next(iter(unit.cards), None))
    judgement, document = (shown.judgement, shown.document) if shown else (None, None)
    yield unit.id
    yield verdict.level
    yield unit.segment.text
    yield unit.claim.standalone if unit.claim else ""
    yield verdict.outcome
    yield MARKS[verdict.outcome].word
    yield verdict.reason or ""
    yield "" if verdict.confidence is None else words.decimals(verdict.confidence, 3)
    yield judgement.judge if judgement else ""
    yield (shown.quote if shown else None) or ""
    yield (document.title if document else None) or ""
    yield (document.url if document else None) or ""
    yield str(sum(card.judgement is not None for card in unit.cards))


def _cell(value: str) -> str:
    safe = words.inert(value)
    return f"'{safe}" if _FORMULA.match(value) or _FORMULA.match(safe) else safe


def to_markdown(report: Report) -> str:
    """Head, scores and counts, what to look at, then every sentence with its evidence. No raw HTML, no images."""
    view = view_of(report)
    lines = [*_head(view), "", "## The text, sentence by sentence", ""]
    for part in view.parts:
        lines += _part(part)
    if report.documents:
        lines += ["## Sources", "", *(f"- {_source(document)}" for document in report.documents), ""]
    lines += [
        "---",
        "",
        "A machine made these verdicts, and machines err: read the quotes before you rely on one.",
        "",
        f"Method: {escaped(str(report.method.get('name') or 'unnamed'))} · Factscope {escaped(report.factscope)}",
    ]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """One line of Markdown that shows `text` as it is."""
    line = _MARKUP.sub(lambda match: "\\" + match[0], words.one_line(text))
    return _LINE_START.sub(lambda match: f"\\{match[1]}" if match[1] else f"{match[2]}\\{match[3]}", line)


def _head(view: View) -> Iterator[str]:
    report = view.report
    yield f"# {words.headline(report.counts)}"
    yield ""
    yield f"{words.coverage_line(report.counts)} · {escaped(words.method_title(report))}"
    if report.scores:
        yield ""
        yield "| score | value | counts | interval | coverage |"
        yield "|---|--:|---|---|---|"
    for score in map(words.score_words, report.scores):
        yield f"| {escaped(score.title)} | {score.value} | {score.over} | {score.interval or ''} | {score.coverage} |"
    yield ""
    yield "| outcome | units |"
    yield "|---|--:|"
    counts = words.outcome_counts(report)
    for outcome, n in counts:
        yield f"| {MARKS[outcome].glyph} {MARKS[outcome].word} | {n} |"
    yield f"| **all** | **{sum(n for _, n in counts)}** |"
    if view.failures:
        yield ""
        yield from map(_failure, view.failures)
    if view.problems:
        yield ""
        yield "## What to look at"
        yield ""
    for part in view.problems:
        mark = MARKS[part.state]
        yield f"- {mark.glyph} **{mark.word}**, sentence {part.number}: {_quoted(words.clip(part.segment.text, 160))}"


def _part(part: Part) -> Iterator[str]:
    mark = MARKS[part.state]
    yield f"### {part.number}. {mark.glyph} {mark.word}"
    yield ""
    yield escaped(part.segment.text)
    yield ""
    for failure in part.failures:
        yield _failure(failure)
        yield ""
    for unit in part.units:
        yield from _unit(unit)


def _unit(unit: Unit) -> Iterator[str]:
    verdict = unit.verdict
    if unit.differs:
        yield f"Claim: *{escaped(unit.text)}*"
        yield ""
    told = {failure.message for failure in unit.failures}
    said = [words.sure(verdict.confidence), escaped(verdict.reason or "") if verdict.reason not in told else None]
    mark = MARKS[verdict.outcome]
    yield " · ".join([f"{mark.glyph} {mark.word}", *filter(None, said)])
    yield ""
    if unit.correction and unit.correction.text:
        yield f"Should say: {escaped(unit.correction.text)}"
        yield ""
    for failure in unit.failures:
        yield _failure(failure)
        yield ""
    for card in unit.best or filter(None, (unit.near,)):
        yield from _card(card)
    read = unit.side("aside")
    if read and not unit.best:
        names = list(dict.fromkeys(_source(card.document) for card in read if card.document))
        yield f"Read {words.many(len(read), 'passage')}: {', '.join(names)}"
        yield ""
    for card in unit.side("failed"):
        yield f"- ! could not be judged: {escaped((card.judgement and card.judgement.failure) or '')}"
        yield ""


def _card(card: Card) -> Iterator[str]:
    yield f"> {escaped(card.quote)}" if card.quote else "> *quote not found in the passage*" if card.invented else "> …"
    notes = [
        "near" if card.side == "aside" else card.side,
        words.sure(card.judgement.confidence if card.judgement else None),
    ]
    notes += ["ruled out by a person"] if card.excluded else []
    notes += [escaped(flag.replace("_", " ")) for flag in (card.document.flags if card.document else ())]
    yield ">"
    yield f"> — {_source(card.document)} ({', '.join(filter(None, notes))})"
    yield ""


def _source(document: Document | None) -> str:
    """The source, linked when it has a web address."""
    if document is None:
        return "unknown source"
    name = escaped(document.title or document.url or document.id)
    if address := words.web_address(document.url):
        # Every character that could end the target of a link is percent-encoded.
        return f"[{name}]({quote(address, safe=_SAFE_IN_LINK)})"
    return f"{name}, {escaped(document.url)}" if document.title and document.url else name


_SAFE_IN_LINK = "%/:?#@!$&'+,;=~-._"


def _failure(failure: Failure) -> str:
    return f"- ! failed in {failure.stage} ({failure.boundary}): {escaped(failure.message)}"


def _quoted(text: str) -> str:
    return f"“{escaped(text)}”"
