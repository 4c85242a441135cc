"""Descriptions of connections and models: the proxy and store without their passwords, the family of a model."""

from __future__ import annotations

import errno

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.core import by_proxy, family, is_clear, printable, proxy_hint, proxy_of, refusal, related, same_family
from tests.lab.many_cases import try_all


@pytest.fixture
def proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set proxies for both schemes, and hosts that need none."""
    for name in ("all_proxy", "ALL_PROXY", "NO_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "REQUEST_METHOD"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", "10.0.0.1:3128")
    monkeypatch.setenv("https_proxy", "http://me:secret@proxy.example:8080")
    monkeypatch.setenv("no_proxy", "inside.example,.lan")


@try_all(
    ("url", "proxy"),
    [
        ("http://a.example/x", "http://10.0.0.1:3128"),
        ("https://a.example", "http://me:secret@proxy.example:8080"),
        ("https://me:pass@a.example/x", "http://me:secret@proxy.example:8080"),
        ("https://inside.example/x", None),
        ("https://me:pass@inside.example/x", None),
        ("https://inside.example:8443/x", None),
        ("https://a.lan", None),
        ("http://localhost:8080/v1", None),
        ("http://127.0.0.1:8080/v1", None),
        ("http://127.1.2.3", None),
        ("http://[::1]:8080/v1", None),
        ("ftp://a.example", None),
    ],
)
def test_a_hosts_proxy_comes_from_the_environment(proxies: None, url: str, proxy: str | None) -> None:
    assert proxy_of(url) == proxy


@try_all(
    ("proxy", "words"),
    [
        (None, ""),
        ("http://10.0.0.1:3128", ", through the proxy 10.0.0.1:3128"),
        ("http://me:secret@proxy.example", ", through the proxy proxy.example"),
        ("http://me:secret@proxy.example:wrong", ", through the environment's proxy"),
        ("http://me:secret@[proxy", ", through the environment's proxy"),
        ("secret", ", through the environment's proxy"),
    ],
)
def test_a_proxy_is_described_without_user_and_password(proxy: str | None, words: str) -> None:
    assert by_proxy(proxy) == words


def test_the_hint_names_the_variable_of_the_scheme() -> None:
    assert "the proxy in HTTPS_PROXY." in proxy_hint("https://a.example")
    assert "the proxy in HTTP_PROXY." in proxy_hint("http://a.example")


def test_a_refused_connection_is_described_in_the_systems_words() -> None:
    assert refusal(OSError(errno.ECONNREFUSED, "Connect call failed ('10.0.0.7', 443)")) == "connection refused"
    assert refusal(OSError("no number")) == ""


PASSWORD = st.text(st.sampled_from("Zq7@/:?#%[]&=,"), min_size=1, max_size=8).map(lambda text: f"Zq{text}qZ")


@given(PASSWORD, st.sampled_from(["host", "host:5432", "one,two:1", "[::1]:5432", ""]), st.booleans())
@settings(max_examples=80, deadline=None)
def test_no_part_of_a_password_is_ever_shown(password: str, host: str, named: bool) -> None:
    location = f"postgresql://{'me' if named else ''}:{password}@{host}/name"
    assert "Zq" not in printable(location)
    assert "qZ" not in printable(location)
    if not set(password) & set("@/?"):
        assert is_clear(location)
        assert printable(location).endswith("/name")


@try_all(
    ("model", "expected"),
    [
        ("openai/gpt-4o-mini", "GPT"),
        ("o3-mini", "GPT"),
        ("O1", "GPT"),
        ("text-davinci-003", "GPT"),
        ("bedrock/us.anthropic.claude-3-5-sonnet", "Claude"),
        ("ollama/llama3.1:8b", "Llama"),
        ("mistralai/Mixtral-8x7B-Instruct", "Mistral"),
        ("Qwen/QwQ-32B", "Qwen"),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", "DeepSeek"),
        ("google/gemma2", "Gemini"),
        ("azure/gpt-4o as production", "GPT"),
        ("llama-hosts/my-model", None),
        ("supernova", None),
        ("my-model", None),
        ("", None),
        ("gpt/", None),
    ],
)
def test_a_models_family_is_read_from_its_name(model: str, expected: str | None) -> None:
    assert family(model) == expected


@try_all(
    ("first", "other", "of_one_family", "relatives"),
    [
        ("openai/gpt-4o", "azure/o3", True, True),
        ("openai/gpt-4o", "anthropic/claude-3", False, False),
        ("own/model", "own/model", False, True),
        ("own/model", "own/other", False, False),
        ("own/model", "openai/gpt-4o", False, False),
    ],
)
def test_unknown_models_are_related_only_to_themselves(
    first: str, other: str, of_one_family: bool, relatives: bool
) -> None:
    for pair in ((first, other), (other, first)):
        assert same_family(*pair) == of_one_family
        assert related(*pair) == relatives
