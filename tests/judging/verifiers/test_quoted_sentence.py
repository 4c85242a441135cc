"""The sentence that a report quotes for a verdict holds the words that its reason names."""

from __future__ import annotations

from factscope import check
from factscope.core.records import Judgement

STRIKE = """# Ferry strike ends after nine days

HARSUND, 4 October. The crews of the Harsund ferries returned to work on Friday, nine days after they had walked out.
The union Sjøfolk and the operator NordLinje agreed on a wage rise of 3.8 percent from January and a further 2 percent
in 2026. The union had demanded 7 percent. About 14,000 passengers were affected each day, according to the operator.
"We did not get everything, but nobody lost their job," said union leader Marit Dahl. The minister of transport, Olav
Hegge, had refused to intervene. Freight traffic was exempt from the strike.
"""


def against(claim: str, document: str) -> list[Judgement]:
    report = check(claim, contexts=[document]).record
    return [judgement for judgement in report.judgements if judgement.label == "contradicted"]


def test_several_sentences_are_not_quoted_for_what_only_their_title_says() -> None:
    by_text, by_title = against("The ferry crews went back to work after twelve days.", STRIKE)
    assert by_text.quote is not None
    assert "nine days after they had walked out" in by_text.quote.text
    assert by_title.quote is None
    assert by_title.rationale == (
        "the passage has nine days, not twelve days; closest to the claim is its title, “Ferry strike ends after nine"
        " days”"
    )
