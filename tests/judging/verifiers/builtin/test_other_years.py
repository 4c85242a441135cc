"""Figures in brackets that belong to another year, as in annual reports."""

from __future__ import annotations

import pytest

from factscope.judging.verifiers import ClaimPair, Prediction
from factscope.judging.verifiers.builtin import load_small
from tests.lab.many_cases import try_all

HALVERN = (
    "Halvern Foods closed the year with 1,284 employees (2021: 1,310), of whom 412 worked in logistics. Revenue rose to"
    " 218.6 million crowns (prior year: 201.4 million) and EBIT came to 14.2 million (12.9 million in 2021)."
)
SALES = (
    "Net sales increased by 4.1% to €512.3 million (2022: €492.1 million). The order backlog was €88 million (previous"
    " year: €97 million). Headcount: 2,104 (2022: 2,066)."
)


def judge(claim: str, passage: str) -> Prediction:
    return load_small().verify([ClaimPair(claim, passage)])[0]


@pytest.mark.parametrize(
    ("claim", "passage", "reason"),
    [
        ("At the end of the year, Halvern Foods employed 1,310 people.", HALVERN, "has 1,284; 1,310 is that of 2021"),
        ("In 2021 Halvern Foods had 1,284 employees.", HALVERN, "has 1,310 for 2021, not 1,284"),
        (
            "Revenue rose to 201.4 million crowns.",
            HALVERN,
            "has 218.6 million; 201.4 million is that of the year before",
        ),
        ("EBIT came to 12.9 million crowns.", HALVERN, "has 14.2 million; 12.9 million is that of 2021"),
        ("Net sales increased to €492.1 million.", SALES, "has 512.3 million; 492.1 million is that of 2022"),
        ("The order backlog rose to €97 million.", SALES, "has 88 million; 97 million is that of the year before"),
        ("Headcount fell to 2,066.", SALES, "has 2,104; 2,066 is that of 2022"),
    ],
)
def test_the_figure_of_another_year_contradicts(claim: str, passage: str, reason: str) -> None:
    prediction = judge(claim, passage)
    assert (prediction.label, prediction.rationale) == ("contradicted", f"the passage {reason}")
    assert prediction.quote


@try_all(
    ("claim", "passage"),
    [
        ("At the end of the year, Halvern Foods employed 1,284 people.", HALVERN),
        ("In 2021 Halvern Foods had 1,310 employees.", HALVERN),
        ("Revenue was 201.4 million crowns in the year before.", HALVERN),
        ("EBIT came to 14.2 million crowns.", HALVERN),
        ("Net sales were €492.1 million in 2022.", SALES),
        ("Net sales rose from €492.1 million to €512.3 million.", SALES),
        ("The order backlog stood at €97 million a year earlier.", SALES),
        ("The company had 2,066 employees in 2022.", SALES),
    ],
)
def test_each_figure_supports_its_own_year(claim: str, passage: str) -> None:
    assert judge(claim, passage).label == "supported"


@try_all(
    ("claim", "passage"),
    [
        ("In 2021 revenue was 201.4 million crowns.", HALVERN),  # possibly the year before
        ("The debt stood at €97 million.", SALES),
        ("The tower has 200 rooms.", "The tower (built in 1912) has 100 rooms (200 beds)."),
        ("The mine employed 40 men.", "The mine employed 400 men (see Lund 1998). Its rival employed 40."),
        ("Ann Bell won 12 races.", "Ann Bell (1912–1990) won 15 races. She ran 12 in 1933."),
    ],
)
def test_other_brackets_are_not_figures_of_another_year(claim: str, passage: str) -> None:
    assert "is that of" not in judge(claim, passage).rationale
