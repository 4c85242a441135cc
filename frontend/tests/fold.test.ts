import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { clearForResume, fold, growing, stagesOf, type RecordEvent } from "../src/lib/fold";
import { claim, judgement, passage, reportOf, verdict } from "./records";

const failure = (unit_id: string): RecordEvent =>
  ({ type: "failure", unit_id, stage: "judging", about: null, boundary: "model", message: "no reply" }) as RecordEvent;

describe("fold", () => {
  it("adds records in order and replaces a repeated one in place", () => {
    const state = growing(reportOf(["One.", "Two."]));
    fold(state, [claim("s1.c1"), claim("s2.c1"), verdict("s1.c1", "undecided")]);
    fold(state, [verdict("s1.c1", "supported"), verdict("s1", "supported")]);
    expect(state.report.claims.map((claim) => claim.id)).toEqual(["s1.c1", "s2.c1"]);
    expect(state.report.verdicts.map((verdict) => [verdict.unit_id, verdict.outcome])).toEqual([
      ["s1.c1", "supported"],
      ["s1", "supported"],
    ]);
  });

  it("copies changed lists and leaves others alone", () => {
    const state = growing(reportOf(["One."]));
    const { segments, claims } = state.report;
    fold(state, [claim("s1.c1")]);
    expect(state.report.segments).toBe(segments);
    expect(state.report.claims).not.toBe(claims);
  });

  it("drops the evidence of a restarted claim, but not its verdict or the evidence of other claims", () => {
    const state = growing(reportOf(["One.", "Two."]));
    const records = ["s1.c1", "s2.c1"].flatMap((id) => [claim(id), passage(`${id}.p1`, "d1"), judgement(`${id}.p1`, "supported"), verdict(id, "supported")]);
    fold(state, records);
    fold(state, [claim("s1.c1", "Other words.")]);
    expect(state.report.passages.map((passage) => passage.id)).toEqual(["s2.c1.p1"]);
    expect(state.report.judgements.map((judgement) => judgement.unit_id)).toEqual(["s2.c1"]);
    expect(state.report.verdicts.map((verdict) => verdict.unit_id)).toEqual(["s1.c1", "s2.c1"]);
    expect(state.report.claims[0]?.text).toBe("Other words.");
  });

  it("ignores records of unknown types", () => {
    const state = growing(reportOf(["One."]));
    fold(state, [{ type: "comet", id: "x" } as unknown as RecordEvent]);
    expect(state.report).toEqual(reportOf(["One."]));
  });
});

describe("clearForResume", () => {
  it("keeps only the records of claims", () => {
    const state = growing(reportOf(["One."]));
    fold(state, [claim("s1.c1"), verdict("s1.c1", "supported"), verdict("s1", "supported"), failure("s1.c1"), failure("s1")]);
    clearForResume(state);
    expect(state.report.verdicts.map((verdict) => verdict.unit_id)).toEqual(["s1.c1"]);
    expect(state.report.failures.map((failure) => failure.unit_id)).toEqual(["s1.c1"]);
  });
});

describe("several attempts", () => {
  it("keeps the same records as Python", () => {
    const file = new URL("../../tests/vectors/attempts.json", import.meta.url);
    const rows = JSON.parse(readFileSync(file, "utf8")) as { log: (RecordEvent & { state?: string })[]; stands: [string, string][] }[];
    for (const [number, { log, stands }] of rows.entries()) {
      const state = growing(reportOf([]));
      for (const entry of log) {
        if (entry.state === "running") clearForResume(state);
        else fold(state, [entry]);
      }
      const remaining = [...state.positions.keys()].map((key) => key.split(" ").map((word) => word.replace(/\.$/, "")));
      expect(remaining.sort(), `log ${number + 1}`).toEqual(stands);
    }
    expect(rows).toHaveLength(5);
  });
});

describe("stagesOf", () => {
  it("gives the progress of each claim", () => {
    const ids = ["s1.c1", "s1.c2", "s1.c3", "s1.c4", "s1.c5", "s1.c6", "s1.c7"];
    const claims = ids.map((id) => claim(id));
    claims[5] = { ...claims[5]!, skipped: "an opinion" };
    const report = reportOf(["One."], {
      claims,
      queries: [{ type: "query", id: "s1.c2.q1", claim_id: "s1.c2" } as never],
      passages: [passage("s1.c3.p1", "d1"), passage("s1.c3.p2", "d1"), passage("s1.c4.p1", "d1"), passage("s1.c4.p2", "d1")],
      judgements: [judgement("s1.c4.p1", "supported")],
      verdicts: [verdict("s1.c5", "supported")],
      failures: [failure("s1.c7") as never],
    });
    expect([...stagesOf(report).values()]).toEqual([
      { name: "queued" },
      { name: "queries" },
      { name: "reading", n: 2, of: 2 },
      { name: "judging", n: 1, of: 2 },
      { name: "done" },
      { name: "skipped" },
      { name: "failed" },
    ]);
  });
});
