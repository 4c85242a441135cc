import { describe, expect, it } from "vitest";

import { cardsOf, stacked } from "../src/lib/cards";
import { tracked } from "../src/lib/diff";
import { onlyFiles, siteToggled, sourcesOf } from "../src/lib/exclusions";
import { decidingSitesOf, flips } from "../src/lib/flips";
import { stageOfSegment, stagesOf } from "../src/lib/fold";
import { bestMatch, inCommon } from "../src/lib/match";
import { columnsOf } from "../src/lib/matrix";
import { NOTHING_EXCLUDED, type Failure, type Report } from "../src/lib/records";
import { slicer } from "../src/lib/text";
import { troubleOf } from "../src/lib/trouble";
import { claim, document, judgement, passage, reportOf, verdict } from "./records";

const report: Report = reportOf(["The bridge has four arches.", "It was opened in 1931."], {
  claims: [claim("s1.c1", "The bridge has four arches."), claim("s2.c1", "The bridge was opened in 1931.")],
  documents: [document("d1", "https://a.example/1", "news"), document("d2", "https://b.example/2", "blog"), document("d3", "notes.txt")],
  passages: [
    passage("s1.c1.p1", "d1", "It has four arches."),
    passage("s1.c1.p2", "d2", "It has four arches.", { rank: 2, copy_of: "s1.c1.p1" }),
    passage("s2.c1.p1", "d1", "It was opened in 1931."),
    passage("s2.c1.p2", "d3", "Nothing is known.", { rank: 2 }),
  ],
  judgements: [
    judgement("s1.c1.p1", "supported", { confidence: 0.9 }),
    judgement("s1.c1.p2", "supported", { confidence: 0.8 }),
    judgement("s2.c1.p1", "supported", { confidence: 0.9 }),
    judgement("s2.c1.p2", "not_enough_evidence"),
  ],
});

describe("flips", () => {
  it("names the site without which a verdict changes, and the new verdict", () => {
    expect(flips(report, new Set())).toEqual([
      { site: { name: "a.example", host: "a.example" }, claims: [{ id: "s2.c1", from: "supported", to: "undecided" }] },
    ]);
  });

  it("takes existing exclusions into account", () => {
    const flipped = flips(report, new Set(["s1.c1.p2"]));
    expect(flipped[0]?.claims.map((claim) => [claim.id, claim.to])).toEqual([["s1.c1", "excluded"], ["s2.c1", "undecided"]]);
    expect(decidingSitesOf([...flipped, { ...flipped[0]!, site: { name: "b", host: null } }]).get("s2.c1")).toEqual(["a.example", "b"]);
  });
});

describe("flips of an undecided verdict", () => {
  it("do not exist, because it is not based on any source", () => {
    const open = reportOf(["It was opened in 1931."], {
      claims: [claim("s1.c1", "The bridge was opened in 1931.")],
      documents: [document("d1", "https://a.example/1", "news"), document("d2", "https://b.example/2", "blog")],
      passages: [passage("s1.c1.p1", "d1", "Nothing is known."), passage("s1.c1.p2", "d2", "It is old.", { rank: 2 })],
      judgements: [judgement("s1.c1.p1", "not_enough_evidence"), judgement("s1.c1.p2", "irrelevant")],
    });
    expect(flips(open, new Set())).toEqual([]);
  });
});

describe("columnsOf", () => {
  it("gives one column for each site, most used first, with the most informative label of each claim", () => {
    const columns = columnsOf(report, new Set());
    expect(columns.map((column) => [column.site.name, [...column.cells.keys()]])).toEqual([
      ["a.example", ["s1.c1", "s2.c1"]],
      ["b.example", ["s1.c1"]],
      ["notes.txt", ["s2.c1"]],
    ]);
    expect(columns[2]?.cells.get("s2.c1")?.label).toBe("not_enough_evidence");
  });
});

describe("onlyFiles", () => {
  it("distinguishes the user's files from web pages without a category", () => {
    const reportWith = (...urls: string[]): Report =>
      reportOf(["One."], {
        documents: urls.map((url, i) => document(`d${i}`, url)),
        passages: urls.map((_, i) => passage(`s1.c1.p${i}`, `d${i}`, "One.")),
      });
    expect(onlyFiles(sourcesOf(reportWith("notes.txt", "table.csv#row-1")))).toBe(true);
    expect(onlyFiles(sourcesOf(reportWith("notes.txt", "https://a.example/1")))).toBe(false);
    expect(onlyFiles(sourcesOf(report))).toBe(true);
    expect(onlyFiles([])).toBe(false);
  });
});

describe("siteToggled", () => {
  it("excludes a site by its host and a file by its document, and includes them again", () => {
    const web = siteToggled(report, NOTHING_EXCLUDED, { name: "a.example", host: "a.example" });
    expect(web.domains).toEqual(["a.example"]);
    const file = siteToggled(report, web, { name: "notes.txt", host: null });
    expect(file.documents).toEqual(["d3"]);
    expect(siteToggled(report, file, { name: "notes.txt", host: null }).documents).toEqual([]);
  });
});

