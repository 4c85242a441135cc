"""Catalogue of published checkers, as data: files, licence, format (see `catalogue.toml`)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from importlib.resources import files
from typing import Any

from pydantic import ConfigDict, Field

from factscope.core import Documented
from factscope.judging.verifiers.published.model_spec import AnyForm
from factscope.llm.prompts.published_prompt import plain_values


class _CatalogueModel(Documented):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CheckerFiles(_CatalogueModel):
    """Files of one repository of a hub."""

    repository: str = Field(pattern=r"^[\w.-]+/[\w.-]+$")
    """Owner and name."""
    revision: str
    """The commit; a branch or tag is pinned to its commit when it is fetched."""
    paths: tuple[str, ...] = ()
    """Its files; empty for all files that a model needs."""
    sha256: Mapping[str, str] = {}
    """Hashes of files that are known in advance."""


class CatalogueEntry(_CatalogueModel):
    """A published checker."""

    name: str
    title: str
    """One line for a person."""
    paper: str
    page: str
    """Its model card."""
    source: str
    """Where its format is documented."""
    licence: str
    megabytes: int
    """Approximate size of the download, or of a served model."""
    form: AnyForm
    prompt: str = ""
    """Of a served model: the file with its question, which is also its format."""
    files: tuple[CheckerFiles, ...] = ()
    """Files to fetch; empty for a served model."""

    @property
    def revision(self) -> str:
        """The commit of its weights, 12 digits; empty for a served model."""
        return self.files[0].revision[:12] if self.files else ""

    @property
    def needs_torch(self) -> bool:
        """Whether it needs PyTorch to run here, since its repository has no ONNX file."""
        paths = [path for source in self.files for path in source.paths]
        return bool(paths) and not any(path.endswith(".onnx") for path in paths)


def _entry(name: str, fields: dict[str, Any]) -> CatalogueEntry:
    form = {"form": plain_values(fields["prompt"])} if "prompt" in fields else {}
    return CatalogueEntry(name=name, **{**fields, **form})


_READ = tomllib.loads(files(__package__).joinpath("catalogue.toml").read_text(encoding="utf-8"))
CATALOGUE = tuple(_entry(name, fields) for name, fields in _READ.items())


def published(name: str) -> CatalogueEntry | None:
    """Return the checker of this name; None when there is none."""
    return next((entry for entry in CATALOGUE if entry.name == name), None)


def suggestion(name: str, installed: Sequence[str]) -> str:
    """Return a hint with the nearest names of the catalogue and of what is installed."""
    names = [*installed, *(entry.name for entry in CATALOGUE)]
    near = [known for known in names if name and name.lower() in known] or get_close_matches(name, names, 2, 0.5)
    return f"Did you mean {' or '.join(near[:3])}?" if near else f"By name there are: {', '.join(names)}."
