"""Settings, and the only place that wires services together.

A setting comes from the first of: the call or flag, the environment (`FACTSCOPE_…`, or a `.env` in the working folder
for the command line), `factscope.toml` in the working folder, the default.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

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
    TomlConfigSettingsSource,
)

from factscope.core.errors import UsageError
from factscope.core.labels import Category
from factscope.core.records import Document
from factscope.engine import Tools, provenance
from factscope.engine.open_models import open_models
from factscope.evidence.collection import open_collection
from factscope.evidence.gather import EvidenceSource
from factscope.evidence.own_documents import OwnDocuments
from factscope.evidence.per_response import AT_HAND
from factscope.judging.verifiers.protocol import Verifier
from factscope.llm.roles import ALL
from factscope.methods import CITED, Method
from factscope.methods.method_file import method_from_toml
from factscope.methods.strictness import Strictness, with_strictness

if TYPE_CHECKING:
    from factscope.evidence.ranking import Encoders
    from factscope.evidence.search import WebSearch
    from factscope.evidence.web_source import WebRules, WebSource

PROJECT_FILE = "factscope.toml"
SERVER_TOKEN = "FACTSCOPE_TOKEN"  # noqa: S105 - the name of a variable
"""The secret of `factscope serve`: no setting, as it belongs in no file."""


class Settings(BaseSettings):
    """Settings that can be set once instead of on every call."""

    model_config = SettingsConfigDict(env_prefix="FACTSCOPE_", extra="forbid", use_attribute_docstrings=True)

    method: str | None = None
    """Method by name, or a TOML file. Default: `standard` with a model and no verifier, else `builtin`."""
    model: Annotated[dict[str, str], NoDecode] = Field(default={})
    """Language models as `provider/model`: one for all roles, or `role=provider/model` for one role, comma between."""
    temperature: float | Literal["none"] | None = None
    """Goes before the temperature of the method; `none` sends none, for models that take none."""
    evidence: Annotated[tuple[Path | str, ...], NoDecode] = ()
    """Files and folders to search, and addresses of pages; in the environment separated as in PATH."""
    verifier: str | None = None
    """Verifier that judges in the place of the method's judge: a verifier by name, a model of a hub, or a folder."""
    cited: bool = False
    """Whether a text is checked against what it cites itself; `evidence` then holds sources at hand."""
    repair: bool = False
    """Whether another source is proposed where the cited ones do not bear a claim out."""
    offline: bool = False
    """Whether cited sources that are not at hand are left unfetched."""
    strictness: Strictness | None = None
    """How readily a claim is called contradicted: `low` finds fewer errors and accuses less often falsely, `high` the
    reverse. Default: as the method has it; `normal` for the built-in one."""
    search: str | None = None
    """Search engine of the web: wikipedia, serper, searxng, brave, tavily, or one that a package brings."""
    allow_sites: Annotated[tuple[str, ...], NoDecode] = ()
    """Only these sites, with those below them, are evidence from the web; in the environment with commas between."""
    deny_sites: Annotated[tuple[str, ...], NoDecode] = ()
    """Sites that are no evidence."""
    deny_categories: Annotated[tuple[Category, ...], NoDecode] = ()
    """Categories of sources that are no evidence."""
    language: str | None = None
    """Language that is searched in, such as en or pt-BR."""
    region: str | None = None
    """Country that is searched from, such as US."""
    published_after: date | None = None
    """First day of publication of what is searched for."""
    published_before: date | None = None
    """Last day of publication of what is searched for."""
    categories_file: Path | None = None
    """Categories of hosts of one's own, as TOML or JSON: lists of hosts by category."""
    store: Path = Field(default_factory=lambda: Path(platformdirs.user_data_dir("factscope")) / "runs.db")
    """The file that keeps checks."""
    cache: Path = Field(default_factory=lambda: Path(platformdirs.user_cache_dir("factscope")))
    """Folder of indexes; safe to delete."""
    workers: int = Field(default=4, ge=1, le=256)
    """Claims worked on at once by a method without a language model."""
    in_flight: int | None = Field(default=None, ge=1, le=10_000)
    """Most calls to a model server at once. Default: 256, or 8 for servers on one's own machine."""
    requests_per_minute: int | None = Field(default=None, ge=1)
    """Most calls to a model server in a minute."""
    tokens_per_minute: int | None = Field(default=None, ge=1)
    """Most tokens sent to a model server in a minute."""
    max_cost: float | None = Field(default=None, gt=0)
    """US dollars that may be spent; then no further call is made."""
    max_tokens: int | None = Field(default=None, ge=1)
    """Tokens that may be used, sent and received."""
    max_calls: int | None = Field(default=None, ge=1)
    """Calls that may be made."""
    max_seconds: float | None = Field(default=None, gt=0)
    """Seconds after which no further call is made."""
    prices: Path | None = None
    """JSON file of prices: `{"models": {"provider/model": [dollars per million tokens in, out]}}`."""
    batch: Path | None = None
    """Folder of batch files: missing calls are written there, replies read from there, none is made."""
    record: Path | None = None
    """File that the calls of this command are recorded in."""
    replay: Path | None = None
    """Recording to answer calls from; none is made."""
    dry_run: bool = False
    """Answer calls from the cache alone; none is made."""
    engine: Literal["here", "ray"] = "here"
    """Where many responses are worked on."""
    ray_address: str | None = None
    """A Ray cluster that is there, such as 10.0.0.5:6379 or auto. Default: one on this machine, for the run."""
    ray_workers: int | None = Field(default=None, ge=1, le=10_000)
    """Processes of the cluster that work. Default: as many as it has cores."""
    min_score: float | None = Field(default=None, ge=0, le=1)
    """Exit with 3 when factual precision is below this."""
    min_coverage: float | None = Field(default=None, ge=0, le=1)
    """Exit with 4 when coverage is below this."""

    @field_validator("evidence", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        paths = re.split(rf"{re.escape(os.pathsep)}(?!//)", value) if isinstance(value, str) else value
        if not isinstance(paths, list | tuple):
            return paths
        return tuple(_path_or_url(path) for path in paths if path)

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
        """Only what `load_settings` gives: it reads the sources itself, to know where each value came from."""
        return (init_settings,)


def _path_or_url(evidence: Path | str) -> Path | str:
    """An address of a page as it is, anything else as a path."""
    return evidence if re.match(r"(?i:https?)://", str(evidence)) else Path(evidence)


class Setting(NamedTuple):
    """One setting, and where its value came from."""

    name: str
    value: object
    source: str


def load_settings(flags: dict[str, Any] | None = None, *, dot_env: bool = False) -> tuple[Settings, list[Setting]]:
    """Settings and their sources. Flags that are None count as not given. Raises UsageError for a bad value."""
    _known_in_environment()
    supplied = {name: value for name, value in (flags or {}).items() if value is not None}
    sources = [("flag", supplied), ("environment", _read("the environment", EnvSettingsSource(Settings)))]
    if dot_env and Path(".env").is_file():
        dotenv = _read(".env", lambda: DotEnvSettingsSource(Settings, Path(".env"))())  # noqa: PLW0108 - it reads when made
        sources.append((".env", {name: value for name, value in dotenv.items() if name in Settings.model_fields}))
    if Path(PROJECT_FILE).is_file():
        dotenv = _read(PROJECT_FILE, lambda: TomlConfigSettingsSource(Settings, Path(PROJECT_FILE))())  # noqa: PLW0108 - it reads when made
        sources.append((PROJECT_FILE, dotenv))
    values: dict[str, Any] = {}
    came_from: dict[str, str] = {}
    for source, dotenv in sources:
        for name, value in dotenv.items():
            if name not in values:
                values[name], came_from[name] = value, source
    try:
        settings = Settings(**values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = str(first["loc"][0])
        setting_names = ", ".join(Settings.model_fields)
        raise UsageError(
            f"Setting {name!r} from {came_from.get(name, 'a file')}: {first['msg']}.", f"Settings: {setting_names}."
        ) from None
    return settings, [
        Setting(name, getattr(settings, name), came_from.get(name, "default")) for name in Settings.model_fields
    ]


def _known_in_environment() -> None:
    """Raises UsageError for a variable of ours that is no setting: a slip of the pen must not be passed over."""
    known_variables = {f"FACTSCOPE_{name.upper()}" for name in Settings.model_fields} | {SERVER_TOKEN}
    for name in sorted(os.environ):
        if name.startswith("FACTSCOPE_") and name not in known_variables:
            suggestions = difflib.get_close_matches(name, known_variables, n=1)
            hint = (
                f"Did you mean {suggestions[0]}?"
                if suggestions
                else f"There are: {', '.join(sorted(known_variables))}."
            )
            raise UsageError(f"The environment has {name}, which is no setting.", hint)


def _read(name: str, source: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    try:
        return source()
    except (SettingsError, ValueError, OSError) as error:  # ValueError: neither TOML nor UTF-8
        raise UsageError(f"The settings in {name} can't be read: {error}.") from None


def method_names() -> list[str]:
    """Names of all methods that are installed."""
    return sorted(_method_entries())


def default_method(settings: Settings) -> str:
    """The method when none is named: `standard` with a model and no verifier, else `builtin`."""
    return settings.method or ("standard" if settings.model and not settings.verifier else "builtin")


def chosen_method(settings: Settings, name: str | None = None) -> Method:
    """The method of this name, else the default, with the verifier of the settings as its judge. Raises UsageError."""
    from factscope.engine.open_cited import with_citations

    return with_citations(with_verifier(find_method(name or default_method(settings)), settings), settings)


def with_verifier(method: Method, settings: Settings) -> Method:
    """The method with the verifier and the strictness of the settings, if they name any. Raises UsageError."""
    if settings.strictness is not None:
        method = with_strictness(method, settings.strictness)
    if settings.verifier is None:
        return method
    from factscope.judging.verifiers.registry import judged_by

    return judged_by(method, settings.verifier, has_model=bool(settings.model))


def examine(method: Method, settings: Settings) -> None:
    """Raise UsageError for a model, key or prompt that can't be used; nothing is read and nothing called."""
    minimal = settings.model_copy(update={"evidence": (), "search": None, "offline": True})
    if method.evidence.source in ("given", "context", CITED, *AT_HAND):
        provenance(method, open_tools(settings=minimal, contexts=True))
    if settings.search:
        from factscope.evidence.search.engine_registry import open_engine

        open_engine(settings.search, os.environ)


def find_method(name: str) -> Method:
    """A method by name or from a TOML file. Raises UsageError with near matches when there is none."""
    if name.endswith(".toml"):
        return method_from_toml(Path(name), find_method)
    entries = _method_entries()
    if name not in entries:
        if name.startswith("felm/published/"):
            raise UsageError(
                f"The method {name!r} takes the prompts of FELM's authors, which are not part of Factscope.",
                "Name a copy of their folder eval/prompt: factscope meta felm --prompts FOLDER --method " + name,
            )
        suggestions = difflib.get_close_matches(name, entries, n=3, cutoff=0.4)
        hint = (
            f"Did you mean {' or '.join(suggestions)}?" if suggestions else f"There are: {', '.join(sorted(entries))}."
        )
        raise UsageError(f"There is no method {name!r}.", hint)
    method = entries[name].load()
    if not isinstance(method, Method):
        raise UsageError(f"The entry point {name!r} of group factscope.methods is not a Method.")
    return method


@cache
def _method_entries() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group="factscope.methods")}


def open_tools(
    evidence: Sequence[Path | str] | Path | str = (),
    *,
    model: str | Mapping[str, str] | None = None,
    search: str | None = None,
    settings: Settings | None = None,
    contexts: bool = False,
    on_progress: Callable[[int, int], None] | None = None,
) -> Tools:
    """Everything a method may use: the documents named (files and folders), indexed, the verifiers, and the models.

    With `contexts` the documents that come with a response are searched too.

    `model` is `provider/model` for all roles, or a model for each role with `"*"` for the others; `search` names a
    search engine of the web. Both go before `settings`. Tools that hold models or the web are closed, or used as an
    asynchronous context manager; `check_sync` closes them itself. `on_progress` is told how many files of how many are
    read. Raises UsageError for a path that is not there and InputError when none of the documents can be used; what is
    wrong with single files stands in `tools.sources["local"].searched.problems`.
    """
    settings = settings or load_settings()[0]
    if model is not None or search is not None:
        models = {"*": model} if isinstance(model, str) else dict(model or settings.model)
        settings = settings.model_copy(update={"model": models, "search": search or settings.search})
    requested = [evidence] if isinstance(evidence, str | Path) else list(evidence or settings.evidence)
    encoders = open_encoders(settings)
    paths = tuple(map(_path_or_url, requested))
    settings = settings.model_copy(update={"evidence": paths})
    sources = open_sources(settings, on_progress=on_progress)
    if settings.search:
        from factscope.evidence.search import open_search

        engine = open_search(settings.search, os.environ, settings.cache / "searches.db")
        sources["web"] = open_web_source(settings, engine, encoders)
    return Tools(
        sources=sources,
        verifiers=_verifiers(settings),
        models=open_models(settings) if settings.model else None,
        workers=settings.workers,
        contexts=OwnDocuments(encoders) if contexts else None,
    )


def open_sources(
    settings: Settings,
    urls: Sequence[str] = (),
    documents: Sequence[Document] = (),
    on_progress: Callable[[int, int], None] | None = None,
) -> dict[str, EvidenceSource]:
    """The evidence that needs no connection later: files and folders as `local`, pages and texts as `texts`.

    Pages are fetched now, through the guarded fetcher. Raises UsageError and InputError.
    """
    if settings.cited:
        from factscope.engine.open_cited import open_library

        return {CITED: open_library(settings, urls, documents)}
    sources: dict[str, EvidenceSource] = {}
    encoders = open_encoders(settings)
    pages = [*(source for source in settings.evidence if isinstance(source, str)), *urls]
    if paths := [source for source in settings.evidence if isinstance(source, Path)]:
        sources["local"] = open_collection(paths, settings.cache / "collections", on_progress, encoders)
    if pages or documents:
        from factscope.evidence.loose_documents import open_texts

        sources["texts"] = open_texts(documents, pages, settings.cache, encoders)
    return sources


def open_web_source(settings: Settings, search: WebSearch, encoders: Encoders | None = None) -> WebSource:
    """The web as a source of evidence through a search engine, by the rules of the settings. Raises StoreError."""
    from factscope.evidence.open_web import open_web

    rules, encoders = _rules(settings), encoders or open_encoders(settings)
    return open_web(search, settings.cache, rules, settings.categories_file, encoders)


def _verifiers(settings: Settings) -> Mapping[str, Callable[[], Verifier]]:
    from factscope.judging.verifiers.registry import Verifiers

    return Verifiers(settings.cache)


def open_encoders(settings: Settings) -> Encoders:
    """Models for methods that rank by meaning; none is opened before it is needed."""
    from factscope.evidence.ranking import Encoders
    from factscope.evidence.ranking.model_files import model_folder

    return Encoders(lambda name: model_folder(name, settings.cache, os.environ), settings.cache / "vectors.db")


def _rules(settings: Settings) -> WebRules:
    from factscope.evidence.search import SearchOptions, Sites
    from factscope.evidence.web_source import WebRules

    options = SearchOptions(
        language=settings.language,
        region=settings.region,
        published_after=settings.published_after,
        published_before=settings.published_before,
    )
    return WebRules(Sites(settings.allow_sites, settings.deny_sites), settings.deny_categories, options)
