"""`factscope verifiers`: who judges without a language model, fetched by name and then used offline."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import typer

from factscope.cli.options import AsList
from factscope.cli.output import log, must_confirm, put_console, put_json, put_text
from factscope.core import UsageError
from factscope.engine.settings import Settings, load_settings
from factscope.judging.verifiers import registry
from factscope.judging.verifiers.protocol import ClaimPair
from factscope.judging.verifiers.published.checker_catalogue import CATALOGUE, CatalogueEntry, published
from factscope.judging.verifiers.published.model_spec import ChatSpec, ClassifierSpec, form_in
from factscope.judging.verifiers.registry import CheckerManifest, manifest_of, open_checker
from factscope.judging.verifiers.registry.naming import catalogue_entry as possible
from factscope.judging.verifiers.verifier_list import VERIFIERS, VerifierEntry, Verifiers
from factscope.report.console import print_entry, styled
from factscope.report.wording import inert, one_line

_WHERE = {"yes": "here", "no": "not fetched", "served": "served"}
_TRIED = ("The bridge was opened in 1931.", "The Marlow bridge was opened in 1931 and carries two lanes.")
"""Claim and passage by which a verifier is tried when it was fetched."""


def list_verifiers(format: AsList = "text") -> None:  # noqa: A002 - the option's name
    """List the verifiers that are known by name or were fetched, with licence, size and whether each is here.

    Any other model of the hub, or a folder, can be named too, with its format declared: see factscope verifiers show.

    Example: factscope verifiers list --format json
    """
    settings = _settings()
    values = [
        *map(_describe_builtin, VERIFIERS),
        *(_described(entry, settings) for entry in CATALOGUE),
        *_others(settings),
    ]
    if format == "json":
        put_json(values)
        return

    def print_verifiers(console: Any) -> None:
        for verifier in values:
            size = f"{_size(verifier['megabytes'])}, " if "megabytes" in verifier else ""
            torch = ", needs PyTorch" if verifier.get("needs_torch") else ""
            where = f"{_WHERE[verifier['here']]}; {size}{verifier['licence']}{torch}"
            print_entry(console, verifier["name"], where, styled(one_line(verifier["title"]), "dim"))

    put_console(print_verifiers, None)


def show(
    name: Annotated[str, typer.Argument(metavar="NAME|ID|FOLDER", help="A verifier.")],
    format: AsList = "text",  # noqa: A002 - the option's name
) -> None:
    """Show the details of one verifier: files and hashes, licence, format, and where the format was read.

    Example: factscope verifiers show minicheck-roberta-large
    """
    values = _known_of(name, _settings())
    if format == "json":
        put_json(values)
        return
    put_text("".join(f"{line}\n" for line in _lines(values)), None)


def _known_of(name: str, settings: Settings) -> dict[str, Any]:
    """Return the description of a verifier. Raises UsageError, with a way to install it, when it is not here."""
    if name in VERIFIERS:
        entry = VERIFIERS.get(name)
        card = files("factscope.judging.verifiers.builtin").joinpath(entry.card)
        judge = Verifiers(settings.cache)[name]().name
        return {**_describe_builtin(entry), "judge": judge, **({"card": str(card)} if entry.card else {})}
    if Path(name).expanduser().is_dir():
        checker = open_checker(name, settings.cache)
        return {"name": name, "licence": "your own", "here": "yes", "judge": checker.name, **_form(checker.form)}
    entry_known, manifest = published(name), manifest_of(name, settings.cache)
    values = _described(entry_known, settings) if entry_known else {}
    if manifest:
        values = values or _other(manifest, settings) | _form(form_in(registry.folder_of(name, settings.cache)))
        values["judge"] = open_checker(name, settings.cache).name
        values["folder"] = str(registry.folder_of(name, settings.cache))
        values["fetched"] = {path: fetched_file.model_dump() for path, fetched_file in manifest.files.items()}
    if not values:
        possible(name)  # raises for what can be no name at all
        raise UsageError(f"The verifier {name} is neither installed nor known.", f"Fetch it: {registry.pull(name)}")
    return values


def pull(
    name: Annotated[str, typer.Argument(metavar="NAME|ID", help="A verifier of the list, or a model of the hub.")],
    form: Annotated[
        Path | None, typer.Option(metavar="FILE", help="TOML file with the format of an unknown model.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Fetch without asking.")] = False,
) -> None:
    """Fetch a verifier once: its licence and size are shown first. An interrupted download is resumed.

    Example: factscope verifiers pull hhem-2.1-open --yes
    """
    settings = _settings()
    if form is not None and published(name):
        raise UsageError(f"The format of {name} is known.", "Leave --form out.")
    planned = registry.plan(name, os.environ)
    log(f"{planned.name}: licence {planned.licence}, {_bytes(planned.size)} to fetch")
    for file in planned.files:
        log(f"  {file.repository}@{file.commit[:12]}  {file.path}  {_bytes(file.size)}")
    if not yes:
        must_confirm("Fetch it?", "Nothing is downloaded without confirmation.")
    folder = registry.bring(
        planned, settings.cache, os.environ, form, lambda file: log(f"Fetching {file.path}, {_bytes(file.size)} …")
    )
    checker = open_checker(name, settings.cache)
    log(f"{checker.name} is in {folder}.")
    checker.verify([ClaimPair(*_TRIED)])  # one that can't be run says so now
    log(f"Use it: factscope check TEXT --verifier {name}")


def _settings() -> Settings:
    return load_settings(dot_env=True)[0]


def _describe_builtin(entry: VerifierEntry) -> dict[str, Any]:
    return {"name": entry.name, "title": entry.title, "licence": entry.licence, "here": "yes"}


def _others(settings: Settings) -> list[dict[str, Any]]:
    """Describe the fetched verifiers that are not in the catalogue."""
    manifests = [
        manifest_of(name, settings.cache) for name in registry.fetched(settings.cache) if published(name) is None
    ]
    return [_other(manifest, settings) for manifest in manifests if manifest]


def _other(manifest: CheckerManifest, settings: Settings) -> dict[str, Any]:
    folder = registry.folder_of(manifest.name, settings.cache)
    present = [path for path in (folder / name for name in manifest.files) if path.is_file()]
    return {
        "name": manifest.name,
        "title": "fetched by its name on the hub",
        "licence": manifest.licence,
        "megabytes": round(sum(path.stat().st_size for path in present) / 1e6),
        "here": "yes",
    }


def _described(entry: CatalogueEntry, settings: Settings) -> dict[str, Any]:
    values = entry.model_dump(mode="json", exclude={"prompt", "form"})
    here = "served" if not entry.files else "yes" if manifest_of(entry.name, settings.cache) else "no"
    return {**values, "needs_torch": entry.needs_torch, "here": here, **_form(entry.form)}


def _form(form: ClassifierSpec | ChatSpec) -> dict[str, Any]:
    return {"form": form.model_dump(mode="json", exclude_none=True)}


def _size(megabytes: int) -> str:
    return f"{megabytes / 1000:,.1f} GB" if megabytes >= 1000 else f"{megabytes:,} MB"


def _bytes(size: int | None) -> str:
    if size is None:
        return "size unknown"
    if size < 1e6:
        return f"{size / 1e3:,.0f} kB" if size >= 1e3 else f"{size:,} bytes"
    return _size(round(size / 1e6))


def _lines(value: object, indent: str = "") -> Iterator[str]:
    """Yield values for people: one on each line, nested ones indented."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if inner in ({}, [], ""):
                continue
            plain = _plain(inner)
            yield f"{indent}{inert(key)}:" + ("" if plain is None else f" {inert(plain)}".rstrip())
            if plain is None:
                yield from _lines(inner, f"{indent}  ")
    elif isinstance(value, list):
        for inner in value:
            yield from _lines(inner, indent)


def _plain(value: object) -> str | None:
    """Return a value that fits on one line; None for one with values in it."""
    if isinstance(value, list) and all(isinstance(element, str) for element in value):
        return ", ".join(value)
    if isinstance(value, (dict, list)):
        return None
    return value if isinstance(value, str) and value.isprintable() else json.dumps(value, ensure_ascii=False)
