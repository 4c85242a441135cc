"""The category of a source from its host name alone (Facts&Evidence, section 3.3), by a table and by rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from factscope.core.labels import Category
from factscope.evidence.addresses import host_of, web_address
from factscope.evidence.sources.host_table import HostRules, nearest, shipped_rules, shipped_table

from .hosts import plain_host, registered

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
    for end in _ends(name):
        general = f"{end.removesuffix(country)}*" if len(country) == 2 else end
        category = rules.suffix.get(end) or rules.suffix.get(general)
        if category:
            return AssignedCategory(category, "suffix")
    return None


def _ends(name: str) -> list[str]:
    labels = name.split(".")
    return [".".join(labels[start:]) for start in range(len(labels))]


def _by_part(labels: list[str], categories: Mapping[str, Category]) -> AssignedCategory | None:
    return next(
        (AssignedCategory(categories[label_text], "rule") for label_text in labels if label_text in categories), None
    )


def _by_domain(domain: str, rules: HostRules) -> AssignedCategory | None:
    return next(
        (AssignedCategory(category, "rule") for pattern, category in rules.domain if pattern.fullmatch(domain)), None
    )
