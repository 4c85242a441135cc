"""The body of a Word document as it stands once all tracked changes are accepted, in a form that python-docx reads.

It reads paragraphs, links and tables, and passes over text in insertions, content controls, fields, text boxes and
equations, and over symbols of other fonts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from factscope.claims.text.raised import joined_runs
from factscope.evidence.word_equations import MATH, equation_words

WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_ALTERNATIVES = f"{COMPATIBILITY}AlternateContent"
_WRAPPERS = (
    *(f"{WORD}{name}" for name in ("ins", "moveTo", "sdt", "sdtContent", "smartTag", "customXml", "fldSimple")),
    *(f"{WORD}{name}" for name in ("dir", "bdo")),
    *(f"{COMPATIBILITY}{name}" for name in ("AlternateContent", "Choice", "Fallback")),
)
"""Elements that are replaced by their content."""
_RUNS = (f"{WORD}r", f"{MATH}r")
_OFF = frozenset({"0", "false", "off"})
_MOST_BASES = 20  # styles that one is based on, one on the other
SMALLEST_FONT = 2.0
"""Points. Smaller letters are unreadable, as in a PDF."""
_SYMBOLS = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzDFGLPQSWXY\xa3\xa5\xac\xae\xb0\xb1\xb2\xb3\xb4\xb5\xb7\xb8\xb9\xba\xbb\xd6\xde",
    "αβχδεφγηιϕκλμνοπθρστυϖωξψζΔΦΓΛΠΘΣΩΞΨ≤∞←→°±″≥×∝•÷≠≡≈√⇒",
)
"""Characters at the places of letters in the font "Symbol"."""
_BOXES = str.maketrans("\x6f\x78\xa8\xe0\xf0\xfb\xfc\xfd\xfe", "☐☒☐→⇨✗✓☒☑")
"""The same in "Wingdings"."""


def simplify(body: Any, styles: Any) -> bool:
    """Remove what a reader does not see or take as stated, and take the rest out of its wrappers.

    `styles` is the element with the document's styles. Return whether hidden text was removed. Deleted and struck out
    text goes without a flag, as its author meant it to.
    """
    _drop_deleted(body)
    _drop_contents(body)
    _choose(body)
    hidden = False
    _write_symbols(body)
    for run in [*_formatted(body, "vanish"), *_hidden_by_style(body, styles), *_unreadable(body)]:
        hidden = hidden or _has_text(run)
        _drop(run)
    _lift_boxes(body)
    _drop_readings(body)
    for run in _formatted(body, "strike", "dstrike"):
        _drop(run)
    for wrapper in list(body.iter(*_WRAPPERS)):
        for child in list(wrapper):
            wrapper.addprevious(child)
        _drop(wrapper)
    _write_equations(body)
    return hidden


def paragraph_words(paragraph: Any) -> str:
    """Return the text of a paragraph; raised and lowered figures do not join the number before them."""
    # A link has its own runs.
    runs = [run for piece in paragraph.iter_inner_content() for run in getattr(piece, "runs", [piece])]
    return joined_runs((run.text, bool(run.font.superscript) - bool(run.font.subscript)) for run in runs).strip()


def table_grid(table: Any) -> list[list[Any]]:
    """Return the rows of a table, with a cell or None for each column; a cell that spans several places is in each.

    python-docx's own `cells` look for a cell that spans rows again in every row, from the bottom up, and fail where it
    begins in a row that was deleted.
    """
    rows: list[list[Any]] = []
    above: list[Any] = []
    for row in table.tr_lst:
        deleted = row.find(f"{WORD}trPr/{WORD}del") is not None
        cells: list[Any] = [None] * row.grid_before
        for cell in row.tc_lst:
            merged = cell.vMerge == "continue" and len(cells) < len(above)
            cells += [above[len(cells)] if merged else None if deleted else cell] * cell.grid_span
        above = cells
        if not deleted:
            rows.append(cells)
    return rows


def _drop_deleted(body: Any) -> None:
    """Remove deleted text, and text at the place from which it was moved; join paragraphs whose break was deleted.

    Rows that were deleted from a table stay, because a cell that spans rows may begin in one.
    """
    for mark in reversed(list(body.iter(f"{WORD}del", f"{WORD}moveFrom"))):
        around = mark.getparent()
        if around.tag == f"{WORD}trPr":
            continue
        _drop(mark)
        if around.tag == f"{WORD}rPr" and around.getparent().tag == f"{WORD}pPr":
            _join_next(around.getparent().getparent())


def _join_next(paragraph: Any) -> None:
    following = paragraph.getnext()
    if following is None or following.tag != paragraph.tag:
        return
    place = 0 if following.find(f"{WORD}pPr") is None else 1
    following[place:place] = [child for child in paragraph if child.tag != f"{WORD}pPr"]
    _drop(paragraph)


def _drop_contents(body: Any) -> None:
    """Remove tables of contents, which only repeat headings with the numbers of pages, and prompts in empty fields."""
    for prompt in list(body.iter(f"{WORD}showingPlcHdr")):
        field = prompt.getparent().getparent()
        if field.tag == f"{WORD}sdt" and prompt.get(f"{WORD}val") not in _OFF:
            for text in list(field.iter(f"{WORD}t")):  # the field may be a cell, which keeps its place
                _drop(text)
    for gallery in list(body.iter(f"{WORD}docPartGallery")):
        control = next(gallery.iterancestors(f"{WORD}sdt"), None)
        if control is not None and gallery.get(f"{WORD}val") == "Table of Contents":
            _drop(control)


def _choose(body: Any) -> None:
    """Keep the first with text of several forms of the same content, which are for newer and older programs."""
    for alternatives in list(body.iter(_ALTERNATIVES)):
        preferred = next(filter(_has_text, alternatives), None)
        for alternative in [each for each in alternatives if each is not preferred]:
            alternatives.remove(alternative)


def _drop_readings(body: Any) -> None:
    """Replace words that their pronunciation is written above (ruby) by the words alone."""
    for base in list(body.iter(f"{WORD}rubyBase")):
        around = base.getparent().getparent()
        for run in list(base) if around.tag == f"{WORD}r" else ():
            around.addprevious(run)


def _write_equations(body: Any) -> None:
    """Replace equations by runs with their text."""
    for equation in list(body.iter(f"{MATH}oMath")):
        run = equation.makeelement(f"{WORD}r")
        text = equation.makeelement(f"{WORD}t")
        text.text = equation_words(equation)
        run.append(text)
        block = equation.getparent()  # for equations on lines of their own
        if block.tag == f"{MATH}oMathPara" and next(equation.itersiblings(equation.tag), None) is not None:
            text.text = f"{text.text.rstrip()}; "
        (block if block.tag == f"{MATH}oMathPara" else equation).addprevious(run)
        _drop(equation)


def _write_symbols(body: Any) -> None:
    """Write symbols, each the place of a character in a font, as text; without those that are not known."""
    for symbol in list(body.iter(f"{WORD}sym")):
        tables = {"Symbol": _SYMBOLS, "Wingdings": _BOXES}
        table = tables.get(symbol.get(f"{WORD}font") or "")
        text = symbol.makeelement(f"{WORD}t")
        with suppress(ValueError, OverflowError):  # no code, or one that no character of XML has
            code = int(symbol.get(f"{WORD}char") or "", 16)
            letter = chr(code & 0xFF)  # fonts of symbols have theirs from U+F000 on
            text.text = letter.translate(table) if table else "" if 0xE000 <= code < 0xF900 else chr(code)
        symbol.addprevious(text)
        _drop(symbol)


def _lift_boxes(body: Any) -> None:
    """Move the content of text boxes behind the paragraphs to which they are anchored."""
    for box in reversed(list(body.iter(f"{WORD}txbxContent"))):
        anchor: Any = next(box.iterancestors(f"{WORD}p"), None)
        for block in reversed(list(box)) if anchor is not None else ():
            anchor.addnext(block)


def _formatted(body: Any, *formats: str) -> Iterator[Any]:
    """Yield the runs that one of these formats is switched on for."""
    for mark in list(body.iter(*(f"{WORD}{name}" for name in formats))):
        run = mark.getparent().getparent()
        if run.tag in _RUNS and mark.get(f"{WORD}val") not in _OFF:
            yield run


def _hidden_by_style(body: Any, styles: Any) -> Iterator[Any]:
    """Yield the runs that their style, or that of their paragraph, hides."""
    hiding = _hiding_styles(styles)
    for name in list(body.iter(f"{WORD}rStyle", f"{WORD}pStyle")) if hiding else ():
        owner = name.getparent().getparent()
        if name.get(f"{WORD}val") in hiding and owner.tag in (f"{WORD}r", f"{WORD}p"):
            for run in [owner] if owner.tag == f"{WORD}r" else owner.iter(f"{WORD}r"):
                if run.find(f"{WORD}rPr/{WORD}vanish") is None:
                    yield run


def _unreadable(body: Any) -> Iterator[Any]:
    """Yield the runs whose letters are too small."""
    for size in list(body.iter(f"{WORD}sz")):
        run, value = size.getparent().getparent(), size.get(f"{WORD}val") or ""
        if run.tag == f"{WORD}r" and value.isdecimal() and int(value) < 2 * SMALLEST_FONT:  # half points
            yield run


def _hiding_styles(styles: Any) -> set[str]:
    """Return the ids of the styles that hide text, themselves or through the style that they are based on."""
    by_id = {style.get(f"{WORD}styleId"): style for style in styles.iter(f"{WORD}style")}
    hiding = set()
    for name in by_id:
        at, mark = by_id.get(name), None
        for _ in range(_MOST_BASES):
            if at is None or (mark := at.find(f"{WORD}rPr/{WORD}vanish")) is not None:
                break
            based = at.find(f"{WORD}basedOn")
            at = None if based is None else by_id.get(based.get(f"{WORD}val"))
        if mark is not None and mark.get(f"{WORD}val") not in _OFF:
            hiding.add(name)
    return hiding


def _has_text(element: Any) -> bool:
    return any((text.text or "").strip() for text in element.iter(f"{WORD}t", f"{MATH}t"))


def _drop(element: Any) -> None:
    parent = element.getparent()
    if parent is not None:  # else it went with another element
        parent.remove(element)
