"""`facts-grounding`: whether a response is grounded in its document, and answers the request (Jacovi et al. 2025).

Phase A: each judge of a panel decides whether the whole response is accurate to the documents that came with the
request, with the template that worked best for that judge (section 4.1: JSON twice, implicit spans once). Phase B: each
judge decides whether the response does what was asked, compared with the judge's own answer; a response is ineligible
only when all judges call it so. The benchmark computes a score per judge and never a vote; the verdict of a single
check is the majority's.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from factscope.core import Label, UsageError, family
from factscope.methods import REPLY_FORMATS, Ask, Eligible, Evidence, Judge, Method, Panel, RollUp, Rubric
from factscope.methods.method_catalogue import register_method

_BINARY: dict[Label, str] = {"supported": "Accurate", "not_supported": "Inaccurate"}
_BY_SENTENCE: dict[Label, str] = {
    "supported": "supported",
    "not_enough_evidence": "unsupported",
    "contradicted": "contradictory",
    "irrelevant": "no_rad",
}
_GRADES: dict[Label, str] = {
    "supported": "Correct",
    "contradicted": "Incorrect",
    "not_enough_evidence": "Not Attempted",
}


class Template(NamedTuple):
    """One of the paper's seven templates that ask a judge about grounding."""

    prompt: str
    """Our version of the template, in our own words."""
    official: str | None
    """Its name in the published file; None for the template that is not in it."""
    form: str
    labels: dict[Label, str]
    official_form: str | None = None
    """Form of the replies to the published template, where it differs."""


TEMPLATES: dict[str, Template] = {
    "response": Template("facts_grounding/response", "response_level", "bracketed", _BINARY, "worded"),
    "span": Template("facts_grounding/span", "span_level", "spans", _BINARY),
    "implicit": Template("facts_grounding/implicit", "implicit_span_level", "marked", _BINARY),
    "json": Template("facts_grounding/json", "json", "sentences", _BY_SENTENCE),
    "json_alt": Template("facts_grounding/json_alt", "json_alt", "sentences", _BY_SENTENCE),
    "json_double_check": Template("facts_grounding/json", "json", "sentences", _BY_SENTENCE),
    "simpleqa": Template("facts_grounding/simpleqa", None, "bracketed", _GRADES),
}
"""All templates, by the names that users select them with."""
DOUBLE_CHECK = ("facts_grounding/double_check", "json_with_double_check")
ELIGIBILITY = {
    "without_context": ("facts_grounding/eligible", "ineligible_responses_filter_no_context"),
    "with_context": ("facts_grounding/eligible_with_context", "ineligible_responses_filter_with_context"),
}
"""Our template and the name of the published one. The paper uses `without_context` for all judges."""
PUBLISHED = ("json", "json", "implicit")
"""Templates that the paper uses for Gemini 1.5 Pro, GPT-4o and Claude 3.5 Sonnet."""
PANELS: dict[str, tuple[str, ...]] = {
    "v1": ("json=gemini/gemini-1.5-pro", "json=openai/gpt-4o", "implicit=anthropic/claude-3-5-sonnet-latest"),
    "v2": ("json=gemini/gemini-2.5-flash", "json=openai/gpt-5"),
}
"""Judges by version of the benchmark: those of the paper, and the two of version 2 in the FACTS suite (Cheng et al.
2025), as far as we know. The templates of version 2 are not public; we use `json`, which worked best for both families.
"""
_JUDGE_TOKENS = 16_384  # room for a label on each sentence of a long response


def default_template(model: str) -> str:
    """Return the paper's template for the judge's family, otherwise the one that two of the three judges had."""
    return PUBLISHED[2] if family(model) == "Claude" else PUBLISHED[0]


def judge_role(number: int) -> str:
    """Return the role of a judge, from 1."""
    return f"judge_{number}"


def with_judges(
    templates: Sequence[str],
    *,
    prompts: Path | None = None,
    eligibility: str | None = "without_context",
    windows: Sequence[int] = (),
) -> Method:
    """Return the method with a judge for each of `templates`, with the roles `judge_1`, `judge_2` and so on.

    `prompts` is the published file of templates, in place of our own; `eligibility` one of `ELIGIBILITY`, or None for
    no phase B. `windows` are the tokens that each judge can take in one call, 0 for any number. Raises UsageError for a
    template that there is not, and for fewer than two judges.
    """
    if not 2 <= len(templates) <= 9:
        raise UsageError(
            f"FACTS Grounding takes two to nine judges, not {len(templates)}.",
            "One judge's leniency would be the score: name several with --judge.",
        )
    if eligibility is not None and eligibility not in ELIGIBILITY:
        raise UsageError(f"Unknown eligibility template {eligibility!r}.", f"Choose from: {', '.join(ELIGIBILITY)}.")
    roles = [judge_role(number) for number in range(1, len(templates) + 1)]
    sizes = [*windows, *[0] * (len(templates) - len(windows))]
    rubric = _either(*ELIGIBILITY[eligibility], prompts) if eligibility else None
    judges = tuple(_judge(*arguments, prompts) for arguments in zip(templates, roles, sizes, strict=True))
    rubrics = tuple(
        Rubric(prompt=rubric, role=role, window=size) for role, size in zip(roles, sizes, strict=True) if rubric
    )
    return Method(
        name="facts-grounding",
        title="Several judges in two phases: grounded in its document, and an answer to its request",
        cites="The FACTS Grounding Leaderboard: Benchmarking LLMs' Ability to Ground Responses to Long-Form Input"
        " (Jacovi et al. 2025)",
        segment="whole",
        evidence=Evidence(source="context", most=1000),
        judge=Panel(judges=judges),
        eligible=Eligible(judges=rubrics) if rubric else None,
        roll_up=RollUp(unit="only", panel="majority"),
    )


def rubrics_alone(*, prompts: Path | None = None) -> Method:
    """Return phase B alone, once with each template of `ELIGIBILITY`, to compare the two for a judge.

    This is for responses without documents of their own, whose request contains them: phase A then has nothing to
    judge.
    """
    return Method(
        name="facts-grounding/eligibility",
        title="Does a response do what it was asked? By two templates",
        segment="whole",
        evidence=Evidence(source="context"),
        eligible=Eligible(
            judges=tuple(
                Rubric(prompt=_either(*pair, prompts), role=judge_role(number))
                for number, pair in enumerate(ELIGIBILITY.values(), 1)
            )
        ),
        roll_up=RollUp(unit="only"),
    )


def _judge(name: str, role: str, window: int, prompts: Path | None) -> Judge:
    if name not in TEMPLATES:
        raise UsageError(f"Unknown template {name!r}.", f"Choose from: {', '.join(TEMPLATES)}.")
    template = TEMPLATES[name]
    theirs = prompts is not None and template.official is not None
    in_pieces = (
        _judge("span", role, 0, prompts) if window and REPLY_FORMATS.get(template.form).sentences == "no" else None
    )
    check = Ask(prompt=_either(*DOUBLE_CHECK, prompts), role=role, max_tokens=256)
    return Judge.model_validate(
        {
            "prompt": _either(template.prompt, template.official, prompts),
            "role": role,
            "form": template.official_form if theirs and template.official_form else template.form,
            "marker": "Final Answer",
            "labels": template.labels,
            "max_tokens": _JUDGE_TOKENS,
            "double_check": check if name == "json_double_check" else None,
            "window": window,
            "in_pieces": in_pieces,
        }
    )


def _either(ours: str, official: str | None, prompts: Path | None) -> str:
    return f"{prompts}#{official}" if prompts is not None and official is not None else ours


register_method("facts-grounding", partial(with_judges, PUBLISHED))
