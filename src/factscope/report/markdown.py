"""The report as Markdown for a reader."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote

from factscope.core import plurals
from factscope.core.records import Correction, Document, Failure, Report, Score
from factscope.report import source_notes, wording
from factscope.report.build_view import view_of
from factscope.report.citations.lines import KIND_WORDS, STATE_WORDS, CitationProblem
from factscope.report.citations.overview import SourceRow, citation_view
from factscope.report.evidence_cards import Card, source_name
from factscope.report.markdown_text import escaped, table_lines
from factscope.report.renderer import OverAll, Reports
from factscope.report.run_summary import COUNTED, Details, RunTotal, lines, total_of
from factscope.report.searches import USE_WORDS, QuerySearch
from factscope.report.states import MARKS
from factscope.report.usage_words import usage_words
from factscope.report.view import JudgeView, ReportView, SegmentView, UnitView

_MOST_RESULTS = 5
"""Results of a query that are named; the page has all."""

_LONGEST_REASON = 600
"""Characters of a judge's reason; the page has all of it."""


def to_markdown(report: Report) -> str:
    """Return head, scores and counts, units that need review, then every sentence with its evidence.

    It has no raw HTML and no images.
    """
    view = view_of(report)
    blocks = [*_head(view), *(_citations(report) if wording.is_about_citations(report) else ())]
    blocks.append("## Text, sentence by sentence")
    for segment in view.parts:
        blocks += _segment(segment)
    if report.documents:
        blocks += ["## Sources", "\n".join(map(_listed, report.documents))]
    closing = " ".join(filter(None, [wording.REVIEW, wording.small_verifier(view.report)]))
    method = escaped(str(report.method.get("name") or "unnamed"))
    blocks += [*_provenance(view), "---", closing, f"Method: {method} · Factscope {escaped(report.factscope)}"]
    return _joined(blocks)


def many_to_markdown(reports: Reports, over_all: OverAll) -> Iterator[str]:
    """Yield head, scores over all, a line per response, then the contradicted claims of the first responses."""
    total = total_of(reports, over_all.left_out)
    yield _joined(_head_of_many(total, over_all.scores))
    details: list[Details] = []
    for line in lines(reports, total, details):
        mark = MARKS[line.outcome]
        cells = [escaped(wording.clip(line.id, 80)), f"{mark.glyph} {mark.word}", *map(str, line.counts), *line.scores]
        yield f"| {' | '.join([*cells, line.coverage, str(line.failures)])} |\n"
    if details:
        yield "\n## What is contradicted\n\n"
    for detail in details:
        yield _joined(_details(detail)) + "\n"
    if (more := total.n_contradicted - len(details)) > 0:
        yield f"and something in {plurals.many(more, 'more response')}\n"
    yield f"\n---\n\n{wording.REVIEW}\n"


def _joined(blocks: Iterable[str]) -> str:
    """Return blocks, such as paragraphs, lists and tables, with a blank line between them."""
    return "\n\n".join(blocks) + "\n"


def _head_of_many(total: RunTotal, scores: Sequence[Score]) -> Iterator[str]:
    yield f"# {total.headline}"
    if total.n:
        yield f"{total.ended} · {total.troubles} · {escaped(', '.join(total.methods))}"
    yield from map(_note, total.warnings)
    yield from _scores(scores)
    columns = [*(MARKS[outcome].word for outcome in COUNTED), *map(_title, total.score_names), "coverage", "failures"]
    yield _table(("response", "verdict", *columns), (), "ll" + "r" * len(columns))


def _note(warning: str) -> str:
    return f"**! Note:** {escaped(warning)}"


def _title(score: str) -> str:
    return escaped(wording.score_title(score))


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]], align: str) -> str:
    return "\n".join(table_lines(heads, rows, align))


def _details(details: Details) -> Iterator[str]:
    yield f"### {escaped(wording.clip(details.line.id, 80))}"
    for unit in details.units:
        yield from _unit(unit, brief=True)
    if details.more:
        yield f"and {details.more} more"


def _head(view: ReportView) -> Iterator[str]:
    report = view.report
    yield f"# {wording.headline(report)}"
    about = [wording.coverage_line(report), wording.method_title(report), source_notes.searched(report)]
    yield " · ".join(map(escaped, filter(None, about)))
    yield from map(_note, filter(None, (*report.warnings, source_notes.not_read(report))))
    yield from _scores(report.scores)
    counts = wording.outcome_counts(report)
    rows = [(f"{MARKS[outcome].glyph} {MARKS[outcome].word}", str(n)) for outcome, n in counts]
    yield _table(("outcome", "claims"), [*rows, ("**all**", f"**{sum(n for _, n in counts)}**")], "lr")
    yield from (
        f"{escaped(note)}." for note in (wording.counted_once(report.verdicts), wording.cascaded(report)) if note
    )
    yield from _origins(report)
    if view.failures:
        yield "\n".join(map(_failure, view.failures))
    if view.problems:
        yield "## Needs review"
        yield "\n".join(map(_problem, view.problems))


