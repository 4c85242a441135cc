"""Exclusion of evidence by a person, and of the judgements that rest on it."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from factscope.core.records import Document, Exclusions, Judgement, Passage


def excluded_passages(
    passages: Iterable[Passage], documents: Iterable[Document], exclude: Exclusions
) -> frozenset[str]:
    """Return ids of the passages that `exclude` names.

    By passage id, or by the id, address, host or category of its document.

    A domain covers its subdomains: `example.org` names `www.example.org` too. Without `copies`, of passages that are
    copies of each other the first that nothing else rules out stays.
    """
    if exclude == Exclusions():
        return frozenset()
    domains = [domain.casefold().strip(".") for domain in exclude.domains]
    out_documents = set(exclude.documents)
    for document in documents:
        host = web_host(document.url)
        if (
            document.url in exclude.documents
            or document.category in exclude.categories
            or (host and any(host == domain or host.endswith(f".{domain}") for domain in domains))
        ):
            out_documents.add(document.id)
    out_passages = set(exclude.passages)
    out: set[str] = set()
    stays: set[str] = set()
    for passage in passages:
        first = passage.copy_of or passage.id
        if passage.id in out_passages or passage.document_id in out_documents or (exclude.copies and first in stays):
            out.add(passage.id)
        else:
            stays.add(first)
    return frozenset(out)


def web_host(url: str | None) -> str | None:
    """Return the host name of a web address; `None` for a local path or an address that can't be read."""
    try:
        address_parts = urlsplit(url or "")
        host = address_parts.hostname if address_parts.scheme in ("http", "https") else None
    except ValueError:
        return None
    return host.casefold().strip(".") if host else None


def is_excluded(judgement: Judgement, out: frozenset[str]) -> bool:
    """Return whether a judgement is excluded with the passages in `out`: only if it read no others.

    Passages that were read as one, as none alone settles the claim, count only together.
    """
    if "read_together" in judgement.flags:
        return not out.isdisjoint(judgement.passage_ids)
    return bool(judgement.passage_ids) and out.issuperset(judgement.passage_ids)
