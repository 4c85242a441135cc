"""Extensions of one kind by name: those that come with Factscope, and those of other packages.

Factscope's own are the modules of one package, which register themselves when they are imported; adding one means
adding a file. Other packages declare theirs as entry points of one group; an entry point is loaded when its name is
asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pkgutil import iter_modules
from threading import get_ident
from typing import Any, Generic, TypeVar

from factscope.core.errors import FactscopeError, UsageError
from factscope.core.near_names import did_you_mean

T = TypeVar("T")


def must_be(kind: type[T]) -> Callable[[str, Any], T]:
    """Return an `adapt` function for a registry whose entry points already have the right type."""

    def adapt(name: str, loaded: Any) -> T:
        if not isinstance(loaded, kind):
            raise TypeError(f"{name} is a {type(loaded).__name__}, not a {kind.__name__}")
        return loaded

    return adapt


class Registry(Generic[T]):
    """Extensions of one kind by name, in order of their names; those of other packages come last."""

    def __init__(self, kind: str, group: str, package: str, adapt: Callable[[str, Any], T]) -> None:
        """`kind` names an extension in messages; `package` holds Factscope's own.

        `adapt` turns a name and the object at its entry point into an extension. Raises TypeError if it can't.
        """
        self.kind, self.group = kind, group
        self._package, self._adapt = package, adapt
        self._own: dict[str, T] = {}
        self._loaded: dict[str, T] = {}
        self._imported = False
        self._importing: set[int] = set()  # threads

    def add(self, name: str, extension: T) -> T:
        """Register an extension and return it. Raises ValueError when the name is taken."""
        if name in self._own:
            raise ValueError(f"there is a {self.kind} {name!r} already")
        self._own[name] = extension
        return extension

    def remove(self, name: str) -> None:
        """Remove an extension that was registered by hand."""
        del self._own[name]

    def names(self) -> tuple[str, ...]:
        """Return the names of all installed extensions."""
        self._import_own()
        return (
            *sorted(self._own),
            *sorted({entry.name for entry in entry_points(group=self.group)} - self._own.keys()),
        )

    def __contains__(self, name: object) -> bool:
        self._import_own()
        return name in self._own or name in self.names()  # entry points of other packages are read from disk each time

    def __iter__(self) -> Iterator[T]:
        return (self.get(name) for name in self.names())

    def get(self, name: str) -> T:
        """Return an extension by name.

        Raises UsageError with near names when there is none, and when that of another package can't be loaded.
        """
        self._import_own()
        if name in self._own:
            return self._own[name]
        if name not in self._loaded:
            entry = next((entry for entry in entry_points(group=self.group) if entry.name == name), None)
            if entry is None:
                raise UsageError(f"Unknown {self.kind} {name!r}.", self.hint(name))
            self._loaded[name] = self._load(entry)
        return self._loaded[name]

    def hint(self, wrong: str) -> str:
        """Return the names nearest to a wrong one, or all of them when none is near."""
        return did_you_mean(wrong.lower(), self.names(), n=3, cutoff=0.5)

    def _load(self, entry: EntryPoint) -> T:
        try:
            loaded = entry.load()
            # A decorator in its module has registered it.
            return self._own[entry.name] if entry.name in self._own else self._adapt(entry.name, loaded)
        except FactscopeError:
            raise
        except Exception as error:  # a mistake in another package
            reason = f"{type(error).__name__}: {error}"
            raise UsageError(
                f"The {self.kind} {entry.name!r} can't be loaded: {reason}.",
                f"It is {entry.value}, an entry point of the group {self.group}.",
            ) from error

    def _import_own(self) -> None:
        thread = get_ident()
        if self._imported or thread in self._importing:  # a module may look up others of its package
            return
        self._importing.add(thread)
        try:
            for module in iter_modules(import_module(self._package).__path__):
                import_module(f"{self._package}.{module.name}")  # waits for a thread that imports it already
        finally:
            self._importing.discard(thread)
        self._imported = True  # only now: else other threads would miss what is not registered yet
