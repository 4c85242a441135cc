"""Outside text made safe to display, and numbers and outcomes in words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import NamedTuple
from urllib.parse import urlsplit

from factscope.core import ConfidenceFrom, ErrorType, Gap, Outcome, Report, Score, Verdict, group_by, many
from factscope.report.evidence_cards import Card
from factscope.report.states import MARKS, confidence_band
from factscope.report.usage_words import usage_words
from factscope.scoring import Band, band, failed_before_units, n_not_read
from factscope.scoring.verdicts.judgement_rules import UNSETTLED

# Characters that a terminal obeys or that reorder their neighbours: C0 and C1 controls but tab and line feed, and the
# bidirectional embeddings, overrides and isolates. Direction marks stay: Hebrew and Arabic need them.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

_NAMES = {
    "factual_precision": ("Claims supported", "judged claim", ("is supported", "are supported")),
    "credibility": ("Evidence in support", "passage", ("supports the text", "support the text")),
}
"""Scores that are a share of support: title, the counted noun, and its verb in singular and plural."""

GAP_WORDS: dict[Gap, str] = {
    "insufficient": "too little evidence",
    "partial": "the evidence supports only some of it",
    "outdated": "the evidence is about a different time",
    "subjective": "a matter of opinion",
    "conflicting": "conflicting evidence",
}

ERROR_WORDS: dict[ErrorType, str] = {
    "entity": "a name, number, date or place",
    "relation": "a relation between the things named",
    "contradictory": "all of it; the evidence says the opposite",
    "invented": "it names something that does not exist, according to the evidence",
}
"""Words for the errors of a contradicted claim."""

SELF_REPORTED = (
    "Self-reported: a number that the language model states about itself, the least reliable kind of confidence."
)
LOOSE = "Not backed by the evidence (underlined):"
PASSED_ON = ", to which the verifier passed it on: it was unsure, or saw a contradiction"
VOID = "the words it quotes are not in the passage or do not bear on the claim, so its label does not count"
UNCORRECTED = "No correction: the evidence does not say what is right."
REVIEW = "These verdicts are machine-made and can be wrong: read the quotes before you rely on one."
SMALL_VERIFIER = "The small verifier judged this. The large one makes fewer errors: factscope[large]."

BAND_WORDS: dict[Band, str] = {"red": "low", "orange": "medium", "green": "high"}

_DUST = 1e-9
"""Rounding error that a share may have at 0 or 1."""

_LOWER_IS_BETTER = {"hallucination"}

_NOUNS = {"units": "claim", "judgements": "passage", "responses": "response"}
_OF_CITATIONS = {
    "citation_recall": "sentence",
    "citation_precision": "citation",
    "dead_sources": "source",
    "altered_quotes": "quotation",
}
"""Scores of a text's citations that count something other than its claims, and the counted noun."""


class ScoreWords(NamedTuple):
    """A score in words."""

    title: str
    value: str
    """As `decimals` writes it, or `none`."""
    band: Band | None
    """Colour band of a share of support; `None` for a score of another kind and for one without a value."""
    interval: str | None
    over: str
    """The counted items, such as `22 of 39 passages support the text`."""
    coverage: str
    record: Score


def inert(text: str) -> str:
    """Return the text with a visible sign in place of every control character, which could affect a terminal or page.

    Line ends of all kinds become line feeds; tabs stay.
    """
    text = re.sub("\r\n|[\x85\u2028\u2029]", "\n", text)
    return _UNSAFE.sub(lambda match: _visible(match[0]), text)


