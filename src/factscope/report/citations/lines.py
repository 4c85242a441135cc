"""A problem with a citation → its position and message, the same in the terminal, SARIF, JUnit and on the page."""

from __future__ import annotations

import re

from factscope.core import CitedSource, Quotation, Record, Report, SourceState, Span, plurals
from factscope.report import wording
from factscope.scoring.citations.citation_problems import SERIOUS, CitationFault, ProblemKind, citation_problems

_KINDS: dict[ProblemKind, tuple[str, str]] = {
    "contradicts": ("contradicted", "{source} says otherwise{quote}."),
    "does_not_say": ("does not say", "{source} does not say this."),
    "unclear": ("unclear", "It is unclear whether {source} says this: read it there."),
    "partly": ("says only a part", "{source} supports only a part of this{quote}."),
    "not_there": ("not there", "{source} is not there ({state}): {detail}."),
    "not_fetched": ("not fetched", "{source} was not fetched: {detail}."),
    "altered_quote": ("altered quote", "The quotation is altered: {differences} ({source})."),
    "absent_quote": ("quote not found", "The quotation does not stand in {source}."),
    "uncited": ("cites nothing", "This needs a source but cites none."),
    "circular": ("circular", "{source} proves nothing: {detail}."),
    "changed": ("changed since", "{source} may no longer say this: {detail}."),
    "unused": ("never cited", "{source} is listed but never cited."),
    "not_needed": ("not needed", "{source} supports nothing that it is cited for; other sources do."),
    "not_judged": ("not judged", "{source} could not be judged: {detail}."),
}
"""The name of each kind of problem, and its sentence."""
KIND_WORDS: dict[ProblemKind, str] = {kind: words for kind, (words, _) in _KINDS.items()}
STATE_WORDS: dict[SourceState, str] = {
    "read": "read",
    "dead": "dead",
    "paywalled": "behind a paywall",
    "refused": "refused",
    "unreadable": "not readable",
    "no_entry": "no entry",
    "no_address": "no address",
    "no_answer": "unknown to its resolver",
    "not_fetched": "not fetched",
}
_LONGEST_QUOTE = 160  # characters
_MOST_DIFFERENCES = 4  # differences of one quotation that are named


class CitationProblem(Record):
    """One problem with a citation."""

    kind: ProblemKind
    """Its kind."""
    span: Span
    """Position in the text."""
    line: int
    """Its line, from 1."""
    column: int
    """Its column, from 1."""
    message: str
    """The problem, in one sentence."""
    about: str
    """The words of the text that it is about."""
    serious: bool
    """Whether it makes the citation wrong, rather than only weaker."""
    source_id: str | None = None
    """The source that it is about."""
    proposal: str | None = None
    """Another source that supports the claim, with its words."""
    reference: str | None = None
    """The entry of that source, ready to be copied into the bibliography."""


def problem_lines(report: Report) -> tuple[CitationProblem, ...]:
    """Return all problems with the citations of a text, in reading order, each on one line."""
    text = report.response.text
    repairs = {repair.unit_id: repair for repair in report.repairs}
    lines = []
    for problem in citation_problems(report):
        repair = repairs.get(problem.claim.id) if problem.claim and problem.kind != "uncited" else None
        line, column = line_and_column(text, problem.span.start)
        lines.append(
            CitationProblem(
                kind=problem.kind,
                span=problem.span,
                line=line,
                column=column,
                message=message_of(problem),
                about=_about(problem, text),
                serious=problem.kind in SERIOUS,
                source_id=problem.source.id if problem.source else None,
                proposal=f"{repair.reference} says “{wording.clip(repair.quote, _LONGEST_QUOTE)}”" if repair else None,
                reference=repair.reference if repair else None,
            )
        )
    return tuple(lines)


def headline(report: Report, lines: tuple[CitationProblem, ...]) -> str:
    """Return the citations, sources and problems in one sentence."""
    if not report.citations and not lines:
        return "No citations to check: the text cites no sources."
    cited = {citation.source_id for citation in report.citations}
    read = sum(source.state == "read" for source in report.sources if source.id in cited)
    result = plurals.many(len(report.citations), "citation")
    wrong = sum(line.serious for line in lines)
    problems = f"{plurals.many(len(lines), 'problem')}, {wrong} of them serious" if lines else "no problem"
    return f"{result} of {plurals.many(len(cited), 'source')}, {read} read: {problems}."


def line_and_column(text: str, at: int) -> tuple[int, int]:
    """Return the line and column of an offset, both from 1."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def source_label(source: CitedSource) -> str:
    """Return a source in a few words: its key and its title, or its address."""
    name = source.title or source.doi or source.arxiv or source.url or source.entry or ""
    key = f"[{source.key}]" if source.key else ""
    return wording.clip(" ".join(filter(None, (key, wording.one_line(name)))), 80) or source.id


def message_of(problem: CitationFault) -> str:
    """Return the problem, in one sentence."""
    source = source_label(problem.source) if problem.source else "its source"
    quote = problem.pair.quote if problem.pair else None
    text = f": “{wording.excerpt(quote, _LONGEST_QUOTE)}”" if quote else ""
    values = {
        "source": source,
        "quote": text,
        "detail": problem.detail or _WITHOUT_DETAIL.get(problem.kind),
        "state": STATE_WORDS[problem.source.state] if problem.source else "not there",
        "differences": differences(problem.quotation),
    }
    return _DOUBLE_END.sub(r"\1", _KINDS[problem.kind][1].format_map(values))


_DOUBLE_END = re.compile(r"([.!?]”?)\.\Z")
"""The end of a quote or detail that ends a sentence itself, and the full stop after it."""
_WITHOUT_DETAIL: dict[ProblemKind, str] = {"not_there": "nothing is known of why", "not_judged": "see the failures"}


def differences(quotation: Quotation | None) -> str:
    """Describe a changed quotation: its words, and those of its source."""
    pieces = []
    for item in (quotation.differences if quotation else ())[:_MOST_DIFFERENCES]:
        if item.quoted and item.source:
            pieces.append(f"“{item.quoted}” where the source has “{item.source}”")
        elif item.quoted:
            pieces.append(f"“{item.quoted}” is added")
        else:
            pieces.append(f"“{wording.clip(item.source, 60)}” is left out")
    return "; ".join(pieces) or "it differs"


def _about(problem: CitationFault, text: str) -> str:
    if problem.quotation:
        return wording.one_line(problem.quotation.text)
    if problem.claim:
        return wording.one_line(problem.claim.text)
    return wording.one_line(problem.span.of(text))
