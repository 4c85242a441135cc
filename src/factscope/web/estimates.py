"""Estimates of a check, and the same check on the command line; nothing is called."""

from __future__ import annotations

import shlex

from factscope.engine import as_response
from factscope.engine import estimate as engine_estimate
from factscope.engine.estimate import CountRange as Span
from factscope.engine.estimate import ResponseShape
from factscope.engine.open_tools import price_finder
from factscope.engine.settings import Settings
from factscope.evidence.sources import ASK
from factscope.judging.verifiers.unsupported_input import other_language
from factscope.llm.models_by_role import ALL
from factscope.methods import Evidence, Method, VerifierJudge
from factscope.methods.method_catalogue import method_named
from factscope.web.forms import CheckRequest, Estimate, Range, StoredRequest
from factscope.web.request_method import method_name, method_of, searching

_LONGEST_SHOWN = 200  # characters of a text in a command line
_BUILTIN_SECONDS = 0.15
"""Seconds for a claim and its evidence, by the built-in verifier on local documents: on two cores the small one takes
30 s for the 316 sentences of fifteen texts (training/texts)."""


def estimate(request: CheckRequest, settings: Settings) -> Estimate:
    """Return the estimate for a request. Raises UsageError, InputError for one that could not be checked."""
    request = request.model_copy(update={"method": method_name(request, settings)})
    method = method_of(request, settings)
    response = as_response(request.text)
    shape = engine_estimate.shape_of(response, method)
    asked_by_web = (ASK,) if request.search and _model(ASK.role, request, settings) else ()
    estimates = engine_estimate.expected(method, shape, asked_by_web)
    notes = ["Assumes an empty cache; cached calls are free."] if estimates else []
    models = {estimate.role: _model(estimate.role, request, settings) for estimate in estimates}
    cost = None
    if not estimates:
        cost = Span(0, 0)
    elif any(name is None for name in models.values()):
        notes.append("No model is configured, so that the price is not known.")
    else:
        cost = engine_estimate.money(
            estimates, {role: name or "" for role, name in models.items()}, price_finder(settings)
        )
        notes += [] if cost else ["The price of the model is not known."]
    if request.max_cost is not None and estimates:
        notes += _limited(request.max_cost, cost)
    fetches = request.cited and not (request.offline or settings.offline)
    if fetches:
        notes.append("Fetching the cited sources takes as long as their servers do.")
    notes += _left_out(request)
    if request.search:
        notes.append("Pages of the web take longer, and your search provider may charge for each query.")
    expected_calls = engine_estimate.calls(estimates)
    sent, received = engine_estimate.tokens(estimates)
    return Estimate(
        calls=_rounded(expected_calls),
        tokens_in=_rounded(sent),
        tokens_out=_rounded(received),
        cost=Range(low=round(cost.low, 4), high=round(cost.high, 4)) if cost else None,
        seconds=_seconds(method, shape, expected_calls, settings, web=bool(request.search) or fetches),
        notes=tuple(notes),
        unread_language=_unread_language(method, response.text),
        command=command(request),
        body=_body(request, method),
    )


def _unread_language(method: Method, text: str) -> str | None:
    """Return the language of a text that the method's built-in verifier can't read; None otherwise."""
    if not isinstance(method.judge, VerifierJudge) or method.judge.name != "builtin":
        return None
    from factscope.judging.verifiers.builtin.reading import LANGUAGES

    return other_language(text, LANGUAGES)


def _limited(most: float, cost: Span | None) -> list[str]:
    """State how a limit on money affects the estimate."""
    if cost is None:
        return ["A limit on money can't be kept where the price is not known: such a check is refused."]
    if cost.high > most:
        return [f"It may come to its limit of ${most:g}; what is not done by then fails, and can be tried again."]
    return []


def _model(role: str, request: CheckRequest, settings: Settings) -> str | None:
    return request.model or settings.model.get(role) or settings.model.get(ALL)


def _rounded(span: Span) -> Range:
    return Range(low=round(span.low), high=round(span.high))


def _seconds(method: Method, shape: ResponseShape, span: Span, settings: Settings, *, web: bool) -> Range | None:
    if not span.high:
        return None if web else Range(low=0, high=round(1 + shape.claims.high * _BUILTIN_SECONDS, 1))
    low, high = engine_estimate.seconds(method, span, settings.in_flight)
    return Range(low=round(low, 1), high=round(high, 1))


def _body(request: CheckRequest, method: Method) -> CheckRequest:
    """Return the request with the method's values for missing fields."""
    return request.model_copy(update={**_parameters(method.evidence), "documents": ()})


def _parameters(evidence: Evidence) -> dict[str, object]:
    """Return a method's values of the parameters that are not options of the command line."""
    passages = evidence.passages
    values = {"results": evidence.results, "pages": evidence.read == "pages", "passages": passages.top_k}
    return {**values, "window": passages.window, "ranker": passages.ranker}


def _left_out(request: CheckRequest) -> list[str]:
    """State which parameters the command can't name."""
    usual = _parameters(method_named(request.method or "").evidence)
    names = ", ".join(name for name, value in usual.items() if getattr(request, name) not in (None, value))
    return [f"The command leaves out {names}: these need a method file."] if names else []


def command(request: CheckRequest | StoredRequest) -> str:
    """Write the same check as a command line; settings without an option become environment variables.

    A text of several lines, a long one, and one that would be read as an option stand in a file.
    """
    variables = searching(request)
    variables.pop("search")
    text = request.text.strip()
    in_file = len(text) > _LONGEST_SHOWN or len(text.splitlines()) > 1 or text.startswith("-")
    words = ["factscope", "check", "text.txt" if in_file else text]
    words += [word for document in request.documents for word in ("--evidence", document.name)]
    words += [word for number in range(1, len(request.contexts) + 1) for word in ("--context", f"context-{number}.txt")]
    for name in ("question", "method", "model", "search"):
        words += [f"--{name}", value] if (value := getattr(request, name)) else []
    words += [f"--{name}" for name in ("cited", "repair", "offline") if getattr(request, name)]
    words += ["--strictness", request.strictness] if request.strictness else []
    words += ["--max-cost", f"{request.max_cost:g}"] if request.max_cost is not None else []
    texts = {name: ",".join(value) if isinstance(value, tuple) else str(value) for name, value in variables.items()}
    environment_text = [f"FACTSCOPE_{name.upper()}={shlex.quote(text)}" for name, text in texts.items() if text]
    return " ".join([*environment_text, shlex.join(words)])
