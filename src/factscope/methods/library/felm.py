"""`felm/…`: the evaluators of FELM (Chen et al. 2023, section 4): two units, four kinds of evidence, one call for all.

A judge is given the question and all segments of the answer, or all claims extracted from them, and names the wrong
ones. It uses its own knowledge (`vanilla`), reasons first (`cot`), or is given the addresses of references (`link`) or
the best 512-token piece of each (`doc`). A response without references is judged as in `vanilla`. Segments are those of
the data set; where it has none, mathematics and recommendations are split by a model, everything else into sentences.

Science, mathematics and reasoning have their own prompts; mathematics and reasoning use neither claims nor references.
As published, replies have at most 1,500 tokens for claims and 100 for errors, so that reasoning is cut off before the
answer. Here such a reply counts as a failure; the published code takes it to mean that all is right. `felm/modern/…`
are the same without these limits, for models that reason before they answer. `published` makes `felm/published/…` from
the authors' own prompt files, and reads replies as their code does.

Self-consistency asks nine times at temperature 0.9 (as in the published code); a unit is wrong if at least half of the
samples say so.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

from factscope.methods import Ask, Domain, Evidence, Extract, Judge, Measure, Method, Passages, RollUp
from factscope.methods.method_catalogue import register_method

Unit = Literal["segment", "claim"]
Mode = Literal["vanilla", "cot", "link", "doc"]
UNITS: tuple[Unit, ...] = ("segment", "claim")
MODES: tuple[Mode, ...] = ("vanilla", "cot", "link", "doc")
_SUFFIX: dict[Mode, str] = {"vanilla": "", "cot": "_cot", "link": "_links", "doc": "_docs"}
_EVIDENCE: dict[Mode, Evidence] = {
    "vanilla": Evidence(source="none", per="response"),
    "cot": Evidence(source="none", per="response"),
    "link": Evidence(source="links", per="response", most=100),
    "doc": Evidence(source="references", per="response", passages=Passages(chunk_tokens=512, per_document=1), most=100),
}
_MODE_WORDS: dict[Mode, str] = {
    "vanilla": "by what it knows",
    "cot": "after a thought",
    "link": "by the addresses of references",
    "doc": "by the best piece of each reference",
}


def _instead(family: str, *, plain: bool) -> dict[str, str]:
    """Return the prompts of a family by the names of the default prompts that they replace.

    A plain family has no prompts for references.
    """
    prompts = {
        f"felm/detect{end}": f"felm/{family}{'' if plain and end != '_cot' else end}" for end in _SUFFIX.values()
    }
    return prompts if plain else {**prompts, "felm/claims": f"felm/claims_{family}"}


_CUT_MATH = Ask(prompt="felm/segment_math", role="cut")
_CUT_ITEMS = Ask(prompt="felm/segment_items", role="cut")
DOMAINS = {
    "science": Domain(prompts=_instead("science", plain=False)),
    "math": Domain(prompts=_instead("math", plain=True), plain=True, cut=_CUT_MATH),
    "reasoning": Domain(prompts=_instead("reasoning", plain=True), plain=True),
    "recommendation": Domain(cut=_CUT_ITEMS),
}
"""Changes by domain. World knowledge, writing and recommendation otherwise use the method unchanged."""
MODERN_TOKENS, MODERN_CLAIM_TOKENS = 8_192, 16_384
"""Longest replies of `felm/modern/…` in tokens, with room for a model to reason before it answers."""


def felm(unit: Unit, mode: Mode, samples: int = 1) -> Method:
    """Return one cell of FELM's grid of units and modes; with several samples, by self-consistency."""
    samples_text = f", {samples} samples" if samples > 1 else ""
    return Method(
        name=f"felm/{unit}-{mode}{'-consistency' if samples > 1 else ''}",
        title=f"FELM: all {unit}s of a response in one call, {_MODE_WORDS[mode]}{samples_text}",
        cites="FELM: Benchmarking Factuality Evaluation of Large Language Models (Chen et al. 2023)",
        segment="given",
        units="all",
        extract=Extract(prompt="felm/claims", form="segment_blocks", segments_per_call=0, max_tokens=1500)
        if unit == "claim"
        else None,
        evidence=_EVIDENCE[mode],
        judge=Judge(
            prompt=f"felm/detect{_SUFFIX[mode]}",
            without="felm/detect" if mode in ("link", "doc") else None,
            form="wrong_ids",
            labels={"supported": "correct", "contradicted": "wrong"},
            claims_per_call=0,
            samples=samples,
            temperature=0.9 if samples > 1 else 0.0,
            max_tokens=100,
        ),
        roll_up=RollUp(unit="only", tie="contradicted"),
        scores=(Measure.parse("factual_precision"),),
        domains=DOMAINS,
    )


def modern(unit: Unit, mode: Mode) -> Method:
    """Return a cell of the grid without the paper's limits."""
    cell = felm(unit, mode)
    if not isinstance(cell.judge, Judge):
        raise TypeError(f"{cell.name} has no model as its judge")
    return cell.model_copy(
        update={
            "name": f"felm/modern/{unit}-{mode}",
            "title": f"{cell.title}, with room to reason",
            "extract": cell.extract and cell.extract.model_copy(update={"max_tokens": MODERN_CLAIM_TOKENS}),
            "judge": cell.judge.model_copy(update={"max_tokens": MODERN_TOKENS}),
        }
    )


for _unit in UNITS:
    for _mode in MODES:
        register_method(f"felm/{_unit}-{_mode}", partial(felm, _unit, _mode))
        register_method(f"felm/modern/{_unit}-{_mode}", partial(modern, _unit, _mode))
register_method("felm/segment-cot-consistency", partial(felm, "segment", "cot", samples=9))
