"""promptfoo: an assertion of `type: python` with a component result for each claim.

    # grounded.py
    from factscope.integrations.promptfoo import get_assert

    # promptfooconfig.yaml
    assert:
      - type: python
        value: file://grounded.py
        config: {contexts: context, min_score: 0.8}

The shape is promptfoo's `GradingResult` (promptfoo documentation, "Python assertions"): `pass`, `score`, `reason`,
`componentResults`, `namedScores`. `config` takes `contexts` (the variable that holds them), `question`, `min_score`,
`min_coverage`, and the arguments of `factscope.Checker`. An answer without contexts raises an error, which promptfoo
shows. No Python library is needed; promptfoo itself is an npm package.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from inspect import signature
from typing import Any

from factscope.core import UsageError
from factscope.integrations.assessment import MIN_COVERAGE, MIN_SCORE, Assessor, graded
from factscope.integrations.python.arguments import must_be_share
from factscope.integrations.python.checker import Checker
from factscope.integrations.python.report import Claim

_OURS = ("contexts", "question", "min_score", "min_coverage")


def get_assert(output: Any, context: Mapping[str, Any]) -> dict[str, Any]:
    """Grade an output. Raises NotAssessedError without contexts, CheckFailedError, UsageError for a wrong `config`."""
    config = dict(context.get("config") or {})
    accepted = (*_OURS, *signature(Checker).parameters)
    if unknown := sorted(set(config) - set(accepted)):
        raise UsageError(f"config does not take {', '.join(unknown)}.", f"It takes {', '.join(accepted)}.")
    variables = context.get("vars") or {}
    texts = variables.get(config.get("contexts", "context"), variables.get("contexts"))
    question = variables.get(config.get("question", "question"))
    least = _bound(config, "min_score", MIN_SCORE), _bound(config, "min_coverage", MIN_COVERAGE)
    assessor = Assessor(Checker(**{name: value for name, value in config.items() if name not in _OURS}))
    try:
        report = assessor.assess(output, texts, question)
    finally:
        assessor.close()
    score, passed, reason = graded(report, *least)
    return {
        "pass": passed,
        "score": score,
        "reason": reason,
        "namedScores": {"factual_precision": score, "coverage": report.coverage},
        "componentResults": [_component(claim) for claim in report.claims if claim.verdict not in _LEFT_OUT],
    }


def _bound(config: Mapping[str, Any], name: str, default: float) -> float:
    """Return a least score or coverage, also from a text, as templates write it. Raises UsageError."""
    value = config.get(name, default)
    with suppress(TypeError, ValueError):
        value = float(value)
    must_be_share(value, name)
    return float(value)


_LEFT_OUT = ("not_checkable", "excluded")


def _component(claim: Claim) -> dict[str, Any]:
    """Return one claim: passes when it is supported."""
    from factscope.report.states import MARKS

    held = claim.verdict == "supported"
    quote = f" “{claim.quote}” ({claim.source})" if claim.quote else ""
    return {"pass": held, "score": 1.0 if held else 0.0, "reason": f"{MARKS[claim.verdict].word}: {claim.text}{quote}"}
