"""Settings, and the source of each value.

The first source with a value wins: the call or flag, the environment (`FACTSCOPE_…`, or a `.env` in the working folder
for the command line), `factscope.toml` in the working folder, the default.
"""

from __future__ import annotations

import os
import re
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import platformdirs
from pydantic import Field, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    DotEnvSettingsSource,
    EnvSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from factscope.core import Category, Documented, Location, UsageError, did_you_mean, is_address, printable
from factscope.core.user_files import matching_paths, user_toml
from factscope.llm.models_by_role import ALL
from factscope.methods.strictness import Strictness

PROJECT_FILE = "factscope.toml"
SERVER_TOKEN = "FACTSCOPE_TOKEN"  # noqa: S105 - the name of a variable
"""The secret of `factscope serve`. It is not a setting, since it must not be in a file."""

_IN_WORDS = {
    "tuple_type": "a list is expected, in square brackets",
    "string_type": "a text is expected, in quotation marks",
    "bool_type": "true or false is expected",
    "bool_parsing": "true or false is expected",
    "int_type": "a whole number is expected",
    "int_parsing": "a whole number is expected",
    "int_from_float": "a whole number is expected",
    "float_type": "a number is expected",
    "float_parsing": "a number is expected",
}
"""Problems of values, by the name that pydantic has for them."""
_PLACE = re.compile(
    rf"(?:[a-z][a-z0-9+.-]*://(?:\[[^\]]*\]|[^/{os.pathsep}]*)(?::\d+(?=[/{os.pathsep}]|$))?)?[^{os.pathsep}]*",
    re.IGNORECASE,
)
"""A path, or an address, whose colons before host and port separate nothing, in a list as in PATH."""


