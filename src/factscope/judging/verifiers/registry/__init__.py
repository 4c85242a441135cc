"""Verifiers by name: their list, downloads of published ones, and how any of them is opened and used.

    name → source of its files (`naming`) → folder with files and their hashes (`fetching`) → verifier
    method, name → the method with that verifier as its judge (`naming`)

A name is one of the catalogue, `org/name` or `org/name@revision` of a hub, or a folder. Only `bring` fetches
anything; afterwards a checker works offline.
"""

from factscope.judging.verifiers.registry.fetching import (
    CheckerManifest,
    FetchPlan,
    available,
    bring,
    fetched,
    folder_of,
    manifest_of,
    open_checker,
    plan,
)
from factscope.judging.verifiers.registry.naming import BUILTIN, judged_by, pull

__all__ = [
    "BUILTIN",
    "CheckerManifest",
    "FetchPlan",
    "available",
    "bring",
    "fetched",
    "folder_of",
    "judged_by",
    "manifest_of",
    "open_checker",
    "plan",
    "pull",
]
