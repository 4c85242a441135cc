"""The card of a selftest as JSON, Markdown and one HTML page."""

from __future__ import annotations

from typing import Any

from factscope.report.markdown_text import table_lines
from factscope.selftest.trial import TrialCard, TrialRow

_HEAD = ("", "Promise", "How it was tried", "Cases", "Asked", "Result", "Seconds")
_GLYPHS = {"held": "✓", "broken": "✗", "fewer cases": "–", "not tried": "·"}
_STYLE = """
:root { color-scheme: light dark; --line: #8884; --bad: #b3261e; --good: #1b6e3c; }
@media (prefers-color-scheme: dark) { :root { --bad: #ff8a80; --good: #7fd6a2; } }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: .4rem .6rem; text-align: left; vertical-align: top; }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
.broken { color: var(--bad); font-weight: 600; } .held { color: var(--good); }
@media (max-width: 45rem) {
  table, tbody, tr, td, th[scope=row] { display: block; } thead { display: none; }
  tr { border-bottom: 1px solid var(--line); padding: .6rem 0; } td, th { border: 0; padding: .1rem 0; }
  td.n { text-align: left; } td[data-name]::before { content: attr(data-name) ": "; opacity: .8; }
}
pre { white-space: pre-wrap; font-size: .8rem; } small { opacity: .8; }
"""
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Reliability card of Factscope {{ card.factscope }}</title><style>{{ style | safe }}</style></head><body>
<h1>Reliability card</h1><p>{{ about }} Made by <code>{{ command }}</code>.</p><p>{{ summary }}</p>
<div style="overflow-x:auto"><table><thead>
<tr>{% for name in head %}<th scope="col">{{ name }}</th>{% endfor %}</tr></thead><tbody>
{% for row in card.rows %}<tr><th scope="row">{{ row.id }}</th><td>{{ row.promise }}</td>
<td>{{ row.trial }}{% if row.open %}<br><small>Not shown: {{ row.open }}</small>{% endif %}
{% for failure in row.failures %}<pre>{{ failure }}</pre>{% endfor %}</td>
<td class="n" data-name="{{ head[3] }}">{{ "{:,}".format(row.cases) }}</td>
<td class="n" data-name="{{ head[4] }}">{{ "{:,}".format(row.asked) }}</td>
<td data-name="{{ head[5] }}" class="{{ row.result | replace(" ", "-") }}">
{{ glyphs[row.result] }} {{ row.result }}</td>
<td class="n" data-name="{{ head[6] }}">{{ row.seconds }}</td></tr>
{% endfor %}</tbody></table></div></body></html>
"""


def as_json(card: TrialCard) -> str:
    """Write a card as JSON."""
    return card.model_dump_json(indent=2) + "\n"


def as_markdown(card: TrialCard) -> str:
    """Write a card as a Markdown table."""
    lines = [f"# Reliability card\n\n{_about(card)} Made by `{_command(card)}`.\n\n{summary(card)}\n"]
    lines += table_lines(_HEAD, map(_cells, card.rows), "lllrrlr")
    failures = [f"- `{failure.splitlines()[0]}`" for row in card.rows for failure in row.failures]
    return "\n".join([*lines, *(["", "## What failed", "", *failures] if failures else [])]) + "\n"


def as_html(card: TrialCard) -> str:
    """Write a card as one page without scripts."""
    from jinja2 import Environment

    page = Environment(autoescape=True).from_string(_PAGE)
    values: dict[str, Any] = {"card": card, "head": _HEAD, "glyphs": _GLYPHS, "style": _STYLE}
    return page.render(**values, about=_about(card), command=_command(card), summary=summary(card))


def summary(card: TrialCard) -> str:
    """Say in one line how many promises held."""
    results = [row.result for row in card.rows]
    sections = [f"{results.count(result)} {result}" for result in _GLYPHS if result in results]
    return f"{len(card.rows)} promises, {sum(row.cases for row in card.rows):,} cases: {', '.join(sections)}."


def _about(card: TrialCard) -> str:
    trial = "A quick trial" if card.mode == "quick" else "A whole trial"
    return (
        f"Factscope {card.factscope}. {trial} on {card.date}, on {card.system}, Python {card.python},"
        f" in {card.seconds:,.0f} s."
    )


def _command(card: TrialCard) -> str:
    return "factscope selftest --quick" if card.mode == "quick" else "factscope selftest"


def _cells(row: TrialRow) -> list[str]:
    trial = f"{row.trial} *Not shown: {row.open}*" if row.open else row.trial
    result = f"{_GLYPHS[row.result]} {row.result}"
    return [row.id, row.promise, trial, f"{row.cases:,}", f"{row.asked:,}", result, f"{row.seconds:,.0f}"]
