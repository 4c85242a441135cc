"""The report as ClaimReview of schema.org, in JSON-LD: a draft for a person who publishes fact checks.

It contains only claims that were judged. Facts that only the publisher knows (`url`, `author`, `datePublished`, who
made the claim) are left out rather than invented, and every review says that it is a draft. The rating is a number from
1, contradicted, to 5, supported; an undecided claim has only the word, since 3 would read as half true.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from factscope.core import Document, Outcome, Report
from factscope.report import wording
from factscope.report.build_view import view_of
from factscope.report.evidence_cards import Card, source_name
from factscope.report.json_export import escaped
from factscope.report.renderers import OverAll, Reports
from factscope.report.states import MARKS
from factscope.report.view import UnitView

NOTICE = "Made by a machine: a person must review this verdict before it is published as a fact check."
_TO_DO = (
    "Made by a machine: a person must review each of these verdicts before it is published as a fact check. Add to each"
    " ClaimReview its url, author and datePublished, and who made the claim where; then take creativeWorkStatus and"
    " description out. Ratings: 5 supported by the evidence, 1 contradicted by it, no number where it does not settle"
    " the claim."
)
_RATINGS: dict[Outcome, int | None] = {"supported": 5, "contradicted": 1, "undecided": None}


def many_to_claimreview(reports: Reports, _over_all: OverAll) -> Iterator[str]:
    """Yield one JSON-LD graph: a notice, then a ClaimReview per judged claim. It can be put into a page as it is."""
    notice = {"@type": "CreativeWork", "creativeWorkStatus": "Draft", "description": _TO_DO}
    yield '{\n"@context": "https://schema.org",\n"@graph": [\n' + _inert(notice)
    for report in reports():
        for unit in view_of(report).units:
            if unit.verdict.outcome in _RATINGS:
                yield ",\n" + _inert(_review(report, unit))
    yield "\n]\n}\n"


def _review(report: Report, unit: UnitView) -> dict[str, Any]:
    cards = unit.best or unit.side("aside")
    citations = [_citation(card) for card in cards if not card.excluded and card.document]
    return {
        "@type": "ClaimReview",
        "creativeWorkStatus": "Draft",
        "description": f"{NOTICE} Factscope {report.factscope}, method: {wording.method_title(report)}.",
        "claimReviewed": unit.text,
        "reviewRating": _rating(unit),
        "itemReviewed": {
            "@type": "Claim",
            "text": unit.text,
            "appearance": {
                "@type": "CreativeWork",
                "identifier": f"{report.response.id}/{unit.segment.id}",
                "text": unit.segment.text,
            },
        },
        **({"citation": citations} if citations else {}),
    }


def _rating(unit: UnitView) -> dict[str, Any]:
    outcome = unit.verdict.outcome
    value = _RATINGS[outcome]
    scale = {} if value is None else {"ratingValue": value, "bestRating": 5, "worstRating": 1}
    reasons = [wording.why(unit.verdict) or MARKS[outcome].meaning]
    reasons += [wording.rests_on(risk.id, risk.text, outcome) for risk in unit.risks]
    if unit.correction:
        reasons.append(f"what is wrong: {wording.ERROR_WORDS[unit.correction.error]}")
        reasons += [f"should say: {unit.correction.text}"] if unit.correction.text else []
    return {"@type": "Rating", **scale, "alternateName": MARKS[outcome].word, "ratingExplanation": "; ".join(reasons)}


def _citation(card: Card) -> dict[str, Any]:
    """Return the quoted words as a part of their source; only the source if nothing was quoted."""
    work = _work(card.document) if card.document else {}
    cited = {"description": card.says}
    return {"@type": "Quotation", "text": card.quote, **cited, "isPartOf": work} if card.quote else {**work, **cited}


def _work(document: Document) -> dict[str, Any]:
    address = wording.web_address(document.url)
    fields = {"url": address, "datePublished": document.published}
    return {
        "@type": "CreativeWork",
        "name": source_name(document),
        **{name: value for name, value in fields.items() if value},
    }


def _inert(value: dict[str, Any]) -> str:
    """Return JSON that can neither end a script element of a page nor control a terminal."""
    text = escaped(json.dumps(value, ensure_ascii=False, indent=2))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