def _problem(problem: SegmentView) -> str:
    mark, text = MARKS[problem.state], _quoted(wording.clip(problem.segment.text, 160))
    return f"- {mark.glyph} **{mark.word}**, sentence {problem.number}: {text}"


def _scores(scores: Sequence[Score]) -> Iterator[str]:
    if scores:
        words = map(wording.score_words, scores)
        rows = ((escaped(each.title), each.value, each.over, each.interval or "", each.coverage) for each in words)
        yield _table(("score", "value", "counts", "interval", "coverage"), rows, "lrlll")


def _origins(report: Report) -> Iterator[str]:
    """List the origins of the evidence, and the evidence that does not count."""
    if origins := source_notes.origins(report):
        rows = ((origin.kind, str(origin.n), origin.share) for origin in origins)
        yield _table(("source", "passages", "share"), rows, "lrr")
    for line in filter(None, (source_notes.copied(report), source_notes.excluded(report.excluded))):
        yield f"{escaped(line[0].upper() + line[1:])}."


def _citations(report: Report) -> Iterator[str]:
    """Render the problems with the citations, one per line, and the bibliography with the state of each source."""
    view = citation_view(report)
    yield "## Citations"
    yield escaped(view.headline)
    if view.problems:
        heads = ("place", "problem", "in the text", "details", "instead")
        yield _table(heads, map(_problem_cells, view.problems), "lllll")
    yield "### Bibliography"
    columns = ("source", "state", "used", "supports", "problems", "replacement")
    yield _table(columns, map(_source_cells, view.sources), "llrrll")


def _problem_cells(problem: CitationProblem) -> tuple[str, ...]:
    kind = f"**{KIND_WORDS[problem.kind]}**" if problem.serious else KIND_WORDS[problem.kind]
    about = (_quoted(wording.clip(problem.about, 160)), escaped(problem.message), escaped(problem.proposal or ""))
    return f"{problem.line}:{problem.column}", kind, *about


def _source_cells(source: SourceRow) -> tuple[str, ...]:
    supports = f"{source.supports} of {source.judged}" if source.judged else "–"
    problems = ", ".join(KIND_WORDS[kind] for kind in source.problems)
    names = _linked(source.url, source.label), STATE_WORDS[source.state], str(source.used)
    return *names, supports, problems, escaped(source.repaired or "")


def _segment(view: SegmentView) -> Iterator[str]:
    mark = MARKS[view.state]
    yield f"### {view.number}. {mark.glyph} {mark.word}"
    yield escaped(view.segment.text)
    yield from map(_failure, view.failures)
    for unit in view.units:
        yield from _unit(unit)


def _unit(unit: UnitView, *, brief: bool = False) -> Iterator[str]:
    """Render a unit; with `brief`, without reasons, neutral passages and searches."""
    verdict = unit.verdict
    if unit.differs or brief:
        yield f"Claim: *{escaped(unit.text)}*"
    pieces = [escaped(unit.why or ""), unit.sure, unit.agreement, escaped(unit.judged_by or "")]
    mark = MARKS[verdict.outcome]
    yield " · ".join([f"{mark.glyph} {mark.word}", *filter(None, pieces)])
    if unit.loose:
        stretches = ", ".join(f"“{escaped(stretch)}”" for stretch, loose in unit.loose if loose)
        yield f"Not backed by the evidence: {stretches}"
    for risk in unit.risks:
        yield f"- {escaped(wording.rests_on(risk.id, risk.text, verdict.outcome))}"
    if unit.panel and (unit.disputed or not brief):
        yield "\n".join(map(_judge, unit.panel))
    if unit.correction:
        yield from _correction(unit, unit.correction, brief=brief)
    yield from map(_failure, unit.failures)
    cards_shown = unit.best or tuple(filter(None, (unit.near,)))
    for card in cards_shown:
        yield from _card(unit, card, brief=brief)
    if not brief:
        yield from _aside(unit)
        for note in source_notes.known_elsewhere(unit.cards, cards_shown):
            yield f"- **! {escaped(note)}**"
        yield from _search(unit)


def _judge(judge: JudgeView) -> str:
    mark = MARKS[judge.outcome]
    about = [escaped(judge.judge), wording.sure(judge.confidence, judge.confidence_from), judge.labels]
    return f"- {mark.glyph} {mark.word}: {' · '.join(filter(None, about))}"


def _aside(unit: UnitView) -> Iterator[str]:
    """Render the neutral or excluded passages, then failures and unreadable sources."""
    read = unit.side("aside")
    if read and not unit.best:
        names = list(dict.fromkeys(_source(card.document) for card in read if card.document))
        yield f"Read {plurals.many(unit.n_aside, 'passage')}: {', '.join(names)}"
    for card in unit.void:
        yield f"- ! not counted: {escaped(card.raw_labels)}, but {wording.VOID}"
    for card in unit.side("failed"):
        yield f"- ! could not be judged: {escaped(card.failure)}"
    if unit.unread:
        unread = (escaped(source_notes.unread_line(failure)) for failure in unit.unread)
        yield "\n".join(f"- {source_notes.UNREADABLE}: {line}" for line in unread)


