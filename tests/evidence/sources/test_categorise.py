"""The category of a host by table and rules."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.core import CATEGORIES, Category, UsageError
from factscope.evidence.sources import (
    LONGEST,
    AssignedCategory,
    categorise,
    own_table,
    plain_host,
    readable,
    shipped_rules,
    shipped_table,
)
from tests.lab.many_cases import try_all


def listed(category: Category) -> list[str]:
    text = files("factscope.evidence.sources").joinpath("hosts", f"{category}.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return [word.removeprefix("*.") for line in lines for word in line.split()]


def test_the_table_has_each_host_once_in_plain_form() -> None:
    hosts = [host for category in CATEGORIES for host in listed(category)]
    assert get_args(Category) == CATEGORIES
    assert len(hosts) == len(set(hosts)) == len(shipped_table().hosts) >= 1500
    assert [host for host in hosts if plain_host(host) != host] == []


def test_every_listed_host_is_found_with_a_www_prefix_too() -> None:
    for category in CATEGORIES:
        for host in listed(category):
            assert categorise(host) == categorise(f"www.{host}.") == AssignedCategory(category, "table")


@pytest.mark.parametrize("category", CATEGORIES)
def test_every_category_has_hosts(category: Category) -> None:
    assert len(listed(category)) > 100


def test_rules_name_categories() -> None:
    rules = shipped_rules()
    named = {
        *rules.suffix.values(),
        *rules.part.values(),
        *rules.weak_part.values(),
        *(kind for _, kind in rules.domain),
    }
    assert named < set(CATEGORIES)


@try_all(
    ("host", "category", "how"),
    [
        ("nytimes.com", "news", "table"),
        ("cooking.nytimes.com", "news", "table"),
        ("blog.nytimes.com", "blog", "rule"),
        ("news.bbc.co.uk", "news", "table"),
        ("someone.wordpress.com", "blog", "table"),
        ("news.wordpress.com", "blog", "table"),
        ("en.forums.wordpress.com", "social_media", "table"),
        ("a-b.blogspot.com.au", "blog", "table"),
        ("community.fandom.com", "wiki", "table"),
        ("google.com", "other", "table"),
        ("docs.google.com", "other", "table"),
        ("news.google.com", "news", "table"),
        ("scholar.google.com", "scientific_medical", "table"),
        ("groups.google.com", "social_media", "table"),
        ("blog.google", "blog", "rule"),
        ("news.ycombinator.com", "social_media", "table"),
        ("en.m.wikipedia.org", "wiki", "table"),
        ("discussions.apple.com", "social_media", "rule"),
        ("physics.stackexchange.com", "social_media", "table"),
        ("pubmed.ncbi.nlm.nih.gov", "scientific_medical", "table"),
        ("cdc.gov", "government", "suffix"),
        ("blogs.cdc.gov", "government", "suffix"),
        ("blogs.un.org", "government", "table"),
        ("news.mit.edu", "scientific_medical", "suffix"),
        ("wiki.mit.edu", "wiki", "rule"),
        ("www.uni-koeln.de", "scientific_medical", "rule"),
        ("www.stmaryshospital.org", "scientific_medical", "rule"),
        ("journals.acme.org", "scientific_medical", "rule"),
        ("www.dot.state.tx.us", "government", "rule"),
        ("anycountynews.co.nz", "news", "rule"),
        ("news.acme.io", "news", "rule"),
        ("someone.blog", "blog", "suffix"),
        ("mstdn.acme.org", None, ""),
        ("someone.github.io", None, ""),
        ("acme-widgets.com", None, ""),
        ("educators.com", None, ""),
        ("gov.com", None, ""),
        ("weforum.org", "other", "table"),
        ("wikileaks.org", "other", "table"),
        ("wikiwhatever.org", "wiki", "rule"),
    ],
)
def test_the_most_specific_entry_decides(host: str, category: Category | None, how: str) -> None:
    assert categorise(host) == (AssignedCategory(category, how) if category else None)


@try_all(
    "host",
    [
        *("www.gov.uk", "data.gov.uk", "legifrance.gouv.fr", "www.gob.mx", "kantei.go.jp", "metro.tokyo.lg.jp"),
        *("army.mil", "mod.mil.kr", "who.int", "ec.europa.eu", "statcan.gc.ca", "bmi.gv.at", "health.govt.nz"),
        *("stf.jus.br", "impo.gub.uy", "moh.gov.sg", "bag.admin.ch", "ibb.bel.tr", "oslo.kommune.no"),
    ],
)
def test_government_hosts_are_recognised_by_suffix(host: str) -> None:
    assert categorise(host) == AssignedCategory("government", "suffix")


@pytest.mark.parametrize("host", ["ox.ac.uk", "cs.stanford.edu", "u-tokyo.ac.jp", "sydney.edu.au", "gosh.nhs.uk"])
def test_universities_and_hospitals_are_recognised_by_suffix(host: str) -> None:
    assert categorise(host) == AssignedCategory("scientific_medical", "suffix")


@try_all(
    "host",
    [
        *(
            "",
            " ",
            ".",
            "..",
            "\n",
            "localhost",
            "router.local",
            "a.example",
            "127.0.0.1",
            "8.8.8.8:80",
            "::1",
            "[::1]",
        ),
        *("1.2.3", "a b.com", "http://nytimes.com/a", "nytimes.com/a", "a..com", ".com", "\udcff.com", "a\x00.com"),
        *("a." * 200 + "com", "é" * 70 + ".com", "ab.com\nnytimes.com"),
    ],
)
def test_a_host_without_a_public_name_is_other(host: str) -> None:
    assert categorise(host) == AssignedCategory("other", "rule")


def test_spelling_makes_no_difference() -> None:
    for host in ("BBC.CO.UK", "bbc.co.uk.", "bbc.co.uk:443", "bbc.co.uk.:443", " www.bbc.co.uk ", "m.bbc.co.uk"):
        assert categorise(host) == AssignedCategory("news", "table"), host
    assert plain_host("www.com") == "www.com"
    assert plain_host("Bücher.de") == plain_host("xn--bcher-kva.de") == "xn--bcher-kva.de"
    assert readable("xn--bcher-kva.de") == "bücher.de"
    assert readable("xn--\N{SNOWMAN}.de") == "xn--\N{SNOWMAN}.de"


NAMES = st.lists(st.text("abcdegnostvwx0123456789-_", min_size=1, max_size=12), min_size=1, max_size=5).map(".".join)


@given(st.one_of(st.text(max_size=LONGEST + 10), NAMES, st.sampled_from(sorted(shipped_table().hosts))))
def test_any_text_gets_a_category(host: str) -> None:
    said = categorise(host)
    assert said is None or (said.category in CATEGORIES and said.how in ("table", "suffix", "rule"))
    name = plain_host(host)
    if name is not None:
        assert plain_host(name) is not None
        assert categorise(f"{host.strip().removesuffix('.')}.") == said


def test_the_users_own_host_lists_take_precedence(tmp_path: Path) -> None:
    lists = {
        "news": ["nytimes.com", "blog.acme.org"],
        "government": ["WWW.Acme.org.", "cdc.gov"],
        "other": ["a.gov.uk"],
    }
    toml, plain = tmp_path / "own.toml", tmp_path / "own.json"
    toml.write_text("\n".join(f"{name} = {json.dumps(hosts)}" for name, hosts in lists.items()), encoding="utf-8")
    plain.write_text(json.dumps(lists), encoding="utf-8-sig")
    own = own_table(toml)
    assert own == own_table(plain)
    assert categorise("blog.nytimes.com", own) == AssignedCategory("news", "own")
    assert categorise("wiki.acme.org", own) == AssignedCategory("government", "own")
    assert categorise("blog.acme.org", own) == AssignedCategory("news", "own")
    assert categorise("x.a.gov.uk", own) == AssignedCategory("other", "own")
    assert categorise("b.gov.uk", own) == AssignedCategory("government", "suffix")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.toml", 'press = ["a.org"]', "'press', which does not exist"),
        ("a.toml", 'news = "a.org"', "not a list"),
        ("a.json", '{"news": [1]}', "not a list"),
        ("a.json", "[]", "is not a JSON object"),
        ("a.json", "{", "is not JSON"),
        ("a.json", "[" * 100_000, "can't be read"),
        ("a.toml", "news = [", "is not TOML"),
        ("a.toml", 'news = ["https://a.org/b"]', "is not a host name"),
        ("a.toml", 'news = ["a.org"]\nblog = ["www.a.org"]', "under 'news' and 'blog'"),
    ],
)
def test_a_wrong_file_of_own_hosts_is_reported_with_the_reason(tmp_path: Path, name: str, text: str, said: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        own_table(path)
    assert said in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_missing_file_of_own_hosts_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no\.toml can't be read: no such file"):
        own_table(tmp_path / "no.toml")
    (tmp_path / "bytes.toml").write_bytes(b"news = ['\xff']")
    with pytest.raises(UsageError, match=r"bytes\.toml is not UTF-8 text"):
        own_table(tmp_path / "bytes.toml")


def test_the_data_card_matches_the_actual_counts() -> None:
    card = files("factscope.evidence.sources").joinpath("DATA_CARD.md").read_text(encoding="utf-8")
    for category in CATEGORIES:
        assert f"| `hosts/{category}.txt` | {len(listed(category)):,} |" in card
