"""Options that every command which asks models has, as one value: where calls go, what they may cost, what is kept."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, get_type_hints

from factscope.cli.options import (
    Batch,
    EngineName,
    Evidence,
    InFlight,
    MaxCalls,
    MaxCost,
    MaxTokens,
    MethodName,
    Model,
    Quiet,
    RayAddress,
    RayWorkers,
    Record,
    Replay,
    SearchName,
    StorePath,
    Timeout,
    VerifierName,
)


@dataclass(frozen=True)
class CallOptions:
    """Options of a command that asks models."""

    max_cost: MaxCost = None
    max_calls: MaxCalls = None
    max_tokens: MaxTokens = None
    in_flight: InFlight = None
    timeout: Timeout = None
    batch: Batch = None
    record: Record = None
    replay: Replay = None
    store: StorePath = None
    quiet: Quiet = False

    def settings(self, *groups: MachineOptions | SourceOptions, **more: Any) -> dict[str, Any]:
        """Return the values for settings, with those of other groups and of the command's own options."""
        values = {field.name: getattr(group, field.name) for group in (self, *groups) for field in fields(group)}
        del values["quiet"]  # how much is said is not a setting
        return {**values, **more}


@dataclass(frozen=True)
class SourceOptions:
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
class MachineOptions:
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
