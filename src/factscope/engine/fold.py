"""Records ⇄ report: a report combines the records of a check, in whatever order they came."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from factscope.core import FIELDS, NOT_READ, Event, __version__, id_key, many, record_key, same_family
from factscope.core.records import (
    Claim,
    Eligibility,
    Judgement,
    Passage,
    Report,
    Response,
    Searched,
)
from factscope.engine.file_titles import told_apart
from factscope.evidence.near_duplicates import one_domain
from factscope.methods import Method
from factscope.scoring import scored
from factscope.scoring.verdicts.exclusion import web_host
from factscope.scoring.verdicts.roll_up import counts


@dataclass(frozen=True)
class Provenance:
    """Origin of a report, besides its records."""

    method: Method
    searched: Searched | None = None
    models: Mapping[str, str] = field(default_factory=dict)
    """The model of each role."""
    prompts: Mapping[str, str] = field(default_factory=dict)
    """The hash of each prompt."""


def fold(events: Iterable[Event], basis: Provenance) -> Report:
    """Return the report that combines these records. The order of `events` does not matter.

    Raises ValueError when they are not the records of one finished check.
    """
    report = unscored(events, basis)
    try:
        units = counts(report.verdicts, report.segments, report.claims)
    except KeyError as error:
        raise ValueError(f"{error.args[0]} has no verdict") from None
    complete = Report.model_validate({**dict(report), "counts": units})
    return scored(complete, basis.method.scores)


def unscored(events: Iterable[Event], basis: Provenance) -> Report:
    """Return the records of a check in progress in the form of a report, not validated: verdicts may be missing."""
    fields = _by_field(events)
    (response,) = fields.pop("responses")
    cited = {record.document_id for record in (*fields["passages"], *fields["sources"])}
    fields["documents"] = told_apart([document for document in fields["documents"] if document.id in cited])
    record = Report.model_construct(
        factscope=__version__,
        response=response,
        method=basis.method.model_dump(mode="json"),
        searched=basis.searched,
        models=dict(basis.models),
        prompts=dict(basis.prompts),
        warnings=(
            *_lenient(response, fields["judgements"]),
            *_in_pieces(fields["judgements"]),
            *_misquoted(fields["judgements"]),
            *_unanswered(fields["eligibility"]),
            *_lacking(response, basis.method),
            *_one_site(fields),
            *_steered(fields["passages"]),
            *_not_read(fields["claims"]),
        ),
    )
    return record.model_copy(update=fields)


def _lenient(response: Response, judgements: Iterable[Judgement]) -> Iterable[str]:
    """Warn of a judge of the same family as the text's writer, which may favour it (FACTS Grounding, section 4.2)."""
    judges = sorted({judgement.judge for judgement in judgements})
    return [
        f"The judge {judge} is of the same family as {response.model}, which wrote the text: it may be lenient."
        for judge in judges
        if response.model and same_family(judge, response.model)
    ]


def _in_pieces(judgements: Iterable[Judgement]) -> Iterable[str]:
    """Warn when a judge never saw two distant parts of a document together."""
    chunked = sorted({judgement.judge for judgement in judgements if "in_pieces" in judgement.flags})
    if chunked:
        yield f"{', '.join(chunked)} read the documents in pieces: reading them whole may lead to other verdicts."


def _misquoted(judgements: Sequence[Judgement]) -> Iterable[str]:
    """Warn of a judge that invents quotes, since its rejected labels look like missing evidence."""
    void = Counter(
        judgement.judge for judgement in judgements if judgement.failure and "quote_not_found" in judgement.flags
    )
    for judge, n in sorted(void.items()):
        total = sum(judgement.judge == judge for judgement in judgements)
        verb = "does" if n == 1 else "do"
        yield (
            f"{n} of {many(total, 'label')} by {judge} {verb} not count: the words it quotes are not in the"
            " passage or do not bear on the claim, asked twice."
        )


def _lacking(response: Response, method: Method) -> Iterable[str]:
    """List the inputs that a method needs with the text but that are missing."""
    if method.evidence.source == "context" and not response.context:
        yield f"{method.name} judges against documents that come with the text, as in a column `context`: none did."
    if method.eligible and not response.prompt:
        yield "Without the request, it can't be judged whether the text does what was asked."


def _unanswered(answers: Sequence[Eligibility]) -> Iterable[str]:
    """Warn of an answer that all judges reject: an evasive one is easily grounded (FACTS Grounding)."""
    if len(answers) > 1 and not any(answer.eligible for answer in answers):
        n = len(answers)
        yield f"All {n} judges say that it does not do what was asked: FACTS Grounding counts it as inaccurate."


def _one_site(fields: Mapping[str, tuple[Any, ...]]) -> Iterable[str]:
    """Warn of claims that only pages of a single site settle: its one owner may be wrong, or the page planted."""
    addresses = {document.id: document.url for document in fields["documents"] if web_host(document.url)}
    at = {passage.id: addresses.get(passage.document_id) for passage in fields["passages"]}
    read = {judgement.id: [at.get(name) for name in judgement.passage_ids] for judgement in fields["judgements"]}
    sites: Counter[str] = Counter()
    settled = 0
    for verdict in fields["verdicts"]:
        if verdict.level == "claim" and verdict.outcome in ("supported", "contradicted"):
            urls = [url for name in verdict.judgement_ids for url in read.get(name, ())]
            settled += any(urls)
            site = one_domain(urls) if any(urls) else None
            sites.update([site] if site else [])
    if sites:
        listing = ", ".join(f"{site} ({n})" for site, n in sites.most_common(3))
        n = sites.total()
        subject = f"{n} of {settled} claims" if settled > 1 else "The one claim"
        yield f"{subject} settled by pages of the web {'rest' if n > 1 else 'rests'} on a single site: {listing}."


def _steered(passages: Iterable[Passage]) -> Iterable[str]:
    """Warn of evidence that contains instructions to its judge."""
    steered = [passage for passage in passages if passage.instructions]
    if steered:
        subject = many(len(steered), "passage contains", "passages contain")
        where = _listed(p.claim_id for p in steered)
        yield f"{subject} instructions aimed at AI models: see the evidence for {where}."


def _not_read(claims: Sequence[Claim]) -> Iterable[str]:
    """Warn of claims skipped for their language: they count as not judged, and another judge may read them."""
    reasons = Counter(claim.skipped for claim in claims if claim.skipped and claim.skipped.startswith(NOT_READ))
    for reason, n in sorted(reasons.items()):
        verb = "was" if n == 1 else "were"
        ways = "Name a model (--model, or model=…), or take --verifier builtin-features."
        yield f"{n} of {len(claims)} {verb} {reason}. {ways}"


def _listed(names: Iterable[str], most: int = 5) -> str:
    once = list(dict.fromkeys(names))
    return ", ".join(once[:most]) + (f" and {len(once) - most} more" if len(once) > most else "")


def _by_field(events: Iterable[Event]) -> dict[str, tuple[Any, ...]]:
    """Return records by the report's field for them, each once, in order of id.

    Scores are left out: they are computed.
    """
    fields: dict[str, dict[str, Event]] = {field: {} for kind, field in FIELDS.items() if kind != "score"}
    for event in events:
        if event.type != "score":
            fields[FIELDS[event.type]][record_key(event)] = event
    return {field: tuple(group[key] for key in sorted(group, key=id_key)) for field, group in fields.items()}
