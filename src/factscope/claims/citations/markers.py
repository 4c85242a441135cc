"""The positions of all citations in a text, in every form; the most reliable forms are matched first.

Markdown's own parser reports the positions of blocks, but not of links within a line. So links are read here, in a view
of the text in which code, entries of the bibliography and citations already found are blanked out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from factscope.claims.citations.author_year import author_years
from factscope.claims.citations.bibliography import Bibliography
from factscope.claims.citations.reference import ARXIV_ID, DOI, URL, Marker, Reference, address, read_entry, trimmed
from factscope.core.records import CitationForm, Span

_CODE = re.compile(
    r"^(?P<fence>`{3,}|~{3,}).*?(?:^(?P=fence)[`~]*[ \t]*$|\Z)|(?<!`)(`+)(?!`)[^`\n]{1,300}\2(?!`)",
    re.MULTILINE | re.DOTALL,
)
_COMMENT = re.compile(r"<!--.*?-->|!\[[^\[\]\n]*\]\([^()\n]*\)|<img\b[^<>]*>", re.DOTALL)
"""Comments and pictures."""
_ANCHOR = re.compile(
    r"<a\b[^<>]*?\bhref=(?P<mark>[\"'])(?P<url>.*?)(?P=mark)[^<>]*>(?P<text>.*?)</a>", re.IGNORECASE | re.DOTALL
)
_LINK = re.compile(
    r"(?<!!)\[(?P<text>(?:[^\[\]\\\n]|\\.|\[[^\[\]\n]*\])*)\]"
    r"\(\s*(?:<(?P<angled>[^<>\n]*)>|(?P<url>[^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*))(?:\s+(?:\"[^\"\n]*\"|'[^'\n]*'))?\s*\)"
)
_LABELLED = re.compile(r"(?<![!\]\\])\[(?P<text>[^\[\]\n]{1,300})\](?:\[(?P<label>[^\[\]\n]{0,60})\])?(?![(:])")
_FOOTNOTE = re.compile(r"(?<!^)\[(?P<label>\^[^\[\]\s]{1,60})\]|^\[(?P<first>\^[^\[\]\s]{1,60})\](?!:)", re.MULTILINE)
_INLINE_NOTE = re.compile(r"\^\[(?P<note>(?:[^\[\]]|\[[^\[\]]*\])+)\]")
_KEYS = re.compile(r"\[(?P<inside>[^\[\]\n]*(?<![\w.])@[^\[\]\n]+)\](?!\()")
_KEY = re.compile(r"(?<![\w.])-?@(?P<key>[A-Za-z0-9_][\w:.#$%&+?<>~/-]*\w|\w)(?:,\s*(?P<where>[^;\]]+))?")
_BARE_KEY = re.compile(r"(?<![\w@/.\[-])@(?P<key>[A-Za-z_][\w:.-]*\w)(?:\s+\[(?P<where>[^\[\]]{1,40})\])?")
_LATEX = re.compile(r"~?\\(?:[a-zA-Z]*cite[a-zA-Z]*)\*?(?P<where>(?:\[[^\[\]]*\]){0,2})\{(?P<keys>[^{}]+)\}")
_NUMBERS = re.compile(
    r"\[(?P<in>\s*\d{1,3}(?:\s*[,;–—-]\s*\d{1,3})*)(?P<where>\s*[,:]\s*(?:pp?\.|ch\.|§|sec\.)[^\[\]]{1,30})?\s*\](?!\()"
    r"|【(?P<wide>\d{1,3})(?:[†:][^【】]{0,60})?】"
)
_NUMBER = re.compile(r"(\d{1,3})(?:\s*[–—-]\s*(\d{1,3}))?")
_RAISED = re.compile(
    r"(?<=[^\W\d_]|[.,;:!?\"”’)\]])(?:[⁰¹²³⁴-⁹]{1,3}(?:[⁻,˒⁾]?[⁰¹²³⁴-⁹]{1,3})*|\^\d{1,3}\^|<sup>\[?\d{1,3}\]?</sup>)"
)
_UNIT = re.compile(r"(?:^|[\s\d(/])(?:[kcdm]?m|ft|in|yd|mi|s|x|n|R|sq|χ|r|p)$")
_SMALL = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_ANGLED = re.compile(r"<(https?://[^\s<>]+)>")
_DOI_WORD = re.compile(r"\bdoi:?\s*$", re.IGNORECASE)
_MARKER_TEXT = re.compile(
    r"\W*(?:\d{1,3}|\^?\d{1,3}|sources?|link|(?:see\s+)?(?:there|here)|see(?:\s+also)?|ref(?:erence)?|cite|citation"
    r"|pdf|doi|archived?|(?:https?://|www\.)\S+|[\w-]+(?:\.[\w-]+)+(?:/\S*)?)\W*",
    re.IGNORECASE,
)
_LEAD = re.compile(r"(?:\(|\[)?(?:see|source|via|cf\.?|at|from|available at)?:?\s*$", re.IGNORECASE)
_MOST_IN_RANGE = 30  # `[3–40]` is a range of pages or years, not of sources


def without_code(text: str) -> str:
    """Return the text with its code, comments and pictures blanked out, at the same length."""
    return _COMMENT.sub(_blank, _CODE.sub(_blank, text))


def find_markers(text: str, listed: Bibliography, known_values: Iterable[Reference] = ()) -> list[Marker]:
    """Return all citations of a text in reading order, without overlaps.

    `listed` is the text's own bibliography, `known_values` are the keys in reference files.
    """
    view = without_code(text)
    for span in listed.taken:
        view = _without(view, span)
    references = [*listed.entries, *known_values]
    keys = {reference.key for reference in references if reference.key} | set(listed.links)
    finders: tuple[Callable[[str], Iterator[Marker]], ...] = (
        lambda observed: _anchors(observed, references),
        _links,
        _notes,
        lambda visited: _bracketed_keys(visited, {entry.key for entry in known_values if entry.key}),
        lambda observed: _labelled(observed, listed.links),
        lambda visited: _numbered(visited, {entry.key for entry in listed.entries if entry.key}),
        lambda observed: author_years(observed, references),
        lambda observed: _bare(observed, keys),
    )
    results: list[Marker] = []
    for find in finders:
        new = list(find(view))
        results += new
        for marker in new:
            view = _without(view, marker.outer)
    return sorted(results, key=lambda marker: (marker.span.start, marker.span.end))


def pieces_without(text: str, span: Span, markers: Iterable[Marker]) -> list[str]:
    """Return a piece of text around its citations, which are in reading order, with their words in their place."""
    pieces, at = [], span.start
    for marker in markers:
        if at <= marker.outer.start < span.end:
            pieces += [text[at : marker.outer.start], marker.words]
            at = min(marker.outer.end, span.end)
        elif marker.outer.start < at < marker.outer.end:  # a note within the line may be longer than a sentence
            at = min(marker.outer.end, span.end)
    return [*pieces, text[at : span.end]]


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def _without(view: str, span: Span) -> str:
    """Return the view with a range blanked out.

    A private-use letter replaces it, so that two words do not become neighbours.
    """
    hole = re.sub(r"[^\n]", "\ue001", span.of(view))
    return view[: span.start] + hole + view[span.end :]


def _anchors(view: str, references: Iterable[Reference]) -> Iterator[Marker]:
    """Yield links of HTML, to the web or to an entry of this text."""
    by_name = {reference.anchor: reference.key or reference.anchor for reference in references if reference.anchor}
    for match in _ANCHOR.finditer(view):
        target, words = match["url"].strip(), " ".join(re.sub(r"<[^<>]*>", "", match["text"]).split())
        outer = _wrapped(view, match.start(), match.end(), words)
        if target.startswith("#"):
            if (key := by_name.get(target[1:])) is not None:
                yield Marker(_span(match), outer, "html_anchor", key=key)
        elif text := _target(target):
            yield Marker(_span(match), outer, "html_anchor", names=text, words=_kept(view, match, words))


def _links(view: str) -> Iterator[Marker]:
    for match in _LINK.finditer(view):
        target = (match["angled"] or match["url"] or "").strip()
        if target.startswith("#"):
            if number := re.search(r"\d{1,3}$", target):
                yield Marker(_span(match), _span(match), "numbered", key=number[0])
            continue
        if text := _target(target):
            words = match["text"].strip("[]")
            outer = _wrapped(view, match.start(), match.end(), words)
            yield Marker(_span(match), outer, "markdown_link", names=text, words=_kept(view, match, words))


def _target(target: str) -> Reference | None:
    """Return the source that an address names; None for one that is not a source, such as a mail address."""
    if re.match(r"(?!https?:)[a-z][a-z0-9+.-]+:", target, re.IGNORECASE) or not target.strip("/"):
        return None
    text = read_entry(target)
    if text.url or text.doi or text.arxiv:
        return text._replace(title=None, authors=(), entry=None, year=None)
    return Reference(url=target)


def _kept(view: str, match: re.Match[str], words: str) -> str:
    """Return the words of a link that belong to the sentence; empty when the link is only a marker after it."""
    ended = re.search(r"[.!?][\"”’)\]\ue001]*\s*$", view[max(0, match.start() - 8) : match.start()])
    last = re.match(r"[)\].,;\s\ue001]*(?:$|[^\W\d_a-zß-öø-ÿ(\[])", view[match.end() : match.end() + 8])
    enclosed = view[match.start() - 1 : match.start()] in ("(", "[") and view[match.end() : match.end() + 1] in (
        ")",
        "]",
    )
    return "" if _MARKER_TEXT.fullmatch(words) or (ended and last) or enclosed else words


def _wrapped(view: str, start: int, end: int, words: str) -> Span:
    """Return a link together with the brackets or superscript that contain nothing else."""
    for left, right in (("(", ")"), ("[", "]"), ("<sup>", "</sup>")):
        if view[:start].endswith(left) and view.startswith(right, end):
            return Span(start=start - len(left), end=end + len(right))
    return Span(start=start, end=end)


def _notes(view: str) -> Iterator[Marker]:
    for match in _INLINE_NOTE.finditer(view):
        text = read_entry(match["note"])
        if text.url or text.doi or text.arxiv or (text.year and text.authors):
            yield Marker(_span(match), _span(match), "footnote", names=text)
    for match in _FOOTNOTE.finditer(view):
        yield Marker(_span(match), _span(match), "footnote", key=match["label"] or match["first"])


def _bracketed_keys(view: str, known_values: set[str]) -> Iterator[Marker]:
    """Yield keys as Pandoc and LaTeX write them; a key without brackets counts only if a reference file has it."""
    for match in _KEYS.finditer(view):
        inside = list(_KEY.finditer(view, match.start("inside"), match.end("inside")))
        for each in inside:
            span = _span(match) if len(inside) == 1 else _span(each)
            yield Marker(span, _span(match), "key", key=each["key"], locator=each["where"] and each["where"].strip())
    for match in _LATEX.finditer(view):
        keys = list(re.finditer(r"[^,\s]+", match["keys"]))
        for each in keys:
            at = match.start("keys")
            span = _span(match) if len(keys) == 1 else Span(start=at + each.start(), end=at + each.end())
            yield Marker(span, _span(match), "key", key=each[0], locator=match["where"].strip("[]") or None)
    brackets = [_span(match) for match in _KEYS.finditer(view)]
    for match in _BARE_KEY.finditer(view):
        if match["key"] in known_values and not any(bracket.overlaps(_span(match)) for bracket in brackets):
            yield Marker(_span(match), _span(match), "key", key=match["key"], locator=match["where"])


def _labelled(view: str, links: dict[str, Reference]) -> Iterator[Marker]:
    for match in _LABELLED.finditer(view):
        label = " ".join((match["label"] or match["text"]).casefold().split())
        if label in links and not label.isdigit():
            words = "" if _MARKER_TEXT.fullmatch(match["text"]) else match["text"]
            yield Marker(_span(match), _span(match), "reference_link", names=links[label], words=words)


def _numbered(view: str, keys: set[str]) -> Iterator[Marker]:
    """Yield `[1]`, `[1, 3–5]` and, where the bibliography has entries with these numbers, superscript figures."""
    for match in _NUMBERS.finditer(view):
        if match["wide"]:
            yield Marker(_span(match), _span(match), "numbered", key=match["wide"])
            continue
        if (
            view.startswith(":", match.end())
            and not view[view.rfind("\n", 0, match.start()) + 1 : match.start()].strip()
        ):
            continue  # a definition, which stands at the beginning of its line
        listed = list(_NUMBER.finditer(view, match.start("in"), match.end("in")))
        where = match["where"].strip(" ,:") if match["where"] else None
        for each in listed:
            span = _span(match) if len(listed) == 1 else _span(each)
            for number in _range(each[1], each[2]):
                yield Marker(span, _span(match), "numbered", key=number, locator=where)
    for match in _RAISED.finditer(view):
        numbers = re.findall(r"\d+", match[0].translate(_SMALL))
        raised_unit = match[0][0] in "²³" and _UNIT.search(view[max(0, match.start() - 6) : match.start()])
        if not raised_unit and all(number in keys for number in numbers):
            for number in numbers:
                yield Marker(_span(match), _span(match), "numbered", key=number)


def _range(first: str, last: str | None) -> list[str]:
    low, high = int(first), int(last or first)
    return [str(number) for number in range(low, high + 1)] if 0 <= high - low <= _MOST_IN_RANGE else [first]


def _bare(view: str, keys: set[str]) -> Iterator[Marker]:
    """Yield addresses, DOIs and arXiv ids written out in the text, without markup."""
    used: list[Span] = []
    for pattern in (_ANGLED, URL, DOI, ARXIV_ID):
        group = 1 if pattern is _ANGLED else 0
        for match in pattern.finditer(view):
            words = match[group].partition("\ue001")[0]
            words = words if pattern is _ANGLED else trimmed(words)
            span = Span(start=match.start(group), end=match.start(group) + len(words))
            if not any(span.overlaps(item) for item in used):
                used.append(span)
                yield _bare_marker(view, span, *address(words))


def _bare_marker(view: str, span: Span, url: str | None, doi: str | None, arxiv: str | None) -> Marker:
    if url:
        doi = arxiv = None  # the address that holds them is the source
    form: CitationForm = "doi" if doi else "arxiv" if arxiv else "bare_url"
    start, end = span.start, span.end
    if word := _DOI_WORD.search(view[max(0, start - 8) : start]):
        start -= len(word[0])
    if view[start - 1 : start] == "<" and view[end : end + 1] == ">":
        start, end = start - 1, end + 1
    if lead := _LEAD.search(view[max(0, start - 16) : start]):
        opened = lead[0][:1] in "([" and lead[0] != "" and view[end : end + 1] in ")]"
        start, end = (start - len(lead[0]), end + 1) if opened else (start, end)
    return Marker(span, Span(start=start, end=end), form, names=Reference(url=url, doi=doi, arxiv=arxiv))


def _span(match: re.Match[str]) -> Span:
    return Span(start=match.start(), end=match.end())
