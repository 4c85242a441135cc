"""`factscope verifiers`: who judges without a language model, fetched by name and then used offline."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from factscope.cli.options import AsList, ListFormat

if TYPE_CHECKING:
    from factscope.config import Settings
    from factscope.judging.verifiers.published import Chat, Form, Published
    from factscope.rows.verifiers import Plan

LIST_EXAMPLE = "Example: factscope verifiers list --format json"
PULL_EXAMPLE = "Example: factscope verifiers pull hhem-2.1-open --yes"
SHOW_EXAMPLE = "Example: factscope verifiers show minicheck-roberta-large"
_WHERE = {"yes": "here", "no": "not fetched", "served": "served"}
_OWN = {
    "builtin": "comes with Factscope, needs nothing",
    "builtin-features": "the features of the built-in one alone: quicker, weaker, nothing that a person can't check",
}


def list_verifiers(
    format: AsList = ListFormat.TEXT,  # noqa: A002 - the option's name
) -> None:
    """List the verifiers that are known by name, with licence, size and whether each is here.

    Any other model of the hub, or a folder, can be named too, with its format declared: see factscope verifiers show.
    """
    from factscope.cli.output import put_console, put_text
    from factscope.judging.verifiers.published import CATALOGUE

    settings = _settings()
    if format is ListFormat.JSON:
        import json

        own = [{"name": name, "title": title, "licence": "Apache-2.0", "here": "yes"} for name, title in _OWN.items()]
        values = [_described(one, settings) for one in CATALOGUE]
        put_text(json.dumps([*own, *values], ensure_ascii=False, indent=2) + "\n", None)
        return
    rows = [(name, "here; Apache-2.0", title) for name, title in _OWN.items()]
    rows += [
        (one.name, f"{_WHERE[_here(one, settings)]}; {_size(one.megabytes)}, {one.licence}", one.title)
        for one in CATALOGUE
    ]

    def show(console: Any) -> None:
        from rich.padding import Padding
        from rich.text import Text

        for name, where, title in rows:
            console.print(Text(name, "bold") + Text(f"  {where}", "not bold"))
            console.print(Padding(Text(title, "dim"), (0, 0, 0, 2)))

    put_console(show, None)


def show(
    name: Annotated[str, typer.Argument(metavar="NAME|ID|FOLDER", help="A verifier.")],
    format: AsList = ListFormat.TEXT,  # noqa: A002 - the option's name
) -> None:
    """Show what is known of one verifier: files and hashes, licence, format, and where the format was read."""
    from factscope.cli.output import put_text
    from factscope.judging.verifiers.published import form_in, near, published
    from factscope.rows.verifiers import folder_of, manifest_of

    settings, known = _settings(), published(name)
    manifest, folder = manifest_of(name, settings.cache), folder_of(name, settings.cache)
    if Path(name).is_dir():
        known, folder = None, Path(name)
    if known:
        values = _described(known, settings)
    elif name in _OWN:
        values = {"name": name, "title": _OWN[name], "licence": "Apache-2.0", "here": "yes"}
    elif manifest or Path(name).is_dir():
        values = {"name": name, "licence": manifest.licence if manifest else "your own", **_form(form_in(folder))}
    else:
        from factscope.errors import UsageError

        raise UsageError(f"There is no verifier {name!r} here.", near(name))
    if manifest:
        values["folder"] = str(folder)
        values["fetched"] = {path: kept.model_dump() for path, kept in manifest.files.items()}
    if format is ListFormat.JSON:
        import json

        put_text(json.dumps(values, ensure_ascii=False, indent=2) + "\n", None)
        return
    put_text("".join(f"{key}: {_plain(value)}\n" for key, value in values.items()), None)


def pull(
    name: Annotated[str, typer.Argument(metavar="NAME|ID", help="A verifier of the list, or a model of the hub.")],
    form: Annotated[
        Path | None,
        typer.Option("--form", metavar="FILE", help="TOML file with the format of a model that is not known."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Fetch without asking.")] = False,
) -> None:
    """Fetch a verifier once: its licence and size are shown first. A download that broke off goes on where it was."""
    import os

    from factscope.cli.output import say
    from factscope.errors import UsageError
    from factscope.judging.verifiers.published import form_in, published
    from factscope.rows.verifiers import bring, open_checker, plan

    settings = _settings()
    if form is not None and published(name):
        raise UsageError(f"The format of {name} is known.", "Leave --form out.")
    planned = plan(name, os.environ)
    _show_plan(planned)
    if not yes and not _agreed():
        raise typer.Exit(1)
    folder = bring(
        planned, settings.cache, os.environ, form, lambda file: say(f"Fetching {file.path}, {_bytes(file.size)} …")
    )
    if published(name) is None:
        form_in(folder)  # a model whose outputs mean nothing known says so now, and what to do
    checker = open_checker(name, settings.cache)
    say(f"{checker.name} is in {folder}. Use it: factscope check TEXT --verifier {name}")


def _settings() -> Settings:
    from factscope.config import load_settings

    return load_settings({}, dot_env=True)[0]


def _show_plan(planned: Plan) -> None:
    from factscope.cli.output import say

    say(f"{planned.name}: licence {planned.licence}, {_bytes(planned.size)} to fetch")
    for file in planned.files:
        say(f"  {file.repository}@{file.commit[:12]}  {file.path}  {_bytes(file.size)}")


def _agreed() -> bool:
    """Asks the person; without one, says how to go on. Raises UsageError."""
    from factscope.errors import UsageError

    if not sys.stdin.isatty():
        raise UsageError("Nothing is fetched without a yes.", "Add --yes.")
    return typer.confirm("Fetch it?", err=True)


def _described(one: Published, settings: Settings) -> dict[str, Any]:
    return {
        "name": one.name,
        "title": one.title,
        "paper": one.paper,
        "page": one.page,
        "licence": one.licence,
        "megabytes": one.megabytes,
        "here": _here(one, settings),
        "files": [source.model_dump(mode="json") for source in one.files],
        **_form(one.form),
        "source": one.source,
    }


def _form(form: Form | Chat) -> dict[str, Any]:
    return {"form": form.model_dump(mode="json", exclude_none=True)}


def _here(one: Published, settings: Settings) -> str:
    from factscope.rows.verifiers import manifest_of

    if not one.files:
        return "served"
    return "yes" if manifest_of(one.name, settings.cache) else "no"


def _size(megabytes: int) -> str:
    return f"{megabytes / 1000:,.1f} GB" if megabytes >= 1000 else f"{megabytes:,} MB"


def _bytes(size: int | None) -> str:
    if size is None:
        return "size unknown"
    return _size(round(size / 1e6)) if size >= 1e6 else f"{size / 1e3:,.0f} kB"


def _plain(value: object) -> str:
    import json

    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
