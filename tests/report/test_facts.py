"""Records made only by methods with language models, in every form for human readers."""

import io
import re
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html
from rich.cells import cell_len
from rich.console import Console

from factscope.core import ErrorType, Gap
from factscope.core.records import Usage, Verdict
from factscope.report import (
    ERROR_WORDS,
    GAP_WORDS,
    SELF_REPORTED,
    VOID,
    cards_of,
    changed_words,
    money,
    print_report,
    render,
    usage_words,
    view_of,
    why,
)

from .asked import FLASH, HAIKU, LONG, METHOD, MINI, TEXT, Writer, asked
from .samples import Builder, rich, unsettled

REPORT = asked()


def printed(report=REPORT, width=100):
    out = io.StringIO()
    print_report(report, Console(file=out, width=width))
    return out.getvalue()


def flat(text):
    return " ".join(text.split())


def page(report=REPORT):
    return html.document_fromstring(render(report, "html"))


def panel(n, report=REPORT):
    return page(report).get_element_by_id(f"p{n}")


def of_class(node, name):
    return node.xpath(f".//*[contains(concat(' ', @class, ' '), ' {name} ')]")


def unit(name, report=REPORT):
    return next(unit for part in view_of(report).parts for unit in part.units if unit.id == name)


FORMS = {
    "text": lambda: flat(printed()),
    "html": lambda: flat(page().text_content()),
    "md": lambda: flat(re.sub(r"\\(.)", r"\1", render(REPORT, "md"))),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_format_shows_the_language_model_records(form):
    text = FORMS[form]()
    for part in (
        "of the same family as openai/gpt-4.1, which wrote the text: it may be lenient",
        "1 contradicted claim rests on another that is contradicted: the scores count that error once",
        "a name, number, date or place",
        "The Mirel bridge was opened in 1913 by Queen Ada.",
        "No correction: the evidence does not say what is right.",
        "rests on s4.c1, which is contradicted; not counted again: “The Mirel bridge has a ferry house.”",
        "rests on s4.c1, which is contradicted: “The Mirel bridge has a ferry house.”",
        "the evidence is about a different time",
        "a matter of opinion",
        "the evidence supports only some of it",
        "too little evidence",
        f"{MINI} said “supported”, but {VOID}",
        "high confidence (self-reported)",
        SELF_REPORTED,
        "Mirel bridge closure 2019",
        "More searching is idle: two rounds found no list of closures.",
        "anthropic/claude-haiku-4-5",
        "c0ffee123456",
        "cost unknown",
        "0.0023 US$",
        "at least 0.0068 US$, the rest unknown",
        "2 calls + 3 from the cache",
    ):
        assert part in text, part
    assert re.search("[Bb]oth judges agree", text)


@pytest.mark.parametrize("form", FORMS)
def test_a_confidence_that_is_measured_is_not_called_self_reported(form):
    """The second sentence's confidence comes from the probabilities of tokens."""
    text = FORMS[form]()
    block = text[text.index("The Mirel bridge is made of iron.") : text.index("The Mirel bridge carries 9,000")]
    assert "high confidence" in block
    assert "self-reported" not in block


@pytest.mark.parametrize("form", ["text", "html", "md"])
def test_a_report_without_language_model_records_does_not_mention_them(form):
    text = printed(rich()) if form == "text" else render(rich(), form)
    for part in ("self-reported", "Self-reported", "agree", "rests on s", "Warning", "warning:", "not counted"):
        assert part not in text.partition("</style>")[2 if form == "html" else 0], part


@pytest.mark.parametrize("width", [80, 120])
def test_terminal_output_fits_the_width(width):
    lines = printed(width=width).splitlines()
    assert all(cell_len(line) <= width and line == line.rstrip() for line in lines)
    assert not any(one == other == "" for one, other in pairwise(lines))


def test_a_long_reason_is_truncated_in_the_terminal_and_folded_but_complete_on_the_page():
    assert LONG not in printed()
    assert max(len(found) for found in re.findall(r"reason: (.*?…)", flat(printed()))) <= 240
    (reason,) = [d for d in of_class(panel(1), "card")[0].iter("details") if d.get("class") == "why"]
    assert reason.get("open") is None
    assert reason.findtext("p") == LONG
    assert MINI in reason.findtext("summary")
    assert "white-space:pre-line" in re.findall(r"\.why\{[^}]*\}", render(REPORT, "html"))[0]


def test_judges_that_disagree_are_listed_with_what_each_says():
    block = flat(printed())
    start = block.index("? undecided judges disagree: 1 contradicted, 1 supported, 1 undecided")
    listed = block[start : block.index("✗ against “Prince Otto", start)]
    assert f"✗ contradicted {HAIKU} · medium confidence (self-reported)" in listed
    assert f"? undecided {FLASH} · low confidence (self-reported)" in listed
    assert f"✓ supported {MINI} · medium confidence (self-reported)" in listed
    agreeing, disagreeing = of_class(panel(1), "judges")
    assert (agreeing.findtext("summary"), agreeing.get("open")) == ("Both judges agree", None)
    assert disagreeing.findtext("summary") == "No two of 3 judges agree"
    assert disagreeing.get("open") is not None
    assert [flat(li.text_content()).partition(" medium")[0].partition(" low")[0] for li in disagreeing.iter("li")] == [
        f"✗ contradicted {HAIKU}",
        f"? undecided {FLASH}",
        f"✓ supported {MINI}",
    ]


@pytest.mark.parametrize(
    ("labels", "agreement"),
    [
        (("supported", "supported"), "both judges agree"),
        (("supported", "contradicted"), "no two of 2 judges agree"),
        (("supported", "supported", "contradicted"), "2 of 3 judges agree"),
        (("contradicted",) * 3, "all 3 judges agree"),
        (("supported",), None),
    ],
)
def test_agreement_in_words(labels, agreement):
    w = Writer("It rained.")
    c = w.claim(w.segment("It rained."), "It rained.")
    p = w.passage(c, "Diary", "It rained all day.")
    for number, label in enumerate(labels):
        w.judged(p, f"judge {number}", label, "It rained")
    assert unit("s1.c1", w.report(usage=())).agreement == agreement


def test_opinions_of_several_judges_on_the_same_words_share_one_card():
    card, *others = unit("s1.c1").cards
    assert others == []
    assert [judgement.judge for judgement in card.judgements] == [MINI, HAIKU]
    shown = of_class(panel(1), "card")[0].text_content()
    assert f"{MINI}: high confidence (self-reported) · {HAIKU}: medium confidence (self-reported)" in shown


def test_several_samples_of_one_judge_are_one_card_and_no_panel():
    w = Writer("It rained.")
    c = w.claim(w.segment("It rained."), "It rained.")
    p = w.passage(c, "Diary", "It rained all day.")
    for sample, label in enumerate(("supported", "supported", "not_enough_evidence"), 1):
        w.judged(p, MINI, label, "It rained" if label == "supported" else None, sample=sample)
    report = w.report(usage=())
    found = unit("s1.c1", report)
    assert (found.panel, found.confidence_from) == ((), "samples")
    assert [len(card.judgements) for card in found.cards] == [2, 1]
    assert "2 samples" in page(report).text_content()
    assert "medium confidence" in printed(report)
    assert "self-reported" not in printed(report)


def test_every_judgement_and_every_passage_is_on_one_card():
    for report in (REPORT, rich()):
        found = [card for cards in cards_of(report).values() for card in cards]
        told = Counter(judgement.id for card in found for judgement in card.judgements)
        assert told == Counter(judgement.id for judgement in report.judgements)
        assert {card.passage.id for card in found if card.passage} == {passage.id for passage in report.passages}


def test_a_quote_that_two_passages_of_a_source_share_is_shown_once():
    b = Builder("It rained in May.")
    source, segment = b.document("Diary", None), b.segment("It rained in May.")
    claim = b.claim(segment)
    names = [
        b.judged(
            claim, 1, source, "It rained in May. Snow fell.", "supported", "It rained in May.", rationale="the same"
        ),
        b.judged(claim, 2, source, "April was dry. It rained in May.", "supported", "It rained in May."),
        b.judged(claim, 3, source, "April was dry. Frost set in.", "contradicted", "April was dry.", 0.5),
        b.judged(claim, 4, source, "Wind rose. April was dry.", "contradicted", "April was dry.", 0.5),
    ]
    b.verdict(claim, "claim", "supported", judgement_ids=tuple(names[:2]), confidence=0.9)
    b.close(segment)
    report = b.build()
    for shown in (flat(printed(report)), render(report, "md"), render(report, "junit")):
        assert shown.count("April was dry.") == 1
    open_cards = [card for card in of_class(page(report), "card") if not list(card.iterancestors("details"))]
    assert [card.xpath(".//mark")[0].text for card in open_cards] == ["It rained in May.", "April was dry."]
    assert page(report).text_content().count("The same quote in 1 more passage") == 2


def test_the_confidence_of_an_undecided_claim_is_not_shown():
    report = unsettled()
    sure = tuple(verdict.model_copy(update={"confidence": 0.9}) for verdict in report.verdicts)
    report = report.model_copy(update={"verdicts": sure})
    for shown in (flat(printed(report)), render(report, "md")):
        assert "does not settle it · high confidence" not in shown
    assert "high confidence" not in "".join(line.text_content() for line in of_class(page(report), "verdict"))


def test_a_reason_is_not_called_that_of_a_model():
    for shown in (printed(), render(REPORT, "md"), render(REPORT, "html")):
        assert "rationale" not in shown
    assert f"Reason ({MINI})" in render(REPORT, "html")


def test_invented_quotes_are_never_merged():
    report = rich()
    judgement = next(j for j in report.judgements if j.quote and j.quote.text == "The lamp was lit in May 1871")
    other = judgement.model_copy(
        update={"id": f"{judgement.id}0", "quote": judgement.quote.model_copy(update={"text": "It was lit, they say"})}
    )
    both = report.model_copy(update={"judgements": (*report.judgements, other)})
    text = page(both).text_content()
    assert "The lamp was lit in May 1871" in text
    assert "It was lit, they say" in text


def test_the_changed_words_of_a_correction_are_marked():
    (fix,) = of_class(panel(1), "fix")
    assert [ins.text for ins in fix.iter("ins")] == ["1913"]
    assert "opened to traffic in May 1913" in fix.findtext(".//q")


@given(st.text("ab \n", max_size=30), st.text("ab \n", max_size=30))
def test_changed_words_add_up(before, after):
    parts = changed_words(before, after)
    assert "".join(text for text, _ in parts) == after
    assert not any(changed for _, changed in changed_words(after, after))


def test_a_corrections_quote_missing_from_its_passage_is_not_shown():
    correction = REPORT.corrections[0]
    forged = correction.quote.model_copy(update={"text": "opened to traffic in May 1914"})
    report = REPORT.model_copy(update={"corrections": (correction.model_copy(update={"quote": forged}),)})
    for form in ("html", "md"):
        assert "May 1914" not in render(report, form)


def test_a_claim_at_risk_leads_to_the_one_that_it_rests_on():
    links = [a.get("href") for risk in of_class(panel(4), "risk") for a in risk.iter("a")]
    assert links == ["#p4", "#p4"]


def test_an_unsettled_search_is_expanded_and_shows_its_rounds():
    (search,) = of_class(panel(6), "search")
    assert search.get("open") is not None
    assert search.findtext("summary") == "3 search queries in 2 rounds"
    told = [flat(li.text_content()) for li in search.iter("li")]
    assert told[1] == "Round 2: Mirel bridge closure 2019 The year is missing."
    (search,) = of_class(panel(2), "search")
    assert (search.findtext("summary"), search.get("open")) == ("Search query", None)


def test_usage_is_a_table_that_the_keyboard_can_scroll():
    (scroller,) = of_class(page(), "scroll")
    assert (scroller.get("tabindex"), scroller.get("role"), scroller.get("aria-label")) == (
        "0",
        "group",
        "How it was checked",
    )
    (table,) = scroller.iter("table")
    assert [th.get("scope") for th in table.iter("th")] == ["col"] * 6 + ["row"] * 5
    assert [flat(td.text_content()) for td in table.findall(".//tr")[-1].iter("td")][3] == (
        "at least 0.0068 US$, the rest unknown"
    )


def test_settings_in_lists_are_shown_one_by_one():
    names = [dt.text for dt in page().iter("dt")]
    assert "judge.judges.1.prompt" in names
    assert not any("{" in dd.text_content() for dd in page().iter("dd"))


@pytest.mark.parametrize(
    ("cost", "shown"),
    [
        (0.0, "0 US$"),
        (0.00001, "less than 0.0001 US$"),
        (0.0123, "0.0123 US$"),
        (0.99999, "1.0000 US$"),
        (1234.5, "1,234.50 US$"),
    ],
)
def test_amounts_of_money_are_formatted(cost, shown):
    assert money(cost) == shown


@pytest.mark.parametrize(
    ("costs", "total"),
    [
        ((None, None), "cost unknown"),
        ((0.0, None), "cost unknown"),
        ((0.5, None), "at least 0.5000 US$, the rest unknown"),
        ((0.0, 0.0), "0 US$"),
        ((0.5, 0.25), "0.7500 US$"),
    ],
)
def test_an_unknown_cost_is_never_nothing(costs, total):
    usage = [Usage(role=f"r{n}", model="m", calls=1, cost=cost) for n, cost in enumerate(costs)]
    *rows, summed = usage_words(usage)
    assert [row.cost for row in rows] == ["cost unknown" if cost is None else money(cost) for cost in costs]
    assert summed.cost == total
    assert usage_words(usage[:1]) == rows[:1]


def test_tokens_are_unknown_or_without_meaning_but_never_invented():
    (one,) = usage_words([Usage(role="judge", model="builtin", calls=3, cost=0.0)])
    assert one.tokens == ""
    (one,) = usage_words([Usage(role="judge", model="m", calls=3, tokens_in=1200)])
    assert one.tokens == "1,200 tokens in, unknown out"
    *_, total = usage_words([Usage(role=r, model="m", calls=1, tokens_in=2, tokens_out=3) for r in "ab"])
    assert total.tokens == "4 tokens in, 6 out"


def verdict(**fields):
    return Verdict(unit_id="s1.c1", level="claim", outcome="undecided", rule="strongest", **fields)


def test_the_reason_for_an_undecided_claim_is_described():
    assert set(GAP_WORDS) == set(Gap.__args__)
    assert set(ERROR_WORDS) == set(ErrorType.__args__)
    plain = "the evidence does not settle it"
    assert why(verdict(reason=plain)) == plain
    assert why(verdict(reason=plain, gap="outdated")) == "the evidence is about a different time"
    more = f"{plain}; not everything could be read or judged: no answer"
    assert why(verdict(reason=more, gap="partial")).endswith(
        "only some of it; not everything could be read or judged: no answer"
    )
    assert why(verdict(reason="not supported", gap="subjective")) == "not supported; a matter of opinion"
    assert why(verdict(reason="evidence conflicts", gap="conflicting")) == "evidence conflicts"
    assert why(verdict(reason=plain, gap="conflicting")) == "conflicting evidence"
    assert why(verdict()) is None


def test_a_method_with_rules_of_another_version_is_still_shown():
    method = {**REPORT.method, "roll_up": {"unit": "a rule of the future"}}
    report = REPORT.model_copy(update={"method": method})
    assert unit("s1.c2", report).panel == ()
    for form in ("html", "md", "csv", "junit", "claimreview"):
        assert "Queen Ada" in render(report, form)
    assert "Queen Ada" in printed(report)


def test_the_sample_is_what_the_engine_would_make():
    assert METHOD.name == REPORT.method["name"]
    assert REPORT.response.text == TEXT
    assert REPORT.verdict("s4.c2").at_risk == ("s4.c1",)
