"""Two runs side by side: in the terminal, as Markdown, as data. The same words and numbers in each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from factscope.core.labels import Outcome
from factscope.report import wording
from factscope.report.console import ConsolePage, styled
from factscope.report.markdown_text import escaped, table_lines
from factscope.report.states import MARKS
from factscope.scoring.paired_tests import Finding
from factscope.scoring.run_changes import RunComparison, RunSide, ScoreChange, SupportChange, VerdictChange

MOST_SETTINGS = 12  # settings listed that differ
MOST_CHANGES = 20
"""Changed verdicts shown in a terminal, the gravest first."""

FINDING_WORDS: dict[Finding, str] = {
    "differs": "differs",
    "no_difference": "no difference beyond chance",
    "too_few": "too few responses to tell",
    "too_few_draws": "too few draws to tell",
}

_SETTLED = {"supported", "contradicted"}


def to_json(comparison: RunComparison) -> str:
    """All of the comparison as one JSON object, indented; other characters than ASCII are escaped, so none can act."""
    return json.dumps(comparison.model_dump(mode="json"), indent=2) + "\n"


def print_comparison(comparison: RunComparison, console: Console) -> None:
    """Print the comparison for a person. Outside text is shown inert, and every state by glyph and word."""
    page = ConsolePage(console)
    for side, label in ((comparison.first, "first   "), (comparison.second, "second  ")):
        page.write(Text(f"{wording.one_line(side.name)} · {_side(side)}"), styled(label, "dim"))
    page.blank()
    page.write(styled(headline(comparison), "bold"))
    page.write(Text(_compared(comparison)))
    for note in comparison.notes:
        page.write(Text(wording.one_line(note)), styled("! ", "bold"))
    _settings(page, comparison)
    if comparison.scores:
        page.title("Scores, the second run less the first")
        for score in comparison.scores:
            finding_text = _finding(score.finding, score.value)
            style = "bold" if score.finding == "differs" else ""
            page.write(Text(f"{_signed(score.value)}  {score.name}: ") + styled(finding_text, style))
            page.write(styled(_details(score), "dim"), indent=6)
            page.write(styled(score.sentence, "dim italic"), indent=6)
    _claims(page, comparison)
    _changes(page, comparison)
    page.blank()
    page.write(styled(" ".join(_reading(comparison)), "dim"))


_SCORE_HEADS = ("score", "first", "second", "difference", "95% interval", "p", "adjusted p", "responses", "finding")


def to_markdown(comparison: RunComparison) -> str:
    """Head, scores, where the claims ended, then the changed verdicts. No raw HTML, no images."""
    lines = [f"# {headline(comparison)}", ""]
    for side, label in ((comparison.first, "First"), (comparison.second, "Second")):
        lines.append(f"- {label} run: {escaped(side.name)} · {_side(side)}")
    lines += ["", _compared(comparison)]
    for note in comparison.notes:
        lines += ["", f"! {escaped(note)}"]
    if comparison.settings:
        settings = (map(escaped, (each.name, each.first, each.second)) for each in comparison.settings)
        lines += ["", "## What differs between the runs", ""]
        lines += table_lines(("setting", "first", "second"), settings, "lll")
    if comparison.scores:
        lines += ["", "## Scores, the second run less the first", ""]
        lines += table_lines(_SCORE_HEADS, map(_score_cells, comparison.scores), "lrrrrrrrl")
    if comparison.n_units:
        lines += ["", "## Claims in both runs", "", " · ".join(_supported(comparison.support)), ""]
        present = _present(comparison)
        heads = [f"{MARKS[outcome].glyph} {MARKS[outcome].word}" for outcome in present]
        rows = (
            (head, *(str(comparison.transitions[outcome][other]) for other in present))
            for outcome, head in zip(present, heads, strict=True)
        )
        lines += table_lines(("first ↓ second →", *heads), rows, "l" + "r" * len(present))
    if comparison.changes:
        lines += ["", "## Changed verdicts", ""]
        lines += [_change_item(change) for change in _gravest(comparison.changes)]
    if more := comparison.n_changed - len(comparison.changes):
        lines.append(f"- and {more} more")
    return "\n".join([*lines, "", "---", "", " ".join(_reading(comparison))]) + "\n"


def headline(comparison: RunComparison) -> str:
    """State the change in one sentence."""
    total, changed = comparison.n_units, comparison.n_changed
    if not total:
        return "No claim is in both runs."
    many = wording.many(total, "claim")
    return f"The verdict changed on {changed or 'none'} of {many} in both runs."


def _side(side: RunSide) -> str:
    coverage = "nothing to cover" if side.coverage is None else f"coverage {wording.percent(side.coverage)}"
    return f"{wording.many(side.n_responses, 'response')} · {coverage}"


def _compared(comparison: RunComparison) -> str:
    """Such as `9 responses compared · not compared: 1 only in the first run`."""
    left_out = [
        (comparison.first.n_alone, "only in the first run"),
        (comparison.second.n_alone, "only in the second run"),
        (comparison.n_other_text, "with another text"),
        (comparison.n_unreadable, "unreadable"),
    ]
    reasons_text = ", ".join(f"{n} {reason}" for n, reason in left_out if n)
    compared = f"{wording.many(comparison.n_compared, 'response')} compared"
    only_in = [(comparison.first.n_units_alone, "first"), (comparison.second.n_units_alone, "second")]
    cut = [f"{wording.many(n, 'claim')} only in the {which} run" for n, which in only_in if n]
    return " · ".join([compared, *([f"not compared: {reasons_text}"] if reasons_text else []), *cut])


def _finding(finding: Finding, value: float | None) -> str:
    """State the result of a test, with the direction of a difference."""
    if value is None:
        return "no response has a value in both runs"
    if finding != "differs":
        return FINDING_WORDS[finding]
    return f"{FINDING_WORDS[finding]}, {'higher' if value > 0 else 'lower'} in the second run"


def _details(score: ScoreChange) -> str:
    """Both means, the interval, p and the pairs, without what there is not."""
    pieces = []
    if score.first is not None and score.second is not None:
        pieces.append(f"{wording.decimals(score.first, 3)} → {wording.decimals(score.second, 3)}")
    if score.interval:
        pieces.append(f"{wording.percent(score.interval.level)} interval {_interval(score)}")
    if score.p is not None and score.p_adjusted is not None:
        adjusted = "" if score.p == score.p_adjusted else f", adjusted {_p(score.p_adjusted)}"
        pieces.append(f"p {_p(score.p)}{adjusted}")
    return " · ".join([*pieces, _pairs(score)])


def _pairs(score: ScoreChange) -> str:
    left_out = f", {score.n_left_out} left out" if score.n_left_out else ""
    return f"{wording.many(score.n, 'response')}{left_out}"


def _score_cells(score: ScoreChange) -> Iterator[str]:
    yield escaped(score.name)
    for mean in (score.first, score.second):
        yield "" if mean is None else wording.decimals(mean, 3)
    yield _signed(score.value)
    yield _interval(score)
    for p in (score.p, score.p_adjusted):
        yield "" if p is None else _p(p)
    yield _pairs(score)
    yield _finding(score.finding, score.value)


def _interval(score: ScoreChange) -> str:
    return f"{_signed(score.interval.low)} to {_signed(score.interval.high)}" if score.interval else ""


def _supported(support: SupportChange) -> Iterator[str]:
    """Report how support changed among the claims that both runs judged: the finding, the counts, the tests."""
    value = support.second - support.first
    if not support.n:
        yield "no claim was judged in both runs"
        return
    yield f"{f'{value:+d}' if value else '0'}  claims supported: {_finding(support.finding, value)}"
    counts = f"{support.first} → {support.second} of {support.n} judged in both runs"
    yield f"{counts}, {support.gained} gained and {support.lost} lost"
    yield f"p {_p(support.p)} over {wording.many(support.n_responses, 'response')}"
    yield f"p {_p(support.p_mcnemar)} by McNemar's exact test, were the claims independent"


def _signed(value: float | None) -> str:
    """A difference with its sign and three decimals; only a true zero is shown as `0.000`."""
    if value is None:
        return "none"
    size = wording.decimals(abs(value), 3)
    return size if not value else f"{'+' if value > 0 else '-'}{size}"


def _p(p: float) -> str:
    return f"{p:.4f}" if p >= 0.0001 else "<0.0001"


def _present(comparison: RunComparison) -> list[Outcome]:
    """The outcomes of either run, in the order of the legend."""
    table = comparison.transitions
    both = {a for a in table for b in table if table[a][b]} | {b for a in table for b in table if table[a][b]}
    return sorted(both, key=list(MARKS).index)


def _gravest(changes: Sequence[VerdictChange]) -> list[VerdictChange]:
    """From supported to contradicted or back first, then what else touches one of the two; else in their order."""
    return sorted(changes, key=lambda change: -len({change.first, change.second} & _SETTLED))


def _reasons(change: VerdictChange) -> list[str]:
    reasons = (("first", change.first_reason), ("second", change.second_reason))
    return [f"{which}: {wording.one_line(reason)}" for which, reason in reasons if reason]


def _change_item(change: VerdictChange) -> str:
    before, after = MARKS[change.first], MARKS[change.second]
    pieces = [f"“{escaped(change.text)}”"]
    if change.second_text:
        pieces.append(f"in the second run: “{escaped(change.second_text)}”")
    location = f"{escaped(change.response_id)} {escaped(change.first_id)}"
    head = f"- **{before.glyph} {before.word} → {after.glyph} {after.word}** {location}"
    return f"{head}: {' · '.join([*pieces, *map(escaped, _reasons(change))])}"


def _reading(comparison: RunComparison) -> Iterator[str]:
    """Explain the numbers, in sentences."""
    if comparison.scores:
        yield "A score differs when its adjusted p is at most 0.05."
        yield "p is of a two-sided test that flips the signs of the differences, one per response"
        yield "(adjusted after Holm for several scores); the intervals are not adjusted, and there are none for fewer"
        yield f"than ten responses. Factscope {wording.one_line(comparison.factscope)}, seed {comparison.seed}."
    yield "These verdicts are machine-made and can be wrong."


def _settings(page: ConsolePage, comparison: RunComparison) -> None:
    if not comparison.settings:
        return
    page.title("What differs between the runs")
    for setting in comparison.settings[:MOST_SETTINGS]:
        values = (wording.clip(wording.one_line(value), 160) for value in (setting.first, setting.second))
        page.write(Text(" → ".join(values)), styled(f"{wording.one_line(setting.name)}  ", "dim"))
    if (more := len(comparison.settings) - MOST_SETTINGS) > 0:
        page.write(styled(f"and {more} more", "dim"))


def _claims(page: ConsolePage, comparison: RunComparison) -> None:
    """Report how support changed, then outcome in the first run by outcome in the second."""
    if not comparison.n_units:
        return
    page.title("Claims in both runs")
    result, *details = _supported(comparison.support)
    page.write(Text(result))
    page.write(styled(" · ".join(details), "dim"), indent=6)
    page.blank()
    table, present = comparison.transitions, _present(comparison)
    wide = 2 + max(len(str(table[a][b])) for a in present for b in present)
    label = 2 + max(len(MARKS[outcome].word) for outcome in present)
    corner = "first ↓  second →"
    head = Text(corner.ljust(label))
    for outcome in present:
        head.append_text(styled(MARKS[outcome].glyph.rjust(wide), MARKS[outcome].style))
    page.write(head)
    for outcome in present:
        row = _chip(outcome) + Text(" " * (max(label, len(corner)) - 2 - len(MARKS[outcome].word)))
        for other in present:
            n = table[outcome][other]
            style = "dim" if not n or outcome == other else "bold"
            row.append_text(styled(str(n).rjust(wide), style))
        page.write(row)


def _changes(page: ConsolePage, comparison: RunComparison) -> None:
    if not comparison.n_changed:
        return
    page.title("Changed verdicts")
    changes_shown = _gravest(comparison.changes)[:MOST_CHANGES]
    for change in changes_shown:
        location = styled(f"  {wording.clip(wording.one_line(f'{change.response_id} {change.first_id}'), 80)}", "dim")
        page.write(_chip(change.first) + Text(" → ") + _chip(change.second) + location)
        page.write(Text(f"“{wording.clip(wording.one_line(change.text), 400)}”"), indent=6)
        if change.second_text:
            second_text = f"in the second run: “{wording.clip(wording.one_line(change.second_text), 400)}”"
            page.write(Text(second_text), indent=6)
        for reason in _reasons(change):
            page.write(styled(wording.clip(reason, 400), "dim"), indent=6)
    if (more := comparison.n_changed - len(changes_shown)) > 0:
        page.write(styled(f"and {more} more", "dim"))


def _chip(outcome: Outcome) -> Text:
    mark = MARKS[outcome]
    return styled(f"{mark.glyph} {mark.word}", mark.style)
