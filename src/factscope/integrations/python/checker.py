"""A checker: a method with its models, evidence and limits, configured once and used for many texts."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Unpack

from factscope.core import Event, UsageError
from factscope.core.records import Response
from factscope.integrations.python.arguments import (
    Contexts,
    Evidence,
    checked_text,
    must_be,
    must_be_outside_a_loop,
    read_contexts,
    read_evidence,
)
from factscope.integrations.python.report import Report
from factscope.methods import Method

if TYPE_CHECKING:
    from factscope.engine import Tools
    from factscope.engine.settings import Settings
    from factscope.evidence.gather import EvidenceSource
    from factscope.integrations.python.runs import Run
    from factscope.integrations.python.tables import Data

T = TypeVar("T")
_FIELDS = {"question": "prompt"}
"""Arguments that have another name for the reader of tables."""


class _SharedRunner:
    """An event loop that threads take turns to use."""

    def __init__(self) -> None:
        self._runner, self._turn = asyncio.Runner(), Lock()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run the work once other threads are done with theirs."""
        with self._turn:
            return self._runner.run(work)

    def close(self) -> None:
        """End the event loop."""
        self._runner.close()


class TextArguments(TypedDict, total=False):
    """Arguments of a check besides the text: those of `Checker.acheck`."""

    contexts: Contexts | None
    question: str | None
    written_by: str | None
    url: str | None


class RunArguments(TypedDict, total=False):
    """Arguments of a run besides the data: those of `Checker.run`."""

    text: str | None
    contexts: str | None
    question: str | None
    id: str | None
    columns: Mapping[str, str] | None
    limit: int | None
    store: str | Path | None
    fresh: bool
    progress: bool


