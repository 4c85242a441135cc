"""The encoder's logits: equal to the recorded ones on every processor, as far as float arithmetic allows."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from factscope.judging.verifiers.builtin import SMALL, CrossEncoder, EncoderTexts
from tests.judging.verifiers.builtin.recorded_logits import ENCODERS, read

RECORD_AGAIN = "Record them again: .venv/bin/python -m tests.judging.verifiers.builtin.recorded_logits"


@pytest.mark.parametrize("name", ["small", pytest.param("large", marks=pytest.mark.medium)])
def test_the_logits_are_the_recorded_ones(name: str) -> None:
    """Sums of 8-bit products are exact everywhere (tests/core/test_onnx.py); floats differ in their last bit.

    Where that bit crosses the edge between two 8-bit values, one of 255 steps is gained or lost, so the last bit can't
    be required to match. Measured, AVX-512 against AVX2 and NEON, small: means of 0.004 and 0.010, at least 99 %
    within 0.1. With sums that overflow: a mean of 0.13 on these pairs.
    """
    recorded, encoder = read(name), ENCODERS[name]
    assert recorded.encoder == encoder.hash(), RECORD_AGAIN
    difference = np.abs(encoder.logits() - recorded.logits)
    assert difference.mean() < 0.03, RECORD_AGAIN
    assert np.quantile(difference, 0.9) < 0.1, RECORD_AGAIN


def test_the_network_is_opened_once_before_worker_threads_start() -> None:
    asked_in: list[str] = []

    def session() -> Any:
        asked_in.append(threading.current_thread().name)
        return SMALL.session()

    texts = [EncoderTexts(claim, "The lighthouse has a lens.") for claim in ("A lens is there.", "No lens is there.")]
    CrossEncoder(session).logits(texts)
    assert asked_in[0] == threading.current_thread().name
