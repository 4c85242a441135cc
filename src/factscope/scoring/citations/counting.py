"""Citation recall and precision, and the shares of citation problems.

Recall and precision as in ALCE (Gao et al. 2023, section 3): a sentence counts for recall when its sources support all
of it; a citation counts for precision when its sentence does, and the citation is not irrelevant. It is irrelevant when
its source alone does not support the sentence and the others do without it. A sentence whose sources could not be read
is in neither number: it lowers the coverage, and the sources are counted as dead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from factscope.core import group_by
from factscope.core.records import Report
from factscope.scoring.citations.citation_problems import needs_source
from factscope.scoring.citations.pairs import JUDGED, CitedPair, cited_pairs


class CitationShare(NamedTuple):
    """A count out of a total, and the number that could not be decided."""

    k: int
    n: int
    failed: int = 0


class _Sentence(NamedTuple):
    """The claims of one sentence, and their sources."""

    claims: tuple[str, ...]
    pairs: tuple[CitedPair, ...]

    def supported(self, without: str | None = None, only: str | None = None) -> bool:
        """Return whether each claim has a source that supports it, among all sources, all but one, or only one."""
        good = {
            pair.claim.id
            for pair in self.pairs
            if pair.outcome == "supports" and pair.source.id != without and only in (None, pair.source.id)
        }
        return all(name in good for name in self.claims)

    @property
    def sources(self) -> set[str]:
        """The ids of its sources."""
        return {pair.source.id for pair in self.pairs}

    @property
    def open(self) -> bool:
        """Whether a claim is unsupported and has a source that could not be read or judged."""
        supported = {pair.claim.id for pair in self.pairs if pair.outcome == "supports"}
        missing = set(self.claims) - supported
        return any(pair.claim.id in missing and pair.outcome not in JUDGED for pair in self.pairs)


def citation_counts(report: Report) -> Mapping[str, CitationShare]:
    """Return the counts behind each citation score, by its name; empty for a text that cites nothing."""
    if not report.sources:
        return {}
    sentences = _sentences(report)
    settled = [sentence for sentence in sentences if not sentence.open]
    cited = [source for source in report.sources if source.id in {citation.source_id for citation in report.citations}]
    fetched = [source for source in cited if source.state != "not_fetched"]  # where fetching was off, nothing is known
    quoted = [quotation for quotation in report.quotations if quotation.outcome != "not_there"]
    cites = [(entry, name) for entry in settled for name in entry.sources]
    needing = [claim for claim in report.claims if needs_source(report, claim)]
    uncited = sum(len(entry.claims) for entry in sentences if not entry.pairs)
    return {
        "citation_recall": CitationShare(
            sum(entry.supported() for entry in settled), len(settled), len(sentences) - len(settled)
        ),
        "citation_precision": CitationShare(
            sum(it.supported() and (it.supported(only=name) or not it.supported(without=name)) for it, name in cites),
            len(cites),
            sum(len(sentence.sources) for sentence in sentences if sentence.open),
        ),
        "dead_sources": CitationShare(
            sum(source.state != "read" for source in fetched), len(fetched), len(cited) - len(fetched)
        ),
        "altered_quotes": CitationShare(
            sum(item.outcome != "verbatim" for item in quoted), len(quoted), len(report.quotations) - len(quoted)
        ),
        "uncited_claims": CitationShare(uncited, len(needing)),
    }


def _sentences(report: Report) -> Sequence[_Sentence]:
    """Return sentences that cite, or need a source, with their claims."""
    by_segment = group_by(cited_pairs(report), lambda pair: pair.claim.segment_id)
    results = []
    for segment in report.segments:
        selected = tuple(by_segment[segment.id])
        claims = [c for c in report.claims if c.segment_id == segment.id and c.skipped is None]
        requested = [c.id for c in claims if selected or needs_source(report, c)]
        if requested:
            results.append(_Sentence(tuple(requested), selected))
    return results
