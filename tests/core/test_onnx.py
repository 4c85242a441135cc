"""Model runs: texts of similar length together, each once, and without telemetry."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from factscope.core import adds_exactly, batches, cores, import_onnxruntime, session_options


@given(st.lists(st.integers(0, 40), max_size=30), st.integers(1, 60))
def test_every_text_is_in_one_batch_longest_first_and_within_the_bound(lengths: list[int], most: int) -> None:
    made = list(batches(lengths, most))
    order = [place for batch in made for place in batch]
    assert order == sorted(range(len(lengths)), key=lambda place: (-lengths[place], place))
    assert all(len(batch) == 1 or lengths[batch[0]] * len(batch) <= most for batch in made)
    assert all(made)


def test_at_least_one_processor_core_is_counted() -> None:
    assert cores() >= 1


@pytest.mark.medium
def test_a_check_leaves_no_telemetry_files_of_its_libraries(tmp_path: Path) -> None:
    """onnxruntime's telemetry, on by default, would create a folder in the user's cache on import."""
    home = {name: str(tmp_path) for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    kept = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    words = [
        "check",
        "The bridge is open.",
        "--evidence",
        str(tmp_path / "e.txt"),
        "--store",
        str(tmp_path / "runs.db"),
    ]
    (tmp_path / "e.txt").write_text("The bridge is open.")
    command = [sys.executable, "-m", "factscope", *words]
    subprocess.run(command, env={**kept, **home}, check=True, capture_output=True, cwd=tmp_path)
    assert not [path for path in tmp_path.rglob("*") if "microsoft" in str(path).lower()]


def test_sums_of_8_bit_products_are_exact_on_this_processor() -> None:
    """Two products of 255 × 127 overflow 16 bits: by default x86-64 without VNNI gives half of the sum."""
    weights = np.full((384, 4), 127, np.int8)
    weights[:, 1::2] = -128
    given = np.full((3, 384), 255, np.uint8)
    graph = helper.make_graph(
        [helper.make_node("MatMulInteger", ["given", "weights"], ["sums"])],
        "sums",
        [helper.make_tensor_value_info("given", TensorProto.UINT8, given.shape)],
        [helper.make_tensor_value_info("sums", TensorProto.INT32, (3, 4))],
        [numpy_helper.from_array(weights, "weights")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
    session = import_onnxruntime().InferenceSession(model, session_options(1), providers=["CPUExecutionProvider"])
    [sums] = session.run(None, {"given": given})
    assert sums.tolist() == (given.astype(np.int32) @ weights.astype(np.int32)).tolist()


def test_every_session_is_opened_with_exact_sums() -> None:
    options = session_options(1)
    cpuinfo = Path("/proc/cpuinfo")
    exact = cpuinfo.exists() and adds_exactly(cpuinfo.read_text(encoding="utf-8", errors="replace"))
    assert options.get_session_config_entry("session.x64quantprecision") == ("0" if exact else "1")
    assert options.get_session_config_entry("mlas.disable_kleidiai") == "1"
    source = Path(__file__).parents[2] / "src" / "factscope"
    texts = [path.read_text(encoding="utf-8") for path in source.rglob("*.py")]
    assert sum("SessionOptions(" in text for text in texts) == 1
    opened = [text for text in texts if "InferenceSession(" in text]
    assert len(opened) >= 3
    assert all("session_options(" in text for text in opened)


def test_weights_are_left_unchanged_only_on_processors_known_to_add_exactly() -> None:
    """Unsigned weights cost half as much again where the sums are exact anyway."""
    assert adds_exactly("processor\t: 0\nflags\t\t: fpu avx2 avx512f avx512_vnni sse2\n")
    assert adds_exactly("flags\t\t: fpu avx2 avx_vnni\n")
    assert not adds_exactly("flags\t\t: fpu avx2 avx512f avx512vbmi\n")
    assert not adds_exactly("Features\t: fp asimd asimddp i8mm\n")
    assert not adds_exactly("")


def test_only_one_module_imports_onnxruntime() -> None:
    source = Path(__file__).parents[2] / "src" / "factscope"
    imports = re.compile(r"^\s*(import|from) onnxruntime", re.MULTILINE)
    found = [path.name for path in source.rglob("*.py") if imports.search(path.read_text(encoding="utf-8"))]
    assert found == ["onnx.py"]
