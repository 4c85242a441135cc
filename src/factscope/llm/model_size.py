"""Sizes of models on the user's own machine, from their names or their servers: small models need another method."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from http.client import HTTPException
from typing import Any, NamedTuple
from urllib.request import Request, urlopen

from factscope.core import UsageError
from factscope.llm.providers import endpoint

SMALL = 4e9
"""Parameters below which a model counts as small: models sold as 3B have up to 3.6 billion."""
_IN_NAME = re.compile(r"(?:^|[-_:/ ])(\d+(?:\.\d+)?)([mb])(?=$|[-_.: ])", re.IGNORECASE)
_SECONDS = 1.0  # a server on the same machine answers at once or not at all
_LARGEST = 1 << 22  # bytes of a list of models


class LocalModel(NamedTuple):
    """A model on the user's own machine."""

    name: str
    """As `provider/model`."""
    parameters: float | None
    """Number of parameters; None when neither its name nor its server states it."""

    @property
    def small(self) -> bool:
        """Whether it is known to be small."""
        return self.parameters is not None and self.parameters < SMALL


def local_model(model: str, environment: Mapping[str, str], *, ask_server: bool = True) -> LocalModel | None:
    """Return a model with its size; None for one that is not on this machine, or can't be called at all.

    Without `ask_server` the size is only read from the name.
    """
    try:
        where = endpoint(model, environment, need_key=False)
    except UsageError:  # the first call reports it
        return None
    if where.provider.key_needed:  # a server with a vendor's API may be any model, wherever it runs
        return None
    size = _named_size(where.name)
    if size is None and ask_server:
        with suppress(OSError, HTTPException, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            size = _served_size(where.address, where.name)
    return LocalModel(model, size)


def _named_size(name: str) -> float | None:
    """Return the size in a name such as `SmolLM2-135M-Instruct` or `llama3.2:3b`; the larger of two."""
    sizes = [float(number) * (1e9 if unit in "bB" else 1e6) for number, unit in _IN_NAME.findall(name)]
    return max(sizes, default=None)


@cache
def _served_size(address: str, name: str) -> float:
    """Return the size that a server states: llama.cpp in its list of models, Ollama in the details of one.

    Raises OSError or HTTPException when it does not answer; ValueError, LookupError, TypeError, AttributeError or
    RecursionError when it states none.
    """
    try:
        listed = _json(f"{address.rstrip('/')}/models")["data"]
        entry = next((entry for entry in listed if entry["id"] == name), listed[0])
        return float(entry["meta"]["n_params"])
    except (LookupError, TypeError):
        pass
    shown = _json(f"{address.rstrip('/').removesuffix('/v1')}/api/show", {"model": name})
    return float(shown["model_info"]["general.parameter_count"])


def _json(url: str, values: Mapping[str, str] | None = None) -> Any:
    data = None if values is None else json.dumps(values).encode()
    with urlopen(Request(url, data), timeout=_SECONDS) as reply:  # noqa: S310 - an address that `endpoint` has looked at
        return json.loads(reply.read(_LARGEST))
