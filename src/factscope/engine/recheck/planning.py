"""Plan of a recheck: which sentences of the new text are unchanged, and which of these are checked again anyway."""

from __future__ import annotations

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from factscope.claims.cut import column_names, cut, cut_clauses, silent
from factscope.claims.text.segments import segment
from factscope.claims.text.terms import term, tokens
from factscope.core import group_by
from factscope.core.records import Claim, Query, Report, Segment
from factscope.engine import as_response
from factscope.evidence.gather import LOOK_BACK, write_query
from factscope.llm.session import PARAGRAPH_REACH
from factscope.methods import Method
from factscope.methods.method_file import method_from_values

_LIGHT = re.compile(
    r"also|been|could|from|have|into|that|their|them|then|there|these|they|this|those|were|which|will|with|would",
    re.IGNORECASE,
)
"""Words of more than three letters that do not indicate a dependency."""
_MAX_CHARACTERS = 60  # characters of a quoted sentence


@dataclass(frozen=True)
class ReusePlan:
    """Reusable results of an earlier report.

    Ids are those of the new text's segments, in order.
    """

    segments: tuple[Segment, ...]
    """The new text as the report's method splits it."""
    reused: Mapping[str, str]
    """Segments that keep their results, with their earlier ids. Failed parts of them are tried again."""
    changed: tuple[str, ...]
    """Segments that are new or changed."""
    depending: Mapping[str, str]
    """Unchanged segments that are checked again, with the reason in words."""
    stood: Mapping[str, str]
    """Segments that are in both texts, reused or not, with their earlier ids."""
    removed: tuple[str, ...]
    """Segments of the earlier text that no longer exist, by their earlier ids."""

    @property
    def segments_to_check(self) -> tuple[Segment, ...]:
        """The segments to check, for an estimate of the cost."""
        return tuple(segment for segment in self.segments if segment.id not in self.reused)


def plan(report: Report, new_text: str) -> ReusePlan:
    """Plan the reuse of `report` for `new_text`; nothing is called.

    Raises InputError for a text without content, and UsageError for a report whose method can't be read.
    """
    method = method_of(report)
    into = "sentences" if method.segment == "given" else method.segment  # a text of one's own comes without a cut
    old, new = report.segments, segment(as_response(new_text).text, into)
    same = _same(old, new)
    again = _Dependencies(report, method, new_text, new, same).reasons()
    retained = {n: o for n, o in same.items() if n not in again}
    changed = [(segment.kind, segment.text) for segment in old] != [(segment.kind, segment.text) for segment in new]
    if (reason := _as_one(method, shorter=len(retained) == len(new))) and (changed or method.cut):
        again, retained = dict.fromkeys(same, reason), {}
    stays = set(same.values())
    return ReusePlan(
        segments=new,
        reused={new[n].id: old[o].id for n, o in retained.items()},
        changed=tuple(segment.id for n, segment in enumerate(new) if n not in same),
        depending={new[n].id: reason for n, reason in sorted(again.items())},
        stood={new[n].id: old[o].id for n, o in same.items()},
        removed=tuple(segment.id for o, segment in enumerate(old) if o not in stays),
    )


def method_of(report: Report) -> Method:
    """Return the method of a report. Raises UsageError when its values are not a valid method."""
    return method_from_values(report.method, "the report's method")


def _as_one(method: Method, *, shorter: bool) -> str | None:
    """Return why a changed text must be checked as a whole; None when parts will do.

    `shorter`: nothing in it is new.
    """
    if method.cut:
        return "a model cuts the text into segments"
    if method.evidence.per == "response":
        return "the method gathers evidence for the whole text at once"
    if method.extract and method.extract.segments_per_call == 0 and not shorter:
        return "the method cuts the whole text into claims at once"
    return None


def _same(old: Sequence[Segment], new: Sequence[Segment]) -> dict[int, int]:
    """Return the positions of new segments that are in the old text, with their positions there.

    Moved segments are included; each is used once.
    """
    before, now = ([(segment.kind, segment.text) for segment in segments] for segments in (old, new))
    blocks = SequenceMatcher(None, before, now, autojunk=False).get_matching_blocks()
    same = {block.b + k: block.a + k for block in blocks for k in range(block.size)}
    left = defaultdict(list)
    for position in sorted(set(range(len(old))) - set(same.values()), reverse=True):
        left[before[position]].append(position)
    for position, key in enumerate(now):
        if position not in same and left[key]:
            same[position] = left[key].pop()
    return dict(sorted(same.items()))


