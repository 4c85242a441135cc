"""A group of commands whose modules are imported when they are used; help needs only the table."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from inspect import getdoc
from pkgutil import resolve_name
from typing import Any

from typer import Typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from factscope.cli.command_table import COMMANDS, Entry, Section
from factscope.core import UsageError


class LazyGroup(TyperGroup):
    """The commands of a table."""

    table: Mapping[str, Entry | Section] = COMMANDS

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands, in the order of the table."""
        return list(self.table)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command by its name, imported now; `None` when there is none."""
        entry = self.table.get(cmd_name)
        if entry is None:
            return None
        if cmd_name not in self.commands:
            self.add_command(_section(cmd_name, entry) if isinstance(entry, Section) else _command(cmd_name, entry))
        return self.commands[cmd_name]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of the commands below the options."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in self.table.items()])

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; in a group with a command `list`, that name may be left out."""
        left_out = not args or (args[0].startswith("-") and args[0] not in ctx.help_option_names)
        return super().parse_args(ctx, ["list", *args] if left_out and "list" in self.table else args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the arguments name; an unknown name is reported with similar ones."""
        suggestions = [] if args[0] in self.table else get_close_matches(args[0], self.table, cutoff=0.7)
        if suggestions:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {' or '.join(suggestions)}?")
        return super().resolve_command(ctx, args)


class FactscopeCommand(TyperCommand):
    """A command whose `--evidence` and `--logs` take several paths, and which refuses a second `--output`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments. Raises UsageError for a second output, of which the parser would take the last alone."""
        repeated = self._with_repeated_options(args)
        _, _, options = self.make_parser(ctx).parse_args(args=list(repeated))
        if sum("--output" in option.opts for option in options) > 1:
            raise UsageError("--output is given more than once.", "factscope export last -o FILE writes another form.")
        return super().parse_args(ctx, repeated)

    def _with_repeated_options(self, args: list[str]) -> list[str]:
        """Return `--evidence a b`, as a shell writes `--evidence documents/*.md`, as `--evidence a --evidence b`.

        Before the text to check has been named only the first path belongs to the option: the next word may be the
        text. In a command that takes several texts, it always may.
        """
        arguments = [param for param in self.params if param.param_type_name == "argument"]
        if any(argument.nargs < 0 for argument in arguments):
            return args
        valued = {name for param in self.params if not getattr(param, "is_flag", True) for name in param.opts}
        remaining, out, is_named = list(args), [], not arguments
        while remaining:
            word = remaining.pop(0)
            out.append(word)
            if word == "--":
                break
            if word in valued:
                out += remaining[:1]
                del remaining[:1]
                while word in _SEVERAL and is_named and remaining and _is_value(remaining[0]):
                    out += [word, remaining.pop(0)]
            elif _is_value(word):
                is_named = True
        return out + remaining


_SEVERAL = ("--evidence", "-e", "--logs")
"""The options that take several paths."""


def _is_value(word: str) -> bool:
    return word == "-" or not word.startswith("-")


def _section(name: str, section: Section) -> LazyGroup:
    group = LazyGroup(name=name, help=section.help, no_args_is_help=True, rich_markup_mode=None)
    group.table = section.commands
    return group


def _command(name: str, entry: Entry) -> Any:
    """Return a command: its help is the docstring of its function, whose last paragraph is the example at the end."""
    function = resolve_name(f"factscope.cli.{entry.place}")
    text, _, example = (getdoc(function) or "").rpartition("\n\nExample")
    epilog = "Example" + example.replace("\n", " ")
    single = Typer(add_completion=False, rich_markup_mode=None)
    single.command(name, cls=FactscopeCommand, help=text, epilog=epilog, short_help=entry.help)(function)
    return get_command(single)
