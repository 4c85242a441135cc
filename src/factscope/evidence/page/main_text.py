"""Which blocks of a page are its main text.

Two opinions: ours, by where a block stands, what its elements are called and how much of it is links, and that of
trafilatura. Ours is linear in the size of the page and always there; trafilatura settles what ours leaves open and is
not asked about pages so large that it would take too long.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from factscope.evidence.page.boilerplate import ENDS, Known, is_chrome
from factscope.evidence.page.html_blocks import Block, Region

if TYPE_CHECKING:
    from lxml.html import HtmlElement

MAX_TAGS = 20_000
"""Pages with more elements are not shown to trafilatura, whose time grows faster than the page."""
MAX_SOURCE = 3_000_000
"""Nor pages with more characters of markup."""
GOOD_SIZE = 60
"""Characters without links from which a block speaks for the place where it stands."""
MOST_LINKS = 0.5
"""Blocks of which a larger share is links are menus and lists of other pages."""
MAIN_SHARE = 0.7
"""The container of the main text is the smallest element that holds so much of the good text."""
REGION_SHARE = 0.5
"""A region that holds a larger share of all text than this is the page itself, whatever it is called."""
REGION_SIZE = 400
"""Characters up to which a region may hold any share."""
LEAST_PROSE = 250
"""Pages with fewer characters of good text are short notes or lists: all that is in no region counts."""
SPREAD = 0.3
"""Text outside the container counts when the other extractor found more than this share of the good text there."""
ABOVE = 0.2
"""What stands above the headline is none of the main text, if it is no larger share of it than this."""
FEW_WORDS = 100
"""Main text of fewer words is taken to go on in the comments below it, as in a forum."""
AGREED = 0.6
"""Share of the word triples of a block that must be in what trafilatura found for it to have found the block."""

_ALWAYS = frozenset({"menu", "foot", "consent", "ad"})
"""Regions that are none of the main text whatever trafilatura says."""
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_]+")
_PART_NAMES = """
    p ul ol dl li td tr tbody table section blockquote figure h1 h2 h3
