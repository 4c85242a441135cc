"""Commands that refuse an option of one value given twice, of which the parser would silently take the last."""

from __future__ import annotations

from collections import Counter
from typing import Any

from typer.core import TyperCommand

from factscope.core.errors import UsageError


class SingleValues(TyperCommand):
    """A command whose options of one value may be given once."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments. Raises UsageError for an option given twice."""
        _, _, options = self.make_parser(ctx).parse_args(args=list(args))
        for option, times in Counter(options).items():
            is_single = not any(getattr(option, kind, False) for kind in ("multiple", "is_flag", "count"))
            if times > 1 and is_single:
                names = " / ".join(option.opts)
                raise UsageError(f"{names} takes one value, and is given {times} times.", "Leave out the others.")
        return super().parse_args(ctx, args)
