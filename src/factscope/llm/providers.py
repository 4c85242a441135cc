"""`provider/model` strings → the endpoint that answers: address, key and known features of its API.

Environment variables have the names that the vendors' own tools use. A provider is a row of the table below, or a
`Provider` that a package offers as an entry point of the group `factscope.providers`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import entry_points
from typing import Literal, NamedTuple
from urllib.parse import SplitResult, quote, urlsplit, urlunsplit

from factscope.core import UsageError, did_you_mean, must_fit_a_header

Replies = Literal["json_schema", "json_object", "prompt"]
"""How an endpoint is given the form of a reply: as a schema, as a request for any JSON, or only in the prompt."""

IN_FLIGHT = 256
"""Most calls at once to a server that is not the user's own."""


class Provider(NamedTuple):
    """Properties of a provider, known before the first call."""

    address: str | None
    """Base address of its chat-completions API; None when only the environment can tell."""
    keys: tuple[str, ...] = ()
    """Variables that may hold the key; the first one that is set is used."""
    addresses: tuple[str, ...] = ()
    """Variables that may hold another base address."""
    key_needed: bool = True
    """Whether it refuses calls without a key at its own address."""
    key_header: Literal["Authorization", "api-key"] = "Authorization"
    """Header that carries the key; in `Authorization` after `Bearer `."""
    replies: Replies = "json_schema"
    """The most precise form that it is known to support; anything less is found out by trying."""
    limit_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    """Name of the token limit."""
    seed_name: Literal["seed", "random_seed"] | None = "seed"
    """Name of the seed; None when it accepts none."""
    in_flight: int = IN_FLIGHT
    """Calls at once when the user sets no number: few for a server that answers only a few at a time."""
    keeps_connections: bool = True
    """Whether a connection can be reused; llama.cpp's server closes it after a stream without notice."""


PROVIDERS: dict[str, Provider] = {
    "openai": Provider(
        "https://api.openai.com/v1",
        ("OPENAI_API_KEY",),
        ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
        limit_name="max_completion_tokens",
    ),
    # Anthropic's chat-completions endpoint ignores response_format and seed.
    "anthropic": Provider(
        "https://api.anthropic.com/v1",
        ("ANTHROPIC_API_KEY",),
        ("ANTHROPIC_BASE_URL",),
        replies="prompt",
        seed_name=None,
    ),
    "google": Provider(
        "https://generativelanguage.googleapis.com/v1beta/openai", ("GEMINI_API_KEY", "GOOGLE_API_KEY"), seed_name=None
    ),
    "mistral": Provider("https://api.mistral.ai/v1", ("MISTRAL_API_KEY",), seed_name="random_seed"),
    "openrouter": Provider("https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",)),
    "together": Provider("https://api.together.xyz/v1", ("TOGETHER_API_KEY",)),
    "groq": Provider("https://api.groq.com/openai/v1", ("GROQ_API_KEY",)),
    "deepseek": Provider("https://api.deepseek.com/v1", ("DEEPSEEK_API_KEY",), replies="json_object", seed_name=None),
    "huggingface": Provider("https://router.huggingface.co/v1", ("HF_TOKEN",)),
    "azure": Provider(
        None, ("AZURE_OPENAI_API_KEY",), ("AZURE_OPENAI_ENDPOINT",), key_header="api-key",
        limit_name="max_completion_tokens",
    ),
    "ollama": Provider("http://127.0.0.1:11434/v1", addresses=("OLLAMA_HOST",), key_needed=False, in_flight=8),
    "vllm": Provider(
        "http://127.0.0.1:8000/v1", ("HOSTED_VLLM_API_KEY",), ("HOSTED_VLLM_API_BASE",), key_needed=False
    ),
    "llama.cpp": Provider(
        "http://127.0.0.1:8080/v1", ("LLAMA_API_KEY",), ("LLAMA_CPP_BASE_URL",), key_needed=False, in_flight=8,
        keeps_connections=False,
    ),
}  # fmt: skip

_ALIASES = {
    "gemini": "google", "together_ai": "together", "hosted_vllm": "vllm", "ollama_chat": "ollama", "hf": "huggingface",
    "llamacpp": "llama.cpp", "llama-cpp": "llama.cpp", "llama_cpp": "llama.cpp", "mistralai": "mistral",
}  # fmt: skip


@dataclass(frozen=True)
class Endpoint:
    """Address of one model."""

    model: str
    """As the user wrote it: `provider/model`."""
    name: str
    """The server's name for the model."""
    provider: Provider = field(repr=False)
    address: str
    """Base address."""
    url: str
    """Address for calls."""
    headers: Mapping[str, str] = field(repr=False)
    key: str = field(repr=False)
    """The secret itself, needed to remove it from a server's messages; empty when there is none."""
    key_variable: str
    """The variable to set, for messages."""

    @property
    def at_home(self) -> bool:
        """Whether it is at its provider's own address."""
        return self.address == self.provider.address

    @cached_property
    def takes_turns(self) -> bool:
        """Whether it is a server on the user's own machine, which answers only a few calls at a time."""
        host = urlsplit(self.url).hostname or ""
        return not self.provider.key_needed or host == "localhost" or host.startswith("127.") or host == "::1"


def provider_names() -> tuple[str, ...]:
    """Return names of all providers that are installed.

    Those that come with Factscope are first, then those of other packages.
    """
    others = {entry.name for entry in entry_points(group="factscope.providers")} - PROVIDERS.keys()
    return (*PROVIDERS, *sorted(others))


