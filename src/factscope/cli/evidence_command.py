"""`factscope evidence`: what retrieval alone finds for a claim."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from factscope.cli.call_options import LookupOptions, with_groups
from factscope.cli.calling import finish, load, log_problems
from factscope.cli.options import AsList, MethodName
from factscope.cli.output import put_console, put_json
from factscope.core import UsageError
from factscope.core.records import Failure, Query, Response, SearchHit
from factscope.engine import source
from factscope.engine.find_method import default_method, find_method
from factscope.engine.open_tools import open_tools
from factscope.evidence.results import QueryResults, passage_records
from factscope.llm.session import CheckContext
from factscope.report import source_notes
from factscope.report.console import ConsolePage
from factscope.report.evidence_cards import Card
from factscope.report.searches import searches
from factscope.report.wording import one_line


class RetrievalOptions(LookupOptions):
    """The claim, where to search for it, and how."""

    claim: Annotated[str, typer.Argument(metavar="CLAIM")]
    """A claim, or any words to search for."""
    method: MethodName = None
    format: AsList = "text"


@with_groups
def evidence(options: RetrievalOptions) -> None:
    """Show the passages that a method would give its judge for a claim, without judging anything.

    The passages are cut and ranked as the method says; the claim is searched for as it stands, once.

    Example: factscope evidence "The lighthouse has 162 steps." -e documents/ --search wikipedia
    """
    if not options.claim.strip():
        raise UsageError("The claim is empty.", "Give a claim, or any words to search for.")
    settings = load(options.settings())
    checked_method, tools = find_method(default_method(settings)), open_tools(settings=settings)
    where = source(checked_method, tools)
    job = CheckContext(Response(text=options.claim), (), lambda *events: None)
    results = finish(tools, lambda: where.find(options.claim, checked_method.evidence, job))
    log_problems(tools)
    if options.format == "json":
        put_json(_values(results))
    else:
        put_console(lambda console: _print(results, console), None)


def _values(results: QueryResults) -> dict[str, Any]:
    return {
        "passages": [
            {
                **passage_found.document.model_dump(mode="json", exclude={"text"}),
                "score": passage_found.score,
                "passage": passage_found.text,
                **passage.model_dump(mode="json", include={"rank", "instructions", "copy_of"}),
            }
            for passage_found, passage in zip(results.passages, passage_records(results.passages, ""), strict=True)
        ],
        "results": [listed._asdict() for listed in results.listed],
        "failures": [{"about": about, "message": str(error)} for about, error in results.failures],
    }


def _print(results: QueryResults, console: Console) -> None:

    page, passages = ConsolePage(console), passage_records(results.passages, "")
    cards = [
        Card(
            judgements=(),
            passage=passage,
            document=passage_found.document,
            side="aside",
            says="not judged",
            place=None,
            decisive=False,
            copies=tuple(other.id for other in passages if other.copy_of == passage.id),
        )
        for passage_found, passage in zip(results.passages, passages, strict=True)
    ]
    if not cards:
        page.write("No passage was found.")
    for card in cards:
        _print_card(page, card)
    unreadable = [
        Failure(unit_id="", stage="evidence", boundary=error.boundary, message=str(error), about=about)
        for about, error in results.failures
    ]
    if results.listed:
        page.write(_counted(results, cards, unreadable))
    for failure in unreadable:
        state = f"{source_notes.UNREADABLE if failure.about else 'not searched'}:"
        page.write(" ".join(filter(None, [state, *source_notes.unreadable_source(failure)])), Text("- "))


def _print_card(page: ConsolePage, card: Card) -> None:

    passage, document = card.passage, card.document
    if passage is None or document is None:
        return
    page.write(Text.assemble((one_line(card.source), "bold"), f"  {passage.score:.2f}"), Text(f"{passage.rank}  "))
    if document.title and document.url:
        page.note(document.url, indent=3)
    quiet = [flag.text for flag in source_notes.flags_of(card) if not flag.grave]
    about = [*source_notes.in_full(document), *quiet, *filter(None, [source_notes.copies(card)])]
    if about:
        page.note(" · ".join(about), indent=3)
    for warning in source_notes.warnings(card):
        page.write(warning, Text("! ", "bold yellow"), 3)
    page.write(passage.text, indent=3)
    page.blank()


def _counted(results: QueryResults, cards: list[Card], failures: list[Failure]) -> str:
    """State the number of listed results, and of those used."""
    hits = [
        SearchHit(id=f"q.h{rank}", query_id="q", rank=rank, **listed._asdict())
        for rank, listed in enumerate(results.listed, 1)
    ]
    (search,) = searches([Query(id="q", claim_id="", text="")], {"q": hits}, cards, failures, online=True)
    return search.counted or ""
