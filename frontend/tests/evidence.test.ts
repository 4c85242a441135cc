import { describe, expect, it } from "vitest";

import { anchored, cardsOf, isDecisive, ordered, stretches } from "../src/lib/cards";
import { excludedPassages, falls, hostOrName, siteToggled, sourcesOf, toggled } from "../src/lib/exclusions";
import { columnsOf } from "../src/lib/matrix";
import { paragraphsOf } from "../src/lib/paragraphs";
import { NOTHING_EXCLUDED } from "../src/lib/records";
import { categoryShares, sharesOf, valueOf } from "../src/lib/shares";
import { toldConfidence } from "../src/lib/states";
import { excludedPassages as outOfScores, rescore, rulesOf } from "../src/rescore";
import { isTooWeak } from "../src/rescore/rules";
import { isExcluded } from "../src/rescore/exclusion";
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

it("calls a contradiction below the floor of the method too weak", () => {
  const rules = { ...rulesOf(report), contradiction_floor: 0.67 };
  const weak = report.judgements.map(({ confidence }) => isTooWeak(judgement("s1.c1.p2", "contradicted", { confidence }), rules));
  expect(weak).toEqual([false, false, false]); // 0.7, 0.9, and unknown, which counts as sure
  expect(isTooWeak(judgement("s1.c1.p2", "contradicted", { confidence: 0.5 }), rules)).toBe(true);
  expect(isTooWeak(judgement("s1.c1.p2", "supported", { confidence: 0.5 }), rules)).toBe(false);
});

describe("cardsOf", () => {
  const cards = cardsOf(report).get("s1.c1") ?? [];

  it("puts every passage on a card, on the side of its judgement", () => {
    expect(cards.map((card) => [card.passage?.id, card.side])).toEqual([
      ["s1.c1.p1", "for"],
      ["s1.c1.p2", "against"],
      ["s1.c1.p3", "aside"],
    ]);
  });

  it("marks a quote only where the passage has it word for word", () => {
    expect(cards[0]?.place).toEqual({ start: 7, end: 18 });
    expect(stretches(cards[0]!, cards[0]!.place, null).filter((mark) => mark.quote)).toEqual([{ text: "four arches", quote: true, order: false }]);
    expect([cards[1]?.place, cards[1]?.invented]).toEqual([null, true]);
  });

  it("orders decisive cards first, then the surest", () => {
    expect(ordered(cards, undefined).map((card) => card.passage?.id)).toEqual(["s1.c1.p2", "s1.c1.p1", "s1.c1.p3"]);
    expect(ordered(cards, verdict("s1.c1", "supported", ["s1.c1.p1.j1"]))[0]?.passage?.id).toBe("s1.c1.p1");
  });
});

describe("a passage judged alone and together with another", () => {
  const together = judgement("s1.c1.p2", "supported", { id: "both", passage_ids: ["s1.c1.p2", "s1.c1.p3"], flags: ["read_together"] });
  const allWith = (label: "not_enough_evidence" | "supported" | "contradicted") =>
    cardsOf({ ...report, judgements: [judgement("s1.c1.p2", label), together, judgement("s1.c1.p3", "irrelevant")] }).get("s1.c1") ?? [];
  const cardsWith = (label: "not_enough_evidence" | "supported" | "contradicted") => allWith(label).filter((card) => card.passage?.id === "s1.c1.p2");

  it("is on one card that says both", () => {
    for (const label of ["not_enough_evidence", "supported"] as const) {
      const cards = cardsWith(label);
      expect(isDecisive(cards[0]!, new Set(["s1.c1.p2.j1"]))).toBe(label === "supported");
      expect(cards.map((card) => [card.side, card.judgements[0]?.id, card.alone[0]?.label])).toEqual([["for", "both", label]]);
    }
  });

  it("is named on the cards of the passages that were read with it", () => {
    expect(allWith("supported").map((card) => [card.passage?.id, card.readWith?.id])).toEqual([["s1.c1.p2", undefined], ["s1.c1.p3", "s1.c1.p2"], ["s1.c1.p1", undefined]]);
  });

  it("is on a card of each side where it says the opposite", () => {
    expect(cardsWith("contradicted").map((card) => card.side)).toEqual(["against", "for"]);
  });
});

describe("anchored", () => {
  it("has one card of a passage of which each judge says something else: the one that decides", () => {
    const other = judgement("s1.c1.p3", "supported", { id: "s1.c1.p3.j2", judge: "other" });
    const cards = cardsOf({ ...report, judgements: [...report.judgements, other] }).get("s1.c1") ?? [];
    const shown = ordered(cards, verdict("s1.c1", "supported", [other.id]));
    expect(shown.filter((card) => card.passage?.id === "s1.c1.p3")).toHaveLength(2);
    expect([...anchored(shown)].sort()).toEqual(["s1.c1.p1.j1", "s1.c1.p2.j1", "s1.c1.p3.j2"]);
  });
});

describe("toldConfidence", () => {
  it("is silent where nothing is decided", () => {
    const told = (["contradicted", "undecided", "supported", "no_evidence"] as const).map((outcome) => toldConfidence({ ...verdict("s1.c1", outcome), confidence: 0.9 }));
    expect(told).toEqual([0.9, null, 0.9, null]);
  });
});

