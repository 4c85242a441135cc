"""Names of columns on several rows, and the labels of rows, read alike in CSV and Office files, Markdown and pages."""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import compress, islice, pairwise, zip_longest

from factscope.claims.text.column_names import YEAR, has_figure, is_amount, is_label

FEWEST = 3
"""Columns of a table in which a row with nothing but its first cell may be the title of those below it."""
_NAME_ROWS = 4
"""Most rows with the names of columns."""
_LONGEST = 100
"""Characters of a name in any but the first of them."""
_TITLE = re.compile(r"[*_]*(?:\d[\d.]*\)?\s+)?[^\W\d_]")
"""The beginning of a title: "Assets", "**Assets**", "1. Assets"."""
_TOTAL = re.compile(r"[*_]*(?:(?P<whole>grand|overall) |sub-?)?totals?\b", re.IGNORECASE)
_SUM = re.compile(rf"(?:{_TOTAL.pattern}|sum|all|overall)[*_:]*", re.IGNORECASE)

Texts = Sequence[str]


def joined_names(rows: Sequence[Texts], is_marked: Callable[[int], bool] | None = None) -> tuple[list[str], int]:
    """Return the names of columns on the first rows, those of groups first, and the number of these rows.

    `is_marked` tells whether markup says that names go on in the row at this place; it may be the texts that do.
    """
    n_rows, width = 1, max(map(len, rows[:_NAME_ROWS]), default=0)
    groups = list[Texts]()
    while n_rows < min(len(rows) - 1, _NAME_ROWS) and max(map(len, rows[n_rows])) <= _LONGEST:
        row, below = rows[n_rows], rows[n_rows + 1 :]
        groups.append(_spread(rows[n_rows - 1], row, width))
        if not ((is_marked and is_marked(n_rows)) or _go_on(_joined(groups), row, below)):
            break
        n_rows += 1
    return _joined([*groups[: n_rows - 1], *rows[n_rows - 1 : n_rows]]), n_rows


def _joined(rows: Sequence[Texts]) -> list[str]:
    return [" ".join(filter(None, dict.fromkeys(column))) for column in zip_longest(*rows, fillvalue="")]


def _spread(names: Texts, row: Texts, width: int) -> list[str]:
    """Return names with those of groups above all their columns: "2023" goes on until "Cost" in ",2023,,Cost".

    The first is that of a group only if the row below it has a name there, too. If some span columns, all do.
    """
    has_spans = any(left == right != "" for left, right in pairwise(names))
    first = 1 if row[0] and names[0] else 2
    filled = [*names[:first]]
    for name in [*names[first:], *[""] * (width - len(names))]:
        filled.append(name or ("" if has_spans else filled[-1]))
    return filled


def _go_on(names: Texts, row: Texts, below: Sequence[Texts]) -> bool:
    """Tell whether the names of columns go on in a row: "2023 | 2024" below "Revenue", which spans both.

    Or "EUR | EUR" below "2023 | 2024", where figures follow. A row with a first cell of its own, other than that of the
    names, may be an entry, unless its other cells repeat, as "Source | GWh | % | GWh | %" below "Energy | 2023 | 2024".
    If only the last of several names spans two columns, the second may be one for remarks, which has no name.
    """
    figures = next((cells[1:] for cells in below if any(cells[1:])), ())
    has_figures = any(map(is_amount, figures))
    all_figures = has_figures and all(map(is_amount, (cell for cell in figures if any(map(str.isalnum, cell)))))
    is_open = any(left == right != "" for left, right in pairwise(names[1:]))
    begins = row[0] in ("", names[0])
    repeats = len({*row[1:]}) < len(row) - 1
    times = [*Counter(names[1:]).values()]
    has_groups = is_open and (len(times) == 1 or max(times[:-1]) > 1)
    columns = zip_longest(names[1:], row[1:], figures, fillvalue="")
    has_all = any(row[1:]) and all(name or low or not any(map(str.isalnum, cell)) for name, low, cell in columns)
    if not has_all or any(map(has_figure, row)):
        return False
    if begins or not names[0]:
        return (is_open if begins else has_groups and has_figures) or (begins and all_figures)
    return has_groups and repeats and has_figures and not any(map(YEAR.search, row))


