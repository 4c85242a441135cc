"""Resolution of a verifier's name, and a method with that verifier in place of its judge.

A name is a checker of the catalogue, a model of a hub, or a served language model.
"""

from __future__ import annotations

import re
from pathlib import Path

from factscope.core import UsageError, model_name
from factscope.judging.verifiers.published.checker_catalogue import CatalogueEntry, CheckerFiles, published, suggestion
from factscope.judging.verifiers.published.model_spec import ChatSpec, ClassifierSpec, read_form
from factscope.judging.verifiers.verifier_list import VERIFIERS
from factscope.methods import Cascade, Judge, Method, OneJudge, Panel
from factscope.methods import VerifierJudge as VerifierPart

BUILTIN = "builtin"
"""The verifier of the method `builtin`."""


def catalogue_entry(name: str) -> CatalogueEntry | None:
    """Return the checker of the catalogue; None for another valid name.

    Raises UsageError for an invalid name.
    """
    entry = published(name)
    if entry and isinstance(entry.form, ChatSpec):
        raise UsageError(
            f"{name} is a language model that is served, and is not fetched here.",
            f"Serve it, and name it as the model: --verifier {name} --model vllm/MODEL (see {entry.page}).",
        )
    if name in VERIFIERS:
        raise UsageError(f"{name} is installed: there is nothing to fetch.", f"Use it: --verifier {name}")
    if name == "builtin-large":
        raise UsageError(
            "The large built-in verifier is not installed.",
            "Install it from a clone of Factscope: pip install ./packages/verifier-large",
        )
    if entry is None and not model_name(name):
        raise UsageError(
            f"Unknown verifier {name[:200]!r}: no verifier or folder has that name.",
            suggestion(name, VERIFIERS.names()),
        )
    return entry


def source(name: str) -> CheckerFiles:
    """Return the files of a checker on a hub that is not in the catalogue: all files that it needs."""
    repository, revision = model_name(name) or (name, "")
    return CheckerFiles(repository=repository, revision=revision)


def chat_of(name: str) -> tuple[str, ChatSpec] | None:
    """Return the prompt file and format of a served checker: one of the catalogue, or a TOML file.

    It is None for any other.
    """
    entry = published(name)
    if entry and isinstance(entry.form, ChatSpec):
        return entry.prompt, entry.form
    if name.endswith(".toml"):
        form = read_form(Path(name))
        if isinstance(form, ClassifierSpec):
            raise UsageError(
                f"{name} declares a model that runs here, but does not say which.",
                "Name its folder, with this file in it as verifier.toml.",
            )
        return name, form
    return None


def pull(name: str) -> str:
    """Return the command that fetches a verifier."""
    return f"factscope verifiers pull {name}"


_FLOORED = ("builtin", "builtin-small", "builtin-large")
"""Verifiers for which the threshold of method `builtin` was measured; other verifiers have other confidences."""
_LONGEST_ANSWER = 16
"""Tokens of an answer in one word, with anything that a model may put around it."""


def judged_by(method: Method, verifier: str, *, has_model: bool) -> Method:
    """Return the method with a verifier as its judge; a served one is a model with the role `judge`.

    A verifier gives a label for each passage, so a method that expects just one for a claim takes the strongest. Raises
    UsageError for a method with a panel, which names its own, for a name that no verifier can have, and for a served
    verifier without a model.
    """
    if isinstance(method.judge, Panel):
        raise UsageError(
            f"Method {method.name} has a panel of judges, and {verifier} can't take their place.",
            "Name the verifier in a method file of your own, as one of the panel.",
        )
    if isinstance(method.judge, Cascade):
        first = _judge_settings(verifier, has_model=has_model)
        if not isinstance(first, VerifierPart):
            raise UsageError(f"{verifier} is a served model, and no first judge of a cascade.", "Name one that is not.")
        return method.model_copy(update={"judge": method.judge.model_copy(update={"verifier": first})})
    rules = method.roll_up.model_copy(update={"unit": "strongest"}) if method.roll_up.unit == "only" else method.roll_up
    if verifier not in _FLOORED:
        rules = rules.model_copy(update={"contradiction_floor": 0.0})
    last = Path(verifier).expanduser().resolve().name if Path(verifier).is_dir() else verifier
    called = re.sub(r"[^a-z0-9_-]+", "-", last.lower()).strip("-") or "folder"
    changed = {"name": f"{method.name}/{called}", "title": f"As {method.name}, judged by {verifier}"}
    judge = _judge_settings(verifier, has_model=has_model)
    if isinstance(judge, VerifierPart) and isinstance(method.judge, VerifierPart):
        together = method.judge.together if verifier in _FLOORED else 0
        judge = judge.model_copy(update={"spans": method.judge.spans, "together": together})
    return method.model_copy(update={**changed, "judge": judge, "roll_up": rules})


def _judge_settings(verifier: str, *, has_model: bool) -> OneJudge:
    served = chat_of(verifier)
    if served is None:
        if verifier not in VERIFIERS and not Path(verifier).expanduser().is_dir():
            catalogue_entry(verifier)  # an invalid name is reported before any file is read
        return VerifierPart(name=verifier)
    if not has_model:
        raise UsageError(
            f"The verifier {verifier} is a language model that is served, and no model is named.",
            f"Serve it and name it, such as --verifier {verifier} --model ollama/bespoke-minicheck.",
        )
    prompt, form = served
    return Judge(
        prompt=prompt,
        form="worded",
        labels={"supported": form.supported, "not_supported": form.not_supported},
        passages_per_call="one",
        max_tokens=_LONGEST_ANSWER,
        logprobs=True,
    )
