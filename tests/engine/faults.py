"""Faults put into a check, each at one call of a method, and the properties that must hold afterwards.

A check without faults fills a cache. A fault removes one reply from it, so that this call goes to the server of the
laboratory, which follows its rule; calls that follow from the fault go there too, and are answered correctly.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from factscope.core import CacheRow
from factscope.core.records import Failure, Report, Verdict
from factscope.engine import Tools, check
from factscope.llm import Cache, ModelError, Reply, reply_from_json, reply_to_json
from factscope.methods import Method
from factscope.scoring import measure
from tests import lab
from tests.lab.tools import models_for, with_models

FAULTS: Mapping[str, dict[str, Any]] = {
    "timeout": {"hang": True},
    "429": {"status": 429},
    "500": {"status": 500},
    "reset": {"reset": True},
    "cut JSON": {"cut": 120},
    "refusal": {"refusal": "I can't help with that."},
    "empty": {"text": ""},
    "wrong label": {"wrong_label": True},
    "wrong type": {"wrong_type": True},
    "length": {"finish_reason": "length"},
    "nonsense": {"text": "Supported. [Supported] or [Contradicted]? {"},
    "thoughts only": {"text": "<think>The label is [Supported]"},
}
FATAL: Mapping[str, dict[str, Any]] = {
    "401": {"status": 401},
    "403": {"status": 403},
    "404": {"status": 404},
    "402": {"status": 402},
    "quota": {"status": 429, "body": '{"error": {"code": "insufficient_quota"}}'},
}
NEVER_TRIED_AGAIN = ("refusal", "length")


class Memory(Cache):
    """A cache of replies in memory, which can be reset."""

    def __init__(self) -> None:
        self.kept: dict[str, CacheRow[str]] = {}

    def close(self) -> None:
        """Do nothing."""

    def get(self, key: str) -> Reply | None:
        """Return the reply cached under a key."""
        return reply_from_json(reply_to_json(self.kept[key].value)) if key in self.kept else None

    async def store(self, *replies: CacheRow[str]) -> None:
        """Store replies."""
        self.kept |= {row.key: row for row in replies}


class Site(NamedTuple):
    """A call that can be made to fail."""

    number: int
    """Its position among the calls of the check, from 0."""
    key: str
    contains: list[str]
    """Parts of the call that distinguish it from the others."""


@dataclass(frozen=True)
class Ground:
    """A check without faults, and its calls. Belongs to one event loop."""

    text: str
    method: Method
    tools: Tools
    server: lab.Server
    memory: Memory
    patience: float
    whole: Report
    rows: Mapping[str, CacheRow[str]]

    def sites(self) -> list[Site]:
        """List every call."""
        made = []
        for number, (key, kept) in enumerate(self.rows.items()):
            system, user = (content for _, content in json.loads(kept.note)["messages"])
            texts = (system[:200], user)
            made.append(Site(number, key, [json.dumps(text, ensure_ascii=False)[1:-1] for text in texts]))
        return made

    async def strike(self, site: Site, do: Mapping[str, Any], *, once: bool = False) -> Report:
        """Repeat the check with this fault at this call, every time or only the first."""
        when: dict[str, Any] = {"contains": site.contains, **({"first": 1} if once else {})}
        self.server.script([{"when": when, "do": dict(do)}])
        self.memory.kept = {key: row for key, row in self.rows.items() if key != site.key}
        return await check(self.text, self.method, self.tools)

    async def again(self) -> Report:
        """Repeat the check with a healthy server and the last one's cache."""
        self.server.script([])
        return await check(self.text, self.method, self.tools)

    async def stops(self, site: Site, do: Mapping[str, Any]) -> bool:
        """Return whether this fault ends the check with one message that names the remedy; uses a separate client."""
        try:
            async with _wired(self.tools, self.server, self.memory, self.patience) as tools:
                await replace(self, tools=tools).strike(site, do)
        except ModelError as error:
            return error.fatal and bool(error.hint)
        return False


@asynccontextmanager
async def ground(
    text: str, method: Method, tools: Tools, server: lab.Server, patience: float = 0.15
) -> AsyncIterator[Ground]:
    """Check a text without a fault, ready to repeat with one; a call may take `patience` seconds."""
    server.script([])
    memory = Memory()
    async with _wired(tools, server, memory, patience) as wired:
        whole = await check(text, method, wired)
        yield Ground(text, method, wired, server, memory, patience, whole, dict(memory.kept))


