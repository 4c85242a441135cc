"""Suites read whole or refused with the line; the bundled ones agree with their own documents."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from factscope.benchmarks.behaviour import BASIC, holds
from factscope.benchmarks.behaviour.suite import BUNDLED, Suite, examples_suite, read_suite
from factscope.core import InputError, UsageError

EXAMPLES = Path(__file__).parents[3] / "examples"
PAIR = '{"id": "1", "category": "negation", "claim": "It is.", "evidence": "It is not.", "label": "contradicted"}\n'


def suites() -> list[Suite]:
    return [read_suite(BUNDLED), examples_suite(EXAMPLES, EXAMPLES / "harbour")]


def test_the_bundled_pairs_are_of_25_kinds() -> None:
    kinds = Counter(case.category for case in read_suite(BUNDLED).pairs)
    assert len(kinds) == 25
    assert set(BASIC) <= kinds.keys()
    assert sum(kinds.values()) == 299


def test_deciding_quotes_are_in_their_documents_and_sentences_in_their_texts() -> None:
    for text in [text for suite in suites() for text in suite.texts]:
        names = {path.name for path in text.documents.iterdir()}
        plain = " ".join(text.text.split())
        for one in text.sentences:
            assert one.sentence in plain, (text.name, one.sentence)
            assert (one.quote is None) == (one.label in ("not_enough", "not_checkable"))
            if one.doc in names:
                assert holds((text.documents / one.doc).read_text(encoding="utf-8"), one.quote or ""), one.quote


def test_the_examples_have_the_labels_of_their_readme() -> None:
    counts = {text.name: Counter(one.label for one in text.sentences) for text in suites()[1].texts}
    assert counts["harbour-guide"] == {"supported": 13, "contradicted": 7, "not_enough": 2, "not_checkable": 6}
    assert counts["lighthouse"] == {"supported": 6, "contradicted": 4, "not_enough": 2}
    assert counts["ferry-dialogue"] == {"supported": 6, "contradicted": 5, "not_enough": 1, "not_checkable": 8}


def test_a_folder_without_a_suite_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a suite"):
        read_suite(tmp_path)


def test_a_bad_row_is_named_by_file_line_and_field(tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text(PAIR + PAIR.replace("contradicted", "wrong"))
    with pytest.raises(InputError, match=r"pairs\.jsonl, line 2: label"):
        read_suite(tmp_path)
    (tmp_path / "pairs.jsonl").write_text("nonsense\n")
    with pytest.raises(InputError, match=r"pairs\.jsonl, line 1: the row"):
        read_suite(tmp_path)


def test_a_text_without_documents_is_refused(tmp_path: Path) -> None:
    (tmp_path / "texts" / "one").mkdir(parents=True)
    (tmp_path / "texts" / "one" / "key.jsonl").write_text('{"sentence": "It is.", "label": "supported"}\n')
    with pytest.raises(InputError, match="The text one"):
        read_suite(tmp_path)


def test_the_digest_tells_suites_apart(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text(PAIR)
    first = read_suite(tmp_path)
    assert read_suite(tmp_path).digest == first.digest
    file.write_text(PAIR.replace("It is.", "It was."))
    assert read_suite(tmp_path).digest != first.digest


@pytest.mark.parametrize(
    ("passage", "quote", "there"),
    [
        ("The fair is in October, and it rains.", "The fair is in  OCTOBER", True),
        ("Fair: Herring Fair; Month: October; Place: Fish Hall", "Herring Fair,October,Fish Hall", True),
        ("The fair is in October.", "October is fair", False),
        ("Herring is sold here. " + "Nothing else. " * 9 + "The fair is in October.", "Herring Fair,October", False),
        ("The fair is in October.", "", False),
    ],
)
def test_a_quote_is_in_a_passage_with_its_words_in_order_and_close_together(
    passage: str, quote: str, there: bool
) -> None:
    assert holds(passage, quote) is there
