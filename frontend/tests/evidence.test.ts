import { describe, expect, it } from "vitest";

import { anchored, cardsOf, isDecisive, ordered, stretches } from "../src/lib/cards";
import { excludedPassages, hostOrName, isExcluded, siteToggled, sourcesOf, toggled } from "../src/lib/exclusions";
import { columnsOf } from "../src/lib/matrix";
import { paragraphsOf } from "../src/lib/paragraphs";
import { NOTHING_EXCLUDED } from "../src/lib/records";
import { categoryShares, sharesOf, valueOf } from "../src/lib/shares";
import { shownConfidence } from "../src/lib/states";
import { excludedPassages as excludedFromScores, rescore, rulesOf } from "../src/rescore";
import { isTooWeak } from "../src/rescore/rules";
import { claim, document, judgement, passage, reportOf, verdict } from "./records";

const quote = (passage_id: string, text: string, start: number) => ({ passage_id, text, span: { start, end: start + text.length } }) as never;

const report = reportOf(["The bridge has four arches."], {
  claims: [claim("s1.c1")],
  documents: [document("d1", "https://news.a.example/1", "news"), document("d2", "https://b.example/2", "blog"), document("d3", null, "other")],
  passages: [
    passage("s1.c1.p1", "d1", "It has four arches. Buy it."),
    passage("s1.c1.p2", "d2", "It has six arches.", { rank: 2 }),
    passage("s1.c1.p3", "d3", "It has four arches. Buy it.", { rank: 3, copy_of: "s1.c1.p1" }),
  ],
  judgements: [
    judgement("s1.c1.p1", "supported", { quote: quote("s1.c1.p1", "four arches", 7), confidence: 0.7 }),
    judgement("s1.c1.p2", "contradicted", { quote: quote("s1.c1.p2", "ten arches", 7), confidence: 0.9 }),
    judgement("s1.c1.p3", "irrelevant"),
  ],
});

it("finds contradictions below the method's confidence floor too weak", () => {
  const rules = { ...rulesOf(report), contradiction_floor: 0.67 };
  const weak = report.judgements.map(({ confidence }) => isTooWeak(judgement("s1.c1.p2", "contradicted", { confidence }), rules));
  expect(weak).toEqual([false, false, false]); // 0.7, 0.9, and unknown, which counts as certain
  expect(isTooWeak(judgement("s1.c1.p2", "contradicted", { confidence: 0.5 }), rules)).toBe(true);
  expect(isTooWeak(judgement("s1.c1.p2", "supported", { confidence: 0.5 }), rules)).toBe(false);
});

describe("cardsOf", () => {
  const cards = cardsOf(report).get("s1.c1") ?? [];

  it("puts every passage on a card on the side of its judgement", () => {
    expect(cards.map((card) => [card.passage?.id, card.side])).toEqual([
      ["s1.c1.p1", "for"],
      ["s1.c1.p2", "against"],
      ["s1.c1.p3", "aside"],
    ]);
  });

  it("marks a quote only if it occurs in the passage verbatim", () => {
    expect(cards[0]?.quoteSpan).toEqual({ start: 7, end: 18 });
    expect(stretches(cards[0]!, cards[0]!.quoteSpan, null).filter((mark) => mark.quote)).toEqual([{ text: "four arches", quote: true, order: false }]);
    expect([cards[1]?.quoteSpan, cards[1]?.invented]).toEqual([null, true]);
  });

  it("orders cards by decisiveness, then by confidence", () => {
    expect(ordered(cards, undefined).map((card) => card.passage?.id)).toEqual(["s1.c1.p2", "s1.c1.p1", "s1.c1.p3"]);
    expect(ordered(cards, verdict("s1.c1", "supported", ["s1.c1.p1.j1"]))[0]?.passage?.id).toBe("s1.c1.p1");
  });
});

describe("a passage judged alone and together with another", () => {
  const together = judgement("s1.c1.p2", "supported", { id: "both", passage_ids: ["s1.c1.p2", "s1.c1.p3"], flags: ["read_together"] });
  const allWith = (label: "not_enough_evidence" | "supported" | "contradicted") =>
    cardsOf({ ...report, judgements: [judgement("s1.c1.p2", label), together, judgement("s1.c1.p3", "irrelevant")] }).get("s1.c1") ?? [];
  const cardsWith = (label: "not_enough_evidence" | "supported" | "contradicted") => allWith(label).filter((card) => card.passage?.id === "s1.c1.p2");

  it("is on one card with both judgements", () => {
    for (const label of ["not_enough_evidence", "supported"] as const) {
      const cards = cardsWith(label);
      expect(isDecisive(cards[0]!, new Set(["s1.c1.p2.j1"]))).toBe(label === "supported");
      expect(cards.map((card) => [card.side, card.judgements[0]?.id, card.alone[0]?.label])).toEqual([["for", "both", label]]);
    }
  });

  it("is named on the cards of passages judged together with it", () => {
    expect(allWith("supported").map((card) => [card.passage?.id, card.readWith?.id])).toEqual([["s1.c1.p2", undefined], ["s1.c1.p3", "s1.c1.p2"], ["s1.c1.p1", undefined]]);
  });

  it("has a card on each side if the judgements are opposed", () => {
    expect(cardsWith("contradicted").map((card) => card.side)).toEqual(["against", "for"]);
  });
});

describe("anchored", () => {
  it("has the deciding card of a passage about which the judges disagree", () => {
    const other = judgement("s1.c1.p3", "supported", { id: "s1.c1.p3.j2", judge: "other" });
    const cards = cardsOf({ ...report, judgements: [...report.judgements, other] }).get("s1.c1") ?? [];
    const shown = ordered(cards, verdict("s1.c1", "supported", [other.id]));
    expect(shown.filter((card) => card.passage?.id === "s1.c1.p3")).toHaveLength(2);
    expect([...anchored(shown)].sort()).toEqual(["s1.c1.p1.j1", "s1.c1.p2.j1", "s1.c1.p3.j2"]);
  });
});

