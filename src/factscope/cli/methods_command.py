"""`factscope methods`: the ways to check a text."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from factscope.cli.call_options import ModelOptions, with_groups
from factscope.cli.calling import load
from factscope.cli.options import AsList
from factscope.cli.output import log, put_console, put_json
from factscope.engine.estimate import REFERENCE, calls, expected, money, tokens
from factscope.engine.find_method import find_method, method_names
from factscope.engine.open_tools import open_prices
from factscope.engine.settings import Settings
from factscope.llm.models_by_role import ALL
from factscope.methods import Method
from factscope.report.console import print_entry, styled


class MethodListOptions(ModelOptions):
    """The model whose price counts, and the form of the list."""

    format: AsList = "text"


@with_groups
def list_methods(options: MethodListOptions) -> None:
    """List the methods, with their paper, what each costs for one response, and what is missing to use it.

    The cost is for a response of 20 sentences and 24 checkable claims; in dollars when a model with a known price is
    named. `--format json` gives every setting of each method too; as TOML, that is a method file.

    Example: factscope methods list --model openai/gpt-4.1-mini --format json
    """
    settings = load(options.settings())
    methods = [find_method(name) for name in method_names()]
    costs = [_cost(method, settings) for method in methods]
    if options.format == "json":
        pairs = zip(methods, costs, strict=True)
        put_json([{**method.model_dump(mode="json"), "cost_per_reference_response": cost} for method, cost in pairs])
        return
    put_console(lambda console: _print(methods, costs, settings, console), None)
    log("Estimated for a response of 20 sentences and 24 checkable claims, nothing cached.")
    if not settings.model:
        log("Name a model for its price: factscope methods list --model openai/gpt-4.1-mini")


def _print(methods: list[Method], costs: list[dict[str, Any]], settings: Settings, console: Console) -> None:

    for method, cost in zip(methods, costs, strict=True):
        used = "no model, no key, no network"
        if any(cost["calls"]):
            dollars = "" if cost["dollars"] is None else f", ${_span(cost['dollars'], 4)}"
            sums = [sum(pair) for pair in zip(cost["tokens_in"], cost["tokens_out"], strict=True)]
            calls = "call" if cost["calls"] == [1, 1] else "calls"
            used = f"{_span(cost['calls'])} {calls}, {_span(sums)} tokens{dollars}"
        missing = _missing(method, any(cost["calls"]), settings)
        cited = [styled(method.cites, "dim")] if method.cites else []
        print_entry(console, method.name, Text.assemble(used, (missing, "yellow")), method.title, *cited)
        console.print()


def _missing(method: Method, asks: bool, settings: Settings) -> str:
    """Return the missing requirements of a method, besides evidence."""
    absent = ["a model (--model)"] if asks and not settings.model else []
    absent += ["a search engine (--search)"] if method.evidence.source == "web" and not settings.search else []
    return f"  – missing: {' and '.join(absent)}" if absent else ""


def _cost(method: Method, settings: Settings) -> dict[str, Any]:
    """Estimate the cost of a method for the reference response; `dollars` is None when a price is not known."""
    estimates = expected(method, REFERENCE)
    models = {estimate.role: settings.model.get(estimate.role, settings.model.get(ALL, "")) for estimate in estimates}
    dollars = money(estimates, models, open_prices(settings).of) if estimates else None
    sent, received = tokens(estimates)
    return {
        "sentences": REFERENCE.segments,
        "claims": int(REFERENCE.claims.high),
        "calls": list(calls(estimates)),
        "tokens_in": [round(n) for n in sent],
        "tokens_out": [round(n) for n in received],
        "dollars": [round(n, 4) for n in dollars] if dollars else None,
    }


def _span(pair: list[float], digits: int = 0) -> str:
    low, high = (f"{number:,.{digits}f}" for number in pair)
    return low if low == high else f"{low} – {high}"
