"""The body of a Word document as it stands once all tracked changes are accepted, in a form that python-docx reads.

It reads paragraphs, links and tables, and passes over text in insertions, content controls, fields and text boxes.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from factscope.claims.text.raised import on_the_line

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_ALTERNATIVES = f"{_COMPATIBILITY}AlternateContent"
_WRAPPERS = (
    *(f"{_WORD}{name}" for name in ("ins", "moveTo", "sdt", "sdtContent", "smartTag", "customXml", "fldSimple")),
    *(f"{_WORD}{name}" for name in ("dir", "bdo")),
    *(f"{_COMPATIBILITY}{name}" for name in ("AlternateContent", "Choice", "Fallback")),
)
"""Elements that are replaced by their content."""
_OFF = frozenset({"0", "false", "off"})


def simplify(body: Any) -> bool:
    """Remove what a reader does not see or take as stated, and take the rest out of its wrappers.

    Return whether hidden text was removed. Deleted and struck out text goes without a flag, as its author meant it to.
    """
    _drop_deleted(body)
    _drop_contents(body)
    _choose(body)
    hidden = False
    for run in _formatted(body, "vanish"):
        hidden = hidden or _has_text(run)
        _drop(run)
    _lift_boxes(body)
    for run in _formatted(body, "strike", "dstrike"):
        _drop(run)
    for wrapper in list(body.iter(*_WRAPPERS)):
        for child in list(wrapper):
            wrapper.addprevious(child)
        _drop(wrapper)
    return hidden


def paragraph_words(paragraph: Any) -> str:
    """Return the text of a paragraph; raised and lowered figures do not join the number before them."""
    # A link has its own runs.
    runs = [run for piece in paragraph.iter_inner_content() for run in getattr(piece, "runs", [piece])]
    text = ""
    for (raised, lowered), group in groupby(runs, lambda run: (run.font.superscript, run.font.subscript)):
        words = "".join(run.text for run in group)
        text += on_the_line(words, text, below=bool(lowered)) if raised or lowered else words
    return text.strip()


def _drop_deleted(body: Any) -> None:
    """Remove deleted text, rows that were deleted from a table, and text at the place from which it was moved."""
    for mark in list(body.iter(f"{_WORD}del", f"{_WORD}moveFrom")):
        around = mark.getparent()
        _drop(around.getparent() if around.tag == f"{_WORD}trPr" else mark)


def _drop_contents(body: Any) -> None:
    """Remove tables of contents: they only repeat headings, with the numbers of pages."""
    for gallery in list(body.iter(f"{_WORD}docPartGallery")):
        control = next(gallery.iterancestors(f"{_WORD}sdt"), None)
        if control is not None and gallery.get(f"{_WORD}val") == "Table of Contents":
            _drop(control)


def _choose(body: Any) -> None:
    """Keep the first with text of several forms of the same content, which are for newer and older programs."""
    for alternatives in list(body.iter(_ALTERNATIVES)):
        preferred = next(filter(_has_text, alternatives), None)
        for alternative in [each for each in alternatives if each is not preferred]:
            alternatives.remove(alternative)


def _lift_boxes(body: Any) -> None:
    """Move the content of text boxes behind the paragraphs to which they are anchored."""
    for box in reversed(list(body.iter(f"{_WORD}txbxContent"))):
        anchor: Any = next(box.iterancestors(f"{_WORD}p"), None)
        for block in reversed(list(box)) if anchor is not None else ():
            anchor.addnext(block)


def _formatted(body: Any, *formats: str) -> Iterator[Any]:
    """Yield the runs that one of these formats is switched on for."""
    for mark in list(body.iter(*(f"{_WORD}{name}" for name in formats))):
        run = mark.getparent().getparent()
        if run.tag == f"{_WORD}r" and mark.get(f"{_WORD}val") not in _OFF:
            yield run


def _has_text(element: Any) -> bool:
    return any((text.text or "").strip() for text in element.iter(f"{_WORD}t"))


def _drop(element: Any) -> None:
    parent = element.getparent()
    if parent is not None:  # else it went with another element
        parent.remove(element)
