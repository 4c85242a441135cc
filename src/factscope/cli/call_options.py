"""Options that several commands have, as one value: what is checked and how, where calls go, what they may cost."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, get_type_hints

from factscope.cli.options import (
    Batch,
    CitedSources,
    DryRun,
    EngineName,
    Evidence,
    InFlight,
    MaxCalls,
    MaxCost,
    MaxTokens,
    MethodName,
    Model,
    Offline,
    Otel,
    Output,
    OutputFormat,
    ProgressForm,
    Quiet,
    RayAddress,
    RayWorkers,
    Record,
    RepairSources,
    Replay,
    SearchName,
    StorePath,
    StrictnessLevel,
    Timeout,
    VerifierName,
)


@dataclass(frozen=True)
class OptionGroup:
    """Options of a command. What has the name of a setting is one."""

    def settings(self, **more: Any) -> dict[str, Any]:
        """Return the values for settings; `more` are further ones, or others than the options have."""
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

    strictness: StrictnessLevel = None
    cited: CitedSources = False
    repair: RepairSources = False
    offline: Offline = False
    format: OutputFormat = None
    output: Output = None
    dry_run: DryRun = False
    progress: ProgressForm = "auto"
    otel: Otel = False


@dataclass(frozen=True)
class LimitOptions(OptionGroup):
    """Limits on the calls of a command."""

    max_cost: MaxCost = None
    max_calls: MaxCalls = None
    max_tokens: MaxTokens = None


@dataclass(frozen=True)
class CallOptions(LimitOptions):
    """Options of a command that asks models."""

    in_flight: InFlight = None
    timeout: Timeout = None
    batch: Batch = None
    record: Record = None
    replay: Replay = None
    store: StorePath = None
    quiet: Quiet = False


@dataclass(frozen=True)
class CheckOptions(CallOptions, ReportOptions):
    """Options of a command that checks texts, and asks models."""


@dataclass(frozen=True)
class MachineOptions(OptionGroup):
    """Options of a command that may run on several machines."""

    engine: EngineName = None
    ray_address: RayAddress = None
    ray_workers: RayWorkers = None


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