describe("exclusions", () => {
  const out = (changes: object): string[] => [...excludedPassages(report, { ...NOTHING_EXCLUDED, ...changes }).keys()];

  it("exclude a passage, its source, its site with subdomains, its category, and copies", () => {
    expect(out({ passages: ["s1.c1.p2"] })).toEqual(["s1.c1.p2"]);
    expect(out({ documents: ["d3"] })).toEqual(["s1.c1.p3"]);
    expect(out({ domains: ["a.example"] })).toEqual(["s1.c1.p1"]);
    expect(out({ categories: ["blog"] })).toEqual(["s1.c1.p2"]);
    expect(out({ copies: true })).toEqual(["s1.c1.p3"]);
    expect(out({ copies: true, passages: ["s1.c1.p1"] })).toEqual(["s1.c1.p1"]);
  });

  it.each(["https://münchen.example/x", "https://WWW.A.example./x", "http://u@[2001:DB8::1]:80/"])("leave out a site as the scores do: %s", (url) => {
    const one = { ...report, documents: [document("d1", url)], passages: report.passages.slice(0, 1) };
    const exclude = siteToggled(one, NOTHING_EXCLUDED, hostOrName(one.documents[0]!));
    expect([...excludedPassages(one, exclude).keys()]).toEqual(["s1.c1.p1"]);
    expect([...outOfScores(one.passages, one.documents, exclude)]).toEqual(["s1.c1.p1"]);
  });

  it("are toggled by name", () => {
    const once = toggled(NOTHING_EXCLUDED, "domains", "a.example");
    expect(once.domains).toEqual(["a.example"]);
    expect(toggled(once, "domains", "a.example")).toEqual(NOTHING_EXCLUDED);
  });

  it("name every site under its category", () => {
    expect(sourcesOf(report).map((source) => [source.category, source.sites.map((site) => site.name)])).toEqual([
      ["news", ["news.a.example"]],
      ["blog", ["b.example"]],
      ["other", ["d3"]],
    ]);
  });
});

describe("shares", () => {
  it("pool the judged passages of a claim, a sentence and the text", () => {
    const shares = sharesOf(report, new Set());
    for (const id of ["s1.c1", "s1", report.response.id]) expect(shares.get(id)).toEqual({ supporting: 1, total: 3 });
    expect(valueOf(sharesOf(report, new Set(["s1.c1.p2", "s1.c1.p3"])).get("s1"))).toBe(1);
    expect(valueOf(undefined)).toBeNull();
  });

  it("are counted per source category", () => {
    expect(categoryShares(report, new Set()).get("news")).toEqual({ supporting: 1, total: 1 });
  });
});

describe("passages that were read as one", () => {
  const alone = ["s1.c1.p1", "s1.c1.p2", "s1.c1.p3"].map((id) => judgement(id, "not_enough_evidence"));
  const as = judgement("s1.c1", "supported", { unit_id: "s1.c1", passage_ids: ["s1.c1.p1", "s1.c1.p2"], flags: ["read_together"] });
  const of = { ...report, judgements: [as, ...alone] };
  const label = (site: number, out: string[]) => columnsOf(of, new Set(out))[site]?.cells.get("s1.c1")?.label;

  it("are counted once, and all of them say what they say together", () => {
    expect(sharesOf(of, new Set()).get("s1.c1")).toEqual({ supporting: 2, total: 3 });
    expect(rescore(of, {}, ["credibility"]).scores[0]).toMatchObject({ value: 2 / 3, n: 3 });
    const categories = categoryShares(of, new Set());
    expect(["news", "blog", "other"].map((name) => categories.get(name as "news")?.supporting)).toEqual([1, 1, 0]);
    expect([0, 1, 2].map((site) => label(site, []))).toEqual(["supported", "supported", "not_enough_evidence"]);
  });

  it("count only together: without one of them the others have only what they say alone", () => {
    for (const [out, fallen] of [[["s1.c1.p1"], true], [["s1.c1.p3"], false]] as const) {
      expect([falls(as, new Set(out)), isExcluded(as, new Set(out))]).toEqual([fallen, fallen]);
    }
    expect(sharesOf(of, new Set(["s1.c1.p1"])).get("s1.c1")).toEqual({ supporting: 0, total: 2 });
    expect([0, 1].map((site) => label(site, ["s1.c1.p1"]))).toEqual(["supported", "not_enough_evidence"]);
    expect(rescore(of, { passages: ["s1.c1.p1"] }).verdicts[0]?.outcome).toBe("undecided");
    expect(rescore(of, {}).verdicts[0]?.outcome).toBe("supported");
  });
});

describe("paragraphsOf", () => {
  it("splits at blank lines and keeps what is between sentences", () => {
    const text = "One.\n\n* Two.";
    const segments = [
      { ...reportOf(["One."]).segments[0]!, span: { start: 0, end: 4 } },
      { ...reportOf(["Two."]).segments[0]!, id: "s2", span: { start: 8, end: 12 } },
    ];
    expect(paragraphsOf(text, segments).map((one) => one.pieces.map((piece) => piece.text))).toEqual([["One."], ["* ", "Two."]]);
  });
});
