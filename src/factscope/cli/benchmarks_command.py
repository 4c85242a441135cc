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
                "id": entry.id,
                "title": entry.title,
                "form": entry.form.name,
                "hub": entry.hub,
                "revision": entry.revision,
                "sha256": entry.sha256,
                "licence": entry.licence,
                "citation": entry.citation,
                "page": entry.page,
                "files": entry.files,
            }
            for entry in DATASETS
        ]
        put_text(json.dumps(values, ensure_ascii=False, indent=2) + "\n", None)
        return

    def show(console: Any) -> None:
        from rich.padding import Padding
        from rich.text import Text

        for entry in DATASETS:
            console.print(Text(entry.id, "bold") + Text(f"  {entry.licence}", "not bold"))
            console.print(Padding(Text(entry.title), (0, 0, 0, 2)))
            console.print(Padding(Text(entry.citation, "dim"), (0, 0, 0, 2)))
            where = f"{entry.source} on the hub, or {entry.files}" if entry.source else f"--data with {entry.files}"
            console.print(Padding(Text(f"{where}; {entry.page}", "dim"), (0, 0, 0, 2)))
            console.print()

    put_console(show, None)
