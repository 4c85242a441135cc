"""The search for passages that bear on a claim."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from factscope.evidence import Collection, open_collection
from factscope.methods import Passages
from tests.conftest import at_least

CORPUS = {
    "golden-gate.txt": "The Golden Gate Bridge spans the strait between San Francisco and Marin. Its towers are "
    "painted orange. It was opened to traffic in May 1937. The main span measures 1,280 metres. Joseph Strauss was "
    "chief engineer. A toll is charged to cars that drive south.",
    "tower-bridge.md": "# Tower Bridge\n\nTower Bridge crosses the Thames in London. It was opened in 1894 by the "
    "Prince of Wales. Its two bascules are raised about 800 times a year. Horace Jones drew the first design.",
    "forth.txt": "The Forth Bridge is a railway bridge in Scotland. It was opened in 1890. Its cantilevers are of "
    "steel. Seventy-three men died while it was built.",
    "potato.txt": "The potato was first grown in the Andes. Sailors brought it to Europe in the sixteenth century. "
    "In Ireland the harvest failed in 1845. A million people died of hunger.",
    "moon.txt": "The Moon circles the Earth in 27.3 days. Its mean distance is 384,400 km. Neil Armstrong stepped on "
    "it in July 1969. Its gravity is a sixth of ours.",
    "curie.txt": "Marie Curie was born in Warsaw in 1867. She discovered polonium and radium. She won the Nobel Prize "
    "in Physics in 1903 and in Chemistry in 1911. She died in 1934.",
}
ONE = Passages(top_k=1, window=0)


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    base = tmp_path_factory.mktemp("search")
    (base / "docs").mkdir()
    for name, text in CORPUS.items():
        (base / "docs" / name).write_text(text, encoding="utf-8")
    return open_collection([base / "docs"], base / "cache")


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("The Golden Gate Bridge was opened in 1937.", "It was opened to traffic in May 1937."),
        ("The Golden Gate Bridge opened in 1935.", "opened to traffic in May 1937"),
        ("Tower Bridge was opened in 1894.", "It was opened in 1894 by the Prince of Wales."),
        ("Joseph Strauss engineered the Golden Gate Bridge.", "Joseph Strauss was chief engineer."),
        ("The main span of the Golden Gate is 1280 metres long.", "The main span measures 1,280 metres."),
        ("The potato comes from the Andes.", "The potato was first grown in the Andes."),
        ("Potato harvests in Ireland failed in 1845.", "In Ireland the harvest failed in 1845."),
        (
            "Marie Curie received two Nobel Prizes.",
            "She won the Nobel Prize in Physics in 1903 and in Chemistry in 1911.",
        ),
        ("Marie Curie was born in Paris.", "Marie Curie was born in Warsaw in 1867."),
        ("The Moon is 384400 km away on average.", "Its mean distance is 384,400 km."),
        ("Neil Armstrong walked on the Moon in 1969.", "Neil Armstrong stepped on it in July 1969."),
        ("Men died while the Forth Bridge was built.", "Seventy-three men died while it was built."),
    ],
)
def test_the_best_two_passages_hold_the_answer(collection: Collection, claim: str, answer: str) -> None:
    assert any(answer in found.text for found in collection.search(claim, Passages(top_k=2)))


def test_the_best_sentence_comes_with_its_neighbours(collection: Collection) -> None:
    [alone] = collection.search("Curie discovered radium", ONE)
    [wide] = collection.search("Curie discovered radium", Passages(top_k=1, window=1))
    assert alone.text == "She discovered polonium and radium."
    assert wide.text.startswith("Marie Curie was born")
    assert wide.text.endswith("in 1911.")
    assert wide.document.title == "curie.txt"
    assert wide.document.text is None


def test_words_not_in_the_collection_find_nothing(collection: Collection) -> None:
    assert collection.search("xylophone zeppelin", Passages()) == ()
    assert collection.search("", Passages()) == ()
    assert collection.search("!? …", Passages()) == ()


def test_stop_words_find_nothing(collection: Collection) -> None:
    assert collection.search("it was of the and in", Passages()) == ()


def test_few_non_overlapping_passages_come_from_one_document(collection: Collection) -> None:
    for per_document in (1, 2, 4):
        found = collection.search("bridge opened engineer span tower", Passages(top_k=20, per_document=per_document))
        documents = [passage.document.id for passage in found]
        assert max(documents.count(name) for name in documents) <= per_document
        assert len(set(documents)) >= 3


@given(
    words=st.lists(st.sampled_from(" ".join(CORPUS.values()).split()), min_size=1, max_size=12),
    top_k=st.integers(1, 8),
    around=st.integers(0, 3),
    per_document=st.integers(1, 4),
)
@settings(
    deadline=None, max_examples=at_least(37, in_all=150), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_passages_are_verbatim_disjoint_and_ordered(
    collection: Collection, words: list[str], top_k: int, around: int, per_document: int
) -> None:
    wanted = Passages(top_k=top_k, window=around, per_document=per_document)
    found = collection.search(" ".join(words), wanted)
    assert found == collection.search(" ".join(reversed(words)), wanted)
    assert len(found) <= top_k
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert all(0 < one.score <= 1 for one in found)
    for number, one in enumerate(found):
        [text] = [text for name, text in CORPUS.items() if (one.document.url or "").endswith(name)]
        assert one.span.of(text) == one.text
        assert not any(one.document.id == two.document.id and one.span.overlaps(two.span) for two in found[:number])


def test_offsets_count_characters_in_any_script(tmp_path: Path) -> None:
    text = "🌉 Die Brücke. 橋は一九三二年に開通した。 The bridge opened in 1932. Größe: 12 m."
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    collection = open_collection([tmp_path / "a.txt"], tmp_path / "cache")
    [found] = collection.search("opened 1932", ONE)
    assert found.text == found.span.of(text)
    assert "opened in 1932." in found.text
    [found] = collection.search("開通", ONE)
    assert "開通" in found.text
    assert found.text == found.span.of(text)


def test_the_title_helps_to_find_a_document(tmp_path: Path) -> None:
    pages = {"Harbour Bridge": "It was opened in 1932.", "Opera House": "It was opened in 1973."}
    for name, text in pages.items():
        page = f"<html><head><title>{name}</title></head><body><p>{text}</p></body></html>"
        (tmp_path / f"{name}.html").write_text(page)
    collection = open_collection([tmp_path], tmp_path / ".cache")
    assert collection.search("The Opera House was opened in 1932.", ONE)[0].document.title in pages
    assert collection.search("When was the Opera House opened?", ONE)[0].text == "It was opened in 1973."
    assert collection.search("When was the Harbour Bridge opened?", ONE)[0].text == "It was opened in 1932."