describe("shownConfidence", () => {
  it("is null for undecided verdicts", () => {
    const shown = (["contradicted", "undecided", "supported", "no_evidence"] as const).map((outcome) => shownConfidence({ ...verdict("s1.c1", outcome), confidence: 0.9 }));
    expect(shown).toEqual([0.9, null, 0.9, null]);
  });
});

describe("exclusions", () => {
  const excluded = (changes: object): string[] => [...excludedPassages(report, { ...NOTHING_EXCLUDED, ...changes }).keys()];

  it("exclude by passage, source, site with subdomains, category, and copies", () => {
    expect(excluded({ passages: ["s1.c1.p2"] })).toEqual(["s1.c1.p2"]);
    expect(excluded({ documents: ["d3"] })).toEqual(["s1.c1.p3"]);
    expect(excluded({ domains: ["a.example"] })).toEqual(["s1.c1.p1"]);
    expect(excluded({ categories: ["blog"] })).toEqual(["s1.c1.p2"]);
    expect(excluded({ copies: true })).toEqual(["s1.c1.p3"]);
    expect(excluded({ copies: true, passages: ["s1.c1.p1"] })).toEqual(["s1.c1.p1"]);
  });

  it.each(["https://münchen.example/x", "https://WWW.A.example./x", "http://u@[2001:DB8::1]:80/"])("exclude a site as scoring does: %s", (url) => {
    const single = { ...report, documents: [document("d1", url)], passages: report.passages.slice(0, 1) };
    const exclude = siteToggled(single, NOTHING_EXCLUDED, hostOrName(single.documents[0]!));
    expect([...excludedPassages(single, exclude).keys()]).toEqual(["s1.c1.p1"]);
    expect([...excludedFromScores(single.passages, single.documents, exclude)]).toEqual(["s1.c1.p1"]);
  });

  it("toggle entries by name", () => {
    const once = toggled(NOTHING_EXCLUDED, "domains", "a.example");
    expect(once.domains).toEqual(["a.example"]);
    expect(toggled(once, "domains", "a.example")).toEqual(NOTHING_EXCLUDED);
  });

  it("list every site under its category", () => {
    expect(sourcesOf(report).map((source) => [source.category, source.sites.map((site) => site.name)])).toEqual([
      ["news", ["news.a.example"]],
      ["blog", ["b.example"]],
      ["other", ["d3"]],
    ]);
  });
});

describe("shares", () => {
  it("pool the judged passages of claims, sentences and the text", () => {
    const shares = sharesOf(report, new Set());
    for (const id of ["s1.c1", "s1", report.response.id]) expect(shares.get(id)).toEqual({ supporting: 1, total: 3 });
    expect(valueOf(sharesOf(report, new Set(["s1.c1.p2", "s1.c1.p3"])).get("s1"))).toBe(1);
    expect(valueOf(undefined)).toBeNull();
  });

  it("are counted by source category", () => {
    expect(categoryShares(report, new Set()).get("news")).toEqual({ supporting: 1, total: 1 });
  });
});

describe("passages that were judged together", () => {
  const alone = ["s1.c1.p1", "s1.c1.p2", "s1.c1.p3"].map((id) => judgement(id, "not_enough_evidence"));
  const together = judgement("s1.c1", "supported", { unit_id: "s1.c1", passage_ids: ["s1.c1.p1", "s1.c1.p2"], flags: ["read_together"] });
  const combined = { ...report, judgements: [together, ...alone] };
  const label = (site: number, excluded: string[]) => columnsOf(combined, new Set(excluded))[site]?.cells.get("s1.c1")?.label;

  it("count once each, all with their joint label", () => {
    expect(sharesOf(combined, new Set()).get("s1.c1")).toEqual({ supporting: 2, total: 3 });
    expect(rescore(combined, {}, ["credibility"]).scores[0]).toMatchObject({ value: 2 / 3, n: 3 });
    const categories = categoryShares(combined, new Set());
    expect(["news", "blog", "other"].map((name) => categories.get(name as "news")?.supporting)).toEqual([1, 1, 0]);
    expect([0, 1, 2].map((site) => label(site, []))).toEqual(["supported", "supported", "not_enough_evidence"]);
  });

  it("have only their individual labels once one of them is excluded", () => {
    for (const [excluded, dropped] of [[["s1.c1.p1"], true], [["s1.c1.p3"], false]] as const) {
      expect(isExcluded(together, new Set(excluded))).toBe(dropped);
    }
    expect(sharesOf(combined, new Set(["s1.c1.p1"])).get("s1.c1")).toEqual({ supporting: 0, total: 2 });
    expect([0, 1].map((site) => label(site, ["s1.c1.p1"]))).toEqual(["supported", "not_enough_evidence"]);
    expect(rescore(combined, { passages: ["s1.c1.p1"] }).verdicts[0]?.outcome).toBe("undecided");
    expect(rescore(combined, {}).verdicts[0]?.outcome).toBe("supported");
  });
});

describe("paragraphsOf", () => {
  it("splits at blank lines and keeps the text between sentences", () => {
    const text = "One.\n\n* Two.";
    const segments = [
      { ...reportOf(["One."]).segments[0]!, span: { start: 0, end: 4 } },
      { ...reportOf(["Two."]).segments[0]!, id: "s2", span: { start: 8, end: 12 } },
    ];
    expect(paragraphsOf(text, segments).map((paragraph) => paragraph.pieces.map((piece) => piece.text))).toEqual([["One."], ["* ", "Two."]]);
  });
});