class Checker:
    """A method with its models, evidence and limits, for many texts.

    Use it as a (blocking or async) context manager, or just call it.

    Inside `with` or `async with` connections stay open between calls; outside, each call opens and closes them. The
    index of the evidence is made once either way, and limits on spending hold for all calls together. Threads may share
    it; inside `with` they take turns.
    """

    def __init__(
        self,
        *,
        method: str | Path | Method | None = None,
        model: str | Mapping[str, str] | None = None,
        evidence: Evidence | None = None,
        search: str | None = None,
        verifier: str | None = None,
        cited: bool = False,
        repair: bool = False,
        max_cost: float | None = None,
        max_calls: int | None = None,
        max_tokens: int | None = None,
        settings: Mapping[str, object] | None = None,
        name: str | None = None,
    ) -> None:
        """Configure the checks; other settings come from the environment and `factscope.toml`.

        Args:
            method: Name of a method, a TOML file, or a `Method`. Default: `standard` with a model, else `builtin`.
            model: `provider/model` for all roles, or a mapping of roles to models, `"*"` for the others.
            evidence: Files, folders, addresses, or texts; a single value or a list.
            search: A search engine of the web, such as `wikipedia`.
            verifier: The verifier that replaces the method's judge; see `factscope verifiers`.
            cited: Whether to check texts against their own citations; `evidence` then holds local copies of sources.
            repair: With `cited`, whether another source is proposed where the cited one does not support a claim.
            max_cost: Limit on the total cost of this checker, in US dollars.
            max_calls: Limit on all calls of language models by this checker.
            max_tokens: Limit on all tokens sent and received by this checker.
            settings: Any other setting by its name, such as `{"language": "de"}`; see `factscope config show`.
            name: Name in tables. Default: the method's name, with the model if there is one.

        Raises:
            UsageError: a name is not known, or a key, a model or evidence is missing. Nothing has been read yet.
        """
        from factscope.engine.open_tools import open_budget

        _must_be_of_their_types(method, model, search, verifier, settings)
        must_be(name, str, "name", '"mine"')
        self._sources = read_evidence(evidence)
        by_role = dict(model) if isinstance(model, Mapping) else model
        named_models = list(model.values()) if isinstance(model, Mapping) else [model] if model else []
        own_settings: dict[str, Any] = {"model": by_role, "search": search, "verifier": verifier}
        own_settings |= {"max_cost": max_cost, "max_calls": max_calls, "max_tokens": max_tokens}
        own_settings |= {"cited": cited or None, "repair": repair or None, "evidence": self._sources.paths or None}
        flags = {**(settings or {}), **{name: value for name, value in own_settings.items() if value is not None}}
        self.settings, self.method = _settings(flags, method, named_models)
        self.name = name or " ".join([self.method.name, *sorted(set(self.settings.model.values()))])
        self._budget = open_budget(self.settings)  # here, or each call outside `with` would have one of its own
        self._local: dict[str, EvidenceSource] | None = None
        self._tools: Tools | None = None
        self._runner: _SharedRunner | None = None
        self._process: int | None = None

    def check(self, text: str, **about: Unpack[TextArguments]) -> Report:
        """Check one text and wait for the report. Takes the same arguments and raises the same errors as `acheck`.

        Raises:
            UsageError: also inside a running event loop, as in a notebook: use `await checker.acheck(…)` there.
        """
        must_be_outside_a_loop("check", "await factscope.acheck(…), or await checker.acheck(…)")
        checked_text(text, "check")
        return self.wait(self.acheck(text, **about))

    async def acheck(
        self,
        text: str,
        *,
        contexts: Contexts | None = None,
        question: str | None = None,
        written_by: str | None = None,
        url: str | None = None,
    ) -> Report:
        """Check one text.

        Args:
            text: The text to check, at most 2,000,000 characters.
            contexts: Documents that came with it, as texts: strings, dicts with `text`, or `Document` records. They are
                searched together with the evidence of the checker.
            question: The question or request that it answers.
            written_by: The model that wrote it; a judge of the same family gives a warning.
            url: Address at which it was published; that site is not used as evidence for it.

        Raises:
            UsageError: there is nothing to check it against, or an argument is wrong.
            InputError: there is no text in it, or none of the evidence can be read.
        """
        from factscope.engine import check as run_check

        response = _response(checked_text(text, "acheck"), contexts, question, written_by, url)
        async with self.session() as tools:
            return Report(await run_check(response, self.method, tools))

    async def stream(self, text: str, **about: Unpack[TextArguments]) -> AsyncGenerator[Event, None]:
        """Check one text and yield each record as it is made: segments, claims, passages, judgements, verdicts.

        Takes the same arguments as `acheck`, and raises the same errors, before the first record.
        """
        from factscope.engine import stream as run_stream

        response = _response(checked_text(text, "stream"), **about)
        async with self.session() as tools, aclosing(run_stream(response, self.method, tools)) as events:
            async for event in events:
                yield event

    def run(
        self,
        data: Data,
        *,
        text: str | None = None,
        contexts: str | None = None,
        question: str | None = None,
        id: str | None = None,  # noqa: A002 - the column that people call so
        columns: Mapping[str, str] | None = None,
        limit: int | None = None,
        store: str | Path | None = None,
        fresh: bool = False,
        progress: bool = False,
    ) -> Run:
        """Check every row of a table and wait for the results.

        Args:
            data: A file (JSONL, JSON, CSV, Parquet), a data set of a Hugging Face hub as `org/name`, a data frame, or a
                list of dicts.
            text: Column of the text to check. Default for this and the next three: the names that Ragas, DeepEval,
                LangSmith, TruLens and promptfoo use, and plain ones.
            contexts: Column of the documents that came with it.
            question: Column of the question that it answers.
            id: Column of its id.
            columns: Columns of other fields, such as `{"model": "generator", "system": "instructions"}`.
            limit: Maximum number of rows, from the start; no more than these are taken from a generator.
            store: A file, or `postgresql://user@host/name`, for the results: the same call resumes where an earlier
                one stopped, and retries failures. Default: nothing is stored beyond the returned object.
            fresh: Whether to check again what the store has.
            progress: Whether to show a bar, in a notebook or on a terminal.

        Raises:
            UsageError: a column is missing, no row has anything to check it against, an argument is wrong, or
                an event loop is running (`await checker.arun(…)` there).
            InputError: no row can be read.
            StoreError: the store can't be used.
        """
        must_be_outside_a_loop("run", "await checker.arun(…)")
        fields = RunArguments(text=text, contexts=contexts, question=question, id=id, columns=columns)
        fields |= {"limit": limit, "store": store, "fresh": fresh, "progress": progress}
        return self.wait(self.arun(data, **fields))

    async def arun(self, data: Data, **arguments: Unpack[RunArguments]) -> Run:
        """Check every row of a table without blocking. Takes the same arguments and raises the same errors as `run`."""
        from factscope.integrations.python.runs import run_rows
        from factscope.integrations.python.tables import Rows

        columns, by_name = arguments.get("columns"), dict(arguments)
        must_be(columns, Mapping, "columns", '{"model": "generator"}')
        must_be(arguments.get("store"), (str, PathLike), "store", '"runs.db"')
        field_columns = {field: by_name.get(field) for field in ("text", "contexts", "question", "id")}
        for field, column in (*field_columns.items(), *(columns or {}).items()):
            must_be(column, str, field, '"answer"')
        chosen_columns = {
            _FIELDS.get(field, field): str(name) for field, name in field_columns.items() if name is not None
        }
        rows = Rows(data, {**(columns or {}), **chosen_columns}, self.settings, arguments.get("limit"))
        async with self.session() as tools:
            return await run_rows(
                rows,
                self.method,
                tools,
                arguments.get("store"),
                fresh=arguments.get("fresh", False),
                progress=arguments.get("progress", False),
            )

    def close(self) -> None:
        """Close connections. Needed only for a checker opened with `with`."""
        if self._runner and self._is_open:
            runner, self._runner = self._runner, None
            runner.run(self.aclose())
            runner.close()

    async def aclose(self) -> None:
        """Close connections. Needed only for a checker opened with `async with`."""
        tools, self._tools = self._tools if self._is_open else None, None
        if tools:
            await tools.close()

    def __enter__(self) -> Checker:
        must_be_outside_a_loop("with Checker", "async with factscope.Checker(…) as checker:")
        self._runner = _SharedRunner()
        try:
            self._runner.run(self.__aenter__())
        except BaseException:
            self._runner.close()
            self._runner = None
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Checker:
        self._tools, self._process = await self._open(), os.getpid()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"<Checker {self.name}>"

    @property
    def _is_open(self) -> bool:
        """Whether this process opened it: the event loop and connections of a parent that forked are the parent's."""
        return self._process == os.getpid()

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Run the work in the event loop that holds this checker's open connections, or in a new loop."""
        return self._runner.run(work) if self._runner and self._is_open else asyncio.run(work)

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Tools]:
        """Provide the tools for one call: the open ones, or new ones that are closed afterwards."""
        if self._tools and self._is_open:
            yield self._tools
            return
        async with await self._open() as tools:
            yield tools

    async def _open(self) -> Tools:
        from factscope.engine.open_tools import load_readers, open_sources, open_tools

        load_readers(self.method, self.settings)
        cited, sources = self.settings.cited, self._local
        if sources is None:
            pieces = (self.settings, self._sources.urls, self._sources.documents)
            sources = dict(await asyncio.to_thread(open_sources, *pieces))
            self._local = None if cited else sources  # a way to the web belongs to one event loop: opened again
        settings = self.settings.model_copy(update={"evidence": (), "cited": False})
        tools = open_tools(settings=settings, contexts=not cited, budget=self._budget)
        return replace(tools, sources={**sources, **tools.sources})


