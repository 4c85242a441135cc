"""Connection to a cluster: the broker runs beside the driver, the workers wherever there is room."""

from __future__ import annotations

import logging
import os
import socket
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from factscope.core import UsageError
from factscope.engine import Tools
from factscope.engine.ray.broker import CallBroker
from factscope.engine.ray.worker_pool import Pool, Worker, WorkerConfig, remote_tools
from factscope.engine.settings import Settings
from factscope.llm.providers import endpoint

_CONNECT_SECONDS = 5.0  # a cluster that does not answer by then is absent
_CALLS = 10_000
"""Calls that the broker has under way or in line at once."""
_QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0", "RAY_DEDUP_LOGS": "0"}
"""Ray sends usage reports to its makers unless they are turned off, and warns about settings that we do not touch."""


def on_ray(tools: Tools, settings: Settings) -> Tools:
    """Return tools that process responses on a Ray cluster, with all calls made by its broker. Close them.

    The cluster is at `ray_address`, or has `ray_workers` processes on this machine and ends with the tools. Raises
    UsageError when Ray is not installed, the cluster does not answer, or a setting can't be combined with it.
    """
    _possible(settings)
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    from factscope.evidence.search.engine_registry import open_engine

    n, plain = _begin(settings), plain_settings(settings)
    addresses = {model: endpoint(model, os.environ).address for model in settings.model.values()}
    engine = open_engine(settings.search or "", os.environ) if tools.sources.get("web") else None
    terms = WorkerConfig(plain, addresses, (engine.name, engine.traits) if engine else None)
    local_node = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    broker = (
        ray.remote(CallBroker)
        .options(num_cpus=0, max_concurrency=_CALLS, scheduling_strategy=local_node)
        .remote(plain, dict(os.environ))
    )
    worker = ray.remote(Worker)

    def spawn_worker() -> Any:
        return worker.options(num_cpus=1, max_concurrency=1_000).remote(terms, broker)

    return replace(remote_tools(tools, broker, settings, terms), elsewhere=Pool(spawn_worker, n, broker, ray.shutdown))


def _possible(settings: Settings) -> None:
    if find_spec("ray") is None:
        raise UsageError("Running on a cluster needs Ray, which is not installed.", "pip install 'factscope[ray]'")
    for name in ("batch", "record", "replay", "dry_run"):
        if getattr(settings, name):
            raise UsageError(f"`{name}` can't be combined with the engine ray.", "Leave one of them out.")
    if settings.ray_address and "://" in settings.ray_address:
        raise UsageError(
            f"{settings.ray_address} is not an address of a cluster's head.",
            "Run this command on a machine of the cluster, with --ray-address auto.",
        )


def _begin(settings: Settings) -> int:
    """Join the cluster, or start one; return the number of workers."""
    import ray

    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    requested, address = settings.ray_workers, settings.ray_address
    if address and address != "auto":
        _listening(address)
    local_cpus = None if address else requested or os.cpu_count()
    try:
        ray.init(
            address=address or "local",
            num_cpus=local_cpus,
            include_dashboard=None if address else False,
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
    except Exception as error:  # noqa: BLE001 - Ray raises bare ones too, such as "node timed out" on a busy machine
        raise _absent(address, (str(error).strip() or type(error).__name__).splitlines()[0]) from None
    cores: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    return requested or max(1, int(cores.get("CPU", 1)))


def _listening(address: str) -> None:
    """Raise UsageError when nothing listens at the address, since Ray itself would retry for minutes."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), _CONNECT_SECONDS).close()
    except (OSError, ValueError, OverflowError) as error:
        raise _absent(address, getattr(error, "strerror", None) or str(error)) from None


def _absent(address: str | None, reason: str) -> UsageError:
    if address is None:
        return UsageError(f"Ray could not be started on this machine: {reason}.")
    return UsageError(
        f"There is no Ray cluster at {address}: {reason}.",
        "Start one with `ray start --head`, or leave --ray-address out to have one on this machine.",
    )


def plain_settings(settings: Settings) -> dict[str, Any]:
    """Return settings as plain values, their files by whole paths: other processes begin in other folders."""
    values = settings.model_dump()
    for name, value in values.items():
        if isinstance(value, Path):
            values[name] = value.absolute()
        elif name == "evidence":
            values[name] = tuple(source.absolute() if isinstance(source, Path) else source for source in value)
    return values
