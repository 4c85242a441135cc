"""The built-in verifier in a process forked after it had judged, as by multiprocessing or a web server."""

from __future__ import annotations

import multiprocessing
import os

import pytest

from factscope.judging.verifiers import ClaimPair
from factscope.judging.verifiers.builtin import load_small


def labels() -> list[str]:
    """Return the labels of two pairs that no process has read before."""
    passage = f"Room {os.getpid()} is lit by a lamp of 1957."
    claims = (f"Room {os.getpid()} has had its lamp since 1957.", f"The lamp of room {os.getpid()} is from 1937.")
    return [prediction.label for prediction in load_small().verify([ClaimPair(claim, passage) for claim in claims])]


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_the_verifier_works_in_a_forked_process() -> None:
    assert len(labels()) == 2
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert len(pool.apply_async(labels).get(timeout=60)) == 2
