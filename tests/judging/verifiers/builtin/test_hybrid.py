"""The built-in verifier: the encoder contributes, and predictions keep the guarantees of the features."""

from __future__ import annotations

from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.judging.verifiers import ClaimPair, Prediction
from factscope.judging.verifiers.builtin import LABELS, SMALL, EncoderTexts, load, read_mixture, read_model
from factscope.judging.verifiers.wording import MOST, WORDS, chunks, read, read_claim, read_sentences, worth_reading
from tests.conftest import at_least
from tests.judging.verifiers.builtin.new_interpreter import printed_by_new_interpreter
from tests.judging.verifiers.builtin.pairs import PAIRS
from tests.lab.growth import growth
from tests.lab.many_cases import try_all

WORDS_OF_ALL_KINDS = "The|lake|not|12|%|May|Anna|is|never|first|.|?|\n|二|😀|[SEP]|half".split("|")  # noqa: SIM905
ANY_TEXT = st.one_of(st.text(max_size=80), st.lists(st.sampled_from(WORDS_OF_ALL_KINDS), max_size=30).map(" ".join))
FILL = [f"The {what} of the town stands on the square, built of red stone." for what in ("hall", "inn", "mill", "well")]


def judge(claim: str, passage: str) -> Prediction:
    return load().verify([ClaimPair(claim, passage)])[0]


def test_a_paraphrase_is_supported_and_an_opposite_is_not() -> None:
    assert judge("The crane was constructed in 1921.", "In 1921 workers built the crane.").label == "supported"
    assert judge("Nobody was hurt in the fire.", "The fire killed three people and injured ten.").label != "supported"


def test_a_copied_sentence_is_supported_and_quoted() -> None:
    passage = "The harbour is old. The crane was built in 1921 by Ada Holm. It still works."
    opinion = judge("The crane was built in 1921 by Ada Holm.", passage)
    assert opinion.label == "supported"
    assert opinion.quote is not None
    assert opinion.quote.of(passage) == "The crane was built in 1921 by Ada Holm."
    assert opinion.rationale == "the passage states it word for word"


def test_a_changed_year_is_contradicted_and_named() -> None:
    opinion = judge("The crane was built in 1921.", "The harbour is old. The crane was built in 1912.")
    assert opinion.label == "contradicted"
    assert opinion.rationale == "the passage says 1912, not 1921"


@try_all(
    ("claim", "passage"),
    [
        ("Smith died in 1794.", "Smith resigned in 1794."),
        ("Lotte Brandt died in Vienna in 1911.", "Lotte Brandt, a singer, retired in Vienna in 1911."),
        ("The mill was demolished in 1794.", "The mill burned down in 1794."),
        ("The mill was built in 1794.", "The mill was sold in 1794."),
        ("The city was liberated in 1944.", "The city was occupied in 1944."),
        ("The treaty was ratified in 1794.", "The treaty was signed in 1794."),
        ("Smith was convicted in 1794.", "Smith was arrested in 1794."),
    ],
)
def test_another_event_of_the_same_date_is_not_supported(claim: str, passage: str) -> None:
    assert judge(claim, passage).label != "supported"


@try_all(
    ("claim", "passage"),
    [
        ("Smith died in 1794.", "Smith passed away in 1794."),
        ("Smith died in 1794.", "Smith, who had resigned in 1790, lost his life in a fire in 1794."),
        ("Smith died in 1794.", "Smith was executed in 1794."),
        ("The mill was built in 1902.", "The mill was completed in 1902."),
        ("The firm was founded in 1920.", "The firm was established in 1920."),
        ("Schools were closed in both towns.", "Schools stayed open in neither town."),
        ("Ana Holt joined the firm in 1985.", "Ana Holt started at the firm in 1985."),
    ],
)
def test_an_event_in_other_words_is_supported(claim: str, passage: str) -> None:
    assert judge(claim, passage).label == "supported"


def test_an_off_topic_passage_carries_no_quote() -> None:
    opinion = judge("The lighthouse keeper kept goats.", "Interest rates were left unchanged by the central bank.")
    assert (opinion.label, opinion.quote) == ("irrelevant", None)


