"""Verifiers by name: their list, downloads of published ones, and how any of them is opened and used.

    name → source of its files (`naming`) → folder with files and their hashes (`fetching`) → verifier (`opening`)
    method, name → the method with that verifier as its judge (`substituting`)

A name is one of the catalogue, `org/name` or `org/name@revision` of a hub, or a folder. Only `bring` fetches
anything; afterwards a checker works offline.
"""

from factscope.judging.verifiers.registry.checker_manifest import CheckerManifest, fetched, folder_of, manifest_of
from factscope.judging.verifiers.registry.fetching import FetchPlan, bring, plan
from factscope.judging.verifiers.registry.naming import BUILTIN, pull
from factscope.judging.verifiers.registry.opening import open_checker
from factscope.judging.verifiers.registry.substituting import judged_by

__all__ = [
    "BUILTIN",
    "CheckerManifest",
    "FetchPlan",
    "bring",
    "fetched",
    "folder_of",
    "judged_by",
    "manifest_of",
    "open_checker",
    "plan",
    "pull",
]
