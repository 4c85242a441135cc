"""Methods by name or from a file, with the settings that change them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from factscope.core import UsageError
from factscope.engine.settings import Settings
from factscope.llm.session import steps
from factscope.methods import Method, cited
from factscope.methods.method_catalogue import METHODS, method_named
from factscope.methods.method_file import method_from_toml, variants
from factscope.methods.strictness import with_strictness

if TYPE_CHECKING:
    from factscope.llm.model_size import LocalModel


@cache
def method_names() -> tuple[str, ...]:
    """Return names of all methods that are installed."""
    return METHODS.names()


def default_method(settings: Settings) -> str:
    """Return the method when none is named: `standard` with a model and no verifier, otherwise `builtin`.

    If all models are local and known to be small, it is `small`.
    """
    if settings.method:
        return settings.method
    if not settings.model or settings.verifier:
        return "builtin"
    models = local_models(settings)
    return "small" if all(model is not None and model.small for model in models) else "standard"


def local_models(settings: Settings) -> list[LocalModel | None]:
    """Return the models of the settings with their sizes; None for one that is not on the user's own machine."""
    if not settings.model:
        return []
    from factscope.llm.model_size import local_model

    live = settings.replay is None and settings.batch is None
    return [local_model(model, os.environ, ask_server=live) for model in settings.model.values()]


def note_on_size(settings: Settings) -> str:
    """Return a note if the size of a local model changes the default method, or might; otherwise an empty text."""
    if settings.method or settings.verifier:
        return ""
    models = [model for model in local_models(settings) if model is not None]
    if default_method(settings) == "small":
        sizes = ", ".join(
            f"{model.name} has {(model.parameters or 0) / 1e9:.2g} billion parameters" for model in models
        )
        return (
            f"{sizes}, so the method is small; its verdicts are worth little. To choose: --method standard or builtin."
        )
    unknown = ", ".join(model.name for model in models if model.parameters is None)
    if not unknown:
        return ""
    return f"The size of {unknown} is not known. For a model of up to 3 billion parameters: --method small."


def chosen_method(settings: Settings, name: str | None = None) -> Method:
    """Return the method of this name, otherwise the default, with the verifier of the settings as its judge.

    Raises UsageError.
    """
    return with_citations(with_verifier(find_method(name or default_method(settings)), settings), settings)


def with_citations(method: Method, settings: Settings) -> Method:
    """Return the method, for the citations of a text where the settings ask for these. Raises UsageError."""
    if not settings.cited:
        return method
    try:
        return cited(method, repair=settings.repair)
    except ValueError as error:
        raise UsageError(f"{str(error)[:1].upper()}{str(error)[1:]}.", "Use builtin or standard.") from None


def with_verifier(method: Method, settings: Settings) -> Method:
    """Return the method with the verifier and the strictness of the settings, if they name any. Raises UsageError."""
    if settings.verifier is not None:
        from factscope.judging.verifiers.registry import judged_by

        method = judged_by(method, settings.verifier, has_model=bool(settings.model))
    return method if settings.strictness is None else with_strictness(method, settings.strictness)


def must_ask_a_model(methods: Sequence[Method], models: Sequence[str], *, search: str | None) -> None:
    """Raise UsageError if `models` are named for one command or call, and none of its methods asks a model.

    A search of the web asks one too. Models from the environment or a file are for all commands, and may go unused.
    """
    if not models or search or any(list(steps(each)) for method in methods for each in variants(method)):
        return
    names = " and ".join(method.name for method in methods) or "Nothing here"
    raise UsageError(
        f"{names} {'ask' if len(methods) > 1 else 'asks'} no language model: {', '.join(models)} would not be used.",
        "Leave the model out, or name a method that asks one, such as standard.",
    )


def find_method(name: str) -> Method:
    """Return a method by name or from a TOML file. Raises UsageError with near matches when there is none."""
    if name.endswith(".toml"):
        return method_from_toml(Path(name))
    if name.startswith("felm/published/"):
        raise UsageError(
            f"The method {name!r} takes the prompts of FELM's authors, which are not part of Factscope.",
            "Name a copy of their folder eval/prompt: factscope meta felm --prompts FOLDER --method " + name,
        )
    return method_named(name)
