"""Published checkers: small models trained to say whether a passage supports a claim, run on this machine.

The properties of each are in `catalogue.toml`; any other declares its input format in its own file (`model_spec`).
"""

from factscope.judging.verifiers.published.checker_catalogue import (
    CATALOGUE,
    CatalogueEntry,
    CheckerFiles,
    published,
    suggestion,
)
from factscope.judging.verifiers.published.model_spec import ChatSpec, ClassifierSpec, form_in, read_form
from factscope.judging.verifiers.published.published_checker import PublishedChecker

__all__ = [
    "CATALOGUE",
    "CatalogueEntry",
    "ChatSpec",
    "CheckerFiles",
    "ClassifierSpec",
    "PublishedChecker",
    "form_in",
    "published",
    "read_form",
    "suggestion",
]
