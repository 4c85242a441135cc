"""What a robots.txt allows us: RFC 9309, and `Crawl-delay`, which many sites state though it is in no standard."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import quote

from factscope.evidence.fetch.urls import URL_CHARACTERS

AGENT = "factscope"
"""Our product token."""
MOST_BYTES = 512_000
"""How much of a file is read (section 2.5 asks for at least 500 KiB)."""

_TOKEN = re.compile(r"[a-z_-]+", re.IGNORECASE)
_ESCAPED = re.compile(r"%([0-9a-f]{2})", re.IGNORECASE)
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_DELAY = re.compile(r"\d{1,9}(?:\.\d{0,9})?|\.\d{1,9}")


class Rule(NamedTuple):
    """A line of a group."""

    allow: bool
    length: int
    """Octets of the pattern: the longest one that matches decides."""
    parts: tuple[str, ...]
    """The pattern, cut at each `*`."""
    ends: bool
    """Whether nothing may follow: the pattern ends with `$`."""

    def matches(self, path: str) -> bool:
        """Whether it speaks of a path, in time that grows no faster than path and pattern together."""
        first, *rest = self.parts
        if not path.startswith(first):
            return False
        if not rest:
            return not self.ends or path == first
        *middle, last = rest
        place = len(first)
        for part in middle:
            place = path.find(part, place)
            if place < 0:
                return False
            place += len(part)
        return path.endswith(last) and len(path) - len(last) >= place if self.ends else path.find(last, place) >= 0


class Rules(NamedTuple):
    """What counts for us."""

    rules: tuple[Rule, ...] = ()
    delay: float = 0.0
    """Seconds between two requests."""

    def allow(self, path: str) -> bool:
        """Whether a path, with its query, may be fetched. Of rules equally long the one that allows counts."""
        if path.split("?", 1)[0] == "/robots.txt":
            return True
        path = _normal(path).replace("*", "%2A").replace("$", "%24")
        best = max(((rule.length, rule.allow) for rule in self.rules if rule.matches(path)), default=(0, True))
        return best[1]


def read_robots(content: bytes) -> Rules:
    """The rules of all groups that name us, or else of all that are for anyone. Never raises."""
    groups: dict[str, tuple[list[Rule], list[float]]] = {AGENT: ([], []), "*": ([], [])}
    named: set[str] = set()
    agents: set[str] = set()
    closed = False
    text = content[:MOST_BYTES].removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    for line in re.split(r"[\r\n]+", text):
        key, colon, value = line.partition("#")[0].partition(":")
        key, value = key.strip().lower(), value.strip()
        if not colon:
            continue
        if key == "user-agent":
            if closed:
                agents, closed = set(), False
            agents.add(_agent(value))
            named |= agents
        elif key in {"allow", "disallow", "crawl-delay"}:
            # A delay ends the list of agents as a rule does: else a delay for all, followed by a ban of one, bans all.
            closed = True
            for agent in agents & groups.keys():
                rules, delays = groups[agent]
                if key == "crawl-delay":
                    delays += [float(value)] if _DELAY.fullmatch(value) else []
                elif value:
                    rules.append(_rule(key == "allow", value))
    rules, delays = groups[AGENT if AGENT in named else "*"]
    return Rules(tuple(rules), max(delays, default=0.0))


def _agent(value: str) -> str:
    """The product token in a user-agent line, in small letters; `*` stands for anyone."""
    if value == "*" or value.startswith(("* ", "*\t")):
        return "*"
    token = _TOKEN.match(value)
    return token[0].lower() if token else ""


def _rule(allow: bool, value: str) -> Rule:
    pattern = _normal(value)
    ends = pattern.endswith("$")
    parts = tuple(part.replace("$", "%24") for part in re.split(r"\*+", pattern[:-1] if ends else pattern))
    return Rule(allow, len(pattern), parts, ends)


def _normal(path: str) -> str:
    """One spelling for paths that are the same (section 2.2.2): what need not be escaped is not, all else is."""

    def plain(match: re.Match[str]) -> str:
        character = chr(int(match[1], 16))
        return character if character in _UNRESERVED else match[0].upper()

    return quote(_ESCAPED.sub(plain, path), safe=URL_CHARACTERS, errors="replace")
