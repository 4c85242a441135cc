"""Setup for tests of topics: UMAP starts without what it needs only for thousands of prompts."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def few_points() -> None:
    """Leave pynndescent uncompiled: UMAP imports it, but uses it only for more than 4,096 points.

    Compiling takes fifteen seconds.
    """
    from numba import config

    config.DISABLE_JIT = True
    import pynndescent  # noqa: F401

    config.DISABLE_JIT = False