def _must_be_of_their_types(method: object, model: object, search: object, verifier: object, settings: object) -> None:
    """Raise UsageError for a name of the wrong type; numbers are validated with the settings."""
    must_be(method, (str, Path, Method), "method", '"standard"')
    must_be(model, (str, Mapping), "model", '"openai/gpt-4.1-mini"')
    for role, name in model.items() if isinstance(model, Mapping) else ():
        must_be(name, str, f"model[{role!r}]", '"openai/gpt-4.1-mini"')
    must_be(search, str, "search", '"wikipedia"')
    must_be(verifier, str, "verifier", '"builtin"')
    must_be(settings, Mapping, "settings", '{"language": "de"}')


def _settings(
    flags: dict[str, Any], method: str | Path | Method | None, named_models: Sequence[str]
) -> tuple[Settings, Method]:
    """Return the settings and the method, validated: errors in a name, a key or a model are raised here."""
    from factscope.engine.find_method import chosen_method, must_ask_a_model, with_citations, with_verifier
    from factscope.engine.open_tools import examine
    from factscope.engine.settings import load_settings

    method_name = str(method) if isinstance(method, str | Path) else None
    settings, _ = load_settings(flags if method_name is None else {**flags, "method": method_name})
    if isinstance(method, Method):
        checked_method = with_citations(with_verifier(method, settings), settings)
    else:
        checked_method = chosen_method(settings)
    must_ask_a_model([checked_method], named_models, search=settings.search)
    examine(checked_method, settings)
    return settings, checked_method


def _response(
    text: str,
    contexts: Contexts | None = None,
    question: str | None = None,
    written_by: str | None = None,
    url: str | None = None,
) -> Response:
    for name, value in (("question", question), ("written_by", written_by), ("url", url)):
        if value is not None and not isinstance(value, str):
            raise UsageError(f"{name} is not a string: {value!r:.80}.", "Leave it out, or give text.")
    return Response(text=text, context=read_contexts(contexts), prompt=question, model=written_by, url=url)
