"""Times between two dates of a passage, which it does not state."""

from __future__ import annotations

from factscope.judging.verifiers.builtin.date_spans import lies_between_dates
from factscope.judging.verifiers.builtin.features import read
from factscope.judging.verifiers.builtin.tree_model import read_model
from tests.lab.many_cases import try_all

TREATY = (
    "The Treaty of Halverin, signed on 2 April 1871, ended the four-year Customs War. It entered into force on"
    " 1 January 1872. It lapsed in May 1911."
)


@try_all(
    ("claim", "expected"),
    [
        ("Nine months lay between the signing and its entry into force.", True),
        ("It entered into force 274 days after the signing.", True),
        ("It was in force for about 39 years.", True),
        ("Six months lay between the signing and its entry into force.", False),
        ("Two weeks lay between the signing and its entry into force.", False),
        ("It had nine articles.", False),
    ],
)
def test_a_time_may_be_that_between_two_dates(claim: str, expected: bool) -> None:
    weights = read_model().weights
    (sentence,) = read(claim, weights).stretches
    numbers = [item for item in sentence.items if item.kind == "count"]
    assert [lies_between_dates(item, read(TREATY, weights).stretches) for item in numbers] == [expected]
