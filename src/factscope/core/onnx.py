"""Shared helpers for neural networks on this machine: ONNX Runtime, processor count, batches of similar length."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

_VNNI = {"avx512_vnni", "avx_vnni"}
"""x86-64 instructions that add 8-bit products in 32 bits, as `/proc/cpuinfo` names them."""


def import_onnxruntime() -> ModuleType:
    """Import onnxruntime with its telemetry switched off, and return it. Raises ImportError.

    Since 1.29 its telemetry is on by default, and creates a folder as soon as it is imported.
    """
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    return onnxruntime  # type: ignore[no-any-return]


def session_options(threads: int) -> Any:
    """Return options of a session on `threads` threads in which 8-bit products add up without loss on every processor.

    Two of onnxruntime's faster kernels change the verdicts from one processor to another, and are switched off:
    x86-64 without VNNI adds two 8-bit products in 16 bits, which overflow (Avx2WeightS8ToU8Transformer makes the
    weights unsigned there, about 15 % slower); ARM with SME scales each row of a matrix for itself (KleidiAI).

    With VNNI the sums are exact without that transformer, which onnxruntime would apply there too, half as slow again.
    """
    options = import_onnxruntime().SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = threads
    options.log_severity_level = 4  # failures are raised
    options.add_session_config_entry("session.x64quantprecision", "0" if adds_exactly(_processor()) else "1")
    options.add_session_config_entry("mlas.disable_kleidiai", "1")
    return options


def adds_exactly(processor: str) -> bool:
    """Return whether a processor, described as in `/proc/cpuinfo`, is known to add 8-bit products in 32 bits."""
    instructions = re.search(r"^flags\s*:(.*)$", processor, re.MULTILINE)
    return bool(instructions and _VNNI & set(instructions[1].split()))


@cache
def _processor() -> str:
    """Describe this processor as Linux does; empty on other systems."""
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def cores() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def batches(lengths: Sequence[int], most: int) -> Iterator[list[int]]:
    """Yield batches of indices into `lengths` (in tokens), longest first, each of at most `most` tokens with padding.

    A text that exceeds the limit alone forms its own batch.
    """
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda index: (-lengths[index], index)):
        if batch and lengths[batch[0]] * (len(batch) + 1) > most:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
