"""Write the table of prices again from the `genai-prices` package, whose maintainers follow what the vendors list.

    uv run --no-sync --with genai-prices==0.2.3 python scripts/prices.py

Only text models of providers that Factscope knows by name are taken, at the price of a prompt of ordinary length.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TABLE = Path(__file__).parent.parent / "src" / "factscope" / "llm" / "prices.json"
PROVIDERS = ("openai", "anthropic", "google", "mistral", "groq", "deepseek", "together")
ABOUT = (
    "US dollars per million tokens, in and out, for standard (not batch) use, from the package genai-prices {version}"
    " (MIT licence). A model that is not here has an unknown price. Written by scripts/prices.py."
)


def main() -> None:
    """Write the table."""
    from genai_prices.data_snapshot import get_snapshot  # type: ignore[import-not-found]

    snapshot = get_snapshot()
    models: dict[str, list[float]] = {}
    for provider in snapshot.providers:
        if provider.id in PROVIDERS:
            for model in provider.models:
                if price := price_of(provider.id, model):
                    for name in sorted({model.id, *equals(model.match)}):
                        models[f"{provider.id}/{name}".lower()] = price
    from importlib.metadata import version

    table = {
        "about": ABOUT.format(version=version("genai-prices")),
        "as_of": snapshot.timestamp.date().isoformat(),
        "models": dict(sorted(models.items())),
    }
    rows = ",\n".join(f"    {json.dumps(name)}: {json.dumps(price)}" for name, price in table["models"].items())
    head = json.dumps({name: table[name] for name in ("about", "as_of")}, indent=2).removesuffix("\n}")
    TABLE.write_text(f'{head},\n  "models": {{\n{rows}\n  }}\n}}\n', encoding="utf-8")
    print(f"{len(models)} models, as of {table['as_of']}")


def price_of(provider: str, model: Any) -> list[float] | None:
    """Return dollars per million tokens in and out; None for a model without both prices."""
    from genai_prices import Usage, calc_price  # type: ignore[import-not-found]

    both = []
    for usage in (Usage(input_tokens=1_000, output_tokens=0), Usage(input_tokens=0, output_tokens=1_000)):
        try:
            price = calc_price(usage, model_ref=model.id, provider_id=provider)
        except (LookupError, ValueError):
            return None
        if price.model.id != model.id:
            return None
        both.append(round(float(price.total_price) * 1_000, 6))
    return both if all(number > 0 for number in both) else None


def equals(clause: Any) -> list[str]:
    """Return the exact names by which a model goes."""
    if hasattr(clause, "or_"):
        return [name for part in clause.or_ for name in equals(part)]
    return [clause.equals] if hasattr(clause, "equals") else []


if __name__ == "__main__":
    main()
