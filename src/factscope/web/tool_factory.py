"""From a user's request to a method and its tools.

A request may name methods, models and engines, but never files of the server: only the server's own settings and the
content of the request are used. All checks share models, so that limits apply to all together; only a check with its
own budget has its own models.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from factscope.core import InputError, UsageError
from factscope.core.records import Response, Searched
from factscope.engine import MAX_CHARACTERS, Tools, as_response, find_verifiers
from factscope.engine.open_tools import load_readers, open_encoders, open_library, open_tools
from factscope.engine.settings import Settings
from factscope.evidence.collection import open_collection
from factscope.evidence.file_list import is_archive
from factscope.evidence.formats import OFFICE_KINDS, BadPart, kind_of
from factscope.evidence.gather import EvidenceSource
from factscope.evidence.per_response import OwnDocuments
from factscope.evidence.results import QueryResults
from factscope.evidence.text_documents import NotTextItemError, text_documents
from factscope.llm.models_by_role import ALL, Models
from factscope.llm.session import CheckContext, steps
from factscope.methods import CITED, Ask, Evidence, Method
from factscope.web import forms
from factscope.web.forms import CheckParameters, CheckRequest, DroppedDocument, StoredRequest
from factscope.web.problems import ProblemError
from factscope.web.request_method import SEARCH_OPTIONS, method_of, must_use_its_model, searching
from factscope.web.shared_sources import WebAccess, rename, renamed, written

if TYPE_CHECKING:
    from factscope.evidence.citations import AtHand, Library
    from factscope.evidence.embedding_models import Encoders

_MOST_MODELS = 100  # clients of named models held open
_HEAD = 1024  # bytes that tell text from a binary file
_PATIENCE = 5.0  # seconds that calls under way have to end
Documents = Sequence[tuple[str, bytes]]


class ToolFactory:
    """Tools for the checks of this server. Belongs to one event loop."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._models: dict[str, Models | None] = {}
        self._left: list[Models] = []
        limits = (settings.max_cost, settings.max_tokens, settings.max_calls, settings.max_seconds)
        self._limited = any(limit is not None for limit in limits)
        self._own_evidence: EvidenceSource | None = None
        self._own_sources: AtHand | None = None
        self._web = WebAccess(settings)

    async def close(self) -> None:
        """Give calls in flight some seconds to end, and close the shared tools."""
        opened = [*filter(None, self._models.values()), *self._left]
        for models in opened:
            models.drain()
        for models in opened:
            await models.close(_PATIENCE)
        await self._web.close()

    def models(self, name: str | None) -> Models | None:
        """Return the model of this name for all roles, or the configured models; None without any.

        Raises UsageError.
        """
        key = name or ""
        if name and self._limited and name not in self.settings.model.values():
            configured = ", ".join(sorted(set(self.settings.model.values()))) or "none"
            raise UsageError(
                f"This server keeps to a budget, and uses only its own models, not {name!r}.",
                f"Choose from: {configured}.",
            )
        if key not in self._models:
            if len(self._models) >= _MOST_MODELS:
                raise UsageError("Too many different models were named on this server.", "Choose one named before.")
            opened = self._open_bare(model=self._by_role(name)).models
            if opened and name:
                opened.examine(name)
            self._models[key] = opened
        return self._models[key]

    @property
    def why_no_budget(self) -> str | None:
        """Return why a single check can't have a limit on money; None when it can."""
        if self._limited:
            return "This server keeps to a budget of its own, for all checks together."
        return None if self.settings.model else "No model is configured, so that there is nothing to pay for."

    def models_for(self, request: CheckParameters) -> Models | None:
        """Return the models of a check; with a budget new ones, which the caller must close. Raises UsageError."""
        shared = self.models(request.model)
        if request.max_cost is None or shared is None:
            return shared
        if self._limited:
            raise UsageError(f"{self.why_no_budget} A check can't have another.", "Leave out max_cost.")
        return self._open_bare(model=self._by_role(request.model), max_cost=request.max_cost).models

    def _by_role(self, name: str | None) -> Mapping[str, str]:
        return {ALL: name} if name else self.settings.model

    async def done_with(self, models: Models | None) -> None:
        """Close models that belong to one check; calls in progress may end, since they are paid for."""
        if models and models not in self._models.values() and models not in self._left:
            models.drain()
            await models.close(_PATIENCE)

    def forget(self, name: str | None) -> None:
        """Open the models of this name again for the next check, since a wrong key or address may have been corrected.

        Not if they have a budget: it would start again.
        """
        if not self._limited and (models := self._models.pop(name or "", None)):
            self._left.append(models)

    def bare_tools(self, model: str | None = None) -> Tools:
        """Return tools without any evidence, for steps that need none. Raises UsageError."""
        return replace(self._open_bare(model={}), models=self.models(model))

    def _open_bare(self, **changes: Any) -> Tools:
        """Open tools without evidence, with these settings changed. Raises UsageError."""
        return open_tools(settings=self.settings.model_copy(update={"evidence": (), "search": None, **changes}))

    def tools(self, request: CheckRequest | StoredRequest, documents: Documents, folder: Path) -> Tools:
        """Open the tools of a check with these parameters and documents; `folder` is its own, and empty.

        The server's own documents are searched if the request has nothing to search. Reads and indexes documents: call
        it in a thread. Raises UsageError, InputError, StoreError.
        """
        searched = self.settings.model_copy(update={"evidence": (), "model": {}, **searching(request)})
        load_readers(method_of(request, self.settings), searched)
        web = self._web.source(searched, self.encoders())
        sources: dict[str, EvidenceSource] = {"web": web} if web else {}
        if request.cited:
            sources[CITED] = self._library(request, documents, folder)
        elif documents:
            sources["local"] = _dropped(documents, folder, self.encoders())
        elif self.settings.evidence and not request.search and not request.contexts:
            if self._own_evidence is None:
                own_settings = self.settings.model_copy(update={"search": None, "model": {}})
                self._own_evidence = open_tools(settings=own_settings).sources["local"]
            sources["local"] = self._own_evidence
        contexts = OwnDocuments(self.encoders()) if request.contexts else None
        return replace(self.bare_tools(), models=self.models_for(request), sources=sources, contexts=contexts)

    def _library(self, request: CheckParameters, documents: Documents, folder: Path) -> Library:
        """Return the sources of a text's own citations, and web access unless the request or the server is offline.

        Local ones are the documents of the request, otherwise those of the server, which are read once.
        """
        offline = self.settings.offline or request.offline
        access = None if offline else self._web.pages()
        settings = self.settings.model_copy(update={"evidence": (), "offline": offline})
        if not documents and self.settings.evidence:
            library = open_library(settings, access=access)
            at_hand = self.settings.model_copy(update={"offline": True})
            self._own_sources = self._own_sources or open_library(at_hand).held
            library.held = self._own_sources
            return library
        names = written(documents, folder)
        library = open_library(settings.model_copy(update={"evidence": tuple(map(Path, names))}), access=access)
        rename(library.held, names)
        return library

    def examine(self, request: CheckRequest, documents: Documents) -> tuple[Response, Method]:
        """Return the response and the method of a request, checked before it is queued. Raises UsageError, InputError.

        Errors that only show when documents are opened or services called come later.
        """
        if len(request.text) > MAX_CHARACTERS:
            raise ProblemError(
                413,
                f"The text has {len(request.text):,} characters; at most {MAX_CHARACTERS:,} are checked in one piece.",
                "Split it and check the parts.",
            )
        response = response_of(request)
        checked_method = method_of(request, self.settings)
        must_use_its_model(request, self.settings)
        if list(steps(checked_method)):
            models = self.models_for(request)
            if models is None:
                raise UsageError(
                    f"Method {checked_method.name} asks a language model, and none is configured.",
                    "Start the server with one (FACTSCOPE_MODEL=openai/gpt-4.1-mini), or choose the method builtin.",
                )
            for _, step in steps(checked_method):
                models.examine(models.of(step.role))
        find_verifiers(checked_method, self.bare_tools())
        own_evidence = self.settings.evidence and not request.contexts
        if not (request.cited or documents or request.search or own_evidence or response.context):
            raise UsageError(
                "There is nothing to check the text against.",
                "Drop in documents, give the contexts that it was written from, or choose a search engine.",
            )
        _examine_search(request, self.settings)
        reasons = [(name, _why_unusable(name, content[:_HEAD])) for name, content in documents]
        if reasons and all(reason for _, reason in reasons):  # of several, the report names those that were left out
            name, reason = reasons[0]
            raise InputError(
                f"The document {name} can't be used: it {reason}.",
                "Drop in text, HTML, PDF, CSV, JSONL, or an archive.",
            )
        return response, checked_method

    def encoders(self) -> Encoders:
        """Return the models that rank by meaning; each is opened when it is needed."""
        return open_encoders(self.settings)


