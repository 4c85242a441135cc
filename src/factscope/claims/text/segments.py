"""Text → segments: sentences inside Markdown blocks, with exact offsets.

Markup that opens a block is outside its segment: heading hashes, bullets (also emoji that open several lines of a
paragraph), quote marks, and list numbers that start at 0 or 1 or continue an earlier list; so are HTML tags between the
lines of a paragraph (`<br>`, `<li>`, `<p>`). Markup inside stays: emphasis, links, table pipes, code fences. So every
letter and digit of a text is in some segment, except for those of such tags and the digits of such list numbers.

Blocks come from markdown-it's line numbers; no text with letters is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, pairwise, takewhile
from typing import TYPE_CHECKING, Literal, NamedTuple

from factscope.claims.text.boundaries import EMOJI_BULLET, split
from factscope.claims.text.column_names import are_names
from factscope.claims.text.language import latin_language
from factscope.claims.text.struck import STRUCK
from factscope.claims.text.table_lines import cells
from factscope.claims.text.titles import is_title, title_end
from factscope.core import SegmentKind
from factscope.core.records import Segment, Span
from factscope.methods import Segmenting

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

BlockKind = Literal["paragraph", "list_item", "heading", "code", "table_row"]


class Block(NamedTuple):
    """A run of text that no sentence crosses."""

    start: int
    end: int
    kind: BlockKind
    markup: tuple[tuple[int, int], ...] = ()
    """Ranges inside that are markup of the surrounding block, such as the `>` of a quote's further lines."""
    breaks: tuple[int, ...] = ()
    """Offsets of lines after a forced line break, which also ends a sentence."""


_LINE_END = re.compile(r"\r\n|\r|\n")
_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(?=[A-Za-z_][\w-]*[ \t]*:)(?:.*\n)*?(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)")
_LIST_NUMBER = re.compile(r"\d{1,9}[.)]")
_LETTER = re.compile(r"[^\W_]")
_BULLET = re.compile(r"[•◦‣▪●○■∙]\s*(?=\S)")
_ENDS_SENTENCE = re.compile(r"[.!?…。！？][\"'”’)*_]*\Z")
_TAGS = re.compile(r"<[A-Za-z/!?][^<>]*>")
_COMMENTS = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_RAW_HTML = re.compile(r"\s*<(?:script|style|pre|textarea)\b|\s*<[!?](?!--)", re.IGNORECASE)
_WORD = re.compile(r"[\"'(“‘]*(?:[^\W\d_]+(?:['’-][^\W\d_]+)*|\d[\d.,]*%?)[.,;:!?…\"')”’]*")


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # No inline parsing, and link definitions stay paragraphs, so that their words are not lost.
    parser = MarkdownIt("commonmark").enable("table").disable("reference")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def blocks(text: str) -> tuple[Block, ...]:
    """Return paragraphs, list items, headings, code and table rows of `text`, in order and without overlap.

    The head of a table is a heading unless it holds a figure. Front matter and HTML without readable words are code.
    Indented code and underlined headings that read as prose are prose.
    """
    front = _FRONT_MATTER.match(text)
    base = front.end() if front else 0
    reader = _BlockReader(text, base)
    all_blocks = [Block(0, base, "code")] if front else []
    all_blocks += reader.read()
    return tuple(_without_gaps(text, all_blocks, reader.numbers))


def _without_gaps(text: str, blocks: Sequence[Block], numbers: Sequence[tuple[int, int]]) -> Iterator[Block]:
    """Yield the blocks, and a paragraph for all letters and digits between them that are not list numbers."""
    outside = iter([*numbers, (len(text), len(text))])
    number = next(outside)
    at = 0
    for block in [*blocks, Block(len(text), len(text), "paragraph")]:
        low = at
        while number[1] <= block.start and number[0] < len(text):
            if number[0] >= low:
                yield from _gap(text, low, number[0])
                low = number[1]
            number = next(outside)
        yield from _gap(text, low, block.start)
        if block.end > block.start:
            yield block
        at = max(at, block.end)


