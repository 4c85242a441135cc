"""FavaBench's baselines end to end."""

from __future__ import annotations

from pathlib import Path

import pytest

from factscope.core.records import Response
from factscope.methods import method_named
from tests import lab
from tests.conftest import DOCUMENTS
from tests.engine.checking import adds_up, checked, questions
from tests.engine.conftest import tools_over

SELF_CHECK = method_named("fava/self-check")
RETRIEVED_SELF_CHECK = method_named("fava/retrieved-self-check")

TEXT = "The Marlow bridge was opened in 1931. The Marlow bridge has six arches. The mayor of Marlow sings badly."
START = "You are given a text that a model wrote at a request"


@pytest.mark.parametrize("method", [SELF_CHECK, RETRIEVED_SELF_CHECK])
def test_the_wrong_sentences_are_named(method, tmp_path: Path, server: lab.Server) -> None:
    report = checked(Response(text=TEXT, prompt="Marlow?"), method, tools_over(DOCUMENTS, tmp_path), server)
    assert [report.verdict(segment.id).outcome for segment in report.segments] == [
        "supported", "contradicted", "supported"
    ]  # fmt: skip
    assert server.count() == 1
    assert adds_up(report)
    (asked,) = questions(server, START)
    shown = [name for name in asked if name.startswith("passages")]
    assert len(shown) == (2 if method is RETRIEVED_SELF_CHECK else 0)
    assert len({passage.text for passage in report.passages}) == len(shown)
    assert report.queries == ()


def test_without_any_passage_the_method_is_the_plain_self_check(tmp_path: Path, server: lab.Server) -> None:
    tools = tools_over({"other.txt": "Zork blat quux."}, tmp_path)
    report = checked(Response(text=TEXT), RETRIEVED_SELF_CHECK, tools, server)
    (asked,) = questions(server, START)
    assert not any(name.startswith("passages") for name in asked)
    assert report.counts["supported"] == 2
