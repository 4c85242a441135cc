"""A report of a method that asks language models: a panel with an arbiter, rounds of queries, corrections, flags."""

from __future__ import annotations

from hashlib import sha256

from factscope.core.records import (
    Claim,
    Correction,
    Document,
    Exclusions,
    Failure,
    Judgement,
    Passage,
    Query,
    Quote,
    Report,
    Response,
    Searched,
    Segment,
    Span,
    Usage,
)
from factscope.engine import Provenance, fold, unscored
from factscope.methods import Method
from factscope.scoring.verdicts import roll_up

TEXT = (
    "The Mirel bridge was opened in 1911 by Queen Ada. It is made of iron. It carries 9,000 cars a day.\n\n"
    "Its ferry house, built beside it in 1890, held a museum of tolls. It is the finest bridge of the valley. "
    "The bridge was closed for repairs in 2019. Its keeper, Tom Hale, wrote a diary. The diary has 300 pages. "
    "Its lamps burn all night."
)
LABELS = {"supported": "supported", "contradicted": "contradicted", "not_enough_evidence": "not_enough_evidence"}
MINI, HAIKU, FLASH = "openai/gpt-4.1-mini as first", "anthropic/claude-haiku-4-5 as second", "google/flash as arbiter"
LONG = "The passage names May 1913.\n\n" + "The claim says 1911, and the two can't both be true. " * 70


def _judge(role: str) -> dict[str, object]:
    return {"prompt": "standard/judge", "role": role, "form": "json", "labels": LABELS, "claims_per_call": 8}


METHOD = Method.model_validate(
    {
        "name": "three-judges",
        "title": "Two judges and an arbiter, adaptive search, corrections",
        "extract": {"prompt": "standard/extract", "form": "json", "segments_per_call": 10},
        "evidence": {
            "queries": {
                "prompt": "standard/queries",
                "form": "json",
                "rounds": 3,
                "begin_with": "claim",
                "stop": "enough",
            }
        },
        "judge": {"judges": [_judge("first"), _judge("second")], "arbiter": _judge("arbiter")},
        "correct": {"prompt": "standard/correct"},
        "scores": ["factual_precision", "hallucination(alpha=0.5)"],
    }
)
MODELS = {
    "extract": "openai/gpt-4.1-mini",
    "query": "openai/gpt-4.1-mini",
    "first": "openai/gpt-4.1-mini",
    "second": "anthropic/claude-haiku-4-5",
    "arbiter": "google/flash",
    "correct": "openai/gpt-4.1-mini",
}
PROMPTS = {"standard/correct": "77aa0b1c2d3e", "standard/extract": "0f1e2d3c4b5a", "standard/judge": "c0ffee123456"}
USAGE = (
    Usage(role="arbiter", model="google/flash", calls=3, tokens_in=4210, tokens_out=388, cost=None, seconds=4.1),
    Usage(
        role="extract", model="openai/gpt-4.1-mini", calls=1, tokens_in=2100, tokens_out=912, cost=0.0023, seconds=6.5
    ),
    Usage(
        role="first",
        model="openai/gpt-4.1-mini",
        calls=2,
        cached_calls=3,
        tokens_in=6044,
        tokens_out=1310,
        cost=0.00451,
        seconds=8.25,
    ),
    Usage(role="second", model="anthropic/claude-haiku-4-5", calls=0, cached_calls=5, cost=0.0, seconds=0.0),
)


