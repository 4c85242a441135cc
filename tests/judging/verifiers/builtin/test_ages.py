"""Ages at death that a passage implies but does not state."""

from __future__ import annotations

from factscope.judging.verifiers import ClaimPair, Prediction
from factscope.judging.verifiers.builtin import load_small
from tests.lab.many_cases import try_all

TELLING = (
    "The goldsmith Ambrose Telling was born on 2 May 1740 at Great Hessle and died there on 30 June 1811. He took"
    " his son Josiah into partnership in 1779."
)
OYELUND = "Marta Oyelund (4 March 1908 – 12 January 1971) was a Norwegian cellist. She had a workshop in Pressin."
QUIST = (
    "Ada Quist (3 May 1842 – 4 June 1907) was a painter. In 1868 she married the engineer Jon Bell. In June 1870 she"
    " moved to Paris, where she opened a school. She exhibited in Rome in 1873."
)
LINDGREN = (
    "Tomas Lindgren was born on 12 October 1920 in Uppsala. He was elected to parliament in 1956. In 1961, Lindgren"
    " became minister of transport."
)
AUMONT = "Lise Aumont was born in Paris in 1842. She exhibited in the capital from 1869 onward. She died in 1907."


def judge(claim: str, passage: str) -> Prediction:
    return load_small().verify([ClaimPair(claim, passage)])[0]


@try_all(
    ("claim", "passage"),
    [
        ("Ambrose Telling died at the age of 71.", TELLING),
        ("Ambrose Telling was 71 when he died.", TELLING),
        ("Ambrose Telling died in 1811, aged seventy-one.", TELLING),
        ("Marta Oyelund died in 1971 at the age of 62.", OYELUND),
        ("Marta Oyelund was 62 years old when she died.", OYELUND),
        ("Lise Aumont lived to the age of 65.", AUMONT),
        ("Lise Aumont died aged 64.", AUMONT),
        ("Lise Aumont died aged 64.", AUMONT + " She had married Jean Pons in 1870; he died in 1881."),
        ("She died in 1907 at the age of 65.", AUMONT),
    ],
)
def test_the_age_implied_by_the_dates_is_supported(claim: str, passage: str) -> None:
    assert judge(claim, passage).label == "supported"


@try_all(
    "life",
    [
        "(1842–1907)",
        "(3 May 1842 – 4 June 1907)",
        "(May 3, 1842 – June 4, 1907)",
        "(born 3 May 1842; died 4 June 1907)",
        "(b. 1842, d. 1907)",
        "(* 3 May 1842 in Hull; † 4 June 1907 in York)",
        "(née Bell; 3 May 1842 – 4 June 1907)",
    ],
)
def test_years_in_brackets_are_birth_and_death(life: str) -> None:
    passage = f"Ada Quist {life} was a Danish painter. She exhibited in Rome."
    for claim, label in (
        ("Ada Quist died in 1907.", "supported"),
        ("Ada Quist was born in 1842.", "supported"),
        ("Ada Quist was born in 1842 and died in 1907.", "supported"),
        ("Ada Quist died in 1842.", "contradicted"),
        ("Ada Quist died in 1917.", "contradicted"),
    ):
        assert judge(claim, passage).label == label, claim


@try_all(
    "life",
    [
        "(born 3 May 1842 in Hull; died 4 June 1907 in York)",
        "(3 May 1842, Hull – 4 June 1907, York)",
        "(1842 Hull – 1907 York)",
        "(* 3 May 1842 in Hull; † 4 June 1907 in York)",
    ],
)
def test_places_in_brackets_are_of_birth_and_death(life: str) -> None:
    passage = f"Ada Quist {life} was a Danish painter. She exhibited in Rome."
    for claim, label in (
        ("Ada Quist was born in Hull in 1842.", "supported"),
        ("Ada Quist was born in Hull.", "supported"),
        ("Ada Quist died in York in 1907.", "supported"),
        ("Ada Quist was born in York.", "contradicted"),
    ):
        assert judge(claim, passage).label == label, claim


