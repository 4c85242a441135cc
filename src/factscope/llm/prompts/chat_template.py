r"""Questions in TOML for language models that were trained on exactly this wording: the format `chat` of a checker.

    kind = "chat"
    system = "…"
    user = "Document: {passage}\nClaim: {claim}"
    supported = "Yes"
    not_supported = "No"

The places are filled as they are, without marks around outside text and without our notice, so that the model reads
what it was trained on. So a passage is not marked off from the question, and our own prompts are safer against injected
instructions.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

from factscope.core.errors import UsageError
from factscope.llm.prompts.prompt import PublishedPrompt

_VARIABLE = re.compile(r"\{(passage|claim)\}")
_OURS = {"passage": "evidence", "claim": "claim"}
_LONGEST = 200_000  # bytes of a file with a template


def plain_values(name: str) -> dict[str, Any]:
    """Read the values of a file: a shipped one such as `minicheck/bespoke.toml`, or one of the user's.

    Raises UsageError.
    """
    shipped = files(__package__).joinpath(name)
    try:
        text = (shipped if shipped.is_file() else Path(name)).read_text(encoding="utf-8")
        return tomllib.loads(text[:_LONGEST])
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else f"it is not TOML: {error}"
        raise UsageError(f"The prompt {name!r} can't be read: {reason}.") from None


def load_plain(name: str) -> PublishedPrompt:
    """Return the question in a file. Raises UsageError when it can't be read, or lacks a placeholder."""
    values = plain_values(name)
    system, user = values.get("system"), values.get("user")
    if not isinstance(system, str) or not isinstance(user, str) or set(_VARIABLE.findall(user)) != set(_OURS):
        raise UsageError(
            f"The prompt {name!r} is not laid out as one.",
            "It has `system` and `user`, and `user` holds {passage} and {claim}.",
        )
    digest = hashlib.sha256(f"{system}\0{user}".encode()).hexdigest()[:12]
    return PublishedPrompt(name, system, user, digest, _VARIABLE, _OURS)
