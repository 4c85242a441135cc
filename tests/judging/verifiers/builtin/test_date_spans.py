"""Times between two dates of a passage that does not state them."""

from __future__ import annotations

from factscope.judging.verifiers import ClaimPair
from factscope.judging.verifiers.builtin import load_small, read_model
from factscope.judging.verifiers.wording import lies_between_dates, read
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
def test_a_duration_may_follow_from_two_dates(claim: str, expected: bool) -> None:
    weights = read_model().weights
    (sentence,) = read(claim, weights).stretches
    numbers = [item for item in sentence.items if item.kind == "count"]
    assert [lies_between_dates(item, read(TREATY, weights).stretches) for item in numbers] == [expected]


STRIKE = "Workers at the yard walked out on 3 February 1972. They returned on 9 August the same year."
BRIDGE = (
    "Plans for the Strand Bridge were drawn up in 1922. Building began in April 1926, and the work was complete in"
    " April 1931."
)


@try_all(
    ("claim", "passage", "is_supported"),
    [
        ("The strike at the yard lasted a little over two months.", STRIKE, False),
        ("The strike at the yard lasted about six months.", STRIKE, True),
        ("The Strand Bridge took nine years to build.", BRIDGE, False),
        ("The Strand Bridge took five years to build.", BRIDGE, True),
    ],
)
def test_a_duration_ruled_out_by_two_dates_is_not_supported(claim: str, passage: str, is_supported: bool) -> None:
    assert (load_small().verify([ClaimPair(claim, passage)])[0].label == "supported") is is_supported
