"""`factscope benchmarks`: the labelled data sets that are known by name."""

from __future__ import annotations

from typing import Any

from factscope.cli.options import AsList, ListFormat

EXAMPLE = "Example: factscope benchmarks list --format json"


def list_benchmarks(
    format: AsList = ListFormat.TEXT,  # noqa: A002 - the option's name
) -> None:
    """List the labelled data sets, with where each comes from, its licence and how to cite it.

    None of them is part of Factscope. Those with an id on the Hugging Face hub are fetched when they are used; of the
    others, and of these too, a local copy is read: --data PATH. A file in one of their forms, or in the plain form
    (JSON lines with `response`, and `label`, `segments` or `claims`), can be named by itself.
    """
    from factscope.cli.output import put_console, put_text
    from factscope.datasets import DATASETS

    if format is ListFormat.JSON:
        import json

        values = [
            {
                "id": one.id,
                "title": one.title,
                "form": one.form.name,
                "hub": one.hub,
                "revision": one.revision,
                "sha256": one.sha256,
                "licence": one.licence,
                "citation": one.citation,
                "page": one.page,
                "files": one.files,
            }
            for one in DATASETS
        ]
        put_text(json.dumps(values, ensure_ascii=False, indent=2) + "\n", None)
        return

    def show(console: Any) -> None:
        from rich.padding import Padding
        from rich.text import Text

        for one in DATASETS:
            console.print(Text(one.id, "bold") + Text(f"  {one.licence}", "not bold"))
            console.print(Padding(Text(one.title), (0, 0, 0, 2)))
            console.print(Padding(Text(one.citation, "dim"), (0, 0, 0, 2)))
            where = f"{one.source} on the hub, or {one.files}" if one.source else f"--data with {one.files}"
            console.print(Padding(Text(f"{where}; {one.page}", "dim"), (0, 0, 0, 2)))
            console.print()

    put_console(show, None)
