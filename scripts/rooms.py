"""The rooms of the package and what each imports, drawn from the code itself."""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from html import escape
from pathlib import Path

_WIDTH, _ROW, _BOX, _LEFT = 900, 62, 42, 20


def figure(package: Path) -> str:
    """Draw the rooms as an SVG: a row for each layer, an arrow to each room that another imports, as wide as often."""
    config = tomllib.loads((package.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    layers = [row.split(" | ") for row in config["tool"]["importlinter"]["contracts"][0]["layers"]]
    places: dict[str, tuple[float, float]] = {}
    parts = []
    for row, names in enumerate(layers):
        wide = (_WIDTH - 2 * _LEFT) / len(names)
        for number, name in enumerate(names):
            x, y = _LEFT + number * wide, 10 + row * _ROW
            places[name] = (x + wide / 2, y)
            parts.append(
                f'<rect x="{x + 4:.0f}" y="{y}" width="{wide - 8:.0f}" height="{_BOX}" rx="6"/>'
                f'<text x="{x + wide / 2:.0f}" y="{y + 26}">{escape(name)}</text>'
            )
    arrows = []
    for (user, used), count in sorted(imports(package).items()):
        if user in places and used in places and user != used:
            (x1, y1), (x2, y2) = places[user], places[used]
            bend = 60 + abs(y2 - y1) / 3
            side = 1 if x1 <= _WIDTH / 2 else -1
            arrows.append(
                f'<path d="M{x1:.0f} {y1 + _BOX} C{x1 + side * bend:.0f} {y1 + _BOX + 20:.0f}'
                f' {x2 + side * bend:.0f} {y2 - 20:.0f} {x2:.0f} {y2}" stroke-width="{min(4, 0.5 + count / 25):.1f}">'
                f"<title>{escape(user)} imports {escape(used)} {count} times</title></path>"
            )
    height = 10 + len(layers) * _ROW
    style = (
        "rect{fill:#4f6bed22;stroke:#4f6bed}text{font:15px system-ui,sans-serif;text-anchor:middle;fill:currentColor}"
        "path{fill:none;stroke:#8888;marker-end:url(#a)}svg{color:#222}"
        "@media(prefers-color-scheme:dark){svg{color:#eee}}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img"'
        f' aria-label="The rooms of Factscope and their imports"><style>{style}</style>'
        '<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="5" markerHeight="5" orient="auto">'
        '<path d="M0 0 8 4 0 8z" style="fill:#888;stroke:none"/></marker></defs>'
        f"{''.join(arrows)}{''.join(parts)}</svg>\n"
    )


def imports(package: Path) -> Counter[tuple[str, str]]:
    """Count how often a module of one room imports from another."""
    found: Counter[tuple[str, str]] = Counter()
    for path in package.rglob("*.py"):
        parts = path.relative_to(package).parts
        room = parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            names += [one.name for one in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                if name.startswith("factscope."):
                    found[room, name.split(".")[1]] += 1
    return found