class Writer:
    """Writes records with as few words as possible."""

    def __init__(self, text: str, **response: object) -> None:
        self.events: list[object] = [Response(text=text, **response)]
        self.text, self.n = text, 0
        self.n_claims: dict[str, int] = {}
        self.passages: dict[str, Passage] = {}

    def segment(self, text: str) -> str:
        start = self.text.index(text)
        self.n += 1
        span = Span(start=start, end=start + len(text))
        self.events.append(Segment(id=f"s{self.n}", span=span, text=text, kind="sentence"))
        return f"s{self.n}"

    def claim(self, segment: str, text: str, **more: object) -> str:
        self.n_claims[segment] = number = self.n_claims.get(segment, 0) + 1
        name = f"{segment}.c{number}"
        self.events.append(Claim(id=name, segment_id=segment, text=text, standalone=text, **more))
        self.events.append(Query(id=f"{name}.q1", claim_id=name, text=text))
        return name

    def passage(self, claim: str, title: str, text: str) -> str:
        digest = sha256(title.encode()).hexdigest()
        url = f"https://example.org/{digest[:6]}"
        self.events.append(Document(id=f"d-{digest[:16]}", text=None, title=title, url=url, sha256=digest))
        rank = sum(p.claim_id == claim for p in self.passages.values()) + 1
        name = f"{claim}.p{rank}"
        span = Span(start=0, end=len(text))
        self.passages[name] = Passage(
            id=name, claim_id=claim, document_id=f"d-{digest[:16]}", span=span, text=text, rank=rank, score=9 / rank
        )
        self.events.append(self.passages[name])
        return name

    def judged(
        self,
        passage: str,
        judge: str,
        label: str,
        quote: str | None = None,
        confidence: float | None = 0.9,
        source: str | None = "stated",
        **more: object,
    ) -> None:
        number = sum(isinstance(e, Judgement) and e.passage_ids == (passage,) for e in self.events) + 1
        self.events.append(
            Judgement(
                id=f"{passage}.j{number}",
                unit_id=self.passages[passage].claim_id,
                passage_ids=(passage,),
                judge=judge,
                label=label,
                quote=self.quote(passage, quote),
                confidence=confidence,
                confidence_from=None if confidence is None else source,
                **{"raw_label": label, **more},
            )
        )

    def quote(self, passage: str, words: str | None) -> Quote | None:
        if words is None:
            return None
        start = self.passages[passage].text.index(words)
        return Quote(passage_id=passage, span=Span(start=start, end=start + len(words)), text=words)

    def report(self, method: Method = METHOD, usage: tuple[Usage, ...] = USAGE) -> Report:
        searched = Searched(id="c-0123456789", n_documents=4, n_passages=31)
        basis = Provenance(method, searched, MODELS, PROMPTS)
        verdicts = roll_up(unscored(self.events, basis), method.roll_up, Exclusions())
        return fold([*self.events, *verdicts, *usage], basis)


def asked() -> Report:
    """Make a report with every fact that only a method with language models makes."""
    w = Writer(TEXT, prompt="Tell me about the Mirel bridge.", model="openai/gpt-4.1")
    _opening(w)
    _iron_and_cars(w)
    _ferry_house(w)
    _the_rest(w)
    return w.report()


def _opening(w: Writer) -> None:
    s = w.segment("The Mirel bridge was opened in 1911 by Queen Ada.")
    c = w.claim(s, "The Mirel bridge was opened in 1911.")
    p = w.passage(c, "County roads", "The iron bridge over the Mirel, opened to traffic in May 1913, is 200 m long.")
    w.judged(p, MINI, "contradicted", "opened to traffic in May 1913", 0.95, rationale=LONG)
    w.judged(p, HAIKU, "contradicted", "opened to traffic in May 1913", 0.8, rationale="1913, not 1911.")
    w.events.append(
        Correction(
            unit_id=c,
            error="entity",
            text="The Mirel bridge was opened in 1913 by Queen Ada.",
            quote=w.quote(p, "opened to traffic in May 1913"),
            rationale=LONG,
        )
    )
    c = w.claim(s, "Queen Ada opened the Mirel bridge.")
    p = w.passage(c, "Court circular", "In May the Queen was at Mirel, where Prince Otto cut the ribbon.")
    w.judged(p, MINI, "supported", "the Queen was at Mirel", 0.6)
    w.judged(p, HAIKU, "contradicted", "Prince Otto cut the ribbon", 0.7)
    w.judged(p, FLASH, "not_enough_evidence", None, 0.5, gap="partial")


