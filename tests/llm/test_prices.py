"""Prices: snapshots cost what their models cost, and a price file is read whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from factscope.core import UsageError
from factscope.llm import Price, Prices, known_prices
from tests.lab.many_cases import try_all

PRICE = Price(2.0, 8.0)


@try_all("date", ["-2024-11-19", "-2024-11-20", "-2020-20-20", "-20250420", "-2025-04", "-2025"])
def test_a_snapshot_of_any_day_costs_what_its_model_costs(date: str) -> None:
    assert Prices({}, {"azure/own-model": PRICE}).of(f"azure/Own-Model{date}") == PRICE


@try_all(
    "name", ["own-model-mini", "own-model-20b", "own-model-2024-11-20-audio", "own-model-", "own", "own-model-120"]
)
def test_another_model_is_not_a_snapshot(name: str) -> None:
    assert Prices({"openai/own-model": PRICE}).of(f"openai/{name}") is None


def test_a_snapshot_price_overrides_its_models_and_a_users_price_overrides_ours() -> None:
    listed = {"openai/m": Price(1, 1), "openai/m-2024-11-20": Price(2, 2)}
    assert Prices(listed).of("openai/m-2024-11-20") == Price(2, 2)
    assert Prices(listed, {"openai/m": Price(3, 3)}).of("openai/m-2024-11-20") == Price(3, 3)
    assert Prices(listed).of("openai/m-2024-11-20", at_home=False) is None


@try_all(
    "text",
    [
        '{"models": {"a/b": "12"}}',  # two characters are not two prices
        json.dumps({"models": {"a/b": {"in": 1, "out": 2}}}),
        '{"models": {"a/b": [1, 2, 3]}}',
        '{"models": {"a/b": [1, NaN]}}',
        '{"models": {"a/b": [1, 1e999]}}',
        f'{{"models": {{"a/b": [1, {"9" * 400}]}}}}',
        '{"models": {"a/b": [1, 2], "A/B": [3, 4]}}',
        "[" * 50_000,
    ],
)
def test_an_invalid_price_is_an_error_that_names_the_file(text: str, tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=r"own\.json (is not a price file|contains an invalid price)"):
        known_prices().with_file(path)


def test_a_file_from_windows_is_read_and_the_other_prices_stay(tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    path.write_text('{"models": {"Vllm/Mine": [0, 0.5]}}', encoding="utf-8-sig")
    prices = known_prices().with_file(path)
    assert prices.of("vllm/mine", at_home=False) == Price(0.0, 0.5)
    assert prices.of("openai/gpt-4.1") == known_prices().of("openai/gpt-4.1")
    assert set(prices.models) == {*known_prices().models, "vllm/mine"}
