"""Groups of options that several commands share, each as one value: input, method, servers and limits."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, dataclass_transform, get_args, get_origin, get_type_hints

import typer

from factscope.cli import options
from factscope.core import UsageError, field_docs

if TYPE_CHECKING:
    from factscope.web.server import ServerAddress


@dataclass_transform(frozen_default=True, kw_only_default=True)
class OptionGroup:
    """Options of a command: a field each, with its help as the docstring under it.

    An option with the name of a setting changes that setting.
    """

    def __init_subclass__(cls) -> None:
        """Make the group a dataclass."""
        dataclass(frozen=True, kw_only=True)(cls)

    def settings(self, **more: Any) -> dict[str, Any]:
        """Return the values for settings; `more` are further values, or override those of the options.

        A flag that was not given sets nothing.
        """
        from factscope.engine.settings import Settings

        values = {name: value for name, value in vars(self).items() if name in Settings.model_fields}
        unset = [name for name, value in values.items() if value is False and getattr(type(self), name, None) is False]
        return {name: value for name, value in values.items() if name not in unset} | more


class EvidenceOptions(OptionGroup):
    """The documents of a command that looks claims up."""

    evidence: Annotated[list[str] | None, typer.Option("--evidence", "-e", metavar="PATH|URL…")] = None
    """Evidence to search: files, folders and archives (txt, md, html, pdf, jsonl, csv, docx, pptx, xlsx, epub, zip,
    tar), patterns such as "docs/*.md", and web addresses."""


class LookupOptions(EvidenceOptions):
    """Everything in which a command looks claims up."""

    search: Annotated[str | None, typer.Option(metavar="ENGINE")] = None
    """Search the web too: wikipedia, or another engine that factscope doctor lists."""


class ModelOptions(OptionGroup):
    """The models of a command, by role."""

    model: Annotated[list[str] | None, typer.Option(metavar="[ROLE=]PROVIDER/MODEL")] = None
    """A language model, such as openai/gpt-4.1-mini or ollama/qwen3; for one role: judge=… Repeat for more."""


class SourceOptions(LookupOptions, ModelOptions):
    """Options of a command that looks claims up and asks models."""


class VerifierOptions(SourceOptions):
    """Options of a command whose judge may be a verifier."""

    verifier: Annotated[str | None, typer.Option(metavar="NAME|ID|FOLDER")] = None
    """Verifier that replaces the method's judge: see factscope verifiers list."""


class CheckerOptions(VerifierOptions):
    """Options of a command that checks texts by one method."""

    method: options.MethodName = None


class ReportFileOptions(OptionGroup):
    """Where a report is written, and in which format."""

    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            metavar="NAME",
            callback=options.known_format,
            autocompletion=options.complete_format,
        ),
    ] = None
    """Format of the report: text, html, json, csv or another; an unknown name lists all. Default: by the extension of
    OUT, else text."""
    output: options.Output = None


class ReportOptions(CheckerOptions, ReportFileOptions):
    """Options of a command that checks texts and reports on them."""

    strictness: Literal["low", "normal", "high"] | None = None
    """How readily a claim is called contradicted; high finds more, and errs more."""
    cited: bool = False
    """Check the text against its own citations. --evidence then names local sources: files named by key, BibTeX, RIS,
    CSL-JSON, a recorded fetch."""
    repair: bool = False
    """With --cited: propose another source where the cited one does not support a claim."""
    offline: bool = False
    """With --cited: fetch nothing; use local sources only."""
    dry_run: options.DryRun = False
    progress: Literal["auto", "json"] = "auto"
    """Progress on standard error: for a person, or a JSON object a line."""
    otel: bool = False
    """Send spans and results to an OpenTelemetry collector, by OTLP (extra otel)."""

    def must_be_cited(self, save: Path | None = None, earlier: str | None = None) -> None:
        """Raise UsageError for an option that needs, or excludes, `--cited`."""
        needing = {"--repair": self.repair, "--offline": self.offline, "--save-sources": save is not None}
        for option, supplied in needing.items():
            if supplied and not self.cited:
                raise UsageError(f"{option} is about the citations of a text.", "Add --cited.")
        if self.cited and earlier:
            raise UsageError("--previous can't be used with --cited: what is cited may have changed.", "Leave one out.")


class SampleOptions(OptionGroup):
    """Which samples of a labelled set are used."""

    data: options.LocalCopy = None
    limit: Annotated[int | None, typer.Option(min=1)] = None
    """Maximum number of samples."""


