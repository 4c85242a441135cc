"""Plan of a recheck: which sentences of the new text are unchanged, and which of these are checked again anyway."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from factscope.claims.text.segments import segment
from factscope.core.records import Report, Segment
from factscope.engine import as_response
from factscope.engine.recheck.dependencies import find_dependent
from factscope.methods import Method
from factscope.methods.method_file import method_from_values


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
    again = find_dependent(report, method, new_text, new, same)
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
