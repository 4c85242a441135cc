"""The category of a source from its host name alone (Facts&Evidence, section 3.3), by a table, rules and a model.

The table of hosts and the rules for other hosts are shipped beside this file; users may have their own table. For hosts
that neither decides a model is asked once, and its answer is cached.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple
from weakref import WeakValueDictionary

from factscope.core import CATEGORIES, CacheKind, Category, SqliteCache, UsageError, user_json, user_toml
from factscope.evidence.addresses import host_of, web_address
from factscope.llm.model_errors import ModelError
from factscope.llm.parsers import bracketed_label
from factscope.llm.session import ModelSession, StepQuestion, read_prompt
from factscope.methods import Ask

_FARM = "*."
_HINT = 'A file holds lists of hosts by category: news = ["example.org"].'


class HostTable(NamedTuple):
    """Hosts with their categories. An entry also covers subdomains without their own entry."""

    hosts: Mapping[str, Category]
    farms: frozenset[str]
    """Hosts in `hosts` whose users choose the names of subdomains, so that a label there means nothing."""


class HostRules(NamedTuple):
    """`rules.toml`. Each rule maps a text to a category."""

    second_level: frozenset[str]
    suffix: Mapping[str, Category]
    part: Mapping[str, Category]
    weak_part: Mapping[str, Category]
    domain: tuple[tuple[re.Pattern[str], Category], ...]


@cache
def shipped_table() -> HostTable:
    """Return the table that comes with Factscope."""
    hosts: dict[str, Category] = {}
    farms = set()
    for category in CATEGORIES:
        text = files(__package__).joinpath("hosts", f"{category}.txt").read_text(encoding="utf-8")
        for word in (word for line in text.splitlines() if not line.startswith("#") for word in line.split()):
            host = word.removeprefix(_FARM)
            hosts[host] = category
            if word != host:
                farms.add(host)
    return HostTable(hosts, frozenset(farms))


@cache
def shipped_rules() -> HostRules:
    """Return the rules that come with Factscope."""
    stored = tomllib.loads(files(__package__).joinpath("rules.toml").read_text(encoding="utf-8"))
    return HostRules(
        second_level=frozenset(stored["second_level"]),
        suffix=_by_text(stored["suffix"]),
        part=_by_text(stored["part"]),
        weak_part=_by_text(stored["weak_part"]),
        domain=tuple(
            (re.compile(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")), category)
            for pattern, category in _by_text(stored["domain"]).items()
        ),
    )


def own_table(path: Path) -> Mapping[str, Category]:
    """Return a user's own hosts with their categories, from a TOML or JSON file of lists by category.

    Raises UsageError for a file that can't be read, an unknown category, an invalid host name, or a host in two
    categories.
    """
    categories: dict[str, Category] = {}
    read_values = user_json if path.suffix.lower() == ".json" else user_toml
    for category, hosts in read_values(path, f"The file of sources {path}", _HINT).items():
        if category not in CATEGORIES:
            raise UsageError(
                f"The file of sources {path} has the category {category!r}, which does not exist.",
                f"Choose from: {', '.join(CATEGORIES)}.",
            )
        if not isinstance(hosts, list) or not all(isinstance(host, str) for host in hosts):
            raise UsageError(f"The file of sources {path}: {category!r} is not a list of hosts.", _HINT)
        for host_name in hosts:
            host = plain_host(host_name)
            if host is None:
                raise UsageError(f"The file of sources {path}: {host_name!r} is not a host name.", _HINT)
            if categories.setdefault(host, category) != category:
                raise UsageError(
                    f"The file of sources {path} has {host_name!r} under {categories[host]!r} and {category!r}."
                )
    return categories


def nearest(host: str, names: Iterable[str] | Mapping[str, object]) -> str | None:
    """Return the host itself, or its closest parent, that is among `names`."""
    return next((name for name in with_parents(host) if name in names), None)


def _by_text(lists: Mapping[Category, list[str]]) -> dict[str, Category]:
    return {text: category for category, texts in lists.items() for text in texts}


LONGEST = 253
"""Characters of the longest host name (RFC 1035, section 2.3.4)."""

_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)+")
_LOCAL = frozenset({"example", "home", "internal", "invalid", "lan", "local", "localhost", "onion", "test"})
_DOOR = re.compile(r"^(www?[0-9]{0,2}|m|mobile|amp)\.")


def plain_host(host: str) -> str | None:
    """Return a host name in lower case and punycode, without port, final dot and `www.`.

    None unless it is a public name: for an empty text, an IP address, a single label, a name of local networks (RFC
    6761), and anything that can't be a host name.
    """
    name = re.sub(r"\.?(:[0-9]{1,5})?$", "", host.strip()).lower()
    if len(name) > LONGEST:
        return None
    if not name.isascii():
        try:
            name = name.encode("idna").decode("ascii")
        except UnicodeError:
            return None
    top = name.rpartition(".")[2]
    if not _NAME.fullmatch(name) or top.isdigit() or top in _LOCAL:
        return None
    host_name = _DOOR.sub("", name)
    return host_name if "." in host_name else name


def with_parents(host: str) -> Iterator[str]:
    """Yield the host, then the host without its first label, without its first two, … down to two labels."""
    while "." in host:
        yield host
        host = host.partition(".")[2]


def registered(host: str, second_level: Collection[str]) -> str:
    """Return the part of a host that someone registered: `bbc.co.uk` of `news.bbc.co.uk`.

    `second_level` are the labels under which country codes register.
    """
    labels = host.split(".")
    deep = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in second_level
    return ".".join(labels[-3 if deep else -2 :])


def readable(host: str) -> str:
    """Return a host name with punycode decoded, for a reader; unchanged if that fails."""
    try:
        return host.encode("ascii").decode("idna")
    except UnicodeError:
        return host


UNKNOWN = "unknown"


class AssignedCategory(NamedTuple):
    """The category of a source, and how it was assigned."""

    category: Category
    how: str
    """`own` (a user's table), `table`, `suffix` (a domain suffix that only some may register), `rule` (a pattern in the
    name), the model that was asked, or `unknown`: nothing decided, and no model was asked or could answer."""


def categorise(host: str, own_categories: Mapping[str, Category] | None = None) -> AssignedCategory | None:
    """Return the category of a host name, None when neither table nor rules decide. Never raises.

    `own_categories` takes precedence. Then the most specific decides: the host's own entry in the table, or that of a
    hosting site such as `wordpress.com`; a label that names a category (`blog.nytimes.com`), except for governments;
    the entry of a parent; the suffix; a pattern in the name. A host without a public name, such as an IP address, is
    `other` by rule.
    """
    name = plain_host(host)
    if name is None:
        return AssignedCategory("other", "rule")
    if own_categories and (own_entry := nearest(name, own_categories)):
        return AssignedCategory(own_categories[own_entry], "own")
    table, rules = shipped_table(), shipped_rules()
    listed = nearest(name, table.hosts)
    if listed and (listed == name or listed in table.farms):
        return AssignedCategory(table.hosts[listed], "table")
    assigned = AssignedCategory(table.hosts[listed], "table") if listed else _by_suffix(name, rules)
    if assigned and assigned.category == "government":
        return assigned
    domain = registered(name, rules.second_level)
    labels = name.removesuffix(domain).split(".")
    by_label = _by_part(labels, rules.part) or assigned or _by_part(labels, rules.weak_part)
    return by_label or _by_domain(domain, rules)


def of_address(url: str | None) -> AssignedCategory | None:
    """Return the category of the host of a web address, as `categorise` does; None for a path or without an address."""
    address = web_address(url)
    return categorise(host_of(address)) if address else None


def _by_suffix(name: str, rules: HostRules) -> AssignedCategory | None:
    country = name.rpartition(".")[2]
    for end in (*with_parents(name), country):
        general = f"{end.removesuffix(country)}*" if len(country) == 2 else end
        category = rules.suffix.get(end) or rules.suffix.get(general)
        if category:
            return AssignedCategory(category, "suffix")
    return None


def _by_part(labels: list[str], categories: Mapping[str, Category]) -> AssignedCategory | None:
    return next(
        (AssignedCategory(categories[label_text], "rule") for label_text in labels if label_text in categories), None
    )


def _by_domain(domain: str, rules: HostRules) -> AssignedCategory | None:
    return next(
        (AssignedCategory(category, "rule") for pattern, category in rules.domain if pattern.fullmatch(domain)), None
    )


ASK = Ask(prompt="facts_and_evidence/source_category", role="source")
"""The question of Facts&Evidence, section 3.3: from the host name alone, without training."""

WORDS: dict[Category, str] = {category: category for category in CATEGORIES} | {
    "scientific_medical": "scientific_medical_article",
    "government": "government_website",
    "other": "etc",
}
"""Names of the categories as the paper writes them."""
_BY_WORD = {word: category for category, word in WORDS.items()}


def _decode(line: str) -> AssignedCategory:
    category, model = json.loads(line)
    if category not in CATEGORIES:
        raise ValueError(f"{category!r} is not a category")
    return AssignedCategory(category, model)


class CategoryCache(SqliteCache[str, AssignedCategory]):
    """An open cache of categories; a key is a host (as `plain_host` makes it) and the hash of the prompt."""

    kind = CacheKind(of="sources", saves="calls", encode=json.dumps, decode=_decode)


class SourceClassifier:
    """Categories of hosts, for one event loop at a time. Use as a context manager, or call `close`.

    A model's answers are cached and used by later runs, including those with another model or with none. The results of
    tables and rules are not cached: they take microseconds, and change with the tables.
    """

    def __init__(self, path: Path | None = None, own_categories: Mapping[str, Category] | None = None) -> None:
        """`path` is the file of answers; without one they last as long as this object.

        `own_categories` is a user's table.

        Raises StoreError when the file can't be opened or created, or is of another version of Factscope.
        """
        self._own_categories = own_categories
        listed = repr(sorted(own_categories.items())) if own_categories else ""
        self.own_digest = hashlib.sha256(listed.encode()).hexdigest()[:12] if own_categories else ""
        """Distinguishes one user's table from another; empty without one."""
        self._prompt = read_prompt(ASK.prompt).hash
        self._cache = CategoryCache(path)
        self._given_up: set[str] = set()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def __enter__(self) -> SourceClassifier:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._cache.close()

    async def of(self, host: str, session: ModelSession | None) -> AssignedCategory:
        """Return the category of a host name: by a table, a rule, an earlier answer, or the model's answer.

        Without a model, or when it gives no usable answer, the category is `other` and its origin `unknown`; that is
        not cached. Raises StoreError, UsageError when no model has the role `source`, and a ModelError that would end
        all calls.
        """
        decided = categorise(host, self._own_categories)
        if decided:
            return decided
        name = plain_host(host) or host
        turn = self._turns.setdefault(name, asyncio.Lock())
        async with turn:  # pages of one site arrive together, and only one answer is paid for
            cached = await asyncio.to_thread(self._cache.get, f"{name} {self._prompt}")
            if cached or session is None or name in self._given_up:
                return cached or AssignedCategory("other", UNKNOWN)
            return await self._ask(name, session)

    async def _ask(self, name: str, session: ModelSession) -> AssignedCategory:
        try:
            question = StepQuestion(ASK, {"hostname": readable(name)}, {"category": WORDS})
            answer = await session.ask(question, lambda text: _BY_WORD[bracketed_label(text, list(_BY_WORD))])
        except ModelError as error:
            if error.fatal:
                raise
            self._given_up.add(name)
            return AssignedCategory("other", UNKNOWN)
        assigned = AssignedCategory(answer.value, session.models.of(ASK.role))
        await asyncio.to_thread(self._cache.put, f"{name} {self._prompt}", assigned)
        return assigned
