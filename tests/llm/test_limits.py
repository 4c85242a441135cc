"""Waits, windows, gates, budgets and prices: the parts that decide when a call is made."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable
from email.utils import formatdate
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.core import UsageError, asked_wait, back_off
from factscope.llm import (
    PROVIDERS,
    Allowance,
    Budget,
    BudgetHold,
    Call,
    CallLimits,
    Gate,
    Ledger,
    ModelError,
    Price,
    Reply,
    Window,
    endpoint,
    estimate_tokens,
    known_prices,
)
from tests import lab
from tests.conftest import at_least
from tests.lab.many_cases import try_all
from tests.llm.model_requests import QUICK, ask_all, kinds, question

NOW = 1_800_000_000.0


@try_all(
    ("headers", "wait"),
    [
        ({"retry-after": "30"}, 30),
        ({"retry-after": " 30 "}, 30),
        ({"retry-after": "0"}, 0),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after": "1e3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "a while"}, None),
        ({"retry-after": "9" * 5000}, None),
        ({"retry-after": "1000000000"}, 1e9),
        ({"retry-after": formatdate(NOW + 45, usegmt=True)}, 45),
        ({"retry-after": formatdate(NOW - 45, usegmt=True)}, 0),
        ({"retry-after": "Fri, 99 Nov 2026 99:99:99 GMT"}, None),
        ({"retry-after": "2027-01-15T08:00:20Z"}, 20),
        ({"retry-after": "30s"}, 30),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"x-ratelimit-reset-requests": "6m0s", "x-ratelimit-reset-tokens": "20ms"}, 360),
        ({"x-ratelimit-reset-requests": "1h2m3.5s"}, 3723.5),
        (
            {
                "x-ratelimit-reset-requests": "9s",
                "x-ratelimit-remaining-requests": "12",
                "x-ratelimit-reset-tokens": "4s",
                "x-ratelimit-remaining-tokens": "0",
            },
            4,
        ),
        ({"x-ratelimit-reset": str(int(NOW + 7) * 1000)}, 7),
        ({"x-ratelimit-reset": str(int(NOW + 7))}, 7),
        ({"anthropic-ratelimit-tokens-reset": "2027-01-15T08:01:00Z"}, 60),
        ({"content-type": "text/html"}, None),
        ({}, None),
    ],
)
def test_the_wait_requested_by_a_server_is_read_from_its_headers(headers: dict[str, str], wait: float | None) -> None:
    assert asked_wait(headers, NOW) == (wait if wait is None else pytest.approx(wait))


@given(st.text(max_size=60))
@settings(deadline=None)
def test_any_header_gives_a_valid_wait_or_none(text: str) -> None:
    for name in ("retry-after", "retry-after-ms", "x-ratelimit-reset", "x-ratelimit-reset-tokens"):
        wait = asked_wait({name: text}, NOW)
        assert wait is None or wait >= 0


def test_google_says_in_the_body_how_long_to_wait() -> None:
    body = b'{"error": {"details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "21.5s"}]}}'
    assert asked_wait({}, NOW, body) == 21.5
    assert asked_wait({"retry-after": "3"}, NOW, body) == 3


def test_a_call_that_has_already_waited_goes_first() -> None:
    async def run() -> None:
        gate, order = Gate(CallLimits(in_flight=1)), []
        gate.leave(await gate.enter("a"), ok=True)
        held = await gate.enter("a")

        async def one(name: str, again: bool) -> None:
            ticket = await gate.enter("a", again=again)
            order.append(name)
            gate.leave(ticket, ok=True)

        tasks = [asyncio.create_task(one(name, name == "again")) for name in ("first", "second", "again")]
        await asyncio.sleep(0)
        gate.leave(held, ok=True)
        await asyncio.gather(*tasks)
        assert order == ["again", "first", "second"]

    asyncio.run(run())


def test_backing_off_doubles_up_to_a_limit_and_leaves_half_to_chance() -> None:
    for attempt, most in enumerate([1, 2, 4, 8, 8, 8], 1):
        waits = [back_off(attempt, 1.0, 8.0) for _ in range(50)]
        assert most / 2 <= min(waits) < max(waits) <= most


@given(
    st.integers(1, 30),
    st.lists(st.tuples(st.floats(0, 20), st.integers(0, 40)), max_size=60),
)
@settings(deadline=None)
def test_a_window_never_holds_more_than_its_limit(limit: int, steps: list[tuple[float, int]]) -> None:
    window, now, begun = Window(limit), 0.0, []
    for gap, amount in steps:
        now += gap
        while wait := window.delay(now, amount):
            now += wait + 1e-9
        window.add(now, amount)
        begun.append((now, amount))
        inside = [held for when, held in begun if when > now - 60.0]
        assert sum(inside) <= limit or amount > limit  # an amount above the limit goes, but alone
        assert amount <= limit or sum(inside) == amount


def test_a_window_learns_what_was_really_used() -> None:
    window = Window(100)
    entry = window.add(0.0, 90)
    assert window.delay(1.0, 50) == pytest.approx(59.0)
    window.correct(entry, 20)
    assert window.delay(1.0, 50) == 0


def test_a_gate_narrows_once_per_wave_of_429_and_widens_again() -> None:
    async def run() -> None:
        gate = Gate(CallLimits(in_flight=64))
        busy = ModelError("rate_limit", "busy")
        gate.leave(await gate.enter("a"), ok=True)
        tickets = [await gate.enter("a") for _ in range(64)]
        for ticket in tickets:
            gate.leave(ticket, busy)
        assert gate.most == 32
        tickets = [await gate.enter("a") for _ in range(32)]
        assert gate.flying == 32
        for ticket in tickets:
            gate.leave(ticket, busy)
        assert gate.most == 16
        for _ in range(400):
            gate.leave(await gate.enter("a"), ok=True)
        assert 16 < gate.most <= 64

    asyncio.run(run())


def test_a_missing_model_does_not_stop_other_models() -> None:
    async def run() -> None:
        gate = Gate(CallLimits())
        gate.leave(await gate.enter("a"), ModelError("not_found", "no such model"))
        with pytest.raises(ModelError, match="no such model"):
            await gate.enter("a")
        gate.leave(await gate.enter("b"), ok=True)

    asyncio.run(run())


@given(st.data())
@settings(deadline=None, max_examples=at_least(20, in_all=60))
def test_whoever_gives_up_waiting_leaves_no_gap(data: st.DataObject) -> None:
    """Random cancellations: every place is given back, and all who stay are let in."""

    async def run() -> None:
        gate, served = Gate(CallLimits(in_flight=3)), 0

        async def one() -> None:
            nonlocal served
            ticket = await gate.enter("a")
            try:
                assert gate.flying <= 3
                await asyncio.sleep(0)
                served += 1
            finally:
                gate.leave(ticket, ok=True)

        tasks = [asyncio.create_task(one()) for _ in range(20)]
        gone = 0
        for _ in range(data.draw(st.integers(0, 12))):
            await asyncio.sleep(0)
            task = tasks[data.draw(st.integers(0, 19))]
            gone += task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        assert not [each for each in ended if isinstance(each, Exception)]
        assert served >= 20 - gone
        assert gate.flying == 0

    asyncio.run(run())


def simulate(chance: random.Random, allowance: Allowance) -> None:
    """Run 64 workers with random prices and lengths; check every promise of `Budget` at every step."""
    budget, price = Budget(allowance), Price(chance.uniform(0.01, 20), chance.uniform(0.01, 80))
    flying: list[tuple[BudgetHold, int, int]] = []
    used_tokens = used_money = flying_tokens = flying_money = 0.0
    begun = 0
    for _ in range(chance.randrange(50, 300)):
        if flying and (len(flying) == 64 or chance.random() < 0.4):
            held, tokens_in, tokens_out = flying.pop(chance.randrange(len(flying)))
            used_tokens += tokens_in + tokens_out
            used_money += price.of(tokens_in, tokens_out)
            budget.settle(held, tokens_in + tokens_out, price.of(tokens_in, tokens_out))
            continue
        tokens_in = chance.randrange(1, 3000)
        known_tokens = used_tokens + sum(each[1] for each in flying) + tokens_in
        known_money = used_money + sum(price.of(each[1], 0) for each in flying) + price.of(tokens_in, 0)
        held_or_none = _hold(budget, tokens_in, price)
        if held_or_none is None:
            continue
        begun += 1
        assert allowance.tokens is None or known_tokens <= allowance.tokens
        assert allowance.money is None or known_money <= allowance.money + 1e-9
        flying.append((held_or_none, tokens_in, chance.randrange(2000)))
        flying_tokens = sum(tokens_in + tokens_out for _, tokens_in, tokens_out in flying)
        flying_money = sum(price.of(tokens_in, tokens_out) for _, tokens_in, tokens_out in flying)
    in_the_end = sum(each[1] + each[2] for each in flying)
    paid_in_the_end = sum(price.of(each[1], each[2]) for each in flying)
    assert allowance.calls is None or begun <= allowance.calls
    assert allowance.tokens is None or used_tokens + in_the_end <= allowance.tokens + flying_tokens
    assert allowance.money is None or used_money + paid_in_the_end <= allowance.money + flying_money + 1e-9


def _hold(budget: Budget, tokens_in: int, price: Price) -> BudgetHold | None:
    try:
        return budget.hold("openai/x", tokens_in, price)
    except ModelError:
        return None


@pytest.mark.medium
def test_a_budget_is_exceeded_by_at_most_the_calls_in_flight(cases: Callable[[int], None]) -> None:
    cases(1_000)
    for seed in range(1000):
        chance = random.Random(seed)
        limit = chance.choice(["money", "tokens", "calls"])
        amount = {
            "money": chance.uniform(0.001, 2),
            "tokens": chance.randrange(10, 200_000),
            "calls": chance.randrange(9),
        }
        simulate(chance, Allowance(**{limit: amount[limit]}))


def test_a_budget_of_time_begins_with_the_first_call() -> None:
    budget = Budget(Allowance(seconds=0.0))
    with pytest.raises(ModelError, match="0 seconds"):
        budget.hold("openai/x", 1, None)


def test_an_unknown_price_refuses_a_limit_on_money(server: lab.Server) -> None:
    with pytest.raises(UsageError, match="price of 'openai/lab' is unknown"):
        ask_all(server, [question()], allowance=Allowance(money=1.0))
    assert server.count() == 0


def test_a_budget_of_calls_is_exact_with_many_in_flight(server: lab.Server) -> None:
    ended = ask_all(server, [question(number) for number in range(100)], allowance=Allowance(calls=17))
    assert kinds(ended).count("reply") == server.count() == 17
    assert kinds(ended).count("budget") == 83


def test_cost_is_computed_from_the_users_price(server: lab.Server, tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    path.write_text(json.dumps({"models": {"OpenAI/Lab": [1e5, 1e5]}}))
    prices = known_prices().with_file(path)
    limits = QUICK
    ended = ask_all(server, [question(n) for n in range(50)], limits, allowance=Allowance(money=20.0), prices=prices)
    paid = [each for each in ended if isinstance(each, Reply)]
    assert 0 < len(paid) < 50
    assert all(each.cost == pytest.approx(((each.tokens_in or 0) + (each.tokens_out or 0)) / 10) for each in paid)


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"models": []}', '{"models": {"a": [1]}}', '{"models": {"a": [1, -2]}}', '{"models": {"a": ["x", 1]}}'],
)
def test_an_invalid_price_file_is_reported(tmp_path: Path, text: str) -> None:
    path = tmp_path / "p.json"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"p\.json"):
        known_prices().with_file(path)


def test_prices_cover_snapshots_but_no_unknown_models() -> None:
    prices = known_prices()
    assert prices.of("openai/gpt-4.1-mini-2025-04-14") == prices.of("openai/gpt-4.1-mini") is not None
    assert prices.of("openai/gpt-4o-2024-05-13") != prices.of("openai/gpt-4o")
    assert prices.of("openai/gpt-4.1-2", at_home=True) is None
    assert prices.of("openai/gpt-4.1", at_home=False) is None
    assert prices.of("ollama/qwen3") is None


def test_a_ledger_adds_up_and_one_unknown_makes_a_sum_unknown() -> None:
    ledger, call = Ledger(), question()
    ledger.add(call, Reply("a", "stop", 10, 5, cost=0.5, seconds=1.0))
    ledger.add(call, Reply("a", "stop", 10, 5, cost=0.25, seconds=1.0))
    ledger.add(call, Reply("a", "stop", 10, 5, cached=True))
    ledger.add(Call("extract", "ollama/x", ()), Reply("a", "stop", 7, None))
    extract, judge = ledger.usage()
    assert (judge.role, judge.calls, judge.cached_calls, judge.tokens_in, judge.cost) == ("judge", 2, 1, 20, 0.75)
    assert (extract.tokens_in, extract.tokens_out, extract.cost) == (7, None, None)


def test_tokens_are_estimated_for_words_and_for_scripts_without_spaces() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("four letters a word") == 5
    assert estimate_tokens("東京は日本の首都") == 8


@try_all(
    ("model", "variables", "url"),
    [
        ("openai/gpt-4.1", {"OPENAI_API_KEY": "k"}, "https://api.openai.com/v1/chat/completions"),
        ("openai/x", {"OPENAI_BASE_URL": "http://h:1/v1/"}, "http://h:1/v1/chat/completions"),
        ("openai/x", {"OPENAI_API_BASE": "http://h:2/v1"}, "http://h:2/v1/chat/completions"),
        (
            "google/gemini-2.5-flash",
            {"GOOGLE_API_KEY": "k"},
            "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions",
        ),
        ("anthropic/c", {"ANTHROPIC_API_KEY": "k"}, "https://api.anthropic.com/v1/chat/completions"),
        ("openrouter/a/b:free", {"OPENROUTER_API_KEY": "k"}, "https://openrouter.ai/api/v1/chat/completions"),
        ("ollama/q", {}, "http://127.0.0.1:11434/v1/chat/completions"),
        ("ollama/q", {"OLLAMA_HOST": "0.0.0.0"}, "http://127.0.0.1:11434/v1/chat/completions"),
        ("ollama/q", {"OLLAMA_HOST": ":8080"}, "http://127.0.0.1:8080/v1/chat/completions"),
        ("ollama/q", {"OLLAMA_HOST": "gpu:99"}, "http://gpu:99/v1/chat/completions"),
        ("ollama/q", {"OLLAMA_HOST": "https://gpu/o"}, "https://gpu/o/v1/chat/completions"),
        ("ollama/q", {"OLLAMA_HOST": "[FE80::1]"}, "http://[fe80::1]:11434/v1/chat/completions"),
        ("hosted_vllm/org/m", {}, "http://127.0.0.1:8000/v1/chat/completions"),
        ("llama.cpp/m", {"LLAMA_CPP_BASE_URL": "http://h/v1"}, "http://h/v1/chat/completions"),
        (
            "azure/d",
            {"AZURE_OPENAI_ENDPOINT": "https://n.example/", "AZURE_OPENAI_API_KEY": "k"},
            "https://n.example/openai/v1/chat/completions",
        ),
        (
            "azure/d e",
            {
                "AZURE_OPENAI_ENDPOINT": "https://n.example",
                "AZURE_OPENAI_API_KEY": "k",
                "AZURE_OPENAI_API_VERSION": "2024-10-21",
            },
            "https://n.example/openai/deployments/d%20e/chat/completions?api-version=2024-10-21",
        ),
    ],
)
def test_the_endpoint_of_a_model_is_resolved(model: str, variables: dict[str, str], url: str) -> None:
    assert endpoint(model, variables).url == url


@try_all(
    ("model", "variable", "addresses"),
    [
        ("openai/q", "OPENAI_BASE_URL", "https://host https://host/ https://host:443/ HTTPS://Host:443"),
        ("openai/q", "OPENAI_BASE_URL", "http://[::A]/v1 http://[::a]:80/v1/"),
        ("anthropic/q", "ANTHROPIC_BASE_URL", "https://host https://host:443/ https://HOST/v1"),
        ("ollama/q", "OLLAMA_HOST", "localhost localhost:11434 LocalHost:11434/ http://localhost HTTP://localhost/v1"),
        ("ollama/q", "OLLAMA_HOST", "https://gpu https://gpu:443/v1/"),
    ],
)
def test_an_address_is_the_same_however_it_is_spelt(model: str, variable: str, addresses: str) -> None:
    assert len({endpoint(model, {variable: spelt}, need_key=False).address for spelt in addresses.split()}) == 1


def test_each_provider_that_needs_a_key_names_its_variable() -> None:
    for name, provider in PROVIDERS.items():
        base = {"AZURE_OPENAI_ENDPOINT": "https://n.example"}
        if not provider.key_needed:
            assert endpoint(f"{name}/m", base).key == ""
            continue
        with pytest.raises(UsageError, match=provider.keys[0]):
            endpoint(f"{name}/m", base)
        for variable in provider.keys:
            found = endpoint(f"{name}/m", {**base, variable: "secret-1"})
            assert (found.key, found.key_variable) == ("secret-1", variable)
            assert "secret-1" in found.headers[provider.key_header]
            assert "secret-1" not in repr(found)


def test_a_package_can_offer_a_provider(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "acme.py").write_text(
        "from factscope.llm.providers import Provider\n"
        "ACME = Provider('https://acme.example/v1', ('ACME_KEY',), in_flight=3)\nNONE = 1\n"
    )
    (tmp_path / "acme-1.0.dist-info").mkdir()
    (tmp_path / "acme-1.0.dist-info" / "entry_points.txt").write_text(
        "[factscope.providers]\nacme = acme:ACME\nnothing = acme:NONE\n"
    )
    (tmp_path / "acme-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert endpoint("acme/m", {"ACME_KEY": "k"}).url == "https://acme.example/v1/chat/completions"
    with pytest.raises(UsageError, match="ACME_KEY is not set"):
        endpoint("acme/m", {})
    with pytest.raises(UsageError, match="is not a Provider"):
        endpoint("nothing/m", {})
    with pytest.raises(UsageError, match="Did you mean acme"):
        endpoint("acmee/m", {})


@pytest.mark.parametrize(
    ("model", "variables", "says"),
    [
        ("gpt-4", {}, "does not name a provider"),
        ("openai/", {}, "does not name a provider"),
        ("opnai/gpt", {}, "Did you mean openai"),
        ("zzz/gpt", {}, "Choose from: openai"),
        ("openai/m", {"OPENAI_BASE_URL": "not an address"}, "OPENAI_BASE_URL is not a web address"),
        ("openai/m", {"OPENAI_BASE_URL": "http://h:port/v1"}, "OPENAI_BASE_URL is not a web address"),
        ("openai/m", {"OPENAI_BASE_URL": "https://u:p@h/v1"}, "more than an address"),
        ("openai/m", {"OPENAI_API_KEY": "two words"}, "contains characters that are not allowed in a key"),
        ("azure/m", {"AZURE_OPENAI_API_KEY": "k"}, "AZURE_OPENAI_ENDPOINT is not set"),
    ],
)
def test_an_invalid_model_or_setting_is_refused_with_the_reason(
    model: str, variables: dict[str, str], says: str
) -> None:
    with pytest.raises(UsageError) as caught:
        endpoint(model, variables)
    assert says in str(caught.value)
    assert "two words" not in str(caught.value)