def _gap(text: str, start: int, end: int) -> Iterator[Block]:
    if start < end and _LETTER.search(text, start, end):
        yield Block(start, end, "paragraph")


class _BlockReader:
    """One pass over markdown-it's tokens. Keeps the lines, the open lists and the position."""

    def __init__(self, text: str, base: int) -> None:
        self.text = text
        self.numbers: list[tuple[int, int]] = []
        """Ranges of list numbers that are outside the blocks."""
        self._tokens = _parser().parse(text[base:])
        ends = list(_LINE_END.finditer(text, base))
        self._starts = [base, *(end.end() for end in ends)]
        self._ends = [*(end.start() for end in ends), len(text)]
        self._at = base
        self._proven: list[bool] = []  # for each open list: whether the number of its current item is numbering
        self._last: dict[int, int] = {}  # last list number at each depth
        self._pending: list[tuple[int, int, bool]] = []  # numbers on the current line: start, end, proven
        self._line_read = -1

    def read(self) -> Iterator[Block]:
        """Yield all blocks in order."""
        for i, token in enumerate(self._tokens):
            if token.type in ("ordered_list_open", "bullet_list_open"):
                self._proven.append(True)
            elif token.type in ("ordered_list_close", "bullet_list_close"):
                self._proven.pop()
            elif token.type == "list_item_open" and token.info and token.map:
                self._open_item(int(token.info), token.map[0])
            elif token.map:
                for block in self._leaf(token, i):
                    start = max(self._start(block.start, token.map[0], prose=False), self._at)
                    if start < block.end:
                        self._at = block.end
                        yield block._replace(start=start)

    def _open_item(self, number: int, line: int) -> None:
        """Open an item whose number starts at 0 or 1 or continues the list; "1998. A good year" is prose."""
        depth = len(self._proven)
        last = self._last.get(depth, -2)
        self._proven[-1] = number in (0, 1, last, last + 1)
        if self._proven[-1]:
            self._last[depth] = number
        if line != self._line_read:
            self._line_read, self._pending = line, []
        behind = self._pending[-1][1] if self._pending else self._starts[line]
        if match := _LIST_NUMBER.search(self.text, behind, self._ends[line]):
            self._pending.append((*match.span(), self._proven[-1]))

    def _start(self, column: int, line: int, *, prose: bool) -> int:
        """Return the start of a leaf block: after the numbers on its line if all of them are list numbers.

        Otherwise prose starts at the first number that is not.
        """
        if line != self._line_read or not self._pending:
            return column
        pending, self._pending = self._pending, []
        if all(proven for _, _, proven in pending):
            self.numbers += [(start, end) for start, end, _ in pending]
            return column
        return min(start for start, _, proven in pending if not proven) if prose else column

    def _leaf(self, token: Token, i: int) -> list[Block]:
        first, last = token.map or [0, 0]
        last = min(last, len(self._starts))
        if token.type == "paragraph_open":
            return self._prose(self._tokens[i + 1].content, first)
        if token.type == "heading_open":
            content = self._tokens[i + 1].content
            if token.markup in ("-", "=") and _ENDS_SENTENCE.search(content):
                return self._prose(content, first)
            return self._heading(content, first, last, underlined=token.markup in ("-", "="))
        if token.type == "fence":
            return [Block(self._find(token.markup, first), self._ends[last - 1], "code")]
        if token.type == "code_block":
            start = self._column(token.content.split("\n", 1)[0], first)
            kind: BlockKind = "paragraph" if _reads_as_prose(token.content) else "code"
            return [Block(start, self._ends[last - 1], self._kind() if kind == "paragraph" else kind)]
        if token.type == "html_block":
            kind = "code" if _is_silent(token.content) else "paragraph"
            return [Block(self._find("<", first), self._ends[last - 1], kind)]
        if token.type == "tr_open":
            head = self._tokens[i - 1].type == "thead_open" and self._names_columns(first)
            return [Block(self._row(first), self._ends[first], "heading" if head else "table_row")]
        return []

    def _names_columns(self, line: int) -> bool:
        """Tell whether the header of a table is one: Markdown has no table without, so it may well be a row."""
        names = cells(self._line(line))
        below = takewhile(str.strip, map(self._line, range(line + 2, len(self._starts))))
        rows = [row for row in map(cells, below) if len(row) == len(names)]
        return not names[0] or not re.search(r"\d", self._line(line)) or are_names(names, rows, is_ruled=False)

    def _kind(self) -> BlockKind:
        return "list_item" if self._proven and self._proven[-1] else "paragraph"

    def _line(self, line: int) -> str:
        return self.text[self._starts[line] : self._ends[line]].replace("\0", "\ufffd")

    def _column(self, content: str, line: int) -> int:
        """Return the offset at which `content` starts in its line, after the markup of the containers."""
        source, target = self._line(line).rstrip(), content.strip()
        if target and source.endswith(target):
            return self._starts[line] + len(source) - len(target)
        return self._starts[line] + len(source) - len(source.lstrip())

    def _find(self, mark: str, line: int) -> int:
        return self._starts[line] + max(self._line(line).find(mark), 0)

    def _row(self, line: int) -> int:
        source = self._line(line)
        pipes = re.match(r"[\s>*+-]*(?=\|)|[\s>]*", source)
        return self._starts[line] + (pipes.end() if pipes else 0)

    def _heading(self, content: str, first: int, last: int, *, underlined: bool) -> list[Block]:
        if not content:
            return []
        if underlined:
            return [Block(self._column(content.split("\n", 1)[0], first), self._ends[last - 2], "heading")]
        source = self._line(first)
        at = source.find(content, max(source.find("#"), 0))
        if at < 0:
            return [Block(self._starts[first], self._ends[first], "heading")]
        return [Block(self._starts[first] + at, self._starts[first] + at + len(content), "heading")]

    def _prose(self, content: str, first: int) -> list[Block]:
        """Return a paragraph or list item; lines that start with a typographic bullet are separate items."""
        columns = [self._column(line, first + i) for i, line in enumerate(content.split("\n"))]
        bullets = self._bullets(columns, first)
        kind = self._kind()
        start = self._start(columns[0], first, prose=True)
        all_blocks: list[Block] = []
        markup: list[tuple[int, int]] = []
        breaks: list[int] = []
        for i, column in enumerate(columns):
            line = first + i
            bullet = bullets[i]
            if i and not bullet:
                if column > self._starts[line]:
                    markup.append((self._starts[line], column))
                before = self._line(line - 1)
                if before.endswith(("  ", "\\")) and not self.text[column : column + 1].islower():
                    breaks.append(column)
            if bullet:
                if i:
                    all_blocks.append(Block(start, self._ends[line - 1], kind, tuple(markup), tuple(breaks)))
                start, kind, markup, breaks = bullet.end(), "list_item", [], []
                self.numbers.append(bullet.span())  # a keycap has a digit
        all_blocks.append(Block(start, self._ends[first + len(columns) - 1], kind, tuple(markup), tuple(breaks)))
        return all_blocks

    def _bullets(self, columns: Sequence[int], first: int) -> list[re.Match[str] | None]:
        """Return the bullet of each line that has one; a single line that opens with an emoji has none."""
        lines = list(zip(columns, self._ends[first : first + len(columns)], strict=True))
        many = sum(EMOJI_BULLET.match(self.text, start, end) is not None for start, end in lines) > 1
        return [
            _BULLET.match(self.text, start, end) or (EMOJI_BULLET.match(self.text, start, end) if many else None)
            for start, end in lines
        ]