class Settings(Documented, BaseSettings):
    """Settings that can be set once instead of on every call."""

    model_config = SettingsConfigDict(env_prefix="FACTSCOPE_", env_ignore_empty=True, extra="forbid")

    method: str | None = None
    """Method by name, or a TOML file. Default: `standard` with a model and no verifier, else `builtin`."""
    model: Annotated[dict[str, str], NoDecode] = Field(default={})
    """Language models as `provider/model`: one for all roles, or `role=provider/model` for each role, with commas."""
    temperature: float | Literal["none"] | None = None
    """Overrides the method's temperature; `none` sends none, for models that take none."""
    evidence: Annotated[tuple[Path | str, ...], NoDecode] = ()
    """Files and folders to search, and addresses of pages; in the environment with `:` between them, as in PATH."""
    verifier: str | None = None
    """Verifier that replaces the method's judge: by name, a model of a hub, or a folder."""
    cited: bool = False
    """Whether a text is checked against its own citations; `evidence` then names local sources."""
    repair: bool = False
    """With `cited`: whether another source is proposed where the cited one does not support a claim."""
    offline: bool = False
    """With `cited`: whether nothing is fetched, and only local sources are used."""
    strictness: Strictness | None = None
    """How readily a claim is called contradicted: `low` finds fewer errors and makes fewer false accusations, `high`
    the reverse. Default: the method's; `normal` for the built-in one."""
    search: str | None = None
    """Search engine of the web: wikipedia, serper, searxng, brave, tavily, or one from another package."""
    allow_sites: Annotated[tuple[str, ...], NoDecode] = ()
    """Only these sites and their subdomains are evidence from the web; in the environment with commas between them."""
    deny_sites: Annotated[tuple[str, ...], NoDecode] = ()
    """Sites that are not evidence."""
    deny_categories: Annotated[tuple[Category, ...], NoDecode] = ()
    """Categories of sources that are not evidence."""
    language: str | None = None
    """Language of the search, such as en or pt-BR."""
    region: str | None = None
    """Country of the search, such as US."""
    published_after: date | None = None
    """Earliest date of publication of search results."""
    published_before: date | None = None
    """Latest date of publication of search results."""
    categories_file: Path | None = None
    """Your own host categories, as TOML or JSON: lists of hosts by category."""
    store: Location = Field(default_factory=lambda: Path(platformdirs.user_data_dir("factscope")) / "runs.db")
    """Store of checks: an SQLite file, or the address of a database: `postgresql://user@host/name`."""
    cache: Path = Field(default_factory=lambda: Path(platformdirs.user_cache_dir("factscope")))
    """Folder of indexes, fetched pages, replies of models, fetched verifiers and calibrations. Deleting it loses no
    check, but loses calibrations, and calls are made and paid for again."""
    workers: int = Field(default=4, ge=1, le=256)
    """Claims that a method without a language model checks at once."""
    in_flight: int | None = Field(default=None, ge=1, le=10_000)
    """Most calls to a model server at once. Default: 256, or 8 for servers on your own machine."""
    requests_per_minute: int | None = Field(default=None, ge=1)
    """Most calls to a model server in a minute."""
    tokens_per_minute: int | None = Field(default=None, ge=1)
    """Most tokens sent to a model server in a minute."""
    timeout: float | None = Field(default=None, gt=0, le=86_400)
    """Seconds for which a model server may stay silent before a call is given up. Default: 120."""
    max_cost: float | None = Field(default=None, gt=0)
    """Limit on the cost in US dollars; no further call is made then."""
    max_tokens: int | None = Field(default=None, ge=1)
    """Limit on tokens, sent and received."""
    max_calls: int | None = Field(default=None, ge=1)
    """Limit on calls."""
    max_seconds: float | None = Field(default=None, gt=0)
    """Seconds after which no further call is made."""
    prices: Path | None = None
    """JSON file of prices: `{"models": {"provider/model": [dollars per million tokens in, out]}}`."""
    batch: Path | None = None
    """Folder of batch files: missing calls are written there, and replies read from there; no call is made."""
    record: Path | None = None
    """File in which calls are recorded."""
    replay: Path | None = None
    """Recording that answers calls; no call is made."""
    dry_run: bool = False
    """Whether only the cache answers calls; no call is made."""
    share_calls: bool = False
    """Whether short responses of a run share the judge's calls: fewer calls, but unrelated texts are judged side by
    side."""
    engine: Literal["here", "ray"] = "here"
    """Engine that checks many responses: this process, or Ray."""
    ray_address: str | None = None
    """Address of an existing Ray cluster, such as 10.0.0.5:6379, or auto. Default: one on this machine, for the run."""
    ray_workers: int | None = Field(default=None, ge=1, le=10_000)
    """Number of worker processes. Default: one for each core."""
    min_score: float | None = Field(default=None, ge=0, le=1)
    """Exit with 3 when factual precision is below this, or has no value."""
    min_coverage: float | None = Field(default=None, ge=0, le=1)
    """Exit with 4 when coverage is below this, or has no value."""

    @field_validator("evidence", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        paths = _PLACE.findall(value) if isinstance(value, str) else value
        if not isinstance(paths, list | tuple):
            return paths
        if not all(isinstance(path, str | Path) for path in paths):
            raise ValueError("paths and addresses are texts in quotation marks")
        evidence = [path_or_url(path) for path in paths if path]
        return tuple(
            path for source in evidence for path in ([source] if isinstance(source, str) else matching_paths(source))
        )

    @field_validator("store", mode="before")
    @classmethod
    def _file_or_address(cls, value: object) -> object:
        return Path(value) if isinstance(value, str) and not is_address(value) else value

    @field_validator("allow_sites", "deny_sites", "deny_categories", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        return tuple(word.strip() for word in value.split(",") if word.strip()) if isinstance(value, str) else value

    @field_validator("model", mode="before")
    @classmethod
    def _by_role(cls, value: object) -> object:
        words = value.split(",") if isinstance(value, str) else value
        if isinstance(words, Mapping) or not isinstance(words, Sequence):
            return words
        pairs = [str(word).strip().rpartition("=") for word in words if str(word).strip()]
        roles = [role.strip() or ALL for role, _, _ in pairs]
        if twice := sorted({role for role in roles if roles.count(role) > 1}):
            raise ValueError(f"there are two models for {'all roles' if twice[0] == ALL else twice[0]}")
        if not all(model.strip() for _, _, model in pairs):
            raise ValueError("a role is named without a model")
        return {role: model.strip() for role, (_, _, model) in zip(roles, pairs, strict=True)}

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Return only the values of `load_settings`, which reads the sources itself and remembers them."""
        return (init_settings,)


def path_or_url(evidence: Path | str) -> Path | str:
    """Return an address of a page as it is, anything else as a path."""
    return evidence if re.match(r"(?i:https?)://", str(evidence)) else Path(evidence)


class Setting(NamedTuple):
    """One setting, and where its value came from."""

    name: str
    value: object
    source: str


def load_settings(flags: dict[str, Any] | None = None, *, dot_env: bool = False) -> tuple[Settings, list[Setting]]:
    """Return settings and their sources. Flags that are None count as not given. Raises UsageError for a bad value."""
    _known_in_environment()
    supplied = {name: value for name, value in (flags or {}).items() if value is not None}
    sources = [("flag", supplied), ("environment", _read("the environment", EnvSettingsSource(Settings)))]
    if dot_env and Path(".env").is_file():
        # The source reads when it is made.
        dotenv = _read(".env", lambda: DotEnvSettingsSource(Settings, Path(".env"), "utf-8-sig")())  # noqa: PLW0108
        sources.append((".env", {name: value for name, value in dotenv.items() if name in Settings.model_fields}))
    if (project := Path(PROJECT_FILE)).is_file():
        sources.append((PROJECT_FILE, user_toml(project)))
    came_from = {name: source for source, values in reversed(sources) for name in values}
    try:
        settings = Settings(**ChainMap(*(values for _, values in sources)))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = str(first["loc"][0])
        source = came_from.get(name, "a file")
        spelled = {"flag": "the call", "environment": f"the variable FACTSCOPE_{name.upper()}"}
        origin = spelled.get(source, source)
        if first["type"] == "extra_forbidden":
            settings_text = f"Settings: {', '.join(Settings.model_fields)}."
            hint = did_you_mean(name, Settings.model_fields, otherwise=settings_text)
            raise UsageError(f"Unknown setting {name!r}, which {origin} names.", hint) from None
        problem = _IN_WORDS.get(first["type"]) or first["msg"].removeprefix("Value error, ").rstrip(".")
        raise UsageError(
            f"Setting {name!r} from {origin}: {problem}.",
            "factscope config show lists the settings with their values.",
        ) from None
    return settings, [
        Setting(
            name,
            printable(settings.store) if name == "store" else getattr(settings, name),
            came_from.get(name, "default"),
        )
        for name in Settings.model_fields
    ]


def _known_in_environment() -> None:
    """Raise UsageError for a `FACTSCOPE_…` variable that is not a setting, so that a typo is not ignored silently."""
    known_variables = {f"FACTSCOPE_{name.upper()}" for name in Settings.model_fields} | {SERVER_TOKEN}
    for name in sorted(os.environ):
        if name.startswith("FACTSCOPE_") and name not in known_variables:
            hint = did_you_mean(name, sorted(known_variables))
            raise UsageError(f"The environment has {name}, which is not a setting.", hint)


def _read(name: str, source: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    try:
        return source()
    except (SettingsError, ValueError, OSError) as error:  # ValueError: neither TOML nor UTF-8
        raise UsageError(f"The settings in {name} can't be read: {error}.") from None