"""
_PARTS = frozenset(_PART_NAMES.split())
_OPEN_SIZE = 100
_STANDFIRST = 40
_SHORT_TITLE = 8
_MANY_LINKS = 3
_DEEPEST = 200


class Main(NamedTuple):
    """The main text of a page."""

    blocks: list[Block]
    listing: bool
    """Whether most of it is links to other pages, each with some words."""


def main_blocks(blocks: Sequence[Block], second: str, known: Known) -> Main:
    """The blocks that are the main text. `second`: what another extractor found; empty when it was not asked."""
    found = _Opinion(second)
    regions = _real_regions(blocks, found)
    free = [_region(block, regions) is None and not is_chrome(block, known) for block in blocks]
    good = [block for block, is_free in zip(blocks, free, strict=True) if is_free and _is_prose(block)]
    sparse = sum(block.size for block in good) < LEAST_PROSE
    spoken = good if not sparse else [block for block, is_free in zip(blocks, free, strict=True) if is_free]
    container = _widened(_container(spoken), blocks, free, known)
    inside = _inside(blocks, container)
    outside = [
        is_free and not within and _is_prose(block) and found.has(block)
        for block, is_free, within in zip(blocks, free, inside, strict=True)
    ]
    elsewhere = sum(block.size for block, out in zip(blocks, outside, strict=True) if out)
    spread = elsewhere > SPREAD * sum(block.size for block in good)
    kept = [
        (is_free and within and _wanted(block, found, sparse)) or (spread and out)
        for block, is_free, within, out in zip(blocks, free, inside, outside, strict=True)
    ]
    _follow_headings(blocks, kept)
    _end_sections(blocks, kept)
    _add_comments(blocks, kept, regions, known)
    _from_headline(blocks, kept, free, known)
    chosen = [block for block, keep in zip(blocks, kept, strict=True) if keep]
    return Main(_once(chosen), _is_list(chosen))


class _Opinion:
    """What another extractor found, as triples of words."""

    def __init__(self, text: str) -> None:
        self.asked = bool(text.strip())
        self.triples: set[int] = set()
        self.lines: set[tuple[str, ...]] = set()
        for line in text.split("\n"):
            words = tuple(_WORD.findall(line.casefold()))
            self.triples.update(map(hash, zip(words, words[1:], words[2:], strict=False)))
            self.lines.add(words)
            if "|" in line:
                self.lines.update(tuple(_WORD.findall(cell.casefold())) for cell in line.split("|"))

    def has(self, block: Block) -> bool:
        """Whether it found the block."""
        if not self.asked:
            return False
        words = tuple(_WORD.findall(block.text.casefold()))
        triples = [hash(triple) for triple in zip(words, words[1:], words[2:], strict=False)]
        if not triples:
            return words in self.lines
        return sum(triple in self.triples for triple in triples) >= AGREED * len(triples)


def _real_regions(blocks: Sequence[Block], found: _Opinion) -> set[HtmlElement]:
    """Elements whose region is believed: not those that hold most of the page, or of what the other found."""
    total = sum(block.size for block in blocks)
    sizes: Counter[Region] = Counter()
    agreed: Counter[Region] = Counter()
    linked: Counter[Region] = Counter()
    agreed_total = 0
    for block in blocks:
        has = found.has(block)
        agreed_total += block.size * has
        for region in block.regions:
            sizes[region] += block.size
            linked[region] += block.linked
            agreed[region] += block.size * has
    real = set()
    heads = {region for block in blocks if block.kind == "h1" for region in block.regions if region.kind == "head"}
    for region, size in sizes.items():
        if region in heads and linked[region] < MOST_LINKS * size:
            continue
        whole = size > REGION_SIZE and size > REGION_SHARE * total
        missed = size > REGION_SIZE and agreed_total and agreed[region] > REGION_SHARE * agreed_total
        if not whole and not (missed and region.kind not in _ALWAYS):
            real.add(region.element)
    return real


def _region(block: Block, real: set[HtmlElement]) -> str | None:
    """The outermost region that a block is in."""
    return next((region.kind for region in block.regions if region.element in real), None)


def _is_prose(block: Block) -> bool:
    return block.size >= GOOD_SIZE and block.links < MOST_LINKS


def _container(good: Sequence[Block]) -> HtmlElement | None:
    """The smallest element that holds most of the good text, and what belongs with it."""
    sizes: Counter[HtmlElement] = Counter()
    near: Counter[HtmlElement] = Counter()
    for block in good:
        sizes[block.element] += len(block.text)
        near[block.element.getparent()] += len(block.text)
    for parent, size in near.items():
        for element in _path(parent) if parent is not None else ():
            sizes[element] += size
    if not sizes:
        return None
    least = MAIN_SHARE * sum(len(block.text) for block in good)
    holders = [element for element in sizes if sizes[element] >= least]
    if not holders:
        return None
    best = min(holders, key=lambda element: (sizes[element], -_depth(element)))
    while best.getparent() is not None and (best.tag in _PARTS or best.getparent().tag in {"article", "main"}):
        best = best.getparent()
    return best


def _widened(
    container: HtmlElement | None, blocks: Sequence[Block], free: Sequence[bool], known: Known
) -> HtmlElement | None:
    """The container, or the element around it that holds the headline too, if that stands above it."""
    title = _plain(known.title or "")
    heads = [block for block, is_free in zip(blocks, free, strict=True) if is_free and block.kind == "h1"]
    named = [block for block in heads if title and _plain(block.text) in title] or (heads if len(heads) == 1 else [])
    if container is None or not named or container in _path(named[0].element):
        return container
    above = set(_path(named[0].element))
    return next((element for element in _path(container) if element in above), container)


def _inside(blocks: Sequence[Block], container: HtmlElement | None) -> list[bool]:
    """Which blocks stand in the container."""
    known: dict[HtmlElement, bool] = {}
    if container is not None:
        known[container] = True

    def within(element: HtmlElement | None) -> bool:
        trail = []
        while element is not None and element not in known:
            trail.append(element)
            element = element.getparent()
        found = element is not None and known[element]
        known.update(dict.fromkeys(trail, found))
        return found

    return [container is None or within(block.element) for block in blocks]


def _path(element: HtmlElement) -> Iterator[HtmlElement]:
    """An element and those that it is in, the inner ones first."""
    yield element
    yield from islice(element.iterancestors(), _DEEPEST)


def _depth(element: HtmlElement) -> int:
    return sum(1 for _ in islice(element.iterancestors(), _DEEPEST))


def _wanted(block: Block, found: _Opinion, sparse: bool) -> bool:
    """Whether a block that stands where the main text does is part of it, and not a list of other pages."""
    if block.links < MOST_LINKS or sparse or block.kind in {"h1", "h2", "h3", "row", "pre"}:
        return True
    return found.has(block) and block.anchors < _MANY_LINKS


def _follow_headings(blocks: Sequence[Block], kept: list[bool]) -> None:
    """A heading under which nothing is kept goes; the first heading of the page may stand alone."""
    under = False
    for number in range(len(blocks) - 1, -1, -1):
        heading = re.fullmatch(r"h[1-6]", blocks[number].kind) is not None
        if heading and blocks[number].kind != "h1" and not under:
            kept[number] = False
        if kept[number] and not heading:
            under = True
        elif heading and kept[number]:
            under = int(blocks[number].kind[1]) > 2 and under


def _end_sections(blocks: Sequence[Block], kept: list[bool]) -> None:
    """Sections of references, of related pages and the like go, up to the next heading of their level."""
    level = 0
    for number, block in enumerate(blocks):
        heading = int(block.kind[1]) if re.fullmatch(r"h[1-6]", block.kind) else 0
        if heading and (not level or heading <= level):
            level = heading if heading > 1 and ENDS.fullmatch(block.text) else 0
        kept[number] = kept[number] and not level


def _add_comments(blocks: Sequence[Block], kept: list[bool], regions: set[HtmlElement], known: Known) -> None:
    """What people answered is the main text where there is little above it."""
    said = sum(len(_WORD.findall(block.text)) for block, keep in zip(blocks, kept, strict=True) if keep)
    answers = [
        number
        for number, block in enumerate(blocks)
        if _region(block, regions) == "comments"
        and {region.kind for region in block.regions if region.element in regions} == {"comments"}
        and block.links < MOST_LINKS
        and not is_chrome(block, known)
    ]
    written = sum(len(_WORD.findall(blocks[number].text)) for number in answers)
    if said < FEW_WORDS and written > said / 2:
        for number in answers:
            kept[number] = True


def _from_headline(blocks: Sequence[Block], kept: list[bool], free: list[bool], known: Known) -> None:
    """The headline may stand outside the main text; what stands between the two belongs to them, what is above not."""
    title = _plain(known.title or "")
    place = next((number for number, block in enumerate(blocks) if _is_headline(block, title)), None)
    if place is None:
        return
    sizes = [block.size * keep for block, keep in zip(blocks, kept, strict=True)]
    if sum(sizes[:place]) > ABOVE * sum(sizes):
        return
    first = next((number for number in range(place, len(blocks)) if kept[number]), place)
    kept[: place + 1] = [False] * place + [True]
    for number in range(place + 1, first):
        block = blocks[number]
        kept[number] = free[number] and block.links < MOST_LINKS and block.size >= _STANDFIRST


def _is_headline(block: Block, title: str) -> bool:
    if not title or len(block.text) > 2 * len(title) + _SHORT_TITLE:
        return False
    text = _plain(block.text)
    heading = block.kind in {"h1", "h2"} and len(text) > _SHORT_TITLE and text in title
    return (text == title or heading) and not any(region.kind in _ALWAYS for region in block.regions)


def _once(blocks: list[Block]) -> list[Block]:
    """Headings that stand there twice are kept once: pages repeat their headline."""
    seen: set[str] = set()
    kept = []
    for block in blocks:
        plain = _plain(block.text)
        if not (plain in seen and block.kind in {"h1", "h2", "h3"}):
            kept.append(block)
        if block.kind[0] == "h" or len(kept) < 3:
            seen.add(plain)
    return kept


def _is_list(blocks: list[Block]) -> bool:
    """Whether the main text is headings that link to other pages, each with a few words."""
    items = [block for block in blocks if block.links >= MOST_LINKS]
    longest = max((block.size for block in blocks), default=0)
    return len(items) >= 4 and 4 * len(items) >= len(blocks) and longest < 4 * _OPEN_SIZE


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def second_opinion(tree: HtmlElement) -> str:
    """What trafilatura takes for the main text, line by line; its downloader is never used."""
    from trafilatura import bare_extraction

    try:
        found = bare_extraction(
            tree, include_comments=False, include_tables=True, favor_recall=True, with_metadata=False
        )
    except Exception:  # noqa: BLE001 - on odd pages it raises nearly anything; the page has our own opinion
        return ""
    return "" if found is None or isinstance(found, dict) else found.text or ""
