import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

import factscope as fs
from factscope.core import OUTCOMES
from factscope.report import MARKS, one_line, print_report, print_short, short_text
from tests.lab.many_cases import try_all

from .payloads import SOME
from .samples import Builder, hostile, large, rich, unsettled

CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
COLOURS = re.compile(r"\x1b\[[\d;]*m")


def shown(report, width=100, **console):
    out = io.StringIO()
    print_report(report, Console(file=out, width=width, **console))
    return out.getvalue()


def flat(report, width=100):
    """Join the output into one line."""
    return " ".join(shown(report, width).split())


def test_heading_shows_the_result_and_its_certainty():
    text = shown(rich(), 120)
    head = text.partition("Needs review")[0]
    assert head.splitlines()[2:4] == [
        "1 of 14 claims could not be checked; the evidence contradicts 2 and supports 7.",
        "13 of 14 claims judged, 1 failed, 1 of 15 excluded",
    ]
    for part in (
        "Factscope 0.1.0 · Sentences against your documents, judged by the built-in verifier",
        "0.54  Claims supported, medium\n      7 of 13 judged claims are supported, 1 failed · "
        "95% interval 0.28 to 0.79 · coverage 93%",
        "0.50  Evidence in support, medium\n      9 of 18 passages support the text",
        "1.06  Hallucination (alpha=0.5)",
        "evidence/broken.pdf is not a PDF; it was left out.",
    ):
        assert part in head


@pytest.mark.parametrize("width", [20, 30, 40, 60])
def test_a_narrow_terminal_shows_the_whole_sentence(width):
    out = io.StringIO()
    report = fs.check("It was opened in 1940.", contexts=["It was opened in 1931."]).record
    print_short(report, Console(file=out, width=width))
    words = " ".join(out.getvalue().split())
    assert "✗ contradicted It was opened in 1940." in words
    assert "“It was opened in 1931.” — context-1" in words


def test_counts_add_up():
    report = rich()
    (line,) = re.findall(r"✓ 7 supported.*?claims, ⋯ \d+ not checkable", flat(report))
    parts, total = line.split(" = ")
    found = {word: int(n) for n, word in re.findall(r"(\d+) ([a-z ]+?)(?: \+|$)", parts)}
    assert total == f"{sum(found.values())} claims, ⋯ {report.counts['not_checkable']} not checkable"
    found["not checkable"] = report.counts["not_checkable"]
    assert found == {MARKS[outcome].word: n for outcome, n in report.counts.items()}
    assert set(report.counts) == set(OUTCOMES)


def test_problems_come_first_and_worst_first():
    problems = shown(rich()).partition("Needs review")[2].partition("Text, sentence")[0]
    assert re.findall(r"^ +(\d+) . (\w+)", problems, re.MULTILINE) == [
        ("5", "contradicted"),
        ("3", "mixed"),
        ("9", "failed"),
        ("8", "undecided"),
        ("7", "no"),
    ]


def test_every_sentence_has_its_number_glyph_and_word_in_order():
    report = rich()
    body = shown(report, 200).partition("sentence by sentence")[2]
    marks = "|".join(re.escape(f"{mark.glyph} {mark.word}") for mark in MARKS.values())
    lines = re.findall(rf"^ +(\d+) ({marks}) +(.*)$", body, re.MULTILINE)
    assert [int(n) for n, _, _ in lines] == list(range(1, 15))
    assert {mark for _, mark, _ in lines} == set(marks.replace("\\", "").split("|"))
    for segment, (_, _, start) in zip(report.segments, lines, strict=True):
        assert one_line(segment.text).startswith(start)


def test_contradicting_quote_comes_first_with_its_source():
    body = flat(rich())
    block = body[body.rindex("Its lamp was lit") : body.index("The stones came from a quarry near Lunde, which")]
    against = "✗ against “On 9 October 1868 the lamp was lit for the first time” — Harbour chronicle of Sandvik"
    assert block.index(against) < block.index("✓ for quote not found in the passage — Sandvik")
    assert "The lamp was lit in May 1871" not in body  # an invented quote is never shown as a quote
    assert "evidence conflicts; the surer side decides · high confidence" in block
    assert "should say: Holmen was the first, in 1889." in body


def test_undecided_quotes_the_nearest_passage():
    body = flat(unsettled())
    assert "? near “It rained in spring.” — Diary" in body
    assert "read 3 passages: Diary" in body
    assert "Snow" not in body


def test_a_contradiction_below_the_floor_is_reported_as_not_counting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTSCOPE_STRICTNESS", "low")
    passage = (
        "1.1 The Landlord lets to the Tenant the ground floor of 14 Orchard Lane, Stroud, of 210 square metres, with"
        " four parking spaces.\n\n1.2 The premises may be used only for roasting, packing and selling coffee."
    )
    report = fs.check("The tenant may also use the rooms as a café.", contexts=[passage]).record
    assert [judgement.label for judgement in report.judgements] == ["contradicted"]
    assert report.counts["undecided"] == 1
    assert "[too weak to count]" in flat(report)
    assert "too weak" not in flat(fs.check("It opened in 1940.", contexts=["It opened in 1931."]).record)