def _reads_as_prose(code: str) -> bool:
    """Return whether indented "code" is an indented paragraph.

    It starts with a capital or an uncased letter, ends with a full stop, and has only words between.
    """
    words = code.split()
    begins = next((char for char in code if char.isalnum()), "a")
    if len(words) < 4 or begins.islower() or not _ENDS_SENTENCE.search(code.rstrip()):
        return False
    return sum(_WORD.fullmatch(word) is not None for word in words) >= 0.8 * len(words)


def _is_silent(html: str) -> bool:
    """Return whether an HTML block shows no text."""
    if _RAW_HTML.match(html):
        return True
    return _LETTER.search(_TAGS.sub("", _COMMENTS.sub("", html))) is None


def sentences(text: str) -> tuple[Span, ...]:
    """Return the sentences of plain text: in order, without overlap, without white space at their ends.

    A blank line always ends a sentence; a single newline does so only if the line was clearly not wrapped (a list item,
    a table row, a speaker's turn, a line far too short). Together they contain everything but white space and tags of
    HTML that end a line.
    """
    return tuple(Span(start=start, end=end) for start, end in split(text))


def segment(text: str, segmenting: Segmenting) -> tuple[Segment, ...]:
    """Split a text into segments: `text[s.span.start:s.span.end] == s.text`, in reading order, without overlap.

    `whole`: the text as one segment. `paragraphs`: its Markdown blocks (paragraphs, list items, headings, code, table
    rows), where a paragraph that is a title before other blocks counts as a heading. `sentences`: the same, with
    paragraphs and list items split into sentences. A text of only white space or markup has no segments.
    """
    if segmenting == "whole":
        return numbered(text, [(0, len(text), "whole")])
    if segmenting == "paragraphs":
        return numbered(text, ((block.start, block.end, block.kind) for block in _with_titles(text)))
    return numbered(text, _sentences(text))