describe("stacked", () => {
  it("stacks copies under the first with the same label", () => {
    const stacks = stacked(cardsOf(report).get("s1.c1") ?? []);
    expect(stacks.map(({ card, copies }) => [card.passage?.id, copies.map((copy) => copy.passage?.id)])).toEqual([["s1.c1.p1", ["s1.c1.p2"]]]);
  });

  it("stacks overlapping passages with the same quote from the same source", () => {
    const text = "It rained in May.";
    const quoted = (id: string, start: number) => judgement(id, "supported", { quote: { passage_id: id, text, span: { start, end: start + text.length } } as never });
    const overlapping = reportOf([text], {
      claims: [claim("s1.c1")],
      documents: [document("d1"), document("d2")],
      passages: [passage("s1.c1.p1", "d1", `${text} Snow fell.`), passage("s1.c1.p2", "d1", `April was dry. ${text}`), passage("s1.c1.p3", "d2", text)],
      judgements: [quoted("s1.c1.p1", 0), quoted("s1.c1.p2", 15), quoted("s1.c1.p3", 0)],
    });
    const stacks = stacked(cardsOf(overlapping).get("s1.c1") ?? []);
    expect(stacks.map(({ card, copies }) => [card.passage?.id, copies.map((copy) => copy.passage?.id)])).toEqual([
      ["s1.c1.p1", ["s1.c1.p2"]],
      ["s1.c1.p3", []],
    ]);
  });
});

describe("bestMatch", () => {
  it("finds the sentence with most of the claim's words, with offsets in code points", () => {
    const text = "🌉 A bridge stands here. The Marlow bridge was opened in 1931 by a crowd. It is old.";
    const span = bestMatch(text, "The Marlow bridge was opened in 1931.");
    expect(span && slicer(text)(span.start, span.end)).toBe("The Marlow bridge was opened in 1931 by a crowd.");
  });

  it("finds none if only short words are shared", () => {
    expect(bestMatch("It is on the way.", "The bridge is on it.")).toBeNull();
  });

  it("marks the words in common", () => {
    expect(inCommon("opened in 1931", "It was opened in 1931.").filter((piece) => piece.shared).map((piece) => piece.text)).toEqual(["opened", "1931"]);
  });
});

describe("tracked", () => {
  it("lists deletions and insertions from which both texts can be restored", () => {
    const [before, after] = ["It has six arches and one lamp.", "It has four arches and a lamp."];
    const pieces = tracked(before, after);
    const text = (kind: string): string => pieces.filter((piece) => piece.kind !== kind).map((piece) => piece.text).join("");
    expect([text("inserted"), text("deleted")]).toEqual([before, after]);
    expect(pieces.filter((piece) => piece.kind !== "same").map((piece) => piece.text)).toEqual(["six", "four", "one", "a"]);
  });
});

describe("troubleOf", () => {
  const failure = (unit_id: string, about: string | null, message: string): Failure =>
    ({ type: "failure", unit_id, stage: "evidence", boundary: about ? "fetch" : "search", message, about }) as Failure;

  it("distinguishes failed searches and pages from finding nothing", () => {
    const failures = [failure("s1.c1", null, "HTTP 503"), failure("s2.c1", null, "HTTP 503"), failure("s1.c1", "https://a.example/1", "gone")];
    const trouble = troubleOf(reportOf(["One."], { failures }), []);
    expect(trouble.searches).toEqual([["HTTP 503", 2]]);
    expect(trouble.pages).toEqual([{ address: "https://a.example/1", message: "gone" }]);
    expect(trouble.blind).toBe(true);
    expect(troubleOf({ ...report, failures }, []).blind).toBe(false);
  });

  it("distinguishes claims that no verifier can read from failed ones", () => {
    const foreign = reportOf(["Eins.", "Zwei."], { judgements: [judgement("s1.c1.p1", "not_enough_evidence", { flags: ["other_language"] })] });
    const trouble = troubleOf(foreign, [verdict("s1.c1", "failed"), verdict("s2.c1", "failed")]);
    expect([...trouble.language]).toEqual(["s1.c1"]);
  });

  it("reports why several claims failed, once, and ignores claims that were judged in the end", () => {
    const down = (unit_id: string): Failure => ({ ...failure(unit_id, null, "HTTP 503"), stage: "judging", boundary: "model" });
    const failures = [down("s1.c1"), down("s2.c1"), down("s3.c1"), { ...down("s2.c1"), message: "HTTP 400" }];
    const failing = reportOf(["One.", "Two.", "Three."], { failures });
    const trouble = troubleOf(failing, [verdict("s1.c1", "failed"), verdict("s2.c1", "failed"), verdict("s3.c1", "supported")]);
    expect(trouble.claims).toEqual([[failures[0], 2]]);
  });
});

describe("stages", () => {
  it("count the pages read of those found, and give a sentence the progress of its most advanced claim", () => {
    const hit = (n: number, url: string) => ({ type: "hit", id: `s1.c1.q1.h${n}`, query_id: "s1.c1.q1", rank: n, url }) as never;
    const running = reportOf(["One."], {
      claims: [claim("s1.c1"), claim("s1.c2")],
      queries: [{ type: "query", id: "s1.c1.q1", claim_id: "s1.c1" } as never],
      hits: [hit(1, "https://a.example/1"), hit(2, "https://b.example/2"), hit(3, "https://c.example/3")],
      documents: [document("d1", "https://a.example/1")],
    });
    const stages = stagesOf(running);
    expect(stages.get("s1.c1")).toEqual({ name: "pages", n: 1, of: 3 });
    expect(stages.get("s1.c2")).toEqual({ name: "queued" });
    expect(stageOfSegment([...stages.values()])).toEqual({ name: "pages", n: 1, of: 3 });
    expect(stageOfSegment([{ name: "done" }])).toBeNull();
  });
});
