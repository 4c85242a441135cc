"""Methods by name: those that come with Factscope, one file each, and those of other packages."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from factscope.core import Registry
from factscope.methods.method import Method

MakeMethod = Callable[[], Method]


def _of_package(name: str, loaded: Any) -> MakeMethod:
    if not isinstance(loaded, Method):
        raise TypeError(f"{name} is a {type(loaded).__name__}, not a Method")
    return lambda: loaded


METHODS: Registry[MakeMethod] = Registry("method", "factscope.methods", "factscope.methods.library", _of_package)
"""Functions that make the methods, by name. A method is made only when it is asked for."""


def register_method(name: str, make: MakeMethod) -> MakeMethod:
    """Register a method by a function that makes it and is called once. Raises ValueError when the name is taken."""
    return METHODS.add(name, cache(make))


def method_named(name: str) -> Method:
    """Return an installed method. Raises UsageError with near names when there is none."""
    return METHODS.get(name)()
