"""A checker of the Python interface from the options of a command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from factscope.cli.calling import load

if TYPE_CHECKING:
    from factscope.api.checker import Checker
    from factscope.engine.settings import Settings

_NAMED = ("method", "search", "verifier", "max_cost", "max_calls", "max_tokens")


def checker_of(flags: dict[str, Any]) -> tuple[Checker, Settings]:
    """Return the checker that these options and the settings ask for, with those settings. Raises UsageError."""
    from factscope.api.checker import Checker
    from factscope.engine.find_method import must_ask_a_model

    settings = load(flags)
    others = settings.model_fields_set - {*_NAMED, "evidence"}
    checker = Checker(
        **{name: getattr(settings, name) for name in _NAMED},
        evidence=list(settings.evidence) or None,
        settings={name: getattr(settings, name) for name in others},
    )
    must_ask_a_model([checker.method], flags.get("model") or [], search=settings.search)
    return checker, settings
