"""A PDF → its visible text and its metadata."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from factscope.evidence.decode import NotTextError
from factscope.evidence.page.dates import iso_date

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

SMALLEST_FONT = 2.0
"""Points. Smaller letters are unreadable."""
NEARLY_WHITE = 0.93
"""Letters with every colour channel above this are invisible on white paper."""
SCANNED = 0.8
"""On a page with a picture, a larger share of invisible text means a scan with recognised text."""

_NO_TITLES = re.compile(
    r"\W*(?:anonymous|untitled|unknown|none|title|document)\W*|untitled.*|microsoft word - .*"
    r"|.*\.(?:docx?|indd|tex|dvi|pdf)",
    re.IGNORECASE,
)
"""Titles that programs write into a PDF without one; its address is a better title."""
_FIELDS = ("/Title", "/Author", "/CreationDate")
_BROKEN_WORD = re.compile(r"\u00ad\n|(?<=([^\W\d_]))-\n(?=([^\W\d_]))")
"""A soft hyphen at the end of a line, or a hyphen that may be part of the word, with the letters around it."""
_MOST_SHAPES = 5_000  # shapes of a page that may cover text
_MARGIN = 50.0  # points beyond the page's edge that still count as on the page
_LETTER, _CELL_GAP = 0.5, 1.5
"""Width of a letter, and least space between two cells of a table, as shares of the size of the font."""
_MOST_COLUMNS = 50  # of a table with empty cells
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
_INVISIBLE = frozenset({3, 7})
"""Text rendering modes that paint nothing (ISO 32000-2, table 104)."""
FAINTEST = 0.1
"""Opacity below which letters are invisible."""
_INKS, _INDEXED = frozenset({"/Separation", "/DeviceN"}), frozenset({"/Indexed", "/I"})
"""Kinds of colour spaces whose numbers are not amounts of light: amounts of ink, and places in a list of colours."""


class VisiblePdf(NamedTuple):
    """Visible text of a PDF."""

    text: str
    title: str | None
    author: str | None
    published: str | None
    language: str | None
    flags: tuple[str, ...]
    removed: str
    """Text that was left out because it is invisible."""
    pages: int
    unread: int
    """Number of pages that were not read, for lack of time or because they are broken."""


def read_pdf(content: bytes, seconds: float, characters: int) -> VisiblePdf:
    """Return the text of the pages, until `seconds` of processor time or `characters` are used up.

    Raises NotTextError for a broken or protected file, or one without text.
    """
    from pypdf import PdfReader

    stop = time.process_time() + seconds
    try:
        reader = PdfReader(BytesIO(content), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            raise NotTextError("is protected by a password; save a copy without one")
        total = len(reader.pages)
    except NotTextError:
        raise
    except Exception as error:  # noqa: BLE001 - on broken files pypdf raises nearly anything
        reason = f"{type(error).__name__}: {error}"[:120]
        raise NotTextError(f"is a broken PDF ({reason}); open it and save it again") from None
    pages: list[str] = []
    removed: list[str] = []
    unsure = False
    n_unreadable = size = 0
    for number in range(total):
        if time.process_time() > stop or size > characters:
            n_unreadable += total - number
            break
        try:
            page_text = _read_page(reader.pages[number])
        except Exception:  # noqa: BLE001 - one broken page, or one that unpacks to gigabytes, costs that page
            n_unreadable += 1
            continue
        pages.append(_BROKEN_WORD.sub(_joint, page_text.text.translate(_LIGATURES)).strip(" \n"))
        removed.append(page_text.hidden)
        unsure = unsure or page_text.unsure
        size += len(pages[-1])
    text = "\n\n".join(page for page in pages if page)
    if not text:
        reason = "can't be read: its pages are broken" if n_unreadable else "has no text: its pages are pictures"
        raise NotTextError(f"{reason}; run it through text recognition (OCR) or save it again")
    hidden = "\n".join(filter(None, removed))
    flags = [name for name, is_so in (("truncated", n_unreadable), ("possibly_hidden", unsure)) if is_so]
    title, author, published, language = _about(reader)
    return VisiblePdf(text, title, author, published, language, tuple(flags), hidden, total, n_unreadable)


def _joint(hyphen: re.Match[str]) -> str:
    """Return the text in place of a hyphen and the end of its line: both stay beside a capital, as in "Jean-Paul"."""
    return "" if hyphen[1] is None or (hyphen[1] + hyphen[2]).islower() else hyphen[0]


class _VisibleText(NamedTuple):
    text: str
    hidden: str
    unsure: bool


class _Cell(NamedTuple):
    """Visible text, and where it begins and ends: that at a guess."""

    text: str
    left: float = math.inf
    right: float = -math.inf


class _GraphicsState(NamedTuple):
    """The part of the graphics state that tells whether text can be seen (ISO 32000-2, section 8.4)."""

    resources: Any
    """Of the page, or of the form that is drawn on it."""
    fill: tuple[float, ...] = (0.0, 0.0, 0.0)
    space: str = ""
    """Kind of the colour space of `fill`, unless it is one of the device."""
    mode: int = 0
    opacity: float = 1.0


class _DrawingWatcher:
    """Follows the drawing of a page, to distinguish visible from invisible text."""

    def __init__(self, page: PageObject) -> None:
        box = page.mediabox  # any two opposite corners
        left, right = sorted((float(box.left), float(box.right)))
        bottom, top = sorted((float(box.bottom), float(box.top)))
        self.box = left, bottom, right, top
        self.states = [_GraphicsState(page.get("/Resources"))]
        self.forms: list[int] = []
        """For each form that is being drawn, the number of states around it."""
        self.path: list[tuple[float, float, float, float]] = []
        self.shapes: list[tuple[float, float, float, float]] = []
        self.pictured = False
        self.shows: list[tuple[bool, bool]] = []
        self.visible: list[_Cell] = []
        self.hidden: list[str] = []
        self.unsure = False
        self.end = (0.0, 0.0)
        """Where the last visible text ended, at a guess."""

    def before(self, operator: bytes, operands: Sequence[Any], cm: Sequence[float], tm: Sequence[float]) -> None:
        """Record the effect of an operator on later drawing."""
        name = operator.decode("latin-1")
        state = self.states[-1]
        if name == "q":
            self.states.append(state)
        elif name == "Q" and len(self.states) > 1:
            self.states.pop()
        elif name in {"g", "rg", "k"}:
            self.states[-1] = state._replace(fill=_rgb(operands), space="")
        elif name == "cs" and operands:
            kind = _named(state.resources, "/ColorSpace", operands[0]) or operands[0]
            space = str(kind[0] if isinstance(kind, list) and kind else kind)
            self.states[-1] = state._replace(fill=(0.0, 0.0, 0.0), space=space)
        elif name in {"sc", "scn"}:
            self.states[-1] = state._replace(fill=_rgb(operands, state.space))
        elif name == "Tr" and operands:
            self.states[-1] = state._replace(mode=int(operands[0]))
        elif name == "gs" and operands:
            opacity = _named(state.resources, "/ExtGState", operands[0], "/ca")
            if isinstance(opacity, int | float):
                self.states[-1] = state._replace(opacity=float(opacity))
        elif name == "re" and len(operands) >= 4:
            self.path.append(_moved([float(operand) for operand in operands[:4]], cm))
        elif name in {"f", "F", "f*", "B", "B*", "b", "b*", "sh"}:
            if min(state.fill) < NEARLY_WHITE and len(self.shapes) < _MOST_SHAPES:
                self.shapes += self.path or [(-1e9, -1e9, 1e9, 1e9)]
            self.path = []
        elif name in {"n", "S", "s"}:
            self.path = []
        elif name in {"Do", "EI", "INLINE IMAGE"}:
            self.pictured = True
            if name == "Do" and operands:
                resources = _named(state.resources, "/XObject", operands[0], "/Resources") or state.resources
                self.forms.append(len(self.states))
                self.states.append(state._replace(resources=resources))
        elif name in {"Tj", "TJ", "'", '"'}:
            is_invisible = state.mode in _INVISIBLE or state.opacity < FAINTEST
            self.shows.append((is_invisible, min(state.fill) >= NEARLY_WHITE))

    def after(self, operator: bytes, operands: Sequence[Any], cm: Sequence[float], tm: Sequence[float]) -> None:
        """Restore the state from before a form."""
        if operator == b"Do" and operands:
            del self.states[self.forms.pop() :]

    def text(self, text: str, cm: Sequence[float], tm: Sequence[float], font: object, size: float) -> None:
        """Process a piece of text."""
        # The call comes after the text was drawn, when the state may already have changed.
        shows, self.shows = self.shows, []
        if not text.strip():
            self.visible.append(_Cell(text))
            return
        scale = abs((tm[0] * tm[3] - tm[1] * tm[2]) * (cm[0] * cm[3] - cm[1] * cm[2])) ** 0.5
        x, y = tm[4] * cm[0] + tm[5] * cm[2] + cm[4], tm[4] * cm[1] + tm[5] * cm[3] + cm[5]
        left, bottom, right, top = self.box
        out = not (left - _MARGIN <= x <= right + _MARGIN and bottom - _MARGIN <= y <= top + _MARGIN)
        small = 0 < float(size or 0) * scale < SMALLEST_FONT
        white = bool(shows) and all(is_white for _, is_white in shows)
        on_paper = not any(low <= x <= high and low_y <= y <= high_y for low, low_y, high, high_y in self.shapes)
        # On a picture, white letters may be visible.
        self.unsure = self.unsure or (white and on_paper and self.pictured)
        is_hidden = out or small or (bool(shows) and all(is_invisible for is_invisible, _ in shows))
        if is_hidden or (white and on_paper and not self.pictured):
            self.hidden.append(text)
            return
        em = float(size or 0) * scale
        is_next_cell = abs(y - self.end[1]) < em / 2 and x - self.end[0] > _CELL_GAP * em > 0
        self.end = (x + _LETTER * em * len(text.strip()), y)
        self.visible.append(_Cell("\t" + text.lstrip(" ") if is_next_cell else text, x, self.end[0]))


def _read_page(page: PageObject) -> _VisibleText:
    watcher = _DrawingWatcher(page)
    page.extract_text(
        visitor_operand_before=watcher.before, visitor_operand_after=watcher.after, visitor_text=watcher.text
    )
    visible, hidden = _text(watcher.visible), "".join(watcher.hidden)
    if watcher.pictured and len(hidden) > SCANNED * len(visible + hidden):
        return _VisibleText(page.extract_text(), "", False)
    return _VisibleText(visible, " ".join(hidden.split()), watcher.unsure)


def _text(pieces: Sequence[_Cell]) -> str:
    """Return the text of a page, with a tab for each column of a table, also where a cell is empty."""
    lines: list[list[_Cell]] = [[]]
    for piece in pieces:
        for number, text in enumerate(piece.text.split("\n")):
            if number:
                lines.append([])
            before = lines[-1].pop() if lines[-1] and not text.startswith("\t") else _Cell("")
            left, right = min(before.left, piece.left), max(before.right, piece.right)
            lines[-1].append(_Cell(before.text + text.removeprefix("\t"), left, right))
    texts: list[str] = []
    first = 0
    for last, (line, following) in enumerate(zip(lines, [*lines[1:], []], strict=True)):
        if len(line) == len(following) == 1 or not following:  # a title in a table is alone
            texts += _in_columns(lines[first : last + 1])
            first = last + 1
    return "\n".join(texts)


def _in_columns(lines: Sequence[Sequence[_Cell]]) -> Iterator[str]:
    """Yield lines with cells below those of the lines that have most; a line with a cell below none as it is."""
    width = max(map(len, lines))
    full = zip(*(line for line in lines if len(line) == width), strict=True)
    columns = [(min(cell.left for cell in column), max(cell.right for cell in column)) for column in full]
    for line in lines:
        cells: dict[int, str] = {}
        for cell in line if len(line) < width <= _MOST_COLUMNS else ():
            above = [at for at, (low, high) in enumerate(columns) if low < cell.right and cell.left < high]
            cells |= {above[0]: cell.text} if len(above) == 1 else {}
        is_clear = len(cells) == len(line) > 1 and [*cells] == sorted(cells)
        yield "\t".join([cells.get(at, "") for at in range(width)] if is_clear else [cell.text for cell in line])


def _about(reader: PdfReader) -> tuple[str | None, str | None, str | None, str | None]:
    """Return title, author, date and language, as far as the file states them."""
    metadata = (_stated(reader, "metadata", key) for key in _FIELDS)
    title, author, created = (" ".join(value.split())[:300] or None for value in metadata)
    if title and _NO_TITLES.fullmatch(title):
        title = None
    language = re.match(r"[A-Za-z]{2,3}(?=$|[-_])", _stated(reader, "root_object", "/Lang"))
    day = re.match(r"D:(\d{4})(\d{2})(\d{2})", created or "")
    published = iso_date("-".join(day.groups())) if day else None
    return title, author, published, language[0].lower() if language else None


def _stated(reader: PdfReader, dictionary: Literal["metadata", "root_object"], key: str) -> str:
    """Return an entry of one of the file's dictionaries as text; empty when there is none that can be read."""
    try:
        return str((getattr(reader, dictionary) or {}).get(key) or "")
    except Exception:  # noqa: BLE001 - on broken files pypdf raises nearly anything
        return ""


