"""Extensions by name: from one package, from decorators, and from entry points of other packages."""

from __future__ import annotations

import importlib
import sys
import types
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from factscope.core import Registry, UsageError, must_be, registry


@pytest.fixture
def numbers(monkeypatch: pytest.MonkeyPatch) -> Registry[int]:
    """Return a registry of numbers with an entry point for each way to be wrong."""
    module = types.ModuleType("a_package")
    module.__dict__.update(seven=7, word="seven")
    monkeypatch.setitem(sys.modules, "a_package", module)
    targets = {
        "seven": "a_package:seven",
        "word": "a_package:word",
        "missing": "a_package:none",
        "one": "a_package:seven",
    }
    entries = [EntryPoint(name, value, "tests.numbers") for name, value in targets.items()]
    monkeypatch.setattr(registry, "entry_points", lambda group: [one for one in entries if one.group == group])
    return Registry("number", "tests.numbers", "factscope.report.formats", must_be(int))


def test_built_in_names_come_first_and_cannot_be_taken(numbers: Registry[int]) -> None:
    numbers.add("one", 1)
    assert numbers.names() == ("one", "missing", "seven", "word")
    assert numbers.get("one") == 1
    assert numbers.get("seven") == 7
    with pytest.raises(ValueError, match="there is a number 'one' already"):
        numbers.add("one", 2)
    numbers.remove("one")
    assert numbers.get("one") == 7


def test_unknown_names_and_broken_entry_points_are_explained(numbers: Registry[int]) -> None:
    with pytest.raises(UsageError, match="Unknown number 'sevn'") as unknown:
        numbers.get("sevn")
    assert "Did you mean seven" in unknown.value.hint
    with pytest.raises(UsageError, match="'word' can't be loaded: TypeError: word is a str, not a int") as wrong:
        numbers.get("word")
    assert "a_package:word" in wrong.value.hint
    with pytest.raises(UsageError, match="'missing' can't be loaded: AttributeError"):
        numbers.get("missing")


def test_threads_asking_at_the_same_time_all_get_the_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own: Registry[int] = Registry("number", "tests.none", "slow_numbers", must_be(int))
    package = tmp_path / "slow_numbers"
    package.mkdir()
    (package / "__init__.py").touch()
    for name in ("one", "two"):
        source = f"import time, slow_numbers\ntime.sleep(0.1)\nslow_numbers.own.add({name!r}, 1)\n"
        (package / f"{name}.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    import slow_numbers  # type: ignore[import-not-found]

    slow_numbers.own = own
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: own.get("two"), range(4))) == [1] * 4
    assert own.names() == ("one", "two")


def test_all_extensions_are_found_by_name_and_listed_in_order_of_name(numbers: Registry[int]) -> None:
    numbers.add("two", 2)
    numbers.add("eight", 8)
    for name in ("eight", "two", "seven", "missing"):
        assert name in numbers, name
    for name in ("Two", "", None, 2):
        assert name not in numbers, name
    numbers.remove("two")
    assert "two" not in numbers
    with pytest.raises(KeyError):
        numbers.remove("two")


def test_an_extension_from_another_package_is_loaded_once_and_only_on_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loaded: list[str] = []

    class Counted:
        name, group, value = "counted", "tests.numbers", "a_package:seven"

        def load(self) -> int:
            loaded.append(self.name)
            return 7

    monkeypatch.setattr(registry, "entry_points", lambda group: [Counted()])
    own: Registry[int] = Registry("number", "tests.numbers", "factscope.report.formats", must_be(int))
    assert own.names() == ("counted",)
    assert "counted" in own
    assert not loaded
    assert (own.get("counted"), own.get("counted"), list(own)) == (7, 7, [7])
    assert loaded == ["counted"]


def test_a_factscope_error_raised_in_another_package_keeps_its_message_and_hint(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Refusing:
        name, group, value = "refusing", "tests.numbers", "a_package:none"

        def load(self) -> int:
            raise UsageError("It needs a key.", "Set KEY.")

    monkeypatch.setattr(registry, "entry_points", lambda group: [Refusing()])
    own: Registry[int] = Registry("number", "tests.numbers", "factscope.report.formats", must_be(int))
    with pytest.raises(UsageError, match=r"^It needs a key\. Set KEY\.$"):
        own.get("refusing")


def test_a_package_that_cannot_be_imported_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "late_numbers"
    package.mkdir()
    (package / "__init__.py").touch()
    module = package / "numbers.py"
    module.write_text("raise ImportError('half a package')", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    own: Registry[int] = Registry("number", "tests.none", "late_numbers", must_be(int))
    with pytest.raises(ImportError, match="half a package"):
        own.names()
    module.write_text("", encoding="utf-8")
    importlib.invalidate_caches()
    assert own.names() == ()
