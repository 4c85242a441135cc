"""Settings, and the only place that wires services together.

A setting comes from the first of: the call or flag, the environment (`FACTSCOPE_…`, or a `.env` in the working folder
for the command line), `factscope.toml` in the working folder, the default.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Annotated, Any, NamedTuple

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

from factscope.engine import Tools
from factscope.errors import UsageError
from factscope.evidence.collection import Collection, open_collection
from factscope.judging.verifier import Verifier
from factscope.method import Method, method_from_toml

PROJECT_FILE = "factscope.toml"


class Settings(BaseSettings):
    """What can be set once instead of on every call."""

    model_config = SettingsConfigDict(env_prefix="FACTSCOPE_", extra="forbid", use_attribute_docstrings=True)

    method: str = "builtin"
    """Method by name, or a TOML file."""
    evidence: Annotated[tuple[Path, ...], NoDecode] = ()
    """Files and folders to search; in the environment separated as in PATH."""
    store: Path = Field(default_factory=lambda: Path(platformdirs.user_data_dir("factscope")) / "runs.db")
    """The file that keeps checks."""
    cache: Path = Field(default_factory=lambda: Path(platformdirs.user_cache_dir("factscope")))
    """Folder of indexes; safe to delete."""
    workers: int = Field(default=4, ge=1, le=256)
    """Claims worked on at once."""
    min_score: float | None = Field(default=None, ge=0, le=1)
    """Exit with 3 when factual precision is below this."""
    min_coverage: float | None = Field(default=None, ge=0, le=1)
    """Exit with 4 when coverage is below this."""

    @field_validator("evidence", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return tuple(filter(None, value.split(os.pathsep))) if isinstance(value, str) else value

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


class Setting(NamedTuple):
    """One setting, and where its value came from."""

    name: str
    value: object
    source: str


def load_settings(flags: dict[str, Any] | None = None, *, dot_env: bool = False) -> tuple[Settings, list[Setting]]:
    """Settings and their sources. Flags that are None count as not given. Raises UsageError for a bad value."""
    _known_in_environment()
    given = {name: value for name, value in (flags or {}).items() if value is not None}
    sources = [("flag", given), ("environment", _read("the environment", EnvSettingsSource(Settings)))]
    if dot_env and Path(".env").is_file():
        found = _read(".env", lambda: DotEnvSettingsSource(Settings, Path(".env"))())  # noqa: PLW0108 - it reads when made
        sources.append((".env", {name: value for name, value in found.items() if name in Settings.model_fields}))
    if Path(PROJECT_FILE).is_file():
        found = _read(PROJECT_FILE, lambda: TomlConfigSettingsSource(Settings, Path(PROJECT_FILE))())  # noqa: PLW0108 - it reads when made
        sources.append((PROJECT_FILE, found))
    values: dict[str, Any] = {}
    came_from: dict[str, str] = {}
    for source, found in sources:
        for name, value in found.items():
            if name not in values:
                values[name], came_from[name] = value, source
    try:
        settings = Settings(**values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = str(first["loc"][0])
        known = ", ".join(Settings.model_fields)
        raise UsageError(
            f"Setting {name!r} from {came_from.get(name, 'a file')}: {first['msg']}.", f"Settings: {known}."
        ) from None
    return settings, [
        Setting(name, getattr(settings, name), came_from.get(name, "default")) for name in Settings.model_fields
    ]


def _known_in_environment() -> None:
    """Raises UsageError for a variable of ours that is no setting: a slip of the pen must not be passed over."""
    known = {f"FACTSCOPE_{name.upper()}" for name in Settings.model_fields}
    for name in sorted(os.environ):
        if name.startswith("FACTSCOPE_") and name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(sorted(known))}."
            raise UsageError(f"The environment has {name}, which is no setting.", hint)


def _read(name: str, source: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    try:
        return source()
    except (SettingsError, ValueError, OSError) as error:  # ValueError: neither TOML nor UTF-8
        raise UsageError(f"The settings in {name} can't be read: {error}.") from None


def method_names() -> list[str]:
    """Names of all methods that are installed."""
    return sorted(_method_entries())


def find_method(name: str) -> Method:
    """A method by name or from a TOML file. Raises UsageError with near matches when there is none."""
    if name.endswith(".toml"):
        return method_from_toml(Path(name))
    entries = _method_entries()
    if name not in entries:
        near = difflib.get_close_matches(name, entries, n=3, cutoff=0.4)
        hint = f"Did you mean {' or '.join(near)}?" if near else f"There are: {', '.join(sorted(entries))}."
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
    settings: Settings | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> Tools:
    """Everything a method may use: the documents named (files and folders), indexed, and the verifiers.

    `on_progress` is told how many files of how many are read. Raises UsageError for a path that is not there and
    InputError when none of the documents can be used; what is wrong with single files stands in
    `tools.collections["local"].problems`.
    """
    settings = settings or load_settings()[0]
    paths = [evidence] if isinstance(evidence, str | Path) else list(evidence or settings.evidence)
    collections: dict[str, Collection] = {}
    if paths:
        folder = settings.cache / "collections"
        collections["local"] = open_collection([Path(path) for path in paths], folder, on_progress)
    return Tools(collections=collections, verifiers={"builtin": _builtin_verifier}, workers=settings.workers)


def _builtin_verifier() -> Verifier:
    from factscope.judging import builtin

    return builtin.load()