def _why_unusable(name: str, head: bytes) -> str | None:
    """Return why a document can't be used, by its name and its first bytes; None when it can."""
    if is_archive(Path(name)):
        return None
    kind = kind_of(name, head)
    if isinstance(kind, BadPart):
        return kind.message
    has_utf16_mark = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    is_binary = kind not in ("pdf", *OFFICE_KINDS) and b"\0" in head and not has_utf16_mark
    return "is a binary file" if is_binary else None


def _examine_search(request: CheckParameters, settings: Settings) -> None:
    """Raise UsageError for an invalid engine, site, language, region or date."""
    from factscope.evidence.search.engine import SearchOptions
    from factscope.evidence.search.engine_registry import open_engine
    from factscope.evidence.search.search import Sites

    if request.search:
        open_engine(request.search, os.environ)
    Sites(request.allow_sites, request.deny_sites)
    SearchOptions(**{name: getattr(request, name) for name in SEARCH_OPTIONS})


def contents(documents: Sequence[DroppedDocument]) -> list[tuple[str, bytes]]:
    """Return names and bytes of the documents of a request. Raises ProblemError."""
    files_read: list[tuple[str, bytes]] = []
    for document in documents:
        name = _file_name(document.name)
        try:
            coded = document.base64
            data = (document.text or "").encode() if coded is None else base64.b64decode(coded, validate=True)
        except UnicodeEncodeError:
            raise ProblemError(422, f"The document {name} is not text that can be written as UTF-8.") from None
        except ValueError:
            raise ProblemError(
                422, f"The document {name} is not Base64.", "Encode its bytes, without line ends."
            ) from None
        if len(data) > forms.MAX_DOCUMENT_BYTES:
            raise ProblemError(
                413,
                f"The document {name} has {len(data):,} bytes; at most {forms.MAX_DOCUMENT_BYTES:,} are read.",
                "Drop in the part that matters.",
            )
        if not data.strip():
            raise ProblemError(422, f"The document {name} is empty.")
        files_read.append((name, data))
    total = sum(len(data) for _, data in files_read)
    if total > forms.MAX_DOCUMENTS_BYTES:
        raise ProblemError(
            413, f"The documents have {total:,} bytes together; at most {forms.MAX_DOCUMENTS_BYTES:,} are read."
        )
    return files_read