def numbered(text: str, pieces: Iterable[tuple[int, int, SegmentKind]]) -> tuple[Segment, ...]:
    """Return segments at given positions, in their order, without white space at their ends."""
    segments: list[Segment] = []
    for start, end, kind in pieces:
        raw = text[start:end]
        if piece := raw.strip():
            at = start + len(raw) - len(raw.lstrip())
            span = Span(start=at, end=at + len(piece))
            segments.append(Segment(id=f"s{len(segments) + 1}", span=span, text=piece, kind=kind))
    return tuple(segments)


def _with_titles(text: str) -> Iterator[Block]:
    """Yield the blocks; a title in plain text is a heading. The last block has nothing to be the title of."""
    *before, last = chain.from_iterable(_apart(text, block) for block in blocks(text) or (Block(0, 0, "paragraph"),))
    for block in before:
        title = block.kind == "paragraph" and is_title(text[block.start : block.end].strip())
        yield block._replace(kind="heading") if title else block
    yield last


def _apart(text: str, block: Block) -> Iterator[Block]:
    """Yield a block, its first line apart where that is the title of the others."""
    start = block.start
    if block.kind == "paragraph" and (end := title_end(text[block.start : block.end])):
        start += end
        yield Block(block.start, start, "heading")
    inside = tuple(span for span in block.markup if span[0] >= start)
    yield block._replace(start=start, markup=inside, breaks=tuple(at for at in block.breaks if at > start))


def _sentences(text: str) -> Iterator[tuple[int, int, SegmentKind]]:
    latin = latin_language(text)
    for block in _with_titles(text):
        if block.kind not in ("paragraph", "list_item"):
            yield block.start, block.end, block.kind
            continue
        kind: SegmentKind = "sentence" if block.kind == "paragraph" else "list_item"
        for start, end in _within(text, block, latin):
            yield start, end, kind


def _within(text: str, block: Block, latin: str) -> Iterator[tuple[int, int]]:
    """Yield sentences of one block; quote marks and indents at the beginning of its lines are read as spaces.

    Sentences that are struck out together are one.
    """
    pieces, at = [], block.start
    for low, high in block.markup:
        pieces += [text[at:low], " " * (high - low)]
        at = high
    view = "".join([*pieces, text[at : block.end]])
    edges = [0, *(at - block.start for at in block.breaks), len(view)]
    spans = ((low + start, low + end) for low, high in pairwise(edges) for start, end in split(view[low:high], latin))
    for start, end in _joined_where_struck(view, spans):
        yield block.start + start, block.start + end


def _joined_where_struck(text: str, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the spans, with those joined between which something is struck out."""
    runs = STRUCK.finditer(text)
    run = next(runs, None)
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        while run and run.end() <= start:
            run = next(runs, None)
        if joined and run and run.start() < joined[-1][1]:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined
