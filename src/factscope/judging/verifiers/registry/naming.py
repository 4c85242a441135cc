"""Resolution of a verifier's name: a checker of the catalogue, a model of a hub, or a served language model."""

from __future__ import annotations

import re
from pathlib import Path

from factscope.core.errors import UsageError
from factscope.judging.verifiers.published.checker_catalogue import CatalogueEntry, CheckerFiles, published, suggestion
from factscope.judging.verifiers.published.model_spec import ChatSpec, ClassifierSpec, read_form
from factscope.judging.verifiers.verifier_list import VERIFIERS

BUILTIN = "builtin"
"""The verifier of the method `builtin`."""
_NAME = re.compile(r"([\w.-]+/[\w.-]+)(?:@([^:\s]+))?", re.ASCII)


def catalogue_entry(name: str) -> CatalogueEntry | None:
    """Return the checker of the catalogue; None for another valid name.

    Raises UsageError for an invalid name.
    """
    entry = published(name)
    if entry and isinstance(entry.form, ChatSpec):
        raise UsageError(
            f"{name} is a language model that is served, and is not fetched here.",
            f"Serve it, and name it as the model: --verifier {name} --model vllm/MODEL (see {entry.page}).",
        )
    if name in VERIFIERS:
        raise UsageError(f"{name} is installed: there is nothing to fetch.", f"Use it: --verifier {name}")
    if entry is None and not _NAME.fullmatch(name):
        raise UsageError(f"There is no verifier and no folder {name[:200]!r}.", suggestion(name))
    return entry


def source(name: str) -> CheckerFiles:
    """Return the files of a checker on a hub that is not in the catalogue: all files that it needs."""
    match = _NAME.fullmatch(name)
    return (
        CheckerFiles(repository=match[1], revision=match[2] or "main")
        if match
        else CheckerFiles(repository=name, revision="")
    )


def chat_of(name: str) -> tuple[str, ChatSpec] | None:
    """Return the prompt file and format of a served checker: one of the catalogue, or a TOML file.

    It is None for any other.
    """
    entry = published(name)
    if entry and isinstance(entry.form, ChatSpec):
        return entry.prompt, entry.form
    if name.endswith(".toml"):
        form = read_form(Path(name))
        if isinstance(form, ClassifierSpec):
            raise UsageError(
                f"{name} declares a model that runs here, but does not say which.",
                "Name its folder, with this file in it as verifier.toml.",
            )
        return name, form
    return None


def pull(name: str) -> str:
    """Return the command that fetches a verifier."""
    return f"factscope verifiers pull {name}"
