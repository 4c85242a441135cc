"""Options that several commands share, as one value: input, method, servers and limits."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

from factscope.cli import options
from factscope.core.errors import UsageError

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

    evidence: options.Evidence = None
    search: options.SearchName = None
    model: options.Model = None


@dataclass(frozen=True)
class CheckerOptions(SourceOptions):
    """Options of a command that checks texts by one method."""

    method: options.MethodName = None
    verifier: options.VerifierName = None


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
    format: options.OutputFormat = None
    output: options.Output = None
    dry_run: options.DryRun = False
    progress: Annotated[
        Literal["auto", "json"], typer.Option(help="Progress on standard error: for a person, or a JSON object a line.")
    ] = "auto"
    otel: Annotated[
        bool, typer.Option("--otel", help="Send spans and results to an OpenTelemetry collector, by OTLP (extra otel).")
    ] = False

    def must_be_cited(self, save: Path | None = None, earlier: str | None = None) -> None:
        """Raise UsageError for an option that needs, or excludes, `--cited`."""
        needing = {"--repair": self.repair, "--offline": self.offline, "--save-sources": save is not None}
        for option, supplied in needing.items():
            if supplied and not self.cited:
                raise UsageError(f"{option} is about the citations of a text.", "Add --cited.")
        if self.cited and earlier:
            raise UsageError("--previous can't be used with --cited: what is cited may have changed.", "Leave one out.")


@dataclass(frozen=True)
class SampleOptions(OptionGroup):
    """Which samples of a labelled set are used."""

    data: options.LocalCopy = None
    limit: options.MostSamples = None


@dataclass(frozen=True)
class LimitOptions(OptionGroup):
    """Limits on the calls of a command."""

    max_cost: options.MaxCost = None
    max_calls: Annotated[int | None, typer.Option(help="Limit on calls.")] = None
    max_tokens: Annotated[int | None, typer.Option(help="Limit on tokens.")] = None


@dataclass(frozen=True)
class CallOptions(LimitOptions):
    """Options of a command that asks models."""

    in_flight: options.InFlight = None
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
    record: options.Record = None
    replay: options.Replay = None
    store: options.StoreLocation = None
    quiet: options.Quiet = False


@dataclass(frozen=True)
class CheckOptions(CallOptions, ReportOptions):
    """Options of a command that checks texts, and asks models."""


@dataclass(frozen=True)
class ServingOptions(OptionGroup):
    """Options of a command that serves a page: its address, who may open it, and how that is printed."""

    host: Annotated[str, typer.Option(help="Address to listen on; any but this machine's own needs a token.")] = (
        "127.0.0.1"
    )
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port to listen on; 0 takes a free one.")] = 8642
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True
    token: Annotated[
        str | None,
        typer.Option(
            envvar=options.SERVER_TOKEN, help="Secret that users must send; safer as the environment variable."
        ),
    ] = None
    format: options.AsList = "text"

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
