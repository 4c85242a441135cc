"""Options that several commands share, as one value: input, method, servers and limits."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

from factscope.cli.options import (
    AsList,
    Browser,
    DryRun,
    Evidence,
    Host,
    InFlight,
    ListFormat,
    LocalCopy,
    MaxCost,
    MethodName,
    Model,
    MostSamples,
    Output,
    OutputFormat,
    Port,
    Quiet,
    Record,
    Replay,
    SearchName,
    StoreLocation,
    Token,
    VerifierName,
)

if TYPE_CHECKING:
    from factscope.web.server import ServerAddress


@dataclass(frozen=True)
class OptionGroup:
    """Options of a command. An option with the name of a setting changes that setting."""

    def settings(self, **more: Any) -> dict[str, Any]:
        """Return the values for settings; `more` are further values, or override those of the options."""
        from factscope.engine.settings import Settings

        names = (field.name for field in fields(self) if field.name in Settings.model_fields)
        return {**{name: getattr(self, name) for name in names}, **more}


@dataclass(frozen=True)
class SourceOptions(OptionGroup):
    """Options of a command that looks claims up."""

    evidence: Evidence = None
    search: SearchName = None
    model: Model = None


@dataclass(frozen=True)
class CheckerOptions(SourceOptions):
    """Options of a command that checks texts by one method."""

    method: MethodName = None
    verifier: VerifierName = None


@dataclass(frozen=True)
class ReportOptions(CheckerOptions):
    """Options of a command that checks texts and reports on them."""

    strictness: Annotated[
        Literal["low", "normal", "high"] | None,
        typer.Option(help="How readily a claim is called contradicted; high finds more, and errs more."),
    ] = None
    cited: Annotated[
        bool,
        typer.Option(
            "--cited",
            help="Check the text against its own citations. --evidence then names local sources: files named by key,"
            " BibTeX, RIS, CSL-JSON, a recorded fetch.",
        ),
    ] = False
    repair: Annotated[
        bool,
        typer.Option(
            "--repair", help="With --cited: propose another source where the cited one does not support a claim."
        ),
    ] = False
    offline: Annotated[bool, typer.Option("--offline", help="With --cited: fetch nothing; use local sources only.")] = (
        False
    )
    format: OutputFormat = None
    output: Output = None
    dry_run: DryRun = False
    progress: Annotated[
        Literal["auto", "json"], typer.Option(help="Progress on standard error: for a person, or a JSON object a line.")
    ] = "auto"
    otel: Annotated[
        bool, typer.Option("--otel", help="Send spans and results to an OpenTelemetry collector, by OTLP (extra otel).")
    ] = False


@dataclass(frozen=True)
class SampleOptions(OptionGroup):
    """Which samples of a labelled set are used."""

    data: LocalCopy = None
    limit: MostSamples = None


@dataclass(frozen=True)
class LimitOptions(OptionGroup):
    """Limits on the calls of a command."""

    max_cost: MaxCost = None
    max_calls: Annotated[int | None, typer.Option(help="Limit on calls.")] = None
    max_tokens: Annotated[int | None, typer.Option(help="Limit on tokens.")] = None


@dataclass(frozen=True)
class CallOptions(LimitOptions):
    """Options of a command that asks models."""

    in_flight: InFlight = None
    timeout: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", help="Longest silence of a model server before its call is given up. Default: 120."
        ),
    ] = None
    batch: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write missing calls as batch files into DIR, and read replies from there."),
    ] = None
    record: Record = None
    replay: Replay = None
    store: StoreLocation = None
    quiet: Quiet = False


@dataclass(frozen=True)
class CheckOptions(CallOptions, ReportOptions):
    """Options of a command that checks texts, and asks models."""


@dataclass(frozen=True)
class ServingOptions(OptionGroup):
    """Options of a command that serves a page: its address, who may open it, and how that is printed."""

    host: Host = "127.0.0.1"
    port: Port = 8642
    browser: Browser = True
    token: Token = None
    format: AsList = ListFormat.TEXT

    def address(self, names: Sequence[str] = ()) -> ServerAddress:
        """Return the address to listen on; `names` are further names of the server."""
        from factscope.web.server import ServerAddress

        return ServerAddress(self.host, self.port, (self.token,) if self.token else (), tuple(names))


@dataclass(frozen=True)
class MachineOptions(OptionGroup):
    """Options of a command that may run on several machines."""

    engine: Annotated[
        Literal["here", "ray"] | None, typer.Option(help="Engine that checks responses: this process, or Ray.")
    ] = None
    ray_address: Annotated[
        str | None, typer.Option(metavar="HOST:PORT|auto", help="A Ray cluster. Default: one on this machine.")
    ] = None
    ray_workers: Annotated[
        int | None, typer.Option(min=1, help="Number of worker processes. Default: one for each core.")
    ] = None


_BY_NAME = inspect.Parameter.KEYWORD_ONLY


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Replace each parameter of a command that is a dataclass of options by these options."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, type[Any]] = {
        name: kind for name, kind in hints.items() if isinstance(kind, type) and is_dataclass(kind)
    }
    parameters = []
    for parameter in inspect.signature(command).parameters.values():
        if kind := groups.get(parameter.name):
            types = get_type_hints(kind, include_extras=True)
            parameters += [
                inspect.Parameter(field.name, _BY_NAME, default=field.default, annotation=types[field.name])
                for field in fields(kind)
            ]
        else:
            parameters.append(parameter.replace(kind=_BY_NAME, annotation=hints[parameter.name]))

    @functools.wraps(command)
    def run(**values: Any) -> None:
        grouped = {
            name: kind(**{field.name: values.pop(field.name) for field in fields(kind) if field.name in values})
            for name, kind in groups.items()
        }
        command(**values, **grouped)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run
