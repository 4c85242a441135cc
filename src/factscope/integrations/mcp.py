"""A server of the Model Context Protocol: assistants check texts against the evidence that was fixed at its start.

    {"mcpServers": {"factscope": {"command": "factscope", "args": ["mcp", "--evidence", "/home/me/docs"]}}}

Tools: `check_text`, `verify_claim`, `search_evidence`, `get_check`, each with structured results and quotes; each check
is a resource `factscope://checks/ID` too. The assistant chooses neither files nor models, and what it sends has limits.
Made with the official SDK, `mcp` 2.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from pydantic import BaseModel

from factscope.core import FactscopeError, __version__
from factscope.core.records import Response
from factscope.engine import judges, provenance, source
from factscope.engine.run import check_stored, run_id
from factscope.engine.run_store import Store, StoredRun
from factscope.integrations.assessment import failure_of, needs
from factscope.integrations.python.arguments import read_contexts
from factscope.integrations.python.checker import Checker
from factscope.integrations.python.report import CLAIM_COLUMNS, Claim, Report, claim_row
from factscope.llm.session import CheckContext
from factscope.report.evidence_cards import source_name
from factscope.report.terminal_short import brief_text
from factscope.scoring.verdicts.roll_up import worst

with needs("mcp", "mcp"):
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError

_ABOUT = (
    "Checks claims against documents that the user chose. Quote the evidence when you report a verdict, and say"
    " plainly when a claim is undecided, without evidence, or could not be checked."
)
_MOST_OF_CONTEXTS = 200_000  # characters of all contexts of one text together
_MOST_PASSAGES = 20  # of one search: they go into the assistant's context


class ClaimResult(BaseModel):
    """One claim of the text."""

    id: str
    text: str
    verdict: str
    """supported, contradicted, undecided, no_evidence, not_checkable, excluded or failed."""
    confidence: float | None
    quote: str | None
    source: str | None
    reason: str | None
    start: int | None
    end: int | None

    @classmethod
    def of(cls, claim: Claim) -> ClaimResult:
        """Make the result of a claim."""
        return cls.model_validate(dict(zip(CLAIM_COLUMNS, claim_row(claim), strict=True)))


class CheckResult(BaseModel):
    """A checked text."""

    id: str
    resource: str
    summary: str
    score: float | None
    """Supported / judged claims; null when none was judged."""
    coverage: float
    counts: dict[str, int]
    claims: list[ClaimResult]

    @classmethod
    def of(cls, name: str, report: Report) -> CheckResult:
        """Make the result of the check of this id."""
        claims = [ClaimResult.of(claim) for claim in report.claims]
        figures = {"score": report.score, "coverage": report.coverage, "counts": report.counts}
        summary = brief_text(report.record)
        return cls(id=name, resource=f"factscope://checks/{name}", summary=summary, claims=claims, **figures)


class PassageResult(BaseModel):
    """One passage of the evidence."""

    text: str
    source: str
    url: str | None
    score: float


def build_server(checker: Checker, store: str | Path, most_characters: int) -> MCPServer[None]:
    """Make the server; `run()` serves it over standard input and output. A text has `most_characters` at most."""
    session = _ToolSession(checker, store, most_characters)

    @asynccontextmanager
    async def open_checker(_: MCPServer[None]) -> AsyncIterator[None]:
        async with checker:
            yield

    server: MCPServer[None] = MCPServer(
        "factscope", version=__version__, instructions=_ABOUT, lifespan=open_checker, log_level="WARNING"
    )
    for tool in (session.check_text, session.verify_claim, session.search_evidence, session.get_check):
        server.tool()(tool)
    server.resource("factscope://checks/{check_id}", mime_type="application/json")(session.resource)
    return server


class _ToolSession:
    """The tools, over one checker."""

    def __init__(self, checker: Checker, store: str | Path, most_characters: int) -> None:
        self._checker, self._store, self._most_characters = checker, store, most_characters

    async def check_text(
        self, text: str, contexts: list[str] | None = None, question: str | None = None
    ) -> CheckResult:
        """Check every claim of a text against the user's evidence, and against contexts that came with it."""
        name, report = await self._checked(text, contexts, question)
        return CheckResult.of(name, report)

    async def verify_claim(self, claim: str, passages: list[str] | None = None) -> ClaimResult:
        """Judge one sentence against the user's evidence, or these passages too: verdict, quote and source.

        If it makes several claims, the result is that of the one with the worst verdict.
        """
        _, report = await self._checked(claim, passages, None)
        if (n := len(report.record.segments)) != 1:
            raise ToolError(f"This is not one sentence but {n}. For a text use check_text.")
        decisive = worst({claim.verdict for claim in report.claims})
        result = next((claim for claim in report.claims if claim.verdict == decisive), None)
        if result is None:
            raise ToolError("The sentence makes no claim that could be judged.")
        return ClaimResult.of(result)

    async def search_evidence(self, query: str, limit: int = 5) -> list[PassageResult]:
        """Find the passages of the user's evidence that bear on a query, best first; nothing is judged."""
        self._must_fit(query)
        job = CheckContext(Response(text=query), (), lambda *events: None)
        try:
            async with self._checker.session() as tools:
                method = self._checker.method
                results = await source(method, tools).find(query, method.evidence, job)
        except FactscopeError as error:
            raise ToolError(str(error)) from None
        return [
            PassageResult(text=hit.text, source=source_name(hit.document), url=hit.document.url, score=hit.score)
            for hit in results.passages[: min(max(limit, 1), _MOST_PASSAGES)]
        ]

    async def get_check(self, check_id: str) -> CheckResult:
        """Give a check that was made before, by its id."""
        return CheckResult.of(check_id, self._stored(check_id, ToolError))

    async def resource(self, check_id: str) -> str:
        """Give the whole record of a check: passages, judgements, usage, settings."""
        return self._stored(check_id, ResourceNotFoundError).record.model_dump_json()

    async def _checked(self, text: str, contexts: list[str] | None, question: str | None) -> tuple[str, Report]:
        """Raise ToolError when nothing can be checked or a step failed: a failure is never a verdict."""
        self._must_fit(text, contexts, question)
        try:
            response = Response(text=text, context=read_contexts(contexts), prompt=question)
            async with self._checker.session() as tools:
                method = self._checker.method
                name = run_id(response.model_dump_json(), provenance(method, tools), judges(method, tools))
                with Store(self._store) as store:
                    report = Report(await check_stored(response, method, tools, store))
        except FactscopeError as error:
            raise ToolError(str(error)) from None
        if failure := failure_of(report):
            raise ToolError(f"{failure} The finished part: get_check {name}")
        return name, report

    def _must_fit(self, text: str, contexts: list[str] | None = None, question: str | None = None) -> None:
        for kind, size, limit in (
            ("text has", len(text), self._most_characters),
            ("question has", len(question or ""), self._most_characters),
            ("contexts have", sum(map(len, contexts or [])), _MOST_OF_CONTEXTS),
        ):
            if size > limit:
                raise ToolError(f"The {kind} {size:,} characters; at most {limit:,} are taken. Send less at once.")

    def _stored(self, check_id: str, error: type[Exception]) -> Report:
        if not isinstance(self._store, Path) or self._store.exists():
            with Store(self._store) as store:
                for run in (run for run in store.runs() if run.id == check_id):
                    for record in StoredRun(store, run).values():
                        return Report(record)
        raise error(f"Unknown check {check_id!r}.")
