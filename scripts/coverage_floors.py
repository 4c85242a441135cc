"""Check the line coverage of the rooms that everything depends on, after `make coverage`."""

from __future__ import annotations

import sys

from coverage import Coverage

FLOORS = {"core": 97.0, "scoring": 97.0, "engine": 97.0}
"""Percent of the lines of a room."""
APART = "engine/ray"
"""Reported separately: Ray kills its workers before they can save their coverage data."""


def main() -> int:
    """Print each room's coverage; return 1 when one is below its floor."""
    data = Coverage()
    data.load()
    counted: dict[str, list[int]] = {}
    for path in data.get_data().measured_files():
        inside = path.partition("/factscope/")[2]
        room = APART if inside.startswith(APART) else inside.partition("/")[0].removesuffix(".py")
        _, lines, _, missing, _ = data.analysis2(path)
        sums = counted.setdefault(room, [0, 0])
        sums[0] += len(lines)
        sums[1] += len(lines) - len(missing)
    low = 0
    for room, (lines_all, lines_run) in sorted(counted.items()):
        share = 100 * lines_run / max(lines_all, 1)
        floor = FLOORS.get(room, 0.0)
        low += share < floor
        print(f"{room:<14}{share:6.1f} %{f'   floor {floor:g} %' if floor else ''}")
    return int(low > 0)


if __name__ == "__main__":
    sys.exit(main())