class _Dependencies:
    """Unchanged sentences that depend on changed ones, because their claims or queries use words from elsewhere.

    Such a claim has names that are not in its sentence, depends on a claim of another sentence, or begins with a word
    such as "It". The sentence that the words come from must still be before it, and so must its paragraph up to it.
    A row of a table depends on the names of its columns.
    `same` maps positions of new segments to positions of the report's segments.
    """

    def __init__(
        self, report: Report, method: Method, new_text: str, new: Sequence[Segment], same: Mapping[int, int]
    ) -> None:
        self.old, self.new, self.same = report.segments, new, same
        self.now = {before: position for position, before in same.items()}
        self.old_text, self.new_text = report.response.text, new_text
        self.old_columns, self.new_columns = column_names(self.old), column_names(new)
        self.positions = {segment.id: position for position, segment in enumerate(self.old)}
        self.claims = group_by(report.claims, lambda claim: self.positions[claim.segment_id])
        self.home = {claim.id: self.positions[claim.segment_id] for claim in report.claims}
        self.queries = {query.claim_id: query for query in reversed(report.queries)}
        """The first query for each claim."""
        self.holding: dict[str, list[int]] = defaultdict(list)
        """Old segments by the terms that they hold."""
        for position, old in enumerate(self.old):
            for word in {term(token.text) for token in tokens(old.text)}:
                self.holding[word].append(position)
        self.by_rules = method.extract is None and method.evidence.queries is None
        """Whether claims and their queries are made by rules."""

    def reasons(self) -> dict[int, str]:
        """Return why unchanged segments are checked again, by number."""
        reasons = {
            n: reason
            for n, o in self.same.items()
            if (reason := self._reason(n, o)) is not None and not silent(self.old[o])
        }
        more = set(reasons)
        while more:  # what depends on claims that are cut again is cut again
            more = {n for n in self.same if n not in reasons and self._parent_lost(n, reasons)}
            reasons |= dict.fromkeys(more, "it depends on a claim in a sentence that is checked again")
        return reasons

    def _reason(self, n: int, o: int) -> str | None:
        if self._parent_lost(n, {}):
            return "it depends on a claim in a sentence that was changed, removed or moved"
        if self.old_columns.get(self.old[o].id) != self.new_columns.get(self.new[n].id):
            return "the names of its columns have changed"
        sources = [source for claim in self.claims[o] for source in self._sources(claim, o)]
        lost = [source for source in sources if not self._still_before(source, o, n)]
        if lost:
            return f"its words come from a sentence that changed or moved: {_short(self.old[lost[0]].text)}"
        ahead = [self.same.get(position, -1) for position in _before(self.new, self.new_text, n)]
        changed = ahead != _before(self.old, self.old_text, o)
        if changed and (sources or not cut(self.old[o]).independent):
            return "it refers to the text before it, which changed"
        if self.by_rules and any(self._other_query(claim, n, o) for claim in self.claims[o]):
            return "the names that it is searched for with have changed"
        return None

    def _sources(self, claim: Claim, o: int) -> Iterator[int]:
        """Yield the nearest segments that contain a claim's words which are not in its own sentence.

        Earlier segments are preferred. A word that is in none comes from the model or the request.
        """
        added = tokens(claim.standalone) if claim.standalone != self.old[o].text else []
        old_words = {term(token.text) for token in tokens(self.old[o].text)} if added else set()
        for number, token in enumerate(added):
            if term(token.text) not in old_words and _telling(token.text, first=number == 0):
                positions = self.holding.get(term(token.text), [])
                after = bisect(positions, o)
                yield from positions[after - 1 : after] if after else positions[:1]
        if (lender := self._lender(self.queries.get(claim.id))) is not None:
            yield lender

    def _lender(self, query: Query | None) -> int | None:
        """Return the old segment that supplied names for a query."""
        return self.positions.get(query.lender_id) if query and query.lender_id else None

    def _still_before(self, other: int, o: int, n: int) -> bool:
        """Return whether another old segment is still there, on the same side of this one."""
        return other in self.now and (self.now[other] < n) == (other < o)

    def _other_query(self, claim: Claim, n: int, o: int) -> bool:
        """Return whether a claim made by rules would now be searched for with other words."""
        query = self.queries.get(claim.id)
        ahead = range(max(0, n - LOOK_BACK), n)
        unchanged = [self.same.get(position) for position in ahead] == list(range(max(0, o - LOOK_BACK), o))
        if query is None or claim.independent or unchanged:
            return False
        own = self._new_claims(n)
        if len(own) != len(self.claims[o]):
            return True
        at = self.claims[o].index(claim)
        before = [*(claim for position in ahead for claim in self._new_claims(position)), *own[:at]]
        now = write_query(own[at], before[: -LOOK_BACK - 1 : -1])
        lender, lent = self._lender(query), now.lender_id
        from_other = lent is not None and (lender is None or self.new[self.now[lender]].id != lent)
        return from_other or not query.text.endswith(now.text)  # the request may stand ahead of it

    def _new_claims(self, position: int) -> list[Claim]:
        """Return the claims that rules make of a segment of the new text."""
        segment = self.new[position]
        return cut_clauses(segment, self.new_columns.get(segment.id, ()))

    def _parent_lost(self, n: int, rechecked: Mapping[int, str]) -> bool:
        o = self.same[n]
        parents = {self.home.get(name, -1) for claim in self.claims[o] for name in claim.depends_on} - {o}
        return any(not self._still_before(parent, o, n) or self.now[parent] in rechecked for parent in parents)


def _before(segments: Sequence[Segment], text: str, position: int) -> list[int]:
    """Return the segments before this one in the same paragraph; at its beginning, the segment before the paragraph."""
    first, least = position, max(0, position - PARAGRAPH_REACH)
    while first > least and text.count("\n", segments[first - 1].span.end, segments[first].span.start) <= 1:
        first -= 1
    return list(range(first if first < position else max(0, position - 1), position))


def _telling(word: str, *, first: bool) -> bool:
    """Return whether a word indicates its source: a name, a number, or a longer word."""
    if _LIGHT.fullmatch(word):
        return False
    return len(word) > 3 or word[0].isdigit() or not word.isascii() or (word[0].isupper() and not first)


def _short(text: str) -> str:
    return text if len(text) <= _MAX_CHARACTERS else f"{text[: _MAX_CHARACTERS - 1]}…"
