"""The ways to check a changed text again, at once or through a store, with the earlier records that apply to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from factscope.claims.cut import silent
from factscope.claims.text.align import align
from factscope.core import Event, UsageError, __version__, claim_id_of, did_you_mean, reusable_records
from factscope.core.records import Claim, Exclusions, Quote, Record, Report, Segment, Span, Verdict
from factscope.engine import OnEvents, Provenance, Tools, as_response, check, judges, provenance
from factscope.engine.recheck.planning import ReusePlan, method_of, plan
from factscope.engine.run import run_id, title_of
from factscope.engine.run_store import Store
from factscope.methods import Method
from factscope.scoring.rescore import rescore

_IDS = ("id", "unit_id", "claim_id", "query_id", "segment_id", "judgement_id", "copy_of", "lender_id")
_ID_LISTS = ("passage_ids", "judgement_ids", "at_risk", "depends_on")


async def recheck(
    report: Report,
    new_text: str,
    method: Method,
    tools: Tools,
    on_events: OnEvents = lambda events: None,
    *,
    edited_claims: Mapping[str, str] | None = None,
) -> Report:
    """Check `new_text`, reusing the results of `report`. `on_events` is called with the reused records first.

    Raises the errors of `must_match`, `carried` and `engine.check`.
    """
    must_match(report, provenance(method, tools))
    response = report.response.model_copy(update={"text": new_text})
    events = carried(report, new_text, edited_claims)
    on_events(events)
    return await check(response, method, tools, on_events, events)


def must_match(report: Report, provenance: Provenance) -> None:
    """Raise UsageError when a check would use other settings than `report`: old and new verdicts must not be mixed."""
    before = method_of(report)
    if before.name != provenance.method.name:
        differing = [f"method {before.name}, not {provenance.method.name}"]
    else:
        differing = [
            *(f"method.{name}" for name, value in before if getattr(provenance.method, name) != value),
            *(f"model of {role}" for role in _differing(report.models, provenance.models)),
            *(f"prompt {name}" for name in _differing(report.prompts, provenance.prompts)),
        ]
    if (report.searched and report.searched.id) != (provenance.searched and provenance.searched.id):
        differing.append("evidence")
    if report.factscope != __version__:
        differing.append(f"Factscope {report.factscope}, not {__version__}")
    if differing:
        raise UsageError(
            f"The earlier check used other settings ({', '.join(differing)}): none of its results can be reused.",
            "Give the method, models and evidence that it had, or check the whole text without it.",
        )


def seed(store: Store, report: Report, new_text: str, method: Method, tools: Tools, *, fresh: bool = False) -> None:
    """Store the results of `report` that apply to `new_text`, for a later `engine.run.check_stored` to resume from.

    Records of an earlier attempt at that text stay, unless `fresh`. Raises BusyError, StoreError, and the errors of
    `must_match` and `carried`.
    """
    origin = provenance(method, tools)
    must_match(report, origin)
    response = as_response(report.response.model_copy(update={"text": new_text}))
    events = carried(report, new_text)
    run = run_id(response.model_dump_json(), origin, judges(method, tools))
    with store.owned(run):
        store.begin(run, origin, title_of(new_text))
        if fresh or not store.events(run, response.id):
            store.reopen(run, response.id, fresh=True)
            store.append(run, response.id, (response, *events))


def _differing(first: Mapping[str, str], other: Mapping[str, str]) -> list[str]:
    return [name for name in sorted({*first, *other}) if first.get(name) != other.get(name)]


def carried(report: Report, new_text: str, edited_claims: Mapping[str, str] | None = None) -> tuple[Event, ...]:
    """Return the records of `report` that apply to `new_text`, with their new ids and positions.

    Pass them to `engine.batches` as `done`: it makes no call for them, and does not yield them again. A store takes
    them in this order. Evidence that a person ruled out is included again.

    `edited_claims` are new wordings of claims by their ids in `report`; of their sentences, only these claims are
    searched for and judged again. Raises InputError for a text without content, and UsageError for a claim that can't
    be edited and for a report whose method can't be read.
    """
    planned = plan(report, new_text)
    words = {name: words.strip() for name, words in (edited_claims or {}).items()}
    _can_be_edited(words, report, planned)
    if report.excluded != Exclusions():
        report = rescore(report, exclude=Exclusions())
    ids = {before: now for now, before in planned.stood.items()}
    retained = set(planned.reused.values())
    old = {segment.id: segment for segment in report.segments}
    new = {segment.id: segment for segment in planned.segments}
    edited = {claim.id for claim in report.claims if words.get(claim.id, claim.text) != claim.text}
    events: list[Event] = [
        record for record in _records(report) if _of_the_whole(record, same=new_text == report.response.text)
    ]
    for event in _records(report):
        home = _segment_of(event)
        claim_id = claim_id_of(event)
        if home is None or home not in retained or (claim_id in edited and not isinstance(event, Claim)):
            continue
        moved = _moved(_renamed(event, ids), report.response.text, old[home], new_text, new[ids[home]])
        if claim_id in edited and isinstance(moved, Claim):
            moved = _edited(moved, words[claim_id], new_text, new[ids[home]])
        events.append(moved)
    events.sort(key=lambda event: event.type != "claim")  # in a log a claim begins with its own record
    return reusable_records(events)


def passages_now(report: Report, new_text: str, events: Sequence[Event], names: Iterable[str]) -> tuple[str, ...]:
    """Return the ids that passages of `report` have in the new text, without those that it no longer has.

    `names` are their ids in `report`; `events` are what `carried` returned for both. Raises the errors of `carried`.
    """
    ids = {before: now for now, before in plan(report, new_text).reused.items()}
    known = {event.id for event in events if event.type == "passage"}
    now = (_new_id(name, ids) for name in names if name.partition(".")[0] in ids)
    return tuple(name for name in now if name in known)


def _records(report: Report) -> list[Event]:
    """Return all records of a report that are events."""
    return [record for _, value in report if isinstance(value, tuple) for record in value if isinstance(record, Record)]  # type: ignore[misc]


def _of_the_whole(event: Event, *, same: bool) -> bool:
    """Return whether a record that belongs to no sentence can be kept.

    Records about the whole text apply only to the `same` text.
    """
    # The work of built-in verifiers is counted from their judgements.
    return (
        event.type == "document"
        or (event.type == "usage" and "/" in event.model)
        or (same and event.type == "eligibility")
    )


def _segment_of(event: Event) -> str | None:
    """Return the segment that a record belongs to: that of its claim, or the segment that a verdict is about."""
    if isinstance(event, Verdict) and event.level == "segment":
        return event.unit_id
    claim_id = claim_id_of(event)
    return claim_id.partition(".")[0] if claim_id else None


def _renamed(event: Event, ids: Mapping[str, str]) -> Event:
    """Return a record with all ids in it those of the new text; `ids` maps segments."""

    def renamed_quote(quote: Quote) -> Quote:
        return quote.model_copy(update={"passage_id": _new_id(quote.passage_id, ids)})

    values = dict(event)
    update: dict[str, object] = {name: _new_id(values[name], ids) for name in _IDS if values.get(name)}
    update |= {name: tuple(_new_id(old, ids) for old in values[name]) for name in _ID_LISTS if values.get(name)}
    if values.get("quote"):
        update["quote"] = renamed_quote(values["quote"])
    if values.get("quotes"):
        update["quotes"] = tuple(renamed_quote(quote) for quote in values["quotes"])
    return event.model_copy(update=update)


def _new_id(name: str, ids: Mapping[str, str]) -> str:
    head, dot, remainder = name.partition(".")
    return f"{ids.get(head, head)}{dot}{remainder}"


def _moved(event: Event, old_text: str, before: Segment, new_text: str, now: Segment) -> Event:
    """Move a record to its new span in the response; where that reaches beyond its segment, search it again."""
    if event.type not in ("claim", "finding") or (span := getattr(event, "span", None)) is None:
        return event
    by = now.span.start - before.span.start
    if span.start + by >= 0 and new_text[span.start + by : span.end + by] == span.of(old_text):
        return event.model_copy(update={"span": Span(start=span.start + by, end=span.end + by)})
    new_span, alignment = align(event.text, new_text, now.span)
    return event.model_copy(update={"span": new_span, **({"alignment": alignment} if isinstance(event, Claim) else {})})


def _edited(claim: Claim, words: str, new_text: str, home: Segment) -> Claim:
    """Return a claim in a user's words, which is standalone and checked.

    Where the words are not in the text, its span stays.
    """
    span, alignment = align(words, new_text, home.span)
    return claim.model_copy(
        update={
            "text": words,
            "standalone": words,
            "independent": True,
            "span": span or claim.span,
            "alignment": alignment if span else "fuzzy" if claim.span else "none",
            "kind": claim.kind if claim.skipped is None else "fact",
            "skipped": None,
        }
    )


def _can_be_edited(words: Mapping[str, str], report: Report, planned: ReusePlan) -> None:
    """Raise UsageError for the first claim that can't."""
    claims = {claim.id: claim for claim in report.claims}
    segments = {segment.id: segment for segment in report.segments}
    for name, text in words.items():
        if name not in claims:
            raise UsageError(f"Unknown claim {name!r}.", did_you_mean(name, claims, n=3, otherwise=""))
        if not text:
            raise UsageError(f"Claim {name} is empty.", "Write its text, or edit its sentence.")
        if silent(segments[claims[name].segment_id]):
            raise UsageError(f"{name} is in a heading, code or similar text.", "Edit it in the text.")
        if claims[name].segment_id not in planned.reused.values():
            raise UsageError(
                f"Claim {name} can't be edited: its sentence is checked again, and cut into claims again.",
                "Change the text or its claims, one after the other.",
            )