def _wired(tools: Tools, server: lab.Server, memory: Memory, patience: float) -> Tools:
    return with_models(tools, models_for(server, cache=memory, timeout=patience, first_wait=0.0001))


def plain(report: Report) -> Report:
    """Return a report without its usage, which differs between checks."""
    return report.model_copy(update={"usage": ()})


def without_calls(report: Report) -> Report:
    """Return a report without its usage or the calls of judgements: a cached judgement has its earlier call."""
    judgements = tuple(each.model_copy(update={"call": None}) for each in report.judgements)
    return report.model_copy(update={"usage": (), "judgements": judgements})


def on_units(report: Report) -> dict[str, Verdict]:
    """Return the verdicts on units, by unit."""
    units = set(report.unit_ids())
    return {verdict.unit_id: verdict for verdict in report.verdicts if verdict.unit_id in units}


def wrong(report: Report, whole: Report) -> list[str]:
    """List the broken promises of a check with a fault, in words; empty if all hold."""
    found = []
    failures: dict[str, list[Failure]] = {}
    for failure in report.failures:
        failures.setdefault(failure.unit_id, []).append(failure)
    labelled = {judgement.unit_id for judgement in report.judgements if judgement.label is not None}
    before, after = on_units(whole), on_units(report)
    if sum(report.counts.values()) != len(report.unit_ids()):
        found.append("the counts do not add up to the units")
    for unit, verdict in after.items():
        if unit in failures and unit not in labelled and verdict.outcome != "failed":
            found.append(f"{unit} failed and ended as {verdict.outcome}")
        if unit not in failures and (unit not in before or verdict.outcome != before[unit].outcome):
            found.append(f"{unit} did not fail and ended as {verdict.outcome}")
        if verdict.outcome == "failed" and unit not in failures:
            found.append(f"{unit} is failed, and no failure says why")
    if lost := [unit for unit in before if unit not in after and unit.partition(".")[0] not in failures]:
        found.append(f"{', '.join(lost)} vanished")
    found += _wrong_labels(report, whole, failures)
    found += _wrong_scores(report)
    return found


def _wrong_labels(report: Report, whole: Report, failures: Mapping[str, list[Failure]]) -> list[str]:
    """List labels that a failure caused: a judge that reads the same must say the same.

    VERIFY's own rule for an unreadable rewriting is to judge the claim as it is, which is another question.
    """
    known = {(each.id, each.passage_ids): each.label for each in whole.judgements}
    seeking = {unit for unit, theirs in failures.items() if any(each.stage == "evidence" for each in theirs)}
    worded = {claim.id: claim.standalone for claim in whole.claims}
    reworded = {claim.id for claim in report.claims if worded.get(claim.id) != claim.standalone}
    return [
        f"{judgement.id} has a label that nobody gave"
        for judgement in report.judgements
        if judgement.unit_id not in seeking | reworded
        and known.get((judgement.id, judgement.passage_ids)) != judgement.label
    ]


def _wrong_scores(report: Report) -> list[str]:
    """List scores that differ from those of the units that did not fail, or that cover too much."""
    failed = {unit for unit, verdict in on_units(report).items() if verdict.outcome == "failed"}
    others = report.model_copy(
        update={
            "counts": {**report.counts, "failed": 0},
            "judgements": tuple(each for each in report.judgements if each.unit_id not in failed),
        }
    )
    found = []
    for score, of_others in zip(report.scores, measure(others, [score.name for score in report.scores]), strict=True):
        if score.value != of_others.value:
            found.append(f"{score.name} is {score.value}, and {of_others.value} over the others")
        judged = sum(report.counts[o] for o in ("supported", "contradicted", "undecided", "no_evidence"))
        if judged + len(failed) and score.coverage is not None and score.coverage > judged / (judged + len(failed)):
            found.append(f"{score.name} covers {score.coverage}")
    return found


def half_judged(report: Report) -> list[Verdict]:
    """Return verdicts on claims that had a failure and still got a verdict from what remained."""
    failed = {failure.unit_id for failure in report.failures if failure.stage != "correction"}
    return [verdict for unit, verdict in on_units(report).items() if unit in failed and verdict.outcome != "failed"]