def _iron_and_cars(w: Writer) -> None:
    s = w.segment("It is made of iron.")
    c = w.claim(s, "The Mirel bridge is made of iron.")
    p = w.passage(c, "County roads", "The iron bridge over the Mirel, opened to traffic in May 1913, is 200 m long.")
    w.judged(p, MINI, "supported", "The iron bridge over the Mirel", 0.97, "logprobs")
    w.judged(p, HAIKU, "supported", "The iron bridge over the Mirel", 0.93, "logprobs")
    s = w.segment("It carries 9,000 cars a day.")
    c = w.claim(s, "The Mirel bridge carries 9,000 cars a day.")
    p = w.passage(c, "Traffic count of 1988", "In 1988 the bridge carried 4,100 cars a day.")
    for judge in (MINI, HAIKU):
        w.judged(p, judge, "not_enough_evidence", None, 0.7, gap="outdated", rationale="The count is of 1988.")


def _ferry_house(w: Writer) -> None:
    s = w.segment("Its ferry house, built beside it in 1890, held a museum of tolls.")
    house = w.claim(s, "The Mirel bridge has a ferry house.")
    p = w.passage(house, "Houses of the valley", "There never was a ferry house at Mirel. A toll museum is in Gara.")
    for judge in (MINI, HAIKU):
        w.judged(p, judge, "contradicted", "There never was a ferry house at Mirel.", 0.9)
    w.events.append(Correction(unit_id=house, error="invented", rationale="No ferry house is known."))
    c = w.claim(s, "The ferry house of the Mirel bridge was built in 1890.", depends_on=(house,))
    p = w.passage(c, "Houses of the valley", "There never was a ferry house at Mirel. A toll museum is in Gara.")
    for judge in (MINI, HAIKU):
        w.judged(p, judge, "contradicted", "There never was a ferry house at Mirel.", 0.85)
    c = w.claim(s, "The ferry house of the Mirel bridge held a museum of tolls.", depends_on=(house,))
    p = w.passage(c, "Houses of the valley", "There never was a ferry house at Mirel. A toll museum is in Gara.")
    for judge in (MINI, HAIKU):
        w.judged(p, judge, "not_enough_evidence", None, 0.6, gap="partial")


def _the_rest(w: Writer) -> None:
    s = w.segment("It is the finest bridge of the valley.")
    c = w.claim(s, "The Mirel bridge is the finest bridge of the valley.", kind="claim")
    p = w.passage(c, "County roads", "The valley has four bridges.")
    for judge in (MINI, HAIKU):
        w.judged(p, judge, "not_enough_evidence", None, 0.9, gap="subjective")
    s = w.segment("The bridge was closed for repairs in 2019.")
    c = w.claim(s, "The Mirel bridge was closed for repairs in 2019.")
    p = w.passage(c, "County roads", "Repairs were made in several years; the bridge was closed twice.")
    invented = {"raw_label": "supported", "flags": ("quote_not_found",), "gap": "insufficient"}
    w.judged(p, MINI, "not_enough_evidence", None, None, rationale="It was closed in 2019.", **invented)
    w.judged(p, HAIKU, "not_enough_evidence", None, 0.6, gap="insufficient")
    w.events.append(
        Query(id=f"{c}.q2", claim_id=c, round=2, text="Mirel bridge closure 2019", rationale="The year is missing.")
    )
    ended = "More searching is idle: two rounds found no list of closures."
    w.events.append(Query(id=f"{c}.q3", claim_id=c, round=2, text="Mirel bridge repairs list of years", ended=ended))
    s = w.segment("Its keeper, Tom Hale, wrote a diary.")
    diary = w.claim(s, "Tom Hale, the keeper of the Mirel bridge, wrote a diary.")
    p = w.passage(diary, "County archive", "Diary of Tom Hale, keeper at Mirel, 1921 to 1934.")
    w.judged(p, MINI, "supported", "Diary of Tom Hale, keeper at Mirel", 0.95, rationale="It is in the archive.")
    w.judged(p, HAIKU, "supported", "Diary of Tom Hale, keeper at Mirel", 0.9)
    s = w.segment("The diary has 300 pages.")
    w.claim(s, "The diary of Tom Hale has 300 pages.", depends_on=(diary,))
    s = w.segment("Its lamps burn all night.")
    c = w.claim(s, "The lamps of the Mirel bridge burn all night.")
    w.passage(c, "County roads", "The lamps are gas.")
    message = "openai/gpt-4.1-mini did not answer within 60 s. Run the same command again: it asks only what failed."
    w.events.append(Failure(unit_id=c, stage="judging", boundary="timeout", message=message))