def _visible(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else f"[U+{code:04X}]"


def one_line(text: str) -> str:
    """Return the text made inert, on one line."""
    return " ".join(inert(text).split())


def clip(text: str, limit: int) -> str:
    """Return at most `limit` characters of one line, cut after a word where there is one."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    return (cut[: cut.rfind(" ")] if " " in cut[limit // 2 :] else cut).rstrip(" ,;:") + "…"


def excerpt(text: str, limit: int) -> str:
    """Return at most `limit` characters of the text made inert, on one line."""
    return clip(one_line(text), limit)


def web_address(url: str | None) -> str | None:
    """Return the address if it may be shown as a link: http or https with a host."""
    try:
        address_parts = urlsplit(url or "")
        followable = address_parts.scheme in ("http", "https") and bool(address_parts.hostname)
    except ValueError:
        return None
    return url if followable and url and not re.search(r"[\x00-\x20\x7f-\x9f\\]", url) else None


def sure(confidence: float | None, source: ConfidenceFrom | None = None) -> str | None:
    """Return text such as `high confidence`; `None` when the judge gives none.

    The number follows only if it was calibrated on the user's own labels: any other would be misleading.
    """
    if confidence is None:
        return None
    notes = {"stated": " (self-reported)", "calibrated": f" ({decimals(confidence, 2)}, calibrated)"}
    return f"{confidence_band(confidence)} confidence{notes.get(source or '', '')}"


def judge_notes(card: Card, *, names: bool) -> list[str]:
    """List a card's judges and their confidence: such as `medium confidence`, or `model: 3 samples` with `names`."""
    notes = []
    for judge, (first, *others) in group_by(card.judgements, lambda judgement: judgement.judge).items():
        description = f"{len(others) + 1} samples" if others else sure(first.confidence, first.confidence_from)
        notes.append(": ".join(filter(None, (judge if names else None, description))))
    return [label for label in notes if label]


def why(verdict: Verdict, failures: Iterable[str] = ()) -> str | None:
    """Explain a unit's outcome: the reason, and why the evidence does not settle it if it is undecided.

    The messages in `failures`, which are shown elsewhere, are left out of the reason.
    """
    reason = verdict.reason or ""
    for message in failures:
        # As `claim_verdict` puts them: the first alone, or after what the rule says, and how many more there are.
        clause = rf"(^|; )(not everything could be read or judged: )?{re.escape(message)}( \(and \d+ more\))?\Z"
        reason = re.sub(clause, "", reason)
    if verdict.gap is None or (verdict.gap == "conflicting" and re.search("conflict|disagree", reason)):
        return reason or None
    gap = GAP_WORDS[verdict.gap]
    if reason.startswith(UNSETTLED):
        return gap + reason[len(UNSETTLED) :]
    return f"{reason}; {gap}" if reason else gap


def n_to_judge(counts: dict[Outcome, int]) -> int:
    """Return the number of units to judge: all but those not checkable or excluded."""
    return sum(n for outcome, n in counts.items() if outcome not in ("not_checkable", "excluded"))


def headline(report: Report) -> str:
    """State the result in one sentence; units in a language that no judge reads could not be checked."""
    if failed_before_units(report):
        return "This text could not be checked."
    counts, not_read = report.counts, n_not_read(report)
    total = n_to_judge(counts) + not_read
    if not total:
        return _without_a_verdict(counts.get("excluded", 0))
    failed, contradicted, supported = (counts.get(outcome, 0) for outcome in ("failed", "contradicted", "supported"))
    failed += not_read
    claims = many(total, "claim")
    every = f"all {claims}" if total > 1 else "the one claim"
    if failed == total:
        return f"None of the {claims} could be checked." if total > 1 else "The claim could not be checked."
    if total in (supported, contradicted):
        return f"The evidence {'supports' if supported else 'contradicts'} {every}."
    if failed:
        counted = f"the evidence contradicts {contradicted:,} and supports {supported:,}"
        return f"{failed:,} of {claims} could not be checked; {counted}."
    if contradicted:
        others = f"{supported:,}" if supported else "none"
        return f"The evidence contradicts {contradicted:,} of {claims} and supports {others}."
    if supported:
        return f"The evidence supports {supported:,} of {claims} and contradicts none."
    return f"Nothing found that supports or contradicts {f'any of the {claims}' if total > 1 else every}."


def _without_a_verdict(excluded: int) -> str:
    """Explain why a report has no verdict on the truth of any unit."""
    if not excluded:
        return "This text contains no checkable claim."
    if excluded == 1:
        return "The one claim rests on excluded evidence."
    return f"All {many(excluded, 'claim')} rest on excluded evidence."


def coverage_line(report: Report) -> str:
    """Return text such as `37 of 39 claims judged, 2 failed, 3 of 42 excluded`."""
    judgeable, failed = n_to_judge(report.counts), report.counts.get("failed", 0)
    total, excluded = judgeable + n_not_read(report), excluded_share(report)
    if not total:
        return "not checked" if failed_before_units(report) else excluded or "no checkable claim"
    judged = f"{judgeable - failed:,} of {many(total, 'claim')} judged"
    return ", ".join(filter(None, (judged, f"{failed:,} failed" if failed else None, excluded)))


def excluded_share(*reports: Report) -> str | None:
    """Return text such as `3 of 9 excluded`: claims whose evidence all is; `None` when there are none."""
    excluded = sum(report.counts.get("excluded", 0) for report in reports)
    total = excluded + sum(n_to_judge(report.counts) + n_not_read(report) for report in reports)
    return f"{excluded:,} of {total:,} excluded" if excluded else None


def rests_on(risk: str, text: str, outcome: Outcome) -> str:
    """State that a unit depends on the contradicted claim `risk`, and whether the unit counts less for that."""
    counted = "; not counted again" if outcome == "contradicted" else ""
    return f"rests on {risk}, which is contradicted{counted}: “{clip(text, 100)}”"


def counted_once(verdicts: Iterable[Verdict]) -> str | None:
    """State the number of units that the scores leave out, so that an error counts once; `None` when there are none."""
    n = sum(v.level == "claim" and v.outcome == "contradicted" and bool(v.at_risk) for v in verdicts)
    if not n:
        return None
    rests = many(n, "contradicted claim rests on another", "contradicted claims rest on others")
    return f"{rests} that is contradicted: the scores count that error once"


def is_cascade(report: Report) -> bool:
    """Return whether a verifier was asked before a language model."""
    judge = report.method.get("judge")
    return isinstance(judge, dict) and "verifier" in judge


def cascaded(report: Report) -> str | None:
    """State the numbers of units that the verifier decided and passed on, and the cost; `None` without a cascade.

    Failed units were judged by nobody and are not counted.
    """
    judges = {judgement.unit_id: judgement.judge for judgement in report.judgements}
    passed = {judgement.unit_id for judgement in report.judgements if "passed_on" in judgement.flags}
    if not is_cascade(report) or not judges:
        return None
    stored = len(judges) - len(passed)
    verifiers = sorted({judge for unit, judge in judges.items() if unit not in passed})
    models = sorted({judges[unit] for unit in passed})
    first = f"{', '.join(verifiers)} judged {stored} of {many(len(judges), 'claim')}"
    if not passed:
        return f"{first}, none was passed on"
    used = usage_words([usage for usage in report.usage if usage.model in models])[-1:]
    notes = "".join(f": {row.calls}, {row.cost}" for row in used)
    on = f"{'was' if len(passed) == 1 else 'were'} passed on to {', '.join(models)}{notes}"
    return f"{first}, {len(passed)} {on}" if stored else f"all {many(len(judges), 'claim')} {on}"


def outcome_counts(report: Report) -> list[tuple[Outcome, int]]:
    """Count the units by outcome, in a fixed order and without zeros."""
    ranked = sorted(report.counts, key=list(MARKS).index)
    return [(outcome, report.counts[outcome]) for outcome in ranked if report.counts[outcome]]


def small_verifier(report: Report) -> str | None:
    """Return a note about the large built-in verifier if the small one judged; otherwise None."""
    is_small = any(re.fullmatch(r"builtin-\d+", judgement.judge) for judgement in report.judgements)
    return SMALL_VERIFIER if is_small else None


def method_title(report: Report) -> str:
    """Return the title of the report's method, else its name."""
    return str(report.method.get("title") or report.method.get("name") or "unnamed method")


def is_about_citations(report: Report) -> bool:
    """Return whether a report is on the citations of a text."""
    evidence = report.method.get("evidence")
    return isinstance(evidence, dict) and evidence.get("source") == "cited"


def decimals(value: float, digits: int = 2) -> str:
    """Return a score with `digits` decimals. Between 0 and 1 it is never rounded to either: 0.999 becomes `0.99`."""
    step = 10**-digits
    between = _DUST < value < 1 - _DUST
    return f"{min(max(value, step), 1 - step) if between else value:.{digits}f}"


def percent(share: float, digits: int = 0) -> str:
    """Return a share from 0 to 1 as a percentage; `0%` and `100%` only for exact values: 299 of 300 are `99%`."""
    return f"{float(decimals(share, digits + 2)):.{digits}%}"


def score_title(name: str) -> str:
    """Return the title of a score: `Hallucination (alpha=0.5)`."""
    base, bracket, parameters = name.partition("(")
    title = _NAMES[base][0] if base in _NAMES else base.replace("_", " ").capitalize()
    return f"{title} {bracket}{parameters}".rstrip()


def share_of(n: int, total: int, noun: str, verb: str, verbs: str) -> str:
    """Return text such as `1 of 3 passages supports it`: the verb agrees with the counted, and with a total of one."""
    return f"{n:,} of {many(total, noun)} {verb if 1 in (n, total) else verbs}"


def counted(score: Score) -> str:
    """Return the number of items that a score counts, such as `2 claims`."""
    return many(score.n, _of_citations(score) or _NOUNS[score.over])


def _of_citations(score: Score) -> str | None:
    """Return the noun of a score of one text's citations that counts something other than claims."""
    return _OF_CITATIONS.get(score.name) if score.over == "units" else None


def score_words(score: Score) -> ScoreWords:
    """Format a score with its interval, its meaning and its coverage."""
    base = score.name.partition("(")[0]
    share = base in _NAMES
    if score.over == "responses":
        over = f"mean over {counted(score)}"
    elif _withheld(score):
        over = f"too little could be judged: {counted(score)}"
    elif share and score.value is not None:
        # A share of n things is k/n, so k can be read back from it.
        _, noun, verbs = _NAMES[base]
        over = share_of(round(score.value * score.n), score.n, noun, *verbs)
    else:
        over = f"over {counted(score)}"
    interval = score.interval
    return ScoreWords(
        title=score_title(score.name),
        value="withheld" if _withheld(score) else "none" if score.value is None else decimals(score.value),
        band=band(score.value) if share else None,
        interval=f"{percent(interval.level)} interval {decimals(interval.low)} to {decimals(interval.high)}"
        if interval
        else None,
        over=("lower is better · " if base in _LOWER_IS_BETTER else "")
        + over
        + (f", {score.n_failed} {'not scored' if _of_citations(score) else 'failed'}" if score.n_failed else ""),
        coverage="nothing to cover" if score.coverage is None else f"coverage {percent(score.coverage)}",
        record=score,
    )


def _withheld(score: Score) -> bool:
    """Return whether it has no value although there is something to count."""
    return score.value is None and score.n > 0 and score.over != "responses"


def changed_words(before: str, after: str) -> list[tuple[str, bool]]:
    """Split `after` into parts, each with whether its words are missing in `before`; joined, they are `after`.

    Where less than half is the same, nothing is marked: it is another sentence.
    """
    old, new = (re.findall(r"\s+|\S+", text) for text in (before, after))
    matcher = SequenceMatcher(None, old, new)
    if matcher.ratio() < 0.5:
        return [(after, False)]
    spans = [(tag != "equal", start, end) for tag, _, _, start, end in matcher.get_opcodes()]
    return [("".join(new[start:end]), changed) for changed, start, end in spans if end > start]