class LimitOptions(OptionGroup):
    """Limits on the calls of a command."""

    max_cost: options.MaxCost = None
    max_calls: int | None = None
    """Limit on calls."""
    max_tokens: int | None = None
    """Limit on tokens."""


class CallOptions(LimitOptions):
    """Options of a command that asks models."""

    in_flight: options.InFlight = None
    timeout: Annotated[float | None, typer.Option(metavar="SECONDS")] = None
    """Longest silence of a model server before its call is given up. Default: 120."""
    batch: Annotated[Path | None, typer.Option(metavar="DIR")] = None
    """Write missing calls as batch files into DIR, and read replies from there."""
    record: options.Record = None
    replay: options.Replay = None
    store: options.StoreLocation = None
    quiet: options.Quiet = False


class CheckOptions(ReportOptions, CallOptions):
    """Options of a command that checks texts, and asks models."""


class ServingOptions(OptionGroup):
    """Options of a command that serves a page: its address, who may open it, and how that is printed."""

    host: str = "127.0.0.1"
    """Address to listen on; any but this machine's own needs a token."""
    port: Annotated[int, typer.Option(min=0, max=65_535)] = 8642
    """Port to listen on; 0 takes a free one."""
    browser: bool = True
    """Open the page in the browser."""
    token: Annotated[str | None, typer.Option(envvar=options.SERVER_TOKEN)] = None
    """Secret that users must send; safer as the environment variable."""
    format: options.AsList = "text"

    @property
    def query(self) -> str:
        """The end of an address that lets users in."""
        return f"?token={self.token}" if self.token else ""

    def address(self, names: Sequence[str] = ()) -> ServerAddress:
        """Return the address to listen on; `names` are further names of the server."""
        from factscope.web.server import ServerAddress

        return ServerAddress(self.host, self.port, (self.token,) if self.token else (), tuple(names))


class MachineOptions(OptionGroup):
    """Options of a command that may run on several machines."""

    engine: Literal["here", "ray"] | None = None
    """Engine that checks responses: this process, or Ray."""
    ray_address: Annotated[str | None, typer.Option(metavar="HOST:PORT|auto")] = None
    """A Ray cluster. Default: one on this machine."""
    ray_workers: Annotated[int | None, typer.Option(min=1)] = None
    """Number of worker processes. Default: one for each core."""


_BY_NAME = inspect.Parameter.KEYWORD_ONLY


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Replace each parameter of a command that is a group of options by these options."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, type[OptionGroup]] = {
        name: kind for name, kind in hints.items() if isinstance(kind, type) and issubclass(kind, OptionGroup)
    }
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        if kind := groups.get(parameter.name):
            parameters += _parameters(kind)
        else:
            parameters.append(parameter.replace(kind=_BY_NAME, annotation=hints[parameter.name]))

    @functools.wraps(command)
    def run(**values: Any) -> None:
        if (output := values.get("output")) is not None:
            from factscope.cli.output import must_not_be_named

            must_not_be_named(output, values)
        grouped = {
            name: kind(**{field: values.pop(field) for field in get_type_hints(kind) if field in values})
            for name, kind in groups.items()
        }
        command(**values, **grouped)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _parameters(group: type[OptionGroup]) -> Iterator[inspect.Parameter]:
    """Yield a parameter for each field of a group, its own first; the help is the docstring of the field."""
    hints, docs = get_type_hints(group, include_extras=True), field_docs(group)
    for name in dict.fromkeys((*_own_fields(group), *_fields(group))):
        annotation, default = hints[name], getattr(group, name, inspect.Parameter.empty)
        kind, *declared = get_args(annotation) if get_origin(annotation) is Annotated else (annotation,)
        option = copy(declared[0]) if declared else typer.Option()
        option.help = option.help or docs.get(name, "").replace("\n", " ")
        if default is False and option.default is ...:  # which is where typer has the first name
            option.default = f"--{name.replace('_', '-')}"  # without a --no-… that would do nothing
        yield inspect.Parameter(name, _BY_NAME, default=default, annotation=Annotated[kind, option])


def _own_fields(group: type) -> tuple[str, ...]:
    return tuple(vars(group).get("__annotations__", ()))


def _fields(group: type) -> Iterator[str]:
    """Yield the fields of a group: those of the groups that it extends, as they are listed, then its own."""
    for base in group.__bases__:
        yield from _fields(base)
    yield from _own_fields(group)
