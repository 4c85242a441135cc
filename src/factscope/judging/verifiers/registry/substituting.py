"""A method with a verifier in place of its judge."""

from __future__ import annotations

import re
from pathlib import Path

from factscope.core.errors import UsageError
from factscope.judging.verifiers.registry.naming import catalogue_entry, chat_of
from factscope.judging.verifiers.verifier_list import VERIFIERS
from factscope.methods import Cascade, Judge, Method, OneJudge, Panel
from factscope.methods import VerifierJudge as VerifierPart

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
        judge = judge.model_copy(update={"spans": method.judge.spans})
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
