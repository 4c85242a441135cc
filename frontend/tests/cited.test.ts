import { describe, expect, it } from "vitest";

import { marksOf, shownBy } from "../src/lib/cited";
import type { CitationMark, CitationView, SourceRow } from "../src/lib/schema";

const source = (id: string, state: SourceRow["state"], problems: SourceRow["problems"]): SourceRow => ({
  id, state, problems, label: id, url: null, reason: null, used: 1, supports: 0, judged: 1, entry: null, repaired: null,
});
const cites = (source_id: string, start: number): CitationMark => ({
  id: `k-${source_id}`, source_id, span: { start, end: start + 3 }, outcome: "not_there",
  claim: "It opened in 1931.", quote: null, reason: null, passage: null, quote_span: null,
});
const view: CitationView = {
  headline: "", scores: [], quotations: [], problems: [],
  marks: [cites("b1", 20), cites("b2", 30)],
  sources: [source("b1", "not_fetched", ["not_fetched"]), source("b2", "dead", ["not_there"])],
};

describe("a source that was not fetched", () => {
  it("is not reported as missing, unlike a dead one", () => {
    expect(marksOf(view).map((mark) => mark.kind)).toEqual(["not_fetched", "not_there"]);
    expect(shownBy("missing", view.sources).map((source) => source.id)).toEqual(["b2"]);
    expect(shownBy("problems", view.sources).map((source) => source.id)).toEqual(["b1", "b2"]);
  });
});