def _named(resources: Any, *names: Any) -> Any:
    """Return an entry of the resources of a page or form; None where there is none, or a broken one."""
    try:
        for name in names:
            resources = resources.get_object()[name]
        return resources.get_object()
    except Exception:  # noqa: BLE001 - on broken files pypdf raises nearly anything
        return None


def _rgb(operands: Sequence[Any], space: str = "") -> tuple[float, ...]:
    channels = [float(operand) for operand in operands if isinstance(operand, int | float)]
    if space in _INDEXED:
        return (0.0, 0.0, 0.0)
    if space in _INKS:
        return (1 - max(channels, default=1.0),) * 3
    if len(channels) == 1:
        return (channels[0],) * 3
    if len(channels) == 4:
        return tuple((1 - channel) * (1 - channels[3]) for channel in channels[:3])
    return tuple(channels) if len(channels) == 3 else (0.0, 0.0, 0.0)


def _moved(box: Sequence[float], cm: Sequence[float]) -> tuple[float, float, float, float]:
    x, y, width, height = box
    ends = [(x, y), (x + width, y + height)]
    across = [cm[0] * a + cm[2] * b + cm[4] for a, b in ends]
    down = [cm[1] * a + cm[3] * b + cm[5] for a, b in ends]
    return min(across), min(down), max(across), max(down)
