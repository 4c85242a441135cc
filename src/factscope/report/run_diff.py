"""Two runs side by side, as a document: the same words and numbers in the terminal and as Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from factscope.core import Outcome, plurals
from factscope.report import wording
from factscope.report.document import Block, Paragraph, Points, Title, table_of
from factscope.report.states import MARKS
from factscope.scoring import Finding, RunComparison, RunSide, ScoreChange, SettingChange, SupportChange, VerdictChange

MOST_SETTINGS = 12  # settings listed that differ
MOST_CHANGES = 20
"""Changed verdicts shown in a terminal, the most serious first."""

FINDING_WORDS: dict[Finding, str] = {
    "differs": "differs",
    "no_difference": "no difference beyond chance",
    "too_few": "too few responses to tell",
    "too_few_draws": "too few draws to tell",
}

_SETTLED = {"supported", "contradicted"}


def to_json(comparison: RunComparison) -> str:
    """Return the whole comparison as one JSON object, indented.

    Non-ASCII characters are escaped, so that no control character takes effect.
    """
    return json.dumps(comparison.model_dump(mode="json"), indent=2) + "\n"


def diff_document(comparison: RunComparison, most: int | None = None) -> Iterator[Block]:
    """Yield the head, scores, where the claims ended, and the changed verdicts, `most` of them if given."""
    yield Title(headline(comparison), 1)
    sides = ((comparison.first, "First"), (comparison.second, "Second"))
    n = comparison.n_compared
    yield Points(tuple(f"{label} run: {wording.one_line(side.name)} · {_side(side, n)}" for side, label in sides))
    yield Paragraph(_compared(comparison))
    for note in comparison.notes:
        yield Paragraph(f"! {wording.one_line(note)}", warns=True)
    if comparison.settings:
        yield Title("What differs between the runs")
        yield from _first_of([_setting(change) for change in comparison.settings], MOST_SETTINGS)
    if comparison.scores:
        yield Title("Scores, the second run less the first")
        yield Points(tuple(map(_score, comparison.scores)))
    if comparison.n_units:
        yield Title("Claims in both runs")
        yield Paragraph(" · ".join(_supported(comparison.support)))
        present = _present(comparison)
        words = [f"{MARKS[outcome].glyph} {MARKS[outcome].word}" for outcome in present]
        counts = ([str(comparison.transitions[first][second]) for second in present] for first in present)
        rows = ((word, *numbers) for word, numbers in zip(words, counts, strict=True))
        yield table_of(("first ↓ second →", *words), rows)
    if comparison.n_changed:
        yield Title("Changed verdicts")
        # First changes between supported and contradicted, then other changes to or from these two.
        gravest = sorted(comparison.changes, key=lambda change: -len({change.first, change.second} & _SETTLED))
        yield from _first_of(list(map(_change, gravest)), most, comparison.n_changed)
    yield Paragraph(" ".join(_reading(comparison)))


def _first_of(points: Sequence[str], most: int | None, total: int = 0) -> Iterator[Block]:
    """Yield the first points, and a line with the number of further ones."""
    yield Points(tuple(points[:most]))
    if more := max(total, len(points)) - len(points[:most]):
        yield Paragraph(f"and {more} more")


def _setting(change: SettingChange) -> str:
    values = (wording.excerpt(value, 160) for value in (change.first, change.second))
    return f"{wording.one_line(change.name)}: {' → '.join(values)}"


def _score(score: ScoreChange) -> str:
    head = f"{_signed(score.value)} {wording.one_line(score.name)}: {_finding(score.finding, score.value)}"
    return "\n".join((head, _details(score), score.sentence))


def _change(change: VerdictChange) -> str:
    before, after = MARKS[change.first], MARKS[change.second]
    location = wording.excerpt(f"{change.response_id} {change.first_id}", 80)
    lines = [f"{before.glyph} {before.word} → {after.glyph} {after.word}  {location}", f"“{_quoted(change.text)}”"]
    if change.second_text:
        lines.append(f"in the second run: “{_quoted(change.second_text)}”")
    reasons = (("first", change.first_reason), ("second", change.second_reason))
    return "\n".join([*lines, *(f"{which}: {_quoted(reason)}" for which, reason in reasons if reason)])


def _quoted(text: str) -> str:
    return wording.excerpt(text, 400)


def headline(comparison: RunComparison) -> str:
    """State the change in one sentence."""
    total, changed = comparison.n_units, comparison.n_changed
    if not total:
        return "No claim is in both runs."
    many = plurals.many(total, "claim")
    return f"The verdict changed on {changed or 'none'} of {many} in both runs."


def _side(side: RunSide, n_compared: int) -> str:
    coverage = "nothing to cover" if side.coverage is None else f"coverage {wording.percent(side.coverage)}"
    if side.coverage is not None and n_compared != side.n_responses:
        coverage += f" of the {n_compared:,} compared"
    return " · ".join([plurals.many(side.n_responses, "response"), coverage, *_left_out(side)])


def _left_out(side: RunSide) -> Iterator[str]:
    """Yield text such as `3 rows left out (2 of X)`, if a run left any out."""
    if side.n_left_out:
        models = ", ".join(f"{n:,} of {wording.one_line(model)}" for model, n in side.left_out_by_model.items())
        yield f"{plurals.many(side.n_left_out, 'row')} left out{f' ({models})' if models else ''}"


def _compared(comparison: RunComparison) -> str:
    """Return text such as `9 responses compared · not compared: 1 only in the first run`."""
    left_out = [
        (comparison.first.n_alone, "only in the first run"),
        (comparison.second.n_alone, "only in the second run"),
        (comparison.n_other_text, "with another text"),
        (comparison.n_unreadable, "unreadable"),
    ]
    reasons_text = ", ".join(f"{n} {reason}" for n, reason in left_out if n)
    compared = f"{plurals.many(comparison.n_compared, 'response')} compared"
    only_in = [(comparison.first.n_units_alone, "first"), (comparison.second.n_units_alone, "second")]
    cut = [f"{plurals.many(n, 'claim')} only in the {which} run" for n, which in only_in if n]
    return " · ".join([compared, *([f"not compared: {reasons_text}"] if reasons_text else []), *cut])


def _finding(finding: Finding, value: float | None) -> str:
    """Describe the result of a test, with the direction of a difference."""
    if value is None:
        return "no response has a value in both runs"
    if finding != "differs":
        return FINDING_WORDS[finding]
    return f"{FINDING_WORDS[finding]}, {'higher' if value > 0 else 'lower'} in the second run"


def _details(score: ScoreChange) -> str:
    """Return both means, the interval, p and the pairs, as far as they exist."""
    pieces = []
    if score.first is not None and score.second is not None:
        pieces.append(f"{wording.decimals(score.first, 3)} → {wording.decimals(score.second, 3)}")
    if score.interval:
        ends = f"{_signed(score.interval.low)} to {_signed(score.interval.high)}"
        pieces.append(f"{wording.percent(score.interval.level)} interval {ends}")
    if score.p is not None and score.p_adjusted is not None:
        adjusted = "" if score.p == score.p_adjusted else f", adjusted {_p(score.p_adjusted)}"
        pieces.append(f"p {_p(score.p)}{adjusted}")
    left_out = f", {score.n_left_out} left out" if score.n_left_out else ""
    return " · ".join([*pieces, f"{plurals.many(score.n, 'response')}{left_out}"])


def _supported(support: SupportChange) -> Iterator[str]:
    """Report how support changed among the claims that both runs judged: the finding, the counts, the tests."""
    value = support.second - support.first
    if not support.n:
        yield "no claim was judged in both runs"
        return
    yield f"{f'{value:+d}' if value else '0'}  claims supported: {_finding(support.finding, value)}"
    counts = f"{support.first} → {support.second} of {support.n} judged in both runs"
    yield f"{counts}, {support.gained} gained and {support.lost} lost"
    yield f"p {_p(support.p)} over {plurals.many(support.n_responses, 'response')}"
    yield f"p {_p(support.p_mcnemar)} by McNemar's exact test, were the claims independent"


def _signed(value: float | None) -> str:
    """Return a difference with its sign and three decimals; only a true zero is shown as `0.000`."""
    if value is None:
        return "none"
    size = wording.decimals(abs(value), 3)
    return size if not value else f"{'+' if value > 0 else '-'}{size}"


def _p(p: float) -> str:
    return f"{p:.4f}" if p >= 0.0001 else "<0.0001"


def _present(comparison: RunComparison) -> list[Outcome]:
    """Return the outcomes of either run, in the order of the legend."""
    table = comparison.transitions
    both = {outcome for a in table for b in table if table[a][b] for outcome in (a, b)}
    return sorted(both, key=list(MARKS).index)


def _reading(comparison: RunComparison) -> Iterator[str]:
    """Explain the numbers, in sentences."""
    if comparison.scores:
        yield "A score differs when its adjusted p is at most 0.05."
        yield "p is of a two-sided test that flips the signs of the differences, one per response"
        yield "(adjusted after Holm for several scores); the intervals are not adjusted, and there are none for fewer"
        yield f"than ten responses. Factscope {wording.one_line(comparison.factscope)}, seed {comparison.seed}."
    yield "These verdicts are machine-made and can be wrong."
