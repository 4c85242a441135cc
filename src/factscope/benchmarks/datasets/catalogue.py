"""The labelled data sets that are known by name: their source, licence and citation.

None of them comes with Factscope. A hash or revision that is not known here is None: the hash of the first file from
the hub is then stored, and later ones are compared with it. Other packages add data sets as entry points of the group
`factscope.datasets`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from factscope.benchmarks.datasets.labelled_rows import DatasetForm
from factscope.core import Registry, must_be


class Benchmark(NamedTuple):
    """A data set that is known by name."""

    id: str
    title: str
    form: DatasetForm
    licence: str
    """As its owners state it."""
    citation: str
    page: str
    """Web page about it."""
    hub: str | None = None
    """Its id on the Hugging Face hub, with the part that is read; None for a data set that is not on the hub."""
    revision: str | None = None
    """The commit that is read."""
    sha256: str | None = None
    """Of its file; for several files, of their hashes in order."""
    files: str = ""
    """Files that a local copy consists of."""

    @property
    def source(self) -> str | None:
        """Return the name of the data set on the hub: `org/name@revision:part`."""
        if self.hub is None:
            return None
        name, colon, config = self.hub.partition(":")
        return f"{name}{f'@{self.revision}' if self.revision else ''}{colon}{config}"


DATASETS: Registry[Benchmark] = Registry(
    "data set", "factscope.datasets", "factscope.benchmarks.datasets.sets", must_be(Benchmark)
)
"""The data sets that are known by name."""
_FORMS: dict[str, DatasetForm] = {}


def register_known(name: str, form: DatasetForm) -> Benchmark:
    """Register a data set that `sets/known.toml` describes, in its form."""
    return register_dataset(Benchmark(id=name, form=form, **_known()[name]))


@cache
def _known() -> dict[str, dict[str, str]]:
    return tomllib.loads(files("factscope.benchmarks.datasets.sets").joinpath("known.toml").read_text(encoding="utf-8"))


def register_dataset(dataset: Benchmark) -> Benchmark:
    """Register a data set and its form. Raises ValueError for a name that is taken."""
    register_form(dataset.form)
    return DATASETS.add(dataset.id, dataset)


def register_form(form: DatasetForm) -> DatasetForm:
    """Register a form of files that belong to no known data set. Raises ValueError for a name that is taken."""
    if _FORMS.setdefault(form.name, form) is not form:
        raise ValueError(f"there is a form {form.name!r} already")
    return form


def form_with(columns: Collection[str]) -> DatasetForm | None:
    """Return the form with the most matching columns; None when no form matches."""
    DATASETS.names()  # Factscope's own are registered on first use
    matching = {
        name: max((len(group) for group in form.columns if set(group) <= set(columns)), default=0)
        for name, form in sorted(_FORMS.items())
    }
    best = max(matching, key=lambda name: matching[name])
    return _FORMS[best] if matching[best] else None