def test_a_sentence_of_thousands_of_words_is_not_compared_and_takes_linear_time() -> None:
    def look(size: int) -> Prediction:
        return judge("and the iron bridge over the river was opened by the mayor " * (size // 60), "The bridge is old.")

    assert look(60 * 60).flags == ("too_long",)
    assert look(20 * 60).flags != ("too_long",)
    assert growth(look, 400_000) < 1.3
    dates = judge("It closed on 14/03/1822 and " * 200, "It closed on 14 March 1822.")
    assert "has 1,000 words" in dates.rationale, "no notation is sought in it"


@pytest.mark.parametrize(("claim", "passage"), [("The lake froze.", ""), ("", "The lake froze."), ("It is.", "😀 …")])
def test_with_nothing_to_compare_it_abstains(claim: str, passage: str) -> None:
    opinion = judge(claim, passage)
    assert (opinion.label, opinion.confidence, opinion.quote) == ("not_enough_evidence", None, None)
    assert opinion.flags == ("nothing_to_read",)


def test_every_sentence_of_a_claim_counts() -> None:
    passage = "The crane was built in 1912. It was painted red in 1950 and is still in use."
    assert judge("The crane was painted red in 1950. It is still in use.", passage).label == "supported"
    opinion = judge("The crane was painted red in 1950. The crane was built in 1921.", passage)
    assert opinion.label != "supported"
    assert opinion.rationale.startswith("“The crane was built in 1921")


def test_the_relevant_sentence_is_found_in_a_long_passage() -> None:
    true = "The mayor of Marlow is Ida Kern, elected in 1950."
    passage = " ".join([*FILL * 12, true, *FILL * 12])
    opinion = judge("Ida Kern is the mayor of Marlow.", passage)
    assert opinion.label == "supported"
    assert opinion.quote is not None
    assert opinion.quote.of(passage) == true


@pytest.mark.parametrize(
    ("claim", "passage", "says"),
    [
        (
            "Die Brücke wurde 1902 eröffnet und ist lang.",
            "Die Brücke wurde 1902 eröffnet und ist lang.",
            "claim is in German",
        ),
        (
            "The bridge was opened in 1902.",
            "Die Brücke wurde im Jahr 1902 eröffnet und ist lang.",
            "passage is in German",
        ),
        ("这座桥建于1902年。", "这座桥建于1902年，长80米。", "claim is in Chinese"),
    ],
)
def test_text_in_another_language_is_not_judged(claim: str, passage: str, says: str) -> None:
    opinion = judge(claim, passage)
    assert (opinion.label, opinion.confidence, opinion.flags) == ("not_enough_evidence", None, ("other_language",))
    assert says in opinion.rationale
    assert opinion.probabilities is None


@pytest.mark.medium
def test_a_very_long_passage_without_a_match_is_not_a_verdict() -> None:
    silent = " ".join(FILL * 500)
    opinion = judge("Ida Kern is the mayor of Marlow.", silent)
    assert (opinion.label, opinion.confidence, opinion.flags) == ("not_enough_evidence", None, ("partly_read",))
    assert judge("Ida Kern is the mayor of Marlow.", f"{silent} Ida Kern is the mayor of Marlow.").label == "supported"
    assert judge("Ida Kern is the mayor of Marlow.", " ".join(FILL * 50)).flags == ()


@given(ANY_TEXT, ANY_TEXT)
@settings(deadline=None, max_examples=at_least(20, in_all=60))
def test_any_text_gets_a_valid_prediction(claim: str, passage: str) -> None:
    opinion = judge(claim, passage)
    assert opinion.label in LABELS
    assert (opinion.confidence is None) == bool(opinion.flags)
    assert opinion.confidence is None or 0 <= opinion.confidence <= 1
    assert opinion.rationale
    assert "\n" not in opinion.rationale
    if opinion.probabilities is not None:
        assert sum(chance or 0.0 for chance in opinion.probabilities) == pytest.approx(1.0)
    if opinion.quote is not None:
        assert opinion.quote.of(passage).strip()


def test_a_pair_is_judged_the_same_alone_and_in_any_batch() -> None:
    pairs = [ClaimPair(claim, passage) for _, _, claim, passage in PAIRS[:20]]
    alone = [load().verify([pair])[0] for pair in pairs]
    assert load().verify(pairs) == alone
    assert load().verify(pairs[::-1]) == alone[::-1]


@pytest.mark.medium
def test_another_process_gives_the_same_predictions() -> None:
    # A new interpreter knows nothing of the network's results here.
    code = (
        "from factscope.judging.verifiers.builtin import load;"
        "from factscope.judging.verifiers.protocol import ClaimPair;"
        "from tests.judging.verifiers.builtin.pairs import PAIRS;"
        "print(load().verify([ClaimPair(c, p) for _, _, c, p in PAIRS[:12]]))"
    )
    assert printed_by_new_interpreter(code) == str(load().verify([ClaimPair(c, p) for _, _, c, p in PAIRS[:12]]))


def test_texts_of_any_length_fit_the_encoder() -> None:
    found = SMALL.logits([EncoderTexts("word " * 1000, "other " * 1000), EncoderTexts("", ""), EncoderTexts("a", "b")])
    assert found.shape == (3, 3)
    assert (found[2] == SMALL.logits([EncoderTexts("a", "b")])[0]).all()
    assert SMALL.logits([]).shape == (0, 3)


def test_chunks_cover_the_passage_and_the_most_similar_are_read() -> None:
    weights = read_model().weights
    passage = read(" ".join(FILL * 40), weights)
    found = chunks(passage)
    assert [chunk.low for chunk in found] == [0, *(chunk.high for chunk in found[:-1])]
    assert found[-1].high == len(passage.stretches)
    assert all(len(chunk.of(passage).split()) <= WORDS for chunk in found)
    part = read_claim("The mill stands on the square.", weights)[0].stretches[0]
    assert len(worth_reading(part, passage, found)) == MOST
    assert chunks(read("", weights)) == []


def test_a_claim_is_read_sentence_by_sentence() -> None:
    weights = read_model().weights
    text = "The crane is old. It works. The harbour was built by Ada Holm in 1921."
    shown = [text[part.stretches[0].start : part.stretches[0].end] for part in read_sentences(text, weights)]
    assert shown == ["The crane is old. It works.", "The harbour was built by Ada Holm in 1921."]
    assert len(read_sentences("", weights)) == 1


def test_the_files_are_small_and_the_card_holds_the_figures() -> None:
    folder = files("factscope.judging.verifiers.builtin")
    assert len(folder.joinpath("encoder.onnx").read_bytes()) <= 25_000_000
    card, figures = folder.joinpath("MODEL_CARD.md").read_text(encoding="utf-8"), read_mixture().figures
    for source, row in figures["held_out"].items():
        assert f"| {source} | {row['rows']:,} | {row['accuracy']:.3f} |" in card


def test_the_text_below_a_title_is_quoted() -> None:
    passage = "# Marlow Museum\n\nWe welcome visitors every day except Tuesday."
    opinion = judge("The museum is open on Mondays.", passage)
    assert opinion.label == "supported"
    assert opinion.quote is not None
    assert opinion.quote.of(passage) == "We welcome visitors every day except Tuesday."


@try_all("end", ["!!!", "...", "..", " 😀", "! 🎉", " ."])
def test_marks_and_emoji_at_the_end_of_a_claim_change_nothing(end: str) -> None:
    passage = "The ferry Aurora was built in 1998 in Bergen. It carries 200 passengers."
    assert judge(f"The ferry was built in 1998{end}", passage).label == "supported"


@try_all(
    ("claim", "passage"),
    [
        (
            "Clara Voss proved that the church had only one tower.",
            "Harting believed that the church had two towers. | Voss showed in 1928 that there was only one.",
        ),
        (
            "The dose may be raised to 20 mg a day.",
            "The usual starting dose is 5 mg a day. | Doctors may increase it to 20 mg.",
        ),
    ],
)
def test_a_supporting_quote_has_the_numbers_and_names_of_the_claim(claim: str, passage: str) -> None:
    whole = passage.replace("| ", "")
    opinion = judge(claim, whole)
    assert opinion.label == "supported"
    assert opinion.quote is not None
    assert opinion.quote.of(whole) == passage.split("| ")[1]


def test_a_question_is_not_quoted_and_supports_nothing_that_its_answer_denies() -> None:
    denied = "**Should patients after a heart attack avoid coffee?** No. One to three cups a day are fine."
    assert judge("People who have had a heart attack should not drink coffee.", denied).label != "supported"
    affirmed = "**May patients after a heart attack drink coffee?** Yes. One to three cups a day are fine."
    opinion = judge("People who have had a heart attack may drink coffee.", affirmed)
    assert opinion.label == "supported"
    assert opinion.quote is not None
    assert opinion.quote.of(affirmed) == "One to three cups a day are fine."


@try_all(
    ("claim", "passage", "reason"),
    [
        ("About 6,000 people took part in the race.", "The race had 6,200 participants.", "has 6,200, about 6,000"),
        ("The mayor of Denby is Ida Kern.", "The mayor opened the fair on Monday.", "does not name Denby"),
        (
            "The last update of the map came in May.",
            "The map is printed in two colours.",
            "does not have May, and does not mention “last”, “update”, “came”",
        ),
        (
            "All the trees in the park are limes.",
            "Most of the 300 trees in the park are limes.",
            "says “most” where the claim says “all”",
        ),
        (
            "Dorland left the treaty in 1879.",
            "Dorland left it in 1861; Esker stayed until 1879.",
            "has 1861 where the claim says 1879",
        ),
    ],
)
def test_a_reason_names_what_the_passage_has_and_lacks(claim: str, passage: str, reason: str) -> None:
    assert judge(claim, passage).rationale == f"the passage {reason}"


@try_all(
    ("claim", "passage", "false"),
    [
        (
            "Roughly fifty thousand pounds were paid for the house.",
            "The house was sold to a baker, who paid £48,000 for it.",
            "also has",
        ),
        ("Water boils at 100 degrees Celsius.", "At sea level water boils at 212 degrees Fahrenheit.", "also has"),
        ("Nobody was hurt in the fire.", "The fire broke out in the kitchen at night.", "Nobody"),
        ("The bridge has been repainted.", "The old bridge, on which lorries could meet, is closed.", "could"),
        (
            "The first barge passed through the Oster canal in 1906.",
            "Work on the Oster canal began in April 1902 and was to be finished in 1906. Floods in 1904 and a strike "
            "in 1905 delayed it. The first barge passed through on 12 May 1909.",
            "1902",
        ),
        (
            "The treaty was ratified in 1848.",
            "The treaty was signed in 1847. It was printed. Copies are rare. The king kept one. It burned in 1848.",
            "not 1848",
        ),
        (
            "The mill was rebuilt in 1848.",
            "The mill burned. It had been painted in 1831. Its plans are rare. The king kept them. He died in 1848.",
            "does not have 1848",
        ),
    ],
)
def test_a_reason_says_nothing_false_of_the_passage(claim: str, passage: str, false: str) -> None:
    assert false not in judge(claim, passage).rationale


@try_all(
    ("claim", "passage", "reason"),
    [
        (
            "Satin finches decorate their nests with up to 140 snail shells.",
            "Male satin finches of the Uluma hills decorate their nests with snail shells, up to 40 of them.",
            "says something that rules the claim out",
        ),
        (
            "A spoilt paper can be exchanged as often as the voter wishes.",
            "If you spoil a paper, you may exchange it once.",
            "says something that rules the claim out",
        ),
        (
            "Each clutch of the wren is guarded by the female.",
            "Each clutch holds 40 to 65 eggs and is guarded by the male until hatching.",
            "says “male” where the claim says “female”",
        ),
    ],
)
def test_missing_words_are_not_given_as_the_reason_for_a_contradiction(claim: str, passage: str, reason: str) -> None:
    opinion = judge(claim, passage)
    assert (opinion.label, opinion.rationale) == ("contradicted", f"the passage {reason}")
