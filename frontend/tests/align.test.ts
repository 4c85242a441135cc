import { describe, expect, it } from "vitest";

import { aligned, differing, moves } from "../src/lib/align";
import { reportOf, verdict } from "./records";

const rows = (first: string[], second: string[]): [string | undefined, string | undefined, boolean][] =>
  aligned(reportOf(first), reportOf(second)).map((row) => [row.first?.segment.text, row.second?.segment.text, row.same]);

describe("aligned", () => {
  it("pairs equal sentences regardless of case and white space", () => {
    expect(rows(["It has four arches."], ["it has  four ARCHES."])).toEqual([["It has four arches.", "it has  four ARCHES.", true]]);
  });

  it("pairs a reworded sentence with its replacement", () => {
    expect(rows(["A bridge.", "It has four arches.", "The end."], ["A bridge.", "It has six arches.", "The end."])[1]).toEqual([
      "It has four arches.",
      "It has six arches.",
      false,
    ]);
  });

  it("gives added and removed sentences a row of their own", () => {
    expect(rows(["One stays here.", "Two goes."], ["Zero comes first.", "One stays here."])).toEqual([
      [undefined, "Zero comes first.", false],
      ["One stays here.", "One stays here.", true],
      ["Two goes.", undefined, false],
    ]);
  });

  it("keeps the other pairs when a sentence moves", () => {
    const pairs = rows(["A a.", "B b.", "C c.", "D d."], ["B b.", "C c.", "D d.", "A a."]);
    expect(pairs.filter(([, , same]) => same).map(([text]) => text)).toEqual(["B b.", "C c.", "D d."]);
  });

  it("marks rows whose verdict changed", () => {
    const first = reportOf(["One."], { verdicts: [verdict("s1", "supported")] });
    const second = reportOf(["One."], { verdicts: [verdict("s1", "contradicted")] });
    const changes = aligned(first, second);
    expect(changes.map((row) => row.changed)).toEqual([true]);
    expect(moves(changes).get("supported")?.get("contradicted")).toBe(1);
  });
});

describe("differing", () => {
  it("lists each differing setting, nested ones by their path", () => {
    const first = reportOf([], { method: { name: "a", judge: { samples: 1 } } });
    const second = reportOf([], { method: { name: "a", judge: { samples: 3 } } });
    expect(differing(first, second)).toEqual([["method.judge.samples", "1", "3"]]);
  });
});
