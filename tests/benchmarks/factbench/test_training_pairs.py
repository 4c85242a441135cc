"""Pairs for training: each correction replaces exactly the wrong sentence and nothing else in the response."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.benchmarks.factbench import feedback, training_pairs
from factscope.core.records import Correction, Report, Span
from tests.scoring.example_reports import NO, OPEN, YES, J, make_report


def answered(*sentences: tuple[str, J], corrections: Mapping[int, str]) -> Report:
    """Build a response of these sentences, each with one claim, and corrections by sentence number from 1."""
    report = make_report([[judged] for _, judged in sentences])
    segments, claims, text = [], [], ""
    for (words, _), segment, claim in zip(sentences, report.segments, report.claims, strict=True):
        span = Span(start=len(text), end=len(text) + len(words))
        text += f"{words} "
        segments.append(segment.model_copy(update={"span": span, "text": words}))
        claims.append(claim.model_copy(update={"standalone": f"{claim.id}: {words}"}))
    made = {
        "segments": tuple(segments),
        "claims": tuple(claims),
        "response": report.response.model_copy(update={"text": text.rstrip()}),
        "corrections": tuple(
            Correction(unit_id=f"s{number}.c1", error="entity", text=words) for number, words in corrections.items()
        ),
    }
    return report.model_copy(update=made)


def chosen(*reports: Report) -> list[object]:
    return [pair["chosen"] for pair in training_pairs(feedback("run", reports))]


def test_the_wrong_one_of_two_identical_sentences_is_corrected() -> None:
    """The same sentence is right about one person and wrong about the other."""
    report = answered(
        ("Ida built it.", YES),
        ("She died in 1950.", YES),
        ("Ada paid for it.", YES),
        ("She died in 1950.", NO),
        corrections={4: "She died in 1961."},
    )
    assert chosen(report) == ["Ida built it. She died in 1950. Ada paid for it. She died in 1961."]


def test_a_word_that_is_part_of_an_earlier_one_is_not_taken_for_the_sentence() -> None:
    report = answered(("Reddish clay.", YES), ("Red", NO), corrections={2: "Grey"})
    assert chosen(report) == ["Reddish clay. Grey"]


def test_a_correction_containing_a_later_sentence_is_not_corrected_again() -> None:
    report = answered(
        ("It is red.", NO), ("It is big.", NO), corrections={1: "It is big. It is grey.", 2: "It is wee."}
    )
    assert chosen(report) == ["It is big. It is grey. It is wee."]


def test_a_response_without_a_correction_makes_no_pair() -> None:
    without = answered(("It is red.", NO), corrections={})
    same = answered(("It is red.", NO), corrections={1: "It is red."})
    open_claim = answered(("It is red.", OPEN), corrections={1: "It is grey."})
    assert chosen(without, same, open_claim) == []


def test_remaining_errors_are_counted() -> None:
    report = answered(("It is red.", NO), ("It is big.", NO), ("It is old.", OPEN), corrections={2: "It is wee."})
    (pair,) = training_pairs(feedback("run", [report]))
    assert (pair["corrected"], pair["left"]) == (1, 1)
    assert (pair["rejected"], pair["chosen"]) == (
        "It is red. It is big. It is old.",
        "It is red. It is wee. It is old.",
    )


def test_a_repeated_error_is_corrected_everywhere_or_counted_as_left() -> None:
    sentences = [("It is red.", NO), ("It is big.", YES), ("Truly, it is red.", NO), ("It is red.", NO)]

    def pair(**corrections: str) -> tuple[object, ...]:
        report = answered(*sentences, corrections={int(name[1:]): text for name, text in corrections.items()})
        claims = [claim.model_copy(update={"standalone": "It is red"}) for claim in report.claims]
        report = report.model_copy(update={"claims": (claims[0], report.claims[1], *claims[2:])})
        found = feedback("run", [report])
        assert [(wrong.unit_id, wrong.times) for wrong in found.responses[0].wrong] == [("s1.c1", 3)]
        (made,) = training_pairs(found)
        return made["chosen"], made["corrected"], made["left"]

    assert pair(s1="It is grey.") == ("It is grey. It is big. Truly, it is red. It is red.", 1, 2)
    assert pair(s1="It is grey.", s3="Truly, it is grey.", s4="It is grey.") == (
        "It is grey. It is big. Truly, it is grey. It is grey.",
        3,
        0,
    )


words = st.sampled_from(["It is.", "It is so.", "So it is.", "It", "é", "Non, it is."])


@settings(max_examples=25)
@given(
    st.lists(
        st.tuples(words, st.booleans(), st.none() | st.sampled_from(["", "It is.", "No."])), min_size=1, max_size=6
    )
)
def test_all_other_sentences_stay_exactly_the_same(rows: Sequence[tuple[str, bool, str | None]]) -> None:
    corrections = {number: text for number, (_, wrong, text) in enumerate(rows, 1) if wrong and text}
    report = answered(*((text, NO if wrong else YES) for text, wrong, _ in rows), corrections=corrections)
    expected = " ".join(corrections.get(number, text) for number, (text, _, _) in enumerate(rows, 1))
    assert chosen(report) == ([expected] if expected != report.response.text else [])