def _file_name(supplied: str) -> str:
    """Return a name as a plain file name with an extension, which can't lead to another folder."""
    name = PurePosixPath(supplied.replace("\\", "/")).name
    name = re.sub(r"[\x00-\x1f\x7f/]", "", name).strip(". ") or "document"
    name = name.encode("utf-8", "replace").decode()
    while len(name.encode()) > 200:  # bytes; most file systems take 255
        name = name[1:]
    return name if "." in name else f"{name}.txt"


def response_of(request: CheckRequest | StoredRequest) -> Response:
    """Return the text of a request with its question and its contexts. Raises InputError, ProblemError."""
    texts = [text if isinstance(text, str) else text.model_dump(exclude_none=True) for text in request.contexts]
    try:
        context = text_documents(texts, "context")
    except NotTextItemError as error:
        raise ProblemError(422, f"contexts {error}.", "Give each a text, and a unique id or none.") from None
    return as_response(Response(text=request.text, prompt=request.question or None, context=context))


def kept_request(request: CheckRequest, documents: Documents) -> StoredRequest:
    """Return a request without the content of its documents."""
    values = request.model_dump(exclude={"documents"})
    return StoredRequest(
        **values, documents=tuple(forms.NamedDocument(name=n, bytes=len(data)) for n, data in documents)
    )


class _DroppedSource:
    """Documents of one check, under the names that their user gave them."""

    def __init__(self, source: EvidenceSource, names: Mapping[str, str], name: str) -> None:
        self._source, self._names = source, names
        problems = tuple(renamed(problem, names) for problem in source.searched.problems)
        self.searched: Searched = source.searched.model_copy(update={"id": name, "problems": problems})

    @property
    def asks(self) -> tuple[Ask, ...]:
        """Return the questions that it asks a model by itself."""
        return self._source.asks

    async def find(self, query: str, spec: Evidence, job: CheckContext) -> QueryResults:
        """Search the documents. Raises BoundaryError."""
        results = await self._source.find(query, spec, job)
        passages = []
        for passage in results.passages:
            url = renamed(passage.document.url or "", self._names)
            passages.append(passage._replace(document=passage.document.model_copy(update={"url": url})))
        return results._replace(passages=tuple(passages))

    async def close(self) -> None:
        """Close the collection."""
        await self._source.close()


def _dropped(documents: Documents, folder: Path, encoders: Encoders) -> EvidenceSource:
    """Return the documents as files of `folder`, read and indexed there."""
    names = written(documents, folder)
    try:
        collection = open_collection(list(map(Path, names)), folder / "index", encoders=encoders)
    except InputError as error:  # it refers to files by their paths here
        raise InputError(renamed(error.message, names), error.hint) from None
    hasher = hashlib.sha256()
    for name, data in documents:
        hasher.update(hashlib.sha256(name.encode()).digest() + hashlib.sha256(data).digest())
    return _DroppedSource(collection, names, f"c-{hasher.hexdigest()[:16]}")
