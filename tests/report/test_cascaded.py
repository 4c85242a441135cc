"""Judges of a text in a cascade: the share and the cost of each."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO

import pytest
from rich.console import Console

from factscope.core.records import Report, Usage
from factscope.engine import find_method
from factscope.report import cascaded, print_report, render

from .builder import Builder

TEXT = "The bridge has four arches. It was opened in 1931. It is 300 metres long."
USAGE = (
    Usage(role="judge", model="builtin-2", calls=3, cost=0.0),
    Usage(role="judge", model="openai/lab", calls=2, cached_calls=1, tokens_in=90, tokens_out=9, cost=0.0021),
    Usage(role="extract", model="openai/other", calls=5),
)


def report(passed: Sequence[int], method: str = "cascade", usage: Sequence[Usage] = USAGE) -> Report:
    """Make a report on three sentences, of which those at the places `passed` were passed on."""
    made = Builder(TEXT)
    page = made.document("The bridge", None)
    for place, text in enumerate(TEXT.removesuffix(".").split(". ")):
        segment = made.segment(f"{text}.")
        claim = made.claim(segment)
        made.judged(claim, 1, page, text, "supported", judge="openai/lab" if place in passed else "builtin-2")
        if place in passed:
            made.judgements[-1] = made.judgements[-1].model_copy(update={"flags": ("passed_on",)})
        made.verdict(claim, "claim", "supported")
        made.close(segment)
    built = made.build(usage=tuple(usage))
    return built.model_copy(update={"method": find_method(method).model_dump(mode="json")})


@pytest.mark.parametrize(
    ("passed", "said"),
    [
        ((), "builtin-2 judged 3 of 3 claims, none was passed on"),
        (
            (1,),
            "builtin-2 judged 2 of 3 claims, 1 was passed on to openai/lab: 2 calls + 1 from the cache, 0.0021 US$",
        ),
        (
            (0, 1, 2),
            "all 3 claims were passed on to openai/lab: 2 calls + 1 from the cache, 0.0021 US$",
        ),
    ],
)
def test_the_total_lists_the_claims_and_the_cost_of_each_judge(passed: Sequence[int], said: str) -> None:
    assert cascaded(report(passed)) == said


def test_an_unknown_cost_is_reported_as_unknown() -> None:
    bare = [Usage(role="judge", model="openai/lab", calls=1)]
    assert (cascaded(report((0,), usage=bare)) or "").endswith(": 1 call, cost unknown")


def test_other_methods_have_no_cascade_total() -> None:
    assert cascaded(report((), method="builtin")) is None


def test_every_human_readable_format_shows_the_total_once() -> None:
    found = report((1,))
    out = StringIO()
    print_report(found, Console(file=out, width=160))
    for shown in (out.getvalue(), str(render(found, "html")), str(render(found, "md"))):
        assert shown.count("judged 2 of 3 claims, 1 was passed on to openai/lab") == 1