def test_the_short_form_names_the_claim_that_decides_a_sentence_of_several() -> None:
    evidence = [
        "Tickets cost 9 crowns and are sold at the village shop, not at the tower. Elof Brandil built the tower."
    ]
    text = (
        "Tickets are 9 crowns each and can be bought at the tower. The builder was Elof Brandil, who came from Merrow."
    )
    lines = [line.strip() for line in short_text(fs.check(text, contexts=evidence).record).splitlines()]
    assert "✗ Tickets can be bought at the tower." in lines
    assert "? Elof Brandil came from Merrow." in lines
    assert not any(line.startswith("✓ Tickets") for line in lines)


def test_a_supporting_quote_is_not_listed_against_a_claim_on_a_weak_contradiction():
    built = Builder("The mill has three wheels.")
    claim = built.claim(segment := built.segment("The mill has three wheels."))
    source = built.document("Mill book", "docs/mill.md")
    words = "Its three wheels turn."
    support = built.judged(claim, 1, source, f"The mill is old. {words}", "supported", words, 0.9)
    built.judged(claim, 2, source, f"{words} Nobody counts them.", "contradicted", words, 0.5)
    built.judged(claim, 3, source, "It has one wheel.", "contradicted", "It has one wheel.", 0.5)
    built.verdict(claim, "claim", "supported", judgement_ids=(support,), confidence=0.9)
    built.close(segment)
    report = built.build()
    floor = {"roll_up": {"unit": "strongest", "contradiction_floor": 0.6}}
    body = flat(report.model_copy(update={"method": report.method | floor}))
    assert body.count(words) == 1
    assert "✗ against “It has one wheel.”" in body
    assert flat(report).count(words) == 2  # where it counts, the evidence conflicts


def test_other_outcomes_say_why():
    body = flat(rich())
    for part in (
        "read 2 passages: Harbour chronicle of Sandvik; Sandvik",
        "the evidence does not settle it",
        "the passages found do not bear on the claim",
        "! failed in judging (timeout): The judge did not answer within 30 s. Run the same command again",
        "! not judged: The judge's answer could not be read.",
        "an opinion, not a fact",
        "all of its evidence was ruled out",
        "[excluded by a person] [hidden text removed]",
    ):
        assert part in body
    for failure in rich().failures:
        assert body.count(failure.message) == 1


@pytest.mark.parametrize("width", [60, 80, 100, 133, 200])
def test_no_line_is_wider_than_the_terminal_or_ends_in_spaces(width):
    for report in (rich(), large(3)):
        for line in shown(report, width).splitlines():
            assert cell_len(line) <= width
            assert line == line.rstrip()


def test_output_is_plain_without_a_terminal_and_uncoloured_on_request(monkeypatch):
    plain = shown(rich())
    assert "\x1b" not in plain
    coloured = shown(rich(), force_terminal=True, color_system="standard")
    assert COLOURS.sub("", coloured) == plain
    assert COLOURS.search(coloured)
    monkeypatch.setenv("NO_COLOR", "1")
    mono = shown(rich(), force_terminal=True)
    assert COLOURS.sub("", mono) == plain
    assert not re.search(r"\x1b\[(?:\d+;)*(?:3[0-7]|9[0-7]|38|48|4[0-7])[;m]", mono)


def test_states_differ_in_colour_too():
    coloured = shown(rich(), force_terminal=True, color_system="standard")
    styles = {}
    for mark in MARKS.values():
        (style, *_) = re.findall(rf"(\x1b\[[\d;]*m){re.escape(mark.glyph)} {mark.word}", coloured)
        styles[mark.word] = style
    assert len(set(styles.values())) == len(MARKS)


@pytest.mark.medium
@try_all("payload", SOME)
def test_nothing_in_a_text_steers_the_terminal(payload):
    report = hostile(payload)
    for text in (
        shown(report, 80),
        COLOURS.sub("", shown(report, 80, force_terminal=True, color_system="truecolor")),
    ):
        assert not CONTROLS.search(text)
        assert "".join(one_line(payload).split()) in "".join(text.split())


@pytest.mark.medium
@settings(deadline=None, max_examples=40)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=80), st.sampled_from([60, 80, 200]))
def test_any_text_fits_and_is_inert(payload, width):
    text = shown(hostile(payload), width)
    assert not CONTROLS.search(text)
    assert all(cell_len(line) <= width for line in text.split("\n"))


def test_supported_sentences_are_listed_in_one_compact_block():
    body = shown(large(5), 120).partition("sentence by sentence")[2].partition("These verdicts are")[0]
    assert "\n\n" not in body.strip()
    assert len(body.strip().splitlines()) == 10
    assert "Needs review" not in shown(large(5))


def test_text_without_a_statement_says_so():
    b = Builder("Really?")
    b.skip("Really?", reason="a question")
    text = shown(b.build())
    assert "This text contains no checkable claim.\nno checkable claim\n" in text
    assert "\n0 claims, ⋯ 1 not checkable\n" in text
    empty = shown(Builder("").build())
    assert "no checkable claim\n! note: Evidence: old.pdf: is damaged\n\n0 claims\n" in empty


def test_a_short_report_states_its_result_once():
    out = io.StringIO()
    print_short(rich(), Console(file=out, width=100))
    assert out.getvalue().count("the evidence contradicts 2 and supports 7") == 1
