"""The rules of a robots.txt: RFC 9309 and `Crawl-delay`, read by Protego.

Protego is more lenient than the standard in comparing names and splitting lines, so the file is first rewritten in a
plain form: rules for other crawlers must neither restrict us nor permit us anything.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from protego import Protego

AGENT = "factscope"
"""Our product token."""
MAX_BYTES = 512_000
"""Bytes of a file that are read (RFC 9309, section 2.5, asks for at least 500 KiB)."""
MAX_DELAY = 1_000_000.0
"""Seconds. A longer delay is a mistake or an attack, and is ignored."""

_AGENT_LINE = re.compile(r"^[ \t]*user-?agent[ \t]*:[ \t]*([^\n#]*)", re.IGNORECASE | re.MULTILINE)
_TOKEN = re.compile(r"\*(?=\s|$)|[a-z_-]+", re.IGNORECASE)
# `str.splitlines`, which Protego uses, also splits at these; the standard knows CR and LF only.
_OTHER_LINE_ENDS = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_OTHER_AGENT = "-"


class RobotsRules(NamedTuple):
    """The rules that apply to us."""

    rules: Protego
    delay: float = 0.0
    """Seconds between two requests."""

    def allow(self, path: str) -> bool:
        """Return whether a path, with its query, may be fetched."""
        return self.rules.can_fetch(f"http://host{path}", AGENT)


def read_robots(content: bytes) -> RobotsRules:
    """Read the rules of all groups that name us, otherwise those for any crawler. Never raises."""
    text = content[:MAX_BYTES].removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    text = _OTHER_LINE_ENDS.sub(" ", text.replace("\r", "\n"))
    rules = Protego.parse(_AGENT_LINE.sub(_plain_agent, text))
    delay = rules.crawl_delay(AGENT) or 0.0
    return RobotsRules(rules, delay if delay <= MAX_DELAY else 0.0)


def _plain_agent(line: re.Match[str]) -> str:
    """Reduce the name in a user-agent line to ours, `*`, or a name that never matches."""
    token = _TOKEN.match(line[1])
    name = token[0].lower() if token else _OTHER_AGENT
    return f"User-agent: {name if name in {AGENT, '*'} else _OTHER_AGENT}"