def _correction(unit: UnitView, correction: Correction, *, brief: bool) -> Iterator[str]:
    yield f"What is wrong: {wording.ERROR_WORDS[correction.error]} ({correction.error})"
    yield f"Should say: {escaped(correction.text)}" if correction.text else wording.UNCORRECTED
    if unit.basis:
        words_of_it, document = unit.basis
        yield f"> {escaped(words_of_it)}\n>\n> — {_source(document)} (the correction rests on it)"
    if correction.rationale and not brief:
        yield f"Reason: {_shortened(correction.rationale)}"


def _search(unit: UnitView) -> Iterator[str]:
    """Render the searches, where they are informative; results are listed under their query."""
    if not any(search.counted for search in unit.searches) and len(unit.queries) < 2 and unit.ended is None:
        return
    yield "What was searched:"
    ended = [f"- the search ended: {_shortened(unit.ended)}"] if unit.ended else []
    queries = [line for number, searches in unit.rounds for search in searches for line in _query(number, search)]
    yield "\n".join([*queries, *ended])


def _query(number: int, search: QuerySearch) -> Iterator[str]:
    pieces = [f"round {number}: {_quoted(search.query.text)}", search.counted]
    yield f"- {' – '.join(filter(None, pieces))}"
    for result in search.results[:_MOST_RESULTS]:
        yield f"  - {_linked(result.hit.url, result.title)} ({USE_WORDS[result.use]})"
    if (more := len(search.results) - _MOST_RESULTS) > 0:
        yield f"  - and {more} more"


def _card(unit: UnitView, card: Card, *, brief: bool) -> Iterator[str]:
    notes = [
        "near" if card.side == "aside" else card.side,
        wording.sure(card.judgement.confidence, card.judgement.confidence_from) if card.judgement else None,
    ]
    notes += map(escaped, unit.notes_on(card))
    source = " · ".join([_source(card.document), *map(escaped, source_notes.on_card(card))])
    quoted = escaped(card.quote) if card.quote else "*quote not found in the passage*" if card.invented else "…"
    warnings = (f"**! {escaped(warning)}**" for warning in source_notes.warnings(card))
    yield "\n>\n".join(f"> {line}" for line in (quoted, f"— {source} ({', '.join(filter(None, notes))})", *warnings))
    if not brief and unit.verdict.outcome != "supported":
        for judgement in (judgement for judgement in card.judgements if judgement.rationale):
            yield f"Reason ({escaped(judgement.judge)}): {_shortened(judgement.rationale or '')}"


def _provenance(view: ReportView) -> Iterator[str]:
    """Render the models, their prompts and the cost; nothing for a method that calls no language model."""
    report = view.report
    if not report.models:
        return
    yield "## How it was checked"
    yield _table(("role", "model"), (map(escaped, pair) for pair in report.models.items()), "ll")
    if report.prompts:
        yield "\n".join(f"- prompt {escaped(name)} {escaped(digest)}" for name, digest in report.prompts.items())
    used = (map(escaped, row) for row in usage_words(report.usage))
    yield _table(("used for", "model", "calls", "tokens", "cost", "waited"), used, "llllll")
    if view.self_reported:
        yield wording.SELF_REPORTED


def _shortened(text: str) -> str:
    return escaped(wording.excerpt(text, _LONGEST_REASON))


def _source(document: Document | None) -> str:
    """Return the source, linked when it has a web address."""
    if document is None:
        return "unknown source"
    name = escaped(source_name(document))
    if wording.web_address(document.url):
        return _linked(document.url, source_name(document))
    return f"{name}, {escaped(document.url)}" if document.title and document.url else name


def _linked(url: str | None, name: str) -> str:
    """Return the name, linked where the address is one of the web."""
    address = wording.web_address(url)
    # Every character that could end the target of a link is percent-encoded.
    return f"[{escaped(name)}]({quote(address, safe=_SAFE_IN_LINK)})" if address else escaped(name)


def _listed(document: Document) -> str:
    """Return all known details of a source."""
    flags = [
        f"**! {escaped(flag.text)}**" if flag.grave else escaped(flag.text)
        for flag in source_notes.flags(document.flags)
    ]
    return f"- {' · '.join([_source(document), *map(escaped, source_notes.in_full(document)), *flags])}"


_SAFE_IN_LINK = "%/:?#@!$&'+,;=~-._"


def _failure(failure: Failure) -> str:
    return f"- ! failed in {failure.stage} ({failure.boundary}): {escaped(failure.message)}"


def _quoted(text: str) -> str:
    return f"“{escaped(text)}”"
