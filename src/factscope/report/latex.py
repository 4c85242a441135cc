"""Tables in LaTeX, for a paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from factscope.report.document import Block, Points, Table, Title
from factscope.report.wording import one_line

_SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{",
        "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--",
    }
)  # fmt: skip


def in_latex(text: str) -> str:
    """Return `text` escaped, so that LaTeX prints it literally."""
    return one_line(text).translate(_SPECIAL)


def to_latex(table: Table, caption: str) -> str:
    """Write a table for booktabs, the further lines of its cells in small type below; `caption` is LaTeX."""
    return "\n".join(
        (
            "% needs \\usepackage{booktabs}",
            "\\begin{table}",
            "\\centering",
            f"\\begin{{tabular}}{{{table.alignment}}}",
            "\\toprule",
            _row(map(in_latex, table.titles)),
            "\\midrule",
            *_rows(table),
            "\\bottomrule",
            "\\end{tabular}",
            f"\\caption{{{caption}}}",
            "\\end{table}",
            "",
        )
    )


def document_to_latex(blocks: Iterable[Block]) -> str:
    """Write the tables of a result, each with the title above it and the notes below it as its caption."""
    tables: list[tuple[Table, list[str]]] = []
    title: list[str] = []
    for block in blocks:
        if isinstance(block, Table):
            tables.append((block, title))
            title = []
        elif isinstance(block, Title):
            title = [f"{in_latex(block.text)}."]
        else:
            lines = block.points if isinstance(block, Points) else (block.text,)
            (title if title or not tables else tables[-1][1]).extend(map(in_latex, lines))
    return "\n".join(to_latex(table, " ".join(caption)) for table, caption in tables)


def _rows(table: Table) -> Iterator[str]:
    for index, row in enumerate(table.rows):
        if index == table.rule_before:
            yield "\\midrule"
        first, below = zip(*((first, below) for first, _, below in (cell.partition("\n") for cell in row)), strict=True)
        yield _row(map(in_latex, first))
        if any(below):
            yield _row(f"{{\\scriptsize {in_latex(more)}}}" if more else "" for more in below)


def _row(cells: Iterable[str]) -> str:
    row = " & ".join(cells)
    # After the end of the row before, LaTeX would take either character for an argument of that.
    return f"{'{}' if row.startswith(('[', '*')) else ''}{row} \\\\"
