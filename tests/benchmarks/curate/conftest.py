"""For the tests of topics: UMAP begins without what it needs for thousands of prompts alone."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def few_points() -> None:
    """Leave pynndescent uncompiled: UMAP imports it, and asks it only where there are more than 4,096 points.

    It would compile itself for fifteen seconds.
    """
    from numba import config

    config.DISABLE_JIT = True
    import pynndescent  # noqa: F401

    config.DISABLE_JIT = False
