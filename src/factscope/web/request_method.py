"""The method of a request to the server: the one that it names, otherwise the default, with the request's changes."""

from __future__ import annotations

from typing import Any

from factscope.core import UsageError
from factscope.engine.find_method import default_method, method_names, must_ask_a_model, with_citations
from factscope.engine.settings import Settings
from factscope.judging.verifiers.registry import judged_by
from factscope.llm.models_by_role import ALL
from factscope.methods import Method, VerifierJudge
from factscope.methods.method_catalogue import method_named
from factscope.methods.method_file import method_from_values
from factscope.methods.strictness import with_strictness
from factscope.web.forms import CheckParameters

MEANING = "sentence-transformers/all-MiniLM-L6-v2"
"""The embedding model for a check that ranks by meaning with a method that names no model."""


SEARCH_OPTIONS = ("published_after", "published_before", "language", "region")
"""Parameters of a request that a search engine takes."""


def method_name(request: CheckParameters, settings: Settings) -> str:
    """Return the name of a request's method; if it names none, the default for its model or for the server's."""
    model = {"model": {ALL: request.model}} if request.model else {}
    return request.method or _default_name(settings.model_copy(update=model))


def _default_name(settings: Settings) -> str:
    """Return the default method; a file of the server's own is not one that a request could name."""
    name = default_method(settings)
    return name if name in method_names() else "builtin"


def method_of(request: CheckParameters, settings: Settings) -> Method:
    """Return the method of a request, with the request's changes. Raises UsageError."""
    method = method_named(method_name(request, settings))
    if settings.verifier and isinstance(method.judge, VerifierJudge):  # methods that ask a model go on to
        method = judged_by(method, settings.verifier, has_model=bool(settings.model))
    values = method.model_dump(mode="json")
    evidence, passages = values["evidence"], values["evidence"]["passages"]
    read = None if request.pages is None else "pages" if request.pages else "snippets"
    evidence |= _without_missing(results=request.results, read=read)
    passages |= _without_missing(top_k=request.passages, window=request.window, ranker=request.ranker)
    if passages["ranker"] != "bm25" and passages["model"] is None:
        passages["model"] = MEANING
    if request.passages is not None:
        evidence["most"] = max(evidence["most"], request.passages)
    method = method_from_values(values, f"method {method.name}")
    if strictness := request.strictness or settings.strictness:
        method = with_strictness(method, strictness)
    citation_options = {"cited": request.cited, "repair": request.repair, "offline": request.offline}
    if not request.cited and any(citation_options.values()):
        raise UsageError("repair and offline are about the citations of a text.", "Set cited too.")
    return with_citations(method, settings.model_copy(update=citation_options))


def _without_missing(**values: object) -> dict[str, object]:
    """Return the values that a request names."""
    return {name: value for name, value in values.items() if value not in (None, ())}


def must_use_its_model(request: CheckParameters, settings: Settings) -> None:
    """Raise UsageError if the request names a model that its method would not ask."""
    must_ask_a_model([method_of(request, settings)], [request.model] if request.model else [], search=request.search)


def default_parameters(settings: Settings) -> CheckParameters:
    """Return the parameters of a request that names none."""
    names = ("strictness", "cited", "repair", "offline") if settings.cited else ("strictness",)
    about = {each: getattr(settings, each) for each in names}
    return CheckParameters(method=_default_name(settings), **about)


def searching(request: CheckParameters) -> dict[str, Any]:
    """Return the settings of a search of the web that a request names."""
    fields = ("deny_categories", "allow_sites", "deny_sites", *SEARCH_OPTIONS)
    return {"search": request.search} | _without_missing(**{name: getattr(request, name) for name in fields})
