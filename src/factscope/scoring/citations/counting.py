"""Citation recall and precision, and the shares of what is wrong with citations.

Recall and precision as in ALCE (Gao et al. 2023, section 3): a sentence counts for recall when what it cites bears all
of it out; a citation counts for precision when its sentence does, and the citation is not idle. It is idle when its
source alone does not bear the sentence out and the others do without it. A sentence whose sources could not be read is
in neither number: it lowers the coverage, and the sources are counted as dead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from factscope.core.records import Report
from factscope.scoring.citations.pairs import CitedPair, cited_pairs
from factscope.scoring.citations.problems import needs_source


class Share(NamedTuple):
    """So many of so many, and how many more could not be told."""

    k: int
    n: int
    failed: int = 0


class _Sentence(NamedTuple):
    """The claims of one sentence against its sources."""

    claims: tuple[str, ...]
    pairs: tuple[CitedPair, ...]

    def borne_out(self, without: str | None = None, only: str | None = None) -> bool:
        """Whether each claim has a source that supports it: of all, of all but one, or of one alone."""
        good = {
            pair.claim.id
            for pair in self.pairs
            if pair.outcome == "supports" and pair.source.id != without and only in (None, pair.source.id)
        }
        return all(name in good for name in self.claims)

    @property
    def open(self) -> bool:
        """Whether a claim is not borne out and has a source that could not be read or judged."""
        lacking = {
            name for name in self.claims if not any(p.claim.id == name and p.outcome == "supports" for p in self.pairs)
        }
        return any(
            pair.claim.id in lacking and pair.outcome in ("not_there", "failed", "excluded") for pair in self.pairs
        )


def citation_counts(report: Report) -> Mapping[str, Share]:
    """The parts of each score of citations, by its name; none for a text that cites nothing."""
    if not report.citations and not report.sources:
        return {}
    sentences = _sentences(report)
    known = [one for one in sentences if not one.open]
    wanting = [one for one in known if not one.pairs]
    cited = [source for source in report.sources if source.id in {one.source_id for one in report.citations}]
    quoted = [one for one in report.quotations if one.outcome != "not_there"]
    cites = [(one, name) for one in known for name in dict.fromkeys(pair.source.id for pair in one.pairs)]
    needing = [one for one in report.claims if needs_source(report, one)]
    bare = sum(len(one.claims) for one in wanting)
    return {
        "citation_recall": Share(
            sum(bool(one.pairs) and one.borne_out() for one in known), len(known), len(sentences) - len(known)
        ),
        "citation_precision": Share(
            sum(one.borne_out() and not _idle(one, name) for one, name in cites),
            len(cites),
            sum(len({pair.source.id for pair in one.pairs}) for one in sentences if one.open),
        ),
        "dead_sources": Share(sum(source.state != "read" for source in cited), len(cited)),
        "altered_quotes": Share(
            sum(one.outcome != "verbatim" for one in quoted), len(quoted), len(report.quotations) - len(quoted)
        ),
        "uncited_claims": Share(min(bare, len(needing)), len(needing)),
    }


def _idle(sentence: _Sentence, source: str) -> bool:
    return not sentence.borne_out(only=source) and sentence.borne_out(without=source)


def _sentences(report: Report) -> Sequence[_Sentence]:
    """Sentences that cite, or need a source, with their claims."""
    pairs = cited_pairs(report)
    by_segment: dict[str, list[CitedPair]] = {}
    for pair in pairs:
        by_segment.setdefault(pair.claim.segment_id, []).append(pair)
    found = []
    for segment in report.segments:
        mine = tuple(by_segment.get(segment.id, ()))
        claims = [c for c in report.claims if c.segment_id == segment.id and c.skipped is None]
        wanted = [c.id for c in claims if mine or needs_source(report, c)]
        if wanted:
            found.append(_Sentence(tuple(wanted), mine))
    return found
