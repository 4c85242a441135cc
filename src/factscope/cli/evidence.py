"""`factscope evidence`: what retrieval alone finds for a claim."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from factscope.cli.options import AsList, Evidence, ListFormat, MethodName, SearchName

if TYPE_CHECKING:
    from rich.console import Console

    from factscope.evidence.found import Findings

EXAMPLE = 'Example: factscope evidence "The lighthouse has 162 steps." -e documents/ --search wikipedia'


def evidence(
    claim: Annotated[str, typer.Argument(help="A claim, or any words to search for.")],
    evidence: Evidence = None,
    search: SearchName = None,
    method: MethodName = None,
    format: AsList = ListFormat.TEXT,  # noqa: A002 - the option's name
) -> None:
    """Show the passages that a method would give its judge for a claim, without judging anything.

    The passages are cut and ranked as the method says; the claim is searched for as it stands, once.
    """
    import json

    from factscope.asking import Job
    from factscope.cli.calling import finish, load
    from factscope.cli.output import put_console, put_text
    from factscope.config import default_method, find_method, open_tools
    from factscope.engine import source
    from factscope.records import Response

    settings = load({"evidence": evidence or None, "search": search, "method": method})
    chosen, tools = find_method(default_method(settings)), open_tools(settings=settings)
    where = source(chosen, tools)
    job = Job(Response(text=claim), (), lambda *events: None)
    found = finish(tools, lambda: where.find(claim, chosen.evidence, job))
    if format is ListFormat.JSON:
        put_text(json.dumps(_values(found), ensure_ascii=False, indent=2) + "\n", None)
    else:
        put_console(lambda console: _print(found, console), None)


def _values(found: Findings) -> dict[str, Any]:
    return {
        "passages": [
            {**one.document.model_dump(mode="json", exclude={"text"}), "score": one.score, "passage": one.text}
            for one in found.passages
        ],
        "results": [seen._asdict() for seen in found.seen],
        "failures": [{"about": about, "message": str(error)} for about, error in found.failures],
    }


def _print(found: Findings, console: Console) -> None:
    from rich.padding import Padding
    from rich.text import Text

    from factscope.report.words import inert

    if not found.passages:
        console.print("No passage was found.")
    for rank, one in enumerate(found.passages, 1):
        document = one.document
        about = " · ".join(filter(None, [document.url, document.category, document.published, *document.flags]))
        console.print(
            Text(f"{rank}  {inert(document.title or 'untitled')}", "bold") + Text(f"  {one.score:.2f}", "not bold")
        )
        console.print(Padding(Text(inert(about), "dim"), (0, 0, 0, 3)))
        console.print(Padding(Text(inert(" ".join(one.text.split()))), (0, 0, 1, 3)))
    for about, error in found.failures:
        console.print(Text(f"! {inert(str(error) or about)}"))
