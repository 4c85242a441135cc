"""The only way to fill page templates: all outside text is escaped and made inert, and a missing value is an error."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from importlib.resources import files

import jinja2
from markupsafe import Markup

from factscope.core import __version__
from factscope.report import states, wording

_PACKAGE = "factscope.report"
_BUFFERED = 500
"""Pieces of a template that are written at a time."""


def _text(value: object) -> object:
    """Make text inert before it is escaped: everything that a template prints passes through here."""
    return wording.inert(value) if isinstance(value, str) and not isinstance(value, Markup) else value


class Pages:
    """Pages made from the templates of a room, and those of the reports where it has none of a name.

    `styles` are files that are joined to the style sheet; `finalize` makes values safe before they are escaped for
    HTML, which leaves `Markup` as it is. Templates may call `functions` by their names, and use `names`.
    """

    def __init__(
        self,
        room: str,
        styles: Sequence[str],
        functions: Iterable[Callable[..., object]] = (),
        finalize: Callable[[object], object] = _text,
        **names: object,
    ) -> None:
        self._room, self._styles, self._finalize = room, styles, finalize
        self._names = {function.__name__: function for function in functions} | names

    @cached_property
    def _templates(self) -> jinja2.Environment:
        """Read the style sheet, and each template when it is first needed."""
        environment = jinja2.Environment(
            loader=jinja2.FunctionLoader(self._read),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=jinja2.StrictUndefined,
            finalize=self._finalize,
        )
        environment.globals |= {"MARKS": states.MARKS, "LIGHT": states.LIGHT, "DARK": states.DARK}
        environment.globals["style"] = Markup("".join(map(self._read, self._styles)))  # noqa: S704 - our own files
        environment.globals |= {"words": wording, "version": __version__, **self._names}
        return environment

    def _read(self, name: str) -> str:
        individual = files(self._room).joinpath(name)
        return (individual if individual.is_file() else files(_PACKAGE).joinpath(name)).read_text(encoding="utf-8")

    def fill(self, name: str, /, **values: object) -> str:
        """Fill a template."""
        return self._templates.get_template(name).render(values).strip() + "\n"

    def stream(self, name: str, /, **values: object) -> jinja2.environment.TemplateStream:
        """Fill a template piece by piece."""
        stream = self._templates.get_template(name).stream(values)
        stream.enable_buffering(_BUFFERED)
        return stream
