"""Identities of calls: one line of JSON, independent of the order of keys, and its SHA-256."""

from __future__ import annotations

import hashlib
import json

from hypothesis import given
from hypothesis import strategies as st

from factscope.llm import Call, Message, json_bytes, one_line

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(-1e9, 1e9) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(_VALUES)
def test_values_survive_serialization_to_one_line_with_sorted_keys(values: object) -> None:
    line = one_line(values)
    assert json.loads(line) == values
    assert json.loads(json_bytes(values)) == values
    assert list(_keys(json.loads(line))) == _sorted_keys(values)
    assert "\n" not in line


def _keys(values: object) -> list[str]:
    """Return the keys of all objects in the order written."""
    if isinstance(values, dict):
        return [name for key, inner in values.items() for name in (key, *_keys(inner))]
    return [name for inner in values for name in _keys(inner)] if isinstance(values, list) else []


def _sorted_keys(values: object) -> list[str]:
    """Return the keys in the order they have when each object is sorted."""
    return _keys(json.loads(json.dumps(values, sort_keys=True)))


def test_the_identity_of_a_call_stays_stable_across_versions() -> None:
    """A change would make every cache and recording worthless."""
    schema = {"type": "object", "properties": {"b": {"enum": ["ja", "nein"]}, "a": {"type": "number"}}}
    call = Call("judge", "openai/lab", (Message("user", 'Grüße 😀\n"\u2028\x01\x7f'),), schema=schema)
    request, key = call.identity("http://127.0.0.1/v1")
    as_first_released = json.dumps(json.loads(request), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert request == as_first_released
    assert key == hashlib.sha256(request.encode()).hexdigest()
    assert key == "291f2f804b15dcc7086f089e7f6a87d2e90d4e6ef37717075bf56028d01a78d4"


def test_half_a_surrogate_pair_is_sent_as_a_question_mark() -> None:
    assert json_bytes({"text": "a\ud83d"}) == b'{"text":"a?"}'
    assert one_line({"b": "\ude00", "a": 1}) == '{"a":1,"b":"?"}'
