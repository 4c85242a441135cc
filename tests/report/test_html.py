import re
from collections import Counter
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html

from factscope.core.records import Quote, Span
from factscope.report import MARKS, inert, one_line, render, web_address
from tests.lab.many_cases import try_all

from .payloads import ADDRESSES, ESCAPES, SOME
from .samples import Builder, hostile, large, rich, unsettled

TAGS = {
    *("html", "head", "meta", "title", "style", "body", "header", "main", "footer", "section", "article", "div"),
    *("h1", "h2", "h3", "h4", "p", "ul", "li", "dl", "dt", "dd", "blockquote", "details", "summary"),
    *("a", "span", "i", "b", "q", "mark", "cite", "ins", "table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {
    *("class", "id", "href", "rel", "dir", "lang", "style", "role", "tabindex", "title", "open"),
    *("charset", "content", "name", "http-equiv", "aria-label", "aria-labelledby", "aria-hidden", "scope"),
}


def parsed(report):
    return html.document_fromstring(render(report, "html"))


def of_class(page, name, tag="*"):
    return page.xpath(f".//{tag}[contains(concat(' ', @class, ' '), ' {name} ')]")


def read(element):
    """Return the readable text, without text only for screen readers or only for the eye."""
    hidden = {node for name in ("vh", "g") for node in of_class(element, name)}

    def walk(node):
        yield node.text or ""
        for child in node:
            if child not in hidden:
                yield from walk(child)
            yield child.tail or ""

    return "".join(walk(element))


def tags_of(page):
    """List the tags, except around words that a payload may lack: the best match, which may split an order in two."""
    return [element.tag for element in page.iter() if element.get("class") not in ("near", "order")]


@cache
def harmless_tags():
    return tags_of(parsed(hostile("harmless")))


def assert_harmless(page):
    for element in page.iter():
        assert isinstance(element.tag, str), "a comment or an instruction got in"
        assert element.tag in TAGS
        assert set(element.attrib) <= ATTRIBUTES
        assert re.fullmatch(r"(left:[\d.]+%(;width:[\d.]+%)?|flex-grow:\d+)?", element.get("style", ""))
        href = element.get("href")
        if href is not None and not re.fullmatch(r"#(text|responses|[pt]\d+)", href):
            assert re.match(r"https?://[^\s\\]+$", href)
            assert element.get("rel") == "noopener noreferrer nofollow"
    (style,) = page.iter("style")
    assert not re.search(r"url\(|@import|expression|javascript", style.text)


def test_rich_report_is_one_harmless_file():
    text = render(rich(), "html")
    assert text.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert text.endswith("</html>\n")
    assert "\ufffd" not in text
    assert_harmless(html.document_fromstring(text))
    assert not re.search(r"<(script|link|img|iframe|object|embed|base|form)\b|\bsrc=", text)


def test_policy_forbids_every_request():
    (policy,) = parsed(rich()).xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert policy.split("; ")[0] == "default-src 'none'"
    assert "script-src" not in policy
    assert not re.search(r"https?:|data:|\*", policy)


def test_the_whole_text_is_shown_in_order_with_every_segment_marked():
    report = rich()
    page = parsed(report)
    paragraphs = [p for p in page.get_element_by_id("text").iter("p") if p.get("class") != "prompt"]
    shown = "\n\n".join(read(p) for p in paragraphs)
    assert "".join(shown.split()) == "".join(report.response.text.split())
    marks = [a for p in paragraphs for a in p.iter("a")]
    assert [read(a) for a in marks] == [segment.text for segment in report.segments]
    assert len(paragraphs) == 7


def skipping(text, *segments):
    """Make a report without anything checkable."""
    b = Builder(text)
    for segment in segments:
        b.skip(segment)
    return b.build()


def test_wrapped_lines_flow_and_other_line_breaks_stay():
    prose = ("The harbour is old and deep and holds many boats.", "Ships come from afar to be mended in its dry dock.")
    page = parsed(skipping("\n".join(prose), *prose))
    assert read(page.xpath("//section[@id='text']/p")[0]).strip() == " ".join(prose)
    talk = ("A: Is it old?", "B: It was dug when my grandmother was a girl in school.", "A: Old, then.")
    page = parsed(skipping("\n".join(talk), *talk))
    assert read(page.xpath("//section[@id='text']/p")[0]).strip().startswith("A: Is it old?\nB: It was dug")
    long = tuple(f"{name}: {'word ' * 40}end." for name in "AB")
    page = parsed(skipping("\n".join(long), *long))
    assert read(page.xpath("//section[@id='text']/p")[0]).strip() == "\n".join(long)


def test_each_mark_shows_its_state_in_three_ways_and_links_to_its_panel_and_back():
    page = parsed(rich())
    states = []
    for mark in page.xpath("//section[@id='text']//a"):
        (state,) = re.findall(r"\bs-(\w+)", mark.get("class"))
        states.append(state)
        (word,) = of_class(mark, "vh")
        assert word.text == f" ({MARKS[state].word})"
        glyph = mark.getnext()
        assert (glyph.text, glyph.get("aria-hidden")) == (MARKS[state].glyph, "true")
        panel = page.get_element_by_id(mark.get("href")[1:])
        assert f"s-{state}" in panel.get("class")
        assert panel.xpath(".//h3")[0].text_content().strip() == read(mark)
        (back,) = of_class(panel, "back")
        assert back.get("href") == f"#{mark.get('id')}"
    assert set(states) == set(MARKS)
    legend = of_class(page, "legend")[0]
    assert {li.get("class")[2:] for li in legend.iter("li")} == set(states)
    for state in states:
        assert MARKS[state].meaning in legend.text_content()


def test_counts_add_up():
    report = rich()
    page = parsed(report)
    chips = [chip.text_content().split(maxsplit=2) for chip in of_class(of_class(page, "counts")[0], "chip")]
    words = {MARKS[outcome].word: n for outcome, n in report.counts.items()}
    assert {word: int(n) for _, n, word in chips} == words
    claims = sum(n for outcome, n in report.counts.items() if outcome != "not_checkable")
    assert of_class(page, "sum")[0].text == f"= {claims} claims"
    bars = of_class(page, "bar")[0]
    assert [bar.get("style") for bar in bars] == [f"flex-grow:{n}" for _, n, _ in chips]
    # The same outcomes, counted from the panels.
    outcomes = Counter()
    for panel in of_class(page, "panel"):
        chips = of_class(panel, "chip")
        inner = chips[1:] or chips
        outcomes.update(re.findall(r"s-(\w+)", " ".join(chip.get("class") for chip in inner)))
    assert outcomes == Counter(report.counts)


def test_scores_come_with_interval_count_and_coverage():
    lead, second, third = of_class(parsed(rich()), "score")
    assert " ".join(lead.text_content().split()) == (
        "0.54 Claims supported medium 7 of 13 judged claims are supported, 1 failed · 95% interval 0.28 to 0.79 · "
        "coverage 93%"
    )
    assert "9 of 18 passages support the text" in second.text_content()
    assert [i.get("style") for i in of_class(second, "track")[0]] == ["left:22.0%;width:42.0%", "left:50.0%"]
    assert not of_class(third, "track")  # a hallucination score is not a share
    assert "lower is better" in third.text_content()


@pytest.mark.parametrize(
    ("value", "band", "word"),
    [
        (0.2999, "contradicted", "low"),
        (0.3, "undecided", "medium"),
        (22 / 39, "undecided", "medium"),
        (0.6, "supported", "high"),
    ],
)
def test_shares_have_the_colour_bands_of_the_paper(value, band, word):
    score = rich().scores[1].model_copy(update={"value": value, "n": 39})
    (shown,) = of_class(parsed(rich().model_copy(update={"scores": (score,)})), "score")
    assert of_class(shown, "dot")[0].get("class") == f"dot s-{band}"
    assert shown.xpath(".//h2")[0].text_content() == f"Evidence in support {word}"


def test_score_without_a_value_says_none():
    score = rich().scores[0].model_copy(update={"value": None, "n": 0, "interval": None, "coverage": None})
    (shown,) = of_class(parsed(rich().model_copy(update={"scores": (score,)})), "score")
    assert " ".join(shown.text_content().split()) == (
        "none Claims supported over 0 claims, 1 failed · nothing to cover"
    )


def test_panel_says_how_much_of_its_evidence_supports_it():
    said = {p.get("id"): of_class(of_class(p, "state")[0], "meta") for p in of_class(parsed(rich()), "panel")}
    assert [e.text for e in said["p2"]] == ["2 of 3 passages support it"]
    assert [e.text for e in said["p11"]] == ["1 of 1 passage supports it"]
    assert [e.text for e in said["p3"]] == ["1 of 3 passages supports it"]  # one more is ruled out
    assert said["p1"] == said["p10"] == []


def test_panel_of_a_contradicted_sentence_says_how_much_of_its_evidence_contradicts_it():
    said = {p.get("id"): of_class(of_class(p, "state")[0], "meta") for p in of_class(parsed(rich()), "panel")}
    assert [e.text for e in said["p5"]] == ["1 of 2 passages contradicts it"]


def test_the_parts_of_the_page_are_in_order():
    """Headline, score, sources, folded details, then the text, and the claims after it."""
    page = parsed(rich())
    every = list(page.iter())
    order = [
        next(page.iter("h1")),
        of_class(page, "score")[0],
        page.get_element_by_id("h-origins"),
        of_class(page, "more")[0],
        page.get_element_by_id("text"),
        of_class(page, "panel")[0],
    ]
    places = [every.index(element) for element in order]
    assert places == sorted(places)


def test_structure_is_sound_for_assistive_technology():
    page = parsed(rich())
    assert page.get("lang") == "en"
    levels = [int(e.tag[1]) for e in page.iter("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))
    assert [len(list(page.iter(tag))) for tag in ("header", "main", "footer")] == [1, 1, 1]
    ids = page.xpath("//@id")
    assert len(ids) == len(set(ids))
    for target in (*page.xpath("//a/@href[starts-with(., '#')]"), *(f"#{i}" for i in page.xpath("//@aria-labelledby"))):
        assert target[1:] in ids
    first = next(page.iter("a"))
    assert (first.get("class"), first.get("href")) == ("skip", "#text")
    style = next(page.iter("style")).text
    for query in ("prefers-color-scheme:dark", "prefers-reduced-motion", "forced-colors:active", "@media print"):
        assert query in style


def test_right_to_left_text_sets_its_own_direction():
    page = parsed(rich())
    (paragraph,) = [p for p in page.get_element_by_id("text").iter("p") if "الجرانيت" in p.text_content()]
    assert paragraph.get("dir") == "auto"


def test_only_verbatim_quotes_are_highlighted():
    report = rich()
    held = {p.id: p.text for p in report.passages}
    quotes = [j.quote for j in report.judgements if j.quote]
    real = sorted(q.text for q in quotes if q.span.of(held[q.passage_id]) == q.text)
    page = parsed(report)
    assert sorted(mark.text for mark in page.iter("mark")) == real
    near = [span.text_content() for span in of_class(page, "near")]
    assert near, "where a judge gives no quote the best match is shown, and looks otherwise"
    assert all(any(text in passage for passage in held.values()) for text in near)
    invented = [q.text for q in quotes if q.span.of(held[q.passage_id]) != q.text]
    assert invented == ["The lamp was lit in May 1871"]
    (warning,) = [w for w in of_class(page, "warn") if "Quote not found in the passage" in w.text_content()]
    assert warning.xpath(".//q")[0].text == invented[0]


@pytest.mark.parametrize("quote", ["shifted", "foreign passage", "blank"])
def test_a_quote_at_the_wrong_place_is_not_highlighted(quote):
    b = Builder("It rained.")
    source, segment = b.document("Diary", None), b.segment("It rained.")
    claim = b.claim(segment)
    b.judged(claim, 1, source, "It rained all day.", "supported", "It rained")
    b.judged(claim, 2, source, "Rain, rain, rain.", "irrelevant")
    good = b.judgements[0]
    wrong = {
        "shifted": Quote(passage_id="s1.c1.p1", span=Span(start=1, end=10), text="It rained"),
        "foreign passage": Quote(passage_id="s1.c1.p2", span=Span(start=0, end=4), text="Rain"),
        "blank": Quote(passage_id="s1.c1.p1", span=Span(start=2, end=3), text=" "),
    }[quote]
    b.judgements[0] = good.model_copy(update={"quote": wrong})
    b.verdict(claim, "claim", "supported", judgement_ids=(good.id,))
    b.close(segment)
    page = parsed(b.build())
    assert not list(page.iter("mark"))
    assert "Quote not found in the passage" in page.text_content()


@pytest.mark.parametrize(
    ("passage", "is_table"),
    [("| Month | Rain |\n|---|---|\n| May | 41 mm |", True), ("It rained on\nSunday.", False)],
)
def test_the_lines_of_a_table_stay_apart(passage, is_table):
    b = Builder("It rained.")
    source, segment = b.document("Diary", None), b.segment("It rained.")
    claim = b.claim(segment)
    b.verdict(claim, "claim", "supported", judgement_ids=(b.judged(claim, 1, source, passage, "supported", passage),))
    b.close(segment)
    (card,) = of_class(parsed(b.build()), "card")
    (shown,) = card.iter("blockquote")
    assert (shown.get("class") == "rows") is is_table
    assert shown.text_content() == passage


def test_long_passage_is_shown_around_its_quote_and_whole_on_request():
    b = Builder("It rained.")
    source, segment = b.document("Diary", None), b.segment("It rained.")
    claim = b.claim(segment)
    passage = "word " * 200 + "It rained on Sunday. " + "more " * 200
    b.verdict(
        claim,
        "claim",
        "supported",
        judgement_ids=(b.judged(claim, 1, source, passage, "supported", "It rained on Sunday."),),
    )
    b.close(segment)
    (card,) = of_class(parsed(b.build()), "card")
    snippet, whole = card.iter("blockquote")
    assert snippet.xpath("mark")[0].text == "It rained on Sunday."
    assert re.fullmatch("…word.*more…", snippet.text_content())
    assert len(snippet.text_content()) < 500
    assert whole.text == passage
    assert whole.getparent().tag == "details"


def test_evidence_for_and_against_is_separate_and_the_rest_is_folded():
    page = parsed(rich())
    panel = next(p for p in of_class(page, "panel") if "4 May 1871" in p.text_content())
    labels = [" ".join(e.text_content().split()) for e in of_class(panel, "label")]
    assert labels == ["✗ Against 1", "✓ For 1"]
    for card in of_class(page, "card"):
        if "does not bear on it" in card.text_content():
            assert list(card.iterancestors("details"))
    assert sum("does not bear on it" in c.text_content() for c in of_class(page, "card")) == 2


def test_undecided_shows_the_nearest_passage_and_folds_the_others():
    page = parsed(unsettled())
    shown = [c for c in of_class(page, "card") if not list(c.iterancestors("details"))]
    assert [c.xpath(".//mark")[0].text for c in shown] == ["It rained in spring."]
    assert len(of_class(page, "card")) == 3
    assert "2 neutral passages" in page.text_content()
    assert not [c for c in shown if "decisive" in c.text_content()]


def test_a_claim_that_only_lost_its_markup_is_not_repeated():
    assert not list(parsed(unsettled()).iter("h4"))


def test_every_judgement_and_every_unread_passage_has_one_card():
    report = rich()
    extra = report.passages[0].model_copy(update={"id": "s2.c1.p9", "rank": 9, "text": "Nobody read this."})
    more = report.model_copy(update={"passages": (*report.passages, extra)})
    page = parsed(more)
    assert len(of_class(page, "card")) == len(report.judgements) + 1
    (card,) = [c for c in of_class(page, "card") if "Nobody read this." in c.text_content()]
    assert "not judged" in card.text_content()


def test_failures_are_shown_with_their_message():
    report = rich()
    warnings = " ".join(w.text_content() for w in of_class(parsed(report), "warn"))
    for failure in report.failures:
        assert warnings.count(failure.message) == 1
    for judgement in report.judgements:
        assert judgement.failure is None or judgement.failure in warnings


def test_evidence_excluded_by_a_person_is_marked():
    out = [c for c in of_class(parsed(rich()), "card") if "excluded by a person" in c.text_content()]
    assert len(out) == 2
    assert all("out" in card.get("class").split() for card in out)


@try_all("payload", SOME)
def test_hostile_text_stays_text(payload):
    page = parsed(hostile(payload))
    assert_harmless(page)
    if web_address(payload) is None:
        assert tags_of(page) == harmless_tags()
    shown = " ".join(page.text_content().split())
    assert shown.count(one_line(payload)) >= 12
    (mark,) = page.iter("mark")
    assert mark.text_content().removeprefix("instruction to AI models: ").split() == inert(payload).split()
    assert "".join(page.xpath("//h3")[0].text_content().split()) == "".join(inert(payload).split())


@try_all("payload", ADDRESSES)
def test_only_web_addresses_become_links(payload):
    page = parsed(hostile(payload))
    outside = [a.get("href") for a in page.iter("a") if not a.get("href").startswith("#")]
    assert outside == []


def test_web_links_send_no_referrer():
    links = [a for a in parsed(rich()).iter("a") if a.get("href").startswith("http")]
    assert {a.get("href") for a in links} == {"https://lights.example.org/sandvik", "https://wiki.example.org/Sandvik"}
    assert {a.get("rel") for a in links} == {"noopener noreferrer nofollow"}


@try_all("payload", ESCAPES)
def test_control_characters_are_shown_as_symbols(payload):
    text = render(hostile(payload), "html")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)


@settings(deadline=None, max_examples=25)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60))
def test_any_text_stays_text(payload):
    page = parsed(hostile(payload))
    assert_harmless(page)
    assert len(list(page.iter("article"))) == 1


def test_page_with_40_sentences_and_200_pieces_of_evidence_stays_small():
    assert len(render(large(40, 5), "html").encode()) < 150_000


def test_text_without_a_statement_says_so():
    b = Builder("Really?")
    b.skip("Really?", reason="a question")
    page = parsed(b.build())
    assert page.xpath("//h1")[0].text == "This text contains no checkable claim."
    assert "no checkable claim" in page.text_content()
    assert_harmless(parsed(Builder("").build()))