def row_labels(rows: Sequence[Texts], width: int, *, without_titles: bool = False) -> list[str | None]:
    """Return the first cell of each row, after the title of its group if another group has the same: "Assets – Cash".

    With `without_titles`, as in an Office file, rows that surely are titles are not read on their own: each row below
    them has its title, and theirs is None. Such a title may be in all columns that it spans. A first cell that is left
    empty is that of the row above, if the second cells tell the rows apart.
    """
    lone = [_is_lone(row, width, without_titles) for row in rows]
    filled = [at for at, row in enumerate(rows) if any(row)]
    tells_apart = (lone[at] or is_label("".join(rows[at][1:2])) or _TOTAL.match(rows[at][0]) for at in filled)
    carries = width >= FEWEST and all(tells_apart)
    titles = dict.fromkeys(at for at in filled[:-1] if lone[at] and any(rows[at + 1]) and not lone[at + 1])
    sure = _sure_titles(rows, list(titles), list(compress(range(len(rows)), lone))) if without_titles else set[int]()
    labels, groups = list[str | None](), list[tuple[str, bool]]()
    group, is_sure = "", False
    for at, label in enumerate(_carried_down(rows) if carries else ["".join(row[:1]) for row in rows]):
        is_title = at in titles
        if lone[at] or not any(rows[at]) or _TOTAL.match(label):
            group, is_sure = label if is_title else "", at in sure
        labels.append(None if is_title and is_sure else label)
        groups.append(("" if is_title else group, is_sure))
    times = Counter(label for label, (group, _) in {*zip(labels, groups, strict=True)} if group)
    return [
        " – ".join(filter(None, dict.fromkeys((group, label)))) if group and (is_sure or times[label] > 1) else label
        for label, (group, is_sure) in zip(labels, groups, strict=True)
    ]


def _sure_titles(rows: Sequence[Texts], titles: Sequence[int], lone: Sequence[int]) -> set[int]:
    """Return the places of the titles that can't be rows with missing values.

    They span all columns, or a total stands between them: that of the last group may be the total of the table. A total
    may have no label, or that of its group.
    """
    sure = {title for title in titles if any(rows[title][1:])}
    starts = not any(map(any, rows[: min(lone, default=0)]))
    for title, following in pairwise(titles) if starts else ():
        end = lone[bisect(lone, title)]
        *_, (label, *cells) = (row for row in rows[title + 1 : end] if any(row))
        is_total = _TOTAL.match(label) or label == rows[title][0] or (not label and is_amount("".join(cells[:1])))
        sure |= {title, following} if is_total else set()
    return sure


def _carried_down(rows: Sequence[Texts]) -> list[str]:
    """Return the first cell of each row, or, where it is left empty, that of the row above; a total ends this.

    The last total may be that of the table. Others are those of the group above.
    """
    carried, label = list[str](), ""
    for at, row in enumerate(rows):
        begins = any(row[:1]) or not any(row)
        label = "".join(row[:1]) if begins else label
        total = None if begins else _TOTAL.match(row[1]) or _SUM.fullmatch(row[1])
        following = next((cells for cells in islice(rows, at + 1, None) if any(cells[1:])), ()) if total else ()
        is_total = total is not None and (not following or _SUM.fullmatch(row[1]) is not None)
        is_of_group = total and not total["whole"] and following and (following[0] or _SUM.fullmatch(following[1]))
        carried.append(label if not is_total or is_of_group else "")
        if is_total or (_TOTAL.match(label) and not any(row[1:2])):
            label = ""
    return carried


def named_text(names: Iterable[str], cells: Iterable[str]) -> str:
    """Join the cells of a row, each after the name of its column; without those that are empty."""
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in zip(names, cells, strict=False) if cell)


def _is_lone(row: Texts, width: int, spans: bool) -> bool:
    """Tell whether a row has one text, which stands in the first of several columns or spans all."""
    is_wide = spans and len(row) == width > 1 and len({*row}) == 1
    is_first = max(width, len(row)) >= FEWEST and not any(row[1:])
    return any(row) and _TITLE.match(row[0]) is not None and (is_wide or is_first)
