// Compares the page's rescoring and states with Python's, for the 1,000 reports of tests/vectors.

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";

import { segmentState, statesOf } from "../src/lib/states";
import type { Outcome, Report } from "../src/lib/records";
import { rescore, type Exclusions, type Rescored, type Scorable } from "../src/rescore";

interface Vector {
  state: { report: Scorable; exclude: Exclusions | null; measures: string[] | null };
  rescored: Rescored & { states: Record<string, string> };
}

const file = new URL("../../tests/vectors/rescore.jsonl.gz", import.meta.url);
const vectors = gunzipSync(readFileSync(file)).toString("utf8").trimEnd().split("\n").map((line) => JSON.parse(line) as Vector);

describe("rescore", () => {
  it("equals Python's results, with numbers to the bit and keys in the same order", () => {
    expect(vectors).toHaveLength(1_000);
    for (const [number, { state, rescored }] of vectors.entries()) {
      const { states, ...expected } = rescored;
      const actual = rescore(state.report, state.exclude, state.measures);
      // JSON keeps every bit of a number and the order of keys.
      expect(JSON.stringify(actual), `vector ${number + 1}`).toBe(JSON.stringify(expected));
      const { segments, claims } = state.report as unknown as Report;
      const shown = statesOf(segments, claims, actual.verdicts as unknown as Report["verdicts"]);
      expect(Object.fromEntries(shown), `vector ${number + 1}`).toEqual(states);
    }
  });

  it("gives every combination of outcomes the same state as Python", () => {
    const rows = JSON.parse(readFileSync(new URL("segment_states.json", file), "utf8")) as [Outcome | null, Outcome[], string][];
    for (const [verdict, claims, state] of rows) expect(segmentState(verdict ?? undefined, claims), claims.join()).toBe(state);
    expect(rows).toHaveLength(360);
  });

  it("throws for an unknown measure", () => {
    expect(() => rescore(vectors[0]!.state.report, null, ["no_such_measure"])).toThrow(RangeError);
  });
});