def endpoint(model: str, environment: Mapping[str, str], *, need_key: bool = True) -> Endpoint:
    """Return the endpoint for `provider/model`; without `need_key` a missing key is not an error.

    Raises UsageError that names the wrong provider or variable.
    """
    name, provider, model_name = _split(model)
    configured_address = first_set(environment, provider.addresses)
    base = configured_address[1] if configured_address else provider.address
    if base is None:
        raise UsageError(
            f"The address of {model!r} is unknown: {provider.addresses[0]} is not set.",
            f"Set it in the environment: export {provider.addresses[0]}=https://NAME.openai.azure.com",
        )
    address = _base_address(base, name, configured_address[0]) if configured_address else base
    key = first_set(environment, provider.keys)
    if need_key and key is None and provider.key_needed and (configured_address is None or name == "azure"):
        others = f" (or {', '.join(provider.keys[1:])})" if provider.keys[1:] else ""
        raise UsageError(
            f"No key for {model!r}: {provider.keys[0]}{others} is not set.",
            f"Set it in the environment: export {provider.keys[0]}=…",
        )
    variable, secret = key or ((provider.keys or ("",))[0], "")
    must_fit_a_header(secret, variable)
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    headers |= {} if provider.keeps_connections else {"Connection": "close"}
    if secret:
        headers[provider.key_header] = f"Bearer {secret}" if provider.key_header == "Authorization" else secret
    url = f"{address.rstrip('/')}/chat/completions"
    if name == "azure":
        url = _azure_url(address, model_name, environment)
    if name == "openai" and configured_address:  # other servers with the same API may know only the older name
        provider = provider._replace(limit_name="max_tokens")
    return Endpoint(model, model_name, provider, address, url, headers, secret, variable)


def _split(model: str) -> tuple[str, Provider, str]:
    name, slash, model_name = model.partition("/")
    canonical = _ALIASES.get(name.lower(), name.lower())
    # Looking for packages takes 10 ms, and every client asks: so only for a name that is not in our table.
    others = () if canonical in PROVIDERS else entry_points(group="factscope.providers")
    installed = {entry.name: entry for entry in others}
    if not slash or not model_name.strip():
        raise UsageError(
            f"{model!r} does not name a provider and a model.",
            "Write provider/model, such as openai/gpt-4.1-mini or ollama/qwen3.",
        )
    if canonical in installed:
        provider = installed[canonical].load()
        if not isinstance(provider, Provider):
            raise UsageError(f"The entry point {canonical!r} of group factscope.providers is not a Provider.")
        return canonical, provider, model_name.strip()
    if canonical not in PROVIDERS:
        available = f"Choose from: {', '.join([*PROVIDERS, *installed])}."
        names = (*PROVIDERS, *_ALIASES, *installed)
        hint = did_you_mean(name.lower(), names, n=3, cutoff=0.5, otherwise=available)
        raise UsageError(
            f"Unknown provider {name!r} (in {model!r}).",
            f"{hint} Any compatible server works as openai/MODEL with OPENAI_BASE_URL.",
        )
    return canonical, PROVIDERS[canonical], model_name.strip()


def first_set(environment: Mapping[str, str], names: tuple[str, ...]) -> tuple[str, str] | None:
    """Return the first of these variables that is set, with its value; None when none is."""
    values = ((name, environment.get(name, "").strip()) for name in names)
    return next((pair for pair in values if pair[1]), None)


def plain_address(text: str, variable: str, example: str) -> SplitResult:
    """Split a base address. Raises UsageError for another text, and for one that may hold a secret: it is stored."""
    try:
        url = urlsplit(text)
        fine = url.scheme in ("http", "https") and bool(url.hostname) and (url.port or 1) > 0
    except ValueError:
        fine = False
    if not fine:
        raise UsageError(f"{variable} is not a web address.", f"It looks like {example}.")
    if "@" in url.netloc or url.query or url.fragment:
        raise UsageError(f"{variable} contains more than an address.", "Leave out user, password and query.")
    return url


def _base_address(text: str, provider: str, variable: str) -> str:
    """Complete a base address from the settings, and spell it in one way, since it is part of the id of calls and runs.

    OLLAMA_HOST may be a bare host, Azure's lacks its path.
    """
    text = text.strip().rstrip("/")
    if "://" not in text and provider == "ollama":
        text = f"http://{'127.0.0.1' * text.startswith(':')}{text}"  # `:8080` is every address of the server's machine
    url = plain_address(text, variable, "https://HOST/v1")
    host, port, path, default_port = url.hostname or "", url.port, url.path, 443 if url.scheme == "https" else 80
    if provider == "ollama":
        # OLLAMA_HOST is the address that the server listens on; 0.0.0.0 can't be called.
        host = "127.0.0.1" if host == "0.0.0.0" else host  # noqa: S104
        path = path if path.endswith("/v1") else f"{path}/v1"
        port = port or (443 if url.scheme == "https" else 11434)
    elif provider == "anthropic" and not path:
        path = "/v1"
    host = f"[{host}]" if ":" in host else host
    return urlunsplit((url.scheme, host if port in (None, default_port) else f"{host}:{port}", path, "", ""))


def _azure_url(address: str, model: str, environment: Mapping[str, str]) -> str:
    """Return Azure's address: a plain v1 path, or the deployment's path when a dated API version is set."""
    version = first_set(environment, ("AZURE_OPENAI_API_VERSION", "OPENAI_API_VERSION"))
    root = address.rstrip("/").removesuffix("/openai/v1")
    if version is None:
        return f"{root}/openai/v1/chat/completions"
    return f"{root}/openai/deployments/{quote(model, safe='')}/chat/completions?api-version={quote(version[1].strip())}"