@try_all(
    ("claim", "passage", "reason"),
    [
        ("Ambrose Telling died at the age of 64.", TELLING, "(1740–1811) the age is 71, not 64"),
        ("Ambrose Telling was 75 when he died.", TELLING, "(1740–1811) the age is 71, not 75"),
        ("Marta Oyelund died in 1971 at the age of 63.", OYELUND, "(1908–1971) the age is 62, not 63"),
        ("Lise Aumont died aged 56.", AUMONT, "(1842–1907) the age is 64 or 65, not 56"),
    ],
)
def test_another_age_is_contradicted_with_the_sum(claim: str, passage: str, reason: str) -> None:
    prediction = judge(claim, passage)
    assert (prediction.label, prediction.rationale) == ("contradicted", f"by the passage {reason}")
    assert prediction.quote
    assert prediction.quote.of(passage) in passage


@try_all(
    ("claim", "passage"),
    [
        ("Ambrose Telling died at the age of 10.", "Ambrose Telling was born in 1740. His father died in 1750."),
        ("Ambrose Telling died at the age of 5.", "Ambrose Telling was born in 1740, and his mother died in 1745."),
        ("Lise Aumont died aged 56.", "Lise Aumont was born in 1842. Her rival Ann Bell died in 1907 in Rome."),
        ("Karl Heim died aged 62.", "Rosa Heim (1850–1912) and her brother Karl (1855–1930) painted."),
        ("Josiah Telling died at the age of 50.", TELLING),
        ("He died at the age of 50.", TELLING),
    ],
)
def test_dates_of_another_person_are_ignored(claim: str, passage: str) -> None:
    assert not judge(claim, passage).rationale.startswith("by the passage")


@try_all(
    ("claim", "passage", "label"),
    [
        ("Ada Quist married at the age of 26.", QUIST, "supported"),
        ("Ada Quist married Jon Bell at the age of 25.", QUIST, "supported"),
        ("Ada Quist married Jon Bell at the age of 31.", QUIST, "contradicted"),
        ("Ada Quist was 28 when she moved to Paris.", QUIST, "supported"),
        ("Ada Quist was 36 when she moved to Paris.", QUIST, "contradicted"),
        ("At the age of 28, Ada Quist moved to Paris.", QUIST, "supported"),
        ("At age 20, Ada Quist moved to Paris.", QUIST, "contradicted"),
        ("Aged 28, Ada Quist opened a school in Paris.", QUIST, "supported"),
        ("Tomas Lindgren was elected to parliament at the age of thirty-five.", LINDGREN, "supported"),
        ("He was elected to parliament at the age of 36.", LINDGREN, "supported"),
        ("Lindgren was 40 when he became minister of transport.", LINDGREN, "supported"),
        ("Lindgren became minister of transport at 40.", LINDGREN, "supported"),
        ("Lindgren was 50 years old when he became minister of transport.", LINDGREN, "contradicted"),
    ],
)
def test_an_age_at_another_event_follows_from_its_year(claim: str, passage: str, label: str) -> None:
    assert judge(claim, passage).label == label


@try_all(
    ("claim", "passage"),
    [
        ("Ada Quist learned Greek at the age of 12.", QUIST),
        ("Ada Quist moved to London at the age of 12.", QUIST),
        ("Jon Bell married at the age of 50.", QUIST),
        ("Lise Aumont exhibited in the capital at the age of 40.", AUMONT),  # from the age of 27 on
        ("Ann Bell moved to Rome at the age of 50.", "Ann Bell was born in 1840. Her mother moved to Rome in 1860."),
        ("Ann Bell moved to Rome aged 50.", "Ann Bell was born in 1840. By 1860 she had moved to Rome."),
        ("Ann Bell won at the age of 50.", "Ann Bell was born in 1840. She won in 1860. She won again in 1890."),
    ],
)
def test_an_age_at_an_event_of_uncertain_date_is_not_computed(claim: str, passage: str) -> None:
    assert not judge(claim, passage).rationale.startswith("by the passage")
