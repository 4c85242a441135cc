"""Verifiers by name: their list, downloads of published ones, and how any of them is opened and used.

    name → source of its files (`naming`) → folder with files and their hashes (`fetching`) → verifier
    method, name → the method with that verifier as its judge (`naming`)

A name is one of the catalogue, `org/name` or `org/name@revision` of a hub, or a folder. Only `bring` fetches
anything; afterwards a checker works offline.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
