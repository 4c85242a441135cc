"""Quality of page reading: main text against other extractors, hidden text, instructions to models, time.

    python -m perf.pages [--worst N]

The pages are those of the tests, written by hand. Extractors that are not installed are left out; to have them all:

    uv run --no-sync --with readability-lxml --with resiliparse --with newspaper4k python -m perf.pages

Figures are kept in `perf/README.md`.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.evidence.page.attacks import attacks
from tests.evidence.page.benign import BENIGN
from tests.evidence.page.page_corpus import Overlap, Sample, mean, overlap, samples
from tests.evidence.page.reworded import NEW, REWORDED
from tests.evidence.page.tricks import SECRET, tricks

from factscope.evidence.page import markup
from factscope.evidence.page.injection import instruction_spans
from factscope.evidence.page.page import ReadPage, read_page

Extract = Callable[[str], str]
_ADDRESS = "https://example.org/page"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worst", type=int, default=0, help="number of our worst pages to show")
    options = parser.parse_args()
    with_main = [sample for sample in samples() if sample.main]
    print(f"Main text: {len(with_main)} pages, mean of words found (precision, recall, F1)\n")
    print(f"{'':28} {'all':>22} {'held out':>10} {'worst':>7} {'ms/page':>8}")
    for name, extract in (("ours", _ours), *_others()):
        _row(name, extract, with_main, options.worst if name == "ours" else 0)
    _metadata()
    _hidden(with_main)
    _orders(with_main)


def _row(name: str, extract: Extract, wanted: Sequence[Sample], worst: int) -> None:
    extract(_markup(wanted[0]))
    start = time.perf_counter()
    found = [(sample, overlap(extract(_markup(sample)), sample.main)) for sample in wanted]
    took = 1000 * (time.perf_counter() - start) / len(found)
    every = [one for _, one in found]
    held_out = mean(one.f1 for sample, one in found if sample.held_out)
    means = " ".join(f"{mean(one[at] for one in every):7.3f}" for at in range(len(Overlap._fields)))
    print(f"{name:28} {means} {held_out:9.3f} {min(one.f1 for one in every):7.2f} {took:8.1f}")
    for sample, one in sorted(found, key=lambda pair: pair[1].f1)[:worst]:
        print(f"    {sample.name:30} {one.precision:.2f} {one.recall:.2f} {one.f1:.2f}")


def _markup(sample: Sample) -> str:
    stated = sample.gold.get("encoding") or ("gb18030" if b"gb18030" in sample.content else "utf-8")
    return sample.content.decode(stated)


def _read(content: bytes) -> ReadPage:
    return read_page(content, "text/html", None, _ADDRESS)


def _ours(source: str) -> str:
    return markup.read_markup(source, _ADDRESS).text


def _others() -> list[tuple[str, Extract]]:
    """Return other extractors, as each is meant to be used; their titles are added where they leave these out."""
    found: list[tuple[str, Extract]] = []
    makers: tuple[tuple[str, Callable[[], Extract]], ...] = (
        ("trafilatura", _trafilatura),
        ("trafilatura, for recall", lambda: _trafilatura(favor_recall=True)),
        ("trafilatura, for precision", lambda: _trafilatura(favor_precision=True)),
        ("readability-lxml", _readability),
        ("resiliparse", _resiliparse),
        ("justext", _justext),
        ("newspaper4k", _newspaper),
        ("all visible text", _everything),
    )
    for name, make in makers:
        try:
            found.append((name, make()))
        except ImportError:
            print(f"({name} is not installed)")
    return found


def _trafilatura(**favour: Any) -> Extract:
    import trafilatura

    extract: Any = trafilatura.extract
    return lambda source: extract(source, include_comments=False, include_tables=True, **favour) or ""


def _readability() -> Extract:
    from lxml import html
    from readability import Document  # type: ignore[import-not-found]

    def run(source: str) -> str:
        try:
            document: Any = Document(source)
            return f"{document.short_title()}\n" + " ".join(html.fromstring(document.summary()).itertext())
        except Exception:  # noqa: BLE001 - it raises on pages without text
            return ""

    return run


def _resiliparse() -> Extract:
    from resiliparse.extract.html2text import extract_plain_text  # type: ignore[import-not-found]

    return lambda source: str(extract_plain_text(source, main_content=True, alt_texts=False))


def _justext() -> Extract:
    import justext  # type: ignore[import-untyped]

    def run(source: str) -> str:
        # Without stop words, as the pages are in many languages.
        found = justext.justext(
            source.encode(), frozenset(), 70, 140, stopwords_low=0, stopwords_high=0, encoding="utf-8"
        )
        return "\n".join(paragraph.text for paragraph in found if not paragraph.is_boilerplate)

    return run


def _newspaper() -> Extract:
    warnings.simplefilter("ignore")
    import newspaper  # type: ignore[import-not-found]

    def run(source: str) -> str:
        article: Any = newspaper.Article(_ADDRESS)
        article.download(input_html=source)
        try:
            article.parse()
        except Exception:  # noqa: BLE001 - it raises on pages without text
            return ""
        return f"{article.title}\n{article.text}"

    return run


def _everything() -> Extract:
    from lxml import html

    def run(source: str) -> str:
        tree = html.document_fromstring(source)
        for element in list(tree.iter("script", "style", "noscript", "head")):
            element.drop_tree()
        return " ".join(tree.itertext())

    return run


def _metadata() -> None:
    print("\nWhat pages say of themselves, and their kind: right of all, and wrong where something is stated\n")
    read = [(sample, _read(sample.content)) for sample in samples()]
    for field in ("kind", "title", "author", "publisher", "published", "language"):
        right = sum(getattr(page, field) == sample.gold[field] for sample, page in read)
        wrong = sum(getattr(page, field) not in {None, sample.gold[field]} for sample, page in read)
        print(f"{field:12} {right} of {len(read)}, wrong {wrong}")


def _hidden(wanted: Sequence[Sample]) -> None:
    removed = flagged = leaked = lost = 0
    for content in tricks().values():
        page = _read(content)
        if SECRET.split()[1] not in page.text:
            removed += 1
        elif {"hidden_text_removed", "possibly_hidden", "folded_text"} & {*page.flags}:
            flagged += 1
        else:
            leaked += 1
        lost += "Ida Kern" not in page.text
    total = removed + flagged + leaked
    print(f"\nHidden text: {total} tricks, {removed} removed, {flagged} flagged, {leaked} leaked")
    print(f"Pages with a trick that lost visible text: {lost}")
    kept = [overlap(_visible(sample, hide=True), sample.main).recall for sample in wanted]
    all_of_it = [overlap(_visible(sample, hide=False), sample.main).recall for sample in wanted]
    print(f"Clean pages: recall of main text in what is left {mean(kept):.4f}, without removal {mean(all_of_it):.4f}")


def _visible(sample: Sample, hide: bool) -> str:
    from lxml import html

    from factscope.evidence.page.hidden_text import strip_hidden
    from factscope.evidence.page.visible_lines import visible_lines

    tree = html.document_fromstring(_markup(sample), parser=html.HTMLParser(remove_comments=True, remove_pis=True))
    if hide:
        strip_hidden(tree)
    return "\n".join(line.text for line in visible_lines(tree, 1_000_000))


def _orders(wanted: Sequence[Sample]) -> None:
    pages = attacks()
    start = time.perf_counter()
    seen = sum("instruction_like" in _read(content).flags for content in pages.values())
    took = 1000 * (time.perf_counter() - start) / len(pages)
    print(f"\nOrders to models: {seen} of {len(pages)} attack pages flagged ({took:.1f} ms a page)")
    for name, texts in (("reworded orders", REWORDED), ("of these, never looked at", NEW)):
        print(f"{name}: {sum(bool(instruction_spans(text)) for text in texts)} of {len(texts)} found")
    told = sum(bool(instruction_spans(text)) for text in BENIGN)
    print(f"Prose about models, rules and verdicts: {told} of {len(BENIGN)} flagged")
    clean = sum("instruction_like" in _read(sample.content).flags for sample in wanted)
    print(f"Clean pages: {clean} of {len(wanted)} flagged")


if __name__ == "__main__":
    main()
