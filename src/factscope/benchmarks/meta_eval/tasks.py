"""Samples → check tasks: whole responses, which each checker splits in its own way, or the labelled units one by one.

Checkers that split a text differently can't be compared unit by unit; so where people labelled claims, all checkers
judge those claims (FactBench's human agreement: all evaluators get the same units).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from hashlib import sha256
from typing import TYPE_CHECKING, Literal, NamedTuple

from factscope.benchmarks.datasets import sample_hints
from factscope.core import Document, Gold, Response, Sample, SampleHints, Searched, Span
from factscope.evidence.results import FoundPassage, QueryResults, with_texts
from factscope.llm.session import CheckContext
from factscope.methods import Ask, Evidence, Method, VerifierJudge

if TYPE_CHECKING:
    from factscope.evidence.collection import Collection
    from factscope.evidence.embedding_models import Encoders

Units = Literal["given", "own"]

SHORT_DOCUMENT = 1_500
"""Characters up to which a document behind a label is shown whole; longer ones are searched for passages."""
_OPEN_COLLECTIONS = 32
"""Collections of documents that stay open."""


class CheckTask(NamedTuple):
    """One response to check, and the sample and unit that it represents."""

    response: Response
    sample: Sample
    gold: Gold | None
    """The labelled unit; `None` for the whole response of the sample."""
    documents: tuple[Document, ...]
    """Evidence given with it, with its text."""


def default_units(samples: Sequence[Sample]) -> Units:
    """Return `given` if people labelled claims in their own words, otherwise `own`."""
    own_words = any(gold.level == "claim" and gold.text for sample in samples for gold in sample.gold)
    return "given" if own_words else "own"


def tasks(samples: Sequence[Sample], units: Units) -> list[CheckTask]:
    """Make the tasks, in order. A sample without text is left out, and so is a unit without label or words."""
    tasks_made = []
    for sample in samples:
        if sample.response is None or not sample.response.strip():
            continue
        documents = tuple(document for document in sample.context if document.text and document.text.strip())
        if units == "own":
            response = _response(sample.id, sample.response, sample, sample.context)
            tasks_made.append(CheckTask(response, sample, None, documents))
            continue
        for gold in given_units(sample):
            text = gold.text or (gold.span.of(sample.response) if gold.span else "")
            if gold.factual is None or not text.strip():
                continue
            name = f"{sample.id}#{gold.id}"
            rests = tuple(document for document in documents if document.id in gold.references)
            response = _response(name, text, sample, rests or sample.context)
            tasks_made.append(CheckTask(response, sample, gold, rests or documents))
    return tasks_made


def given_units(sample: Sample) -> tuple[Gold, ...]:
    """Return the labels of the units that are judged as given: the claims, or the segments where there are none."""
    return sample.of("claim") or sample.of("segment")


def adapted(method: Method, units: Units) -> Method:
    """Return the method adapted to such units.

    A given unit is not split again (see `known_of`), and none is skipped.
    """
    if isinstance(method.judge, VerifierJudge):  # labels are measured, not words
        method = method.model_copy(update={"judge": method.judge.model_copy(update={"spans": False})})
    changes = {"segment": "given", "cut": None, "extract": None, "units": "all"}
    return method if units == "own" else method.model_copy(update=changes)


def known_of(samples: Sequence[Sample], tasks: Sequence[CheckTask]) -> dict[str, SampleHints]:
    """Return details of each text: a given unit is one segment; responses have the segments of the data set."""
    of_samples = sample_hints(samples)
    of_units = {
        task.response.id: SampleHints((Span(start=0, end=len(task.response.text)),), of_samples[task.sample.id].domain)
        for task in tasks
        if task.gold
    }
    return of_samples | of_units


class OwnEvidence:
    """The evidence that a data set gives with each of its texts, as a source: each text sees only its own."""

    def __init__(self, tasks: Sequence[CheckTask], encoders: Encoders | None) -> None:
        self._documents: Mapping[str, tuple[Document, ...]] = {task.response.id: task.documents for task in tasks}
        self._with_gold = {task.response.id for task in tasks if task.gold}
        self._opened = lru_cache(_OPEN_COLLECTIONS)(partial(_opened, encoders))
        ids = sorted({document.id for task in tasks for document in task.documents})
        digest = sha256("\n".join(ids).encode()).hexdigest()[:16]
        self.asks: tuple[Ask, ...] = ()
        self.searched = Searched(id=f"given-{digest}", n_documents=len(ids), n_passages=len(ids))

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""

    async def find(self, query: str, spec: Evidence, job: CheckContext) -> QueryResults:
        """Return short documents of a given unit whole, and the matching passages of longer ones; best first."""
        documents = self._documents.get(job.response.id, ())
        short = [
            document
            for document in documents
            if job.response.id in self._with_gold and len(document.text or "") <= SHORT_DOCUMENT
        ]
        full_passages = [
            FoundPassage(bare, Span(start=0, end=len(text)), text, 1.0)
            for bare, text in with_texts(short[: spec.passages.top_k])
        ]
        longer = [document for document in documents if document not in short]
        room = spec.passages.top_k - len(full_passages)
        searched_passages = await asyncio.to_thread(self._search, tuple(longer), query, spec) if longer and room else ()
        return QueryResults((*full_passages, *searched_passages[:room]))

    def _search(self, documents: tuple[Document, ...], query: str, spec: Evidence) -> tuple[FoundPassage, ...]:
        collection = self._opened(documents)
        return collection.search(query, spec.passages) if collection else ()


def _opened(encoders: Encoders | None, documents: tuple[Document, ...]) -> Collection | None:
    from factscope.evidence.collection import in_memory

    return in_memory(with_texts(documents), encoders)


def _response(name: str, text: str, sample: Sample, context: tuple[Document, ...]) -> Response:
    return Response(id=name, text=text, prompt=sample.prompt, context=context, model=sample.tags.get("model"))
