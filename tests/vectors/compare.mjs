// Holds the page's rescoring to the kept vectors, and times it on a report with 500 passages.
//
//     node compare.mjs BUNDLE VECTORS
//
// Prints {states, different: [{line, where, got, wanted}], milliseconds} as JSON.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";

const [bundle, vectors] = process.argv.slice(2);
const { rescore } = await import(pathToFileURL(bundle).href);

/** The first place at which two values differ, or null. Numbers must be the same to the bit. */
function difference(got, wanted, where = "") {
  if (got === null || wanted === null || typeof got !== "object" || typeof wanted !== "object") {
    return got === wanted ? null : { where, got, wanted };
  }
  const names = Array.isArray(wanted) === Array.isArray(got) ? [Object.keys(got), Object.keys(wanted)] : [["list"], []];
  if (JSON.stringify(names[0]) !== JSON.stringify(names[1])) return { where, got: names[0], wanted: names[1] };
  for (const name of names[1]) {
    const found = difference(got[name], wanted[name], `${where}.${name}`);
    if (found) return found;
  }
  return null;
}

function large() {
  const claims = Array.from({ length: 100 }, (_, n) => ({ id: `s${n + 1}.c1`, segment_id: `s${n + 1}`, kind: "fact" }));
  const documents = Array.from({ length: 60 }, (_, n) => ({ id: `d-${n}`, url: `https://www.site${n % 9}.example/${n}` }));
  const passages = claims.flatMap((claim, n) =>
    [1, 2, 3, 4, 5].map((k) => ({ id: `${claim.id}.p${k}`, document_id: `d-${(n * 5 + k) % 60}` })),
  );
  const judgements = passages.map((passage, n) => ({
    id: `${passage.id}.j1`,
    unit_id: passage.id.slice(0, passage.id.lastIndexOf(".")),
    passage_ids: [passage.id],
    judge: "lab-1",
    label: ["supported", "contradicted", "irrelevant"][n % 3],
    confidence: (n % 21) / 20,
  }));
  const segments = claims.map((claim) => ({ id: claim.segment_id }));
  const scores = ["factual_precision", "hallucination(alpha=0.5)", "credibility", "factscore(gamma=123)", "f1_at_k"];
  const method = { name: "large", roll_up: { unit: "strongest", margin: 0.1 }, scores };
  return { factscope: "1", response: { id: "r1" }, method, claims, documents, passages, judgements, segments };
}

const lines = gunzipSync(readFileSync(vectors)).toString("utf8").trimEnd().split("\n");
const different = lines.flatMap((line, n) => {
  const { state, rescored } = JSON.parse(line);
  const found = difference(rescore(state.report, state.exclude, state.measures), rescored);
  return found ? [{ line: n + 1, ...found }] : [];
});

const report = large();
const times = Array.from({ length: 21 }, (_, n) => {
  const exclude = { passages: [`s${n + 1}.c1.p1`], domains: [`site${n % 9}.example`], copies: true };
  const before = performance.now();
  rescore(report, exclude);
  return performance.now() - before;
});
const [first, ...rest] = times;
const milliseconds = { first, median: rest.sort((a, b) => a - b)[10] };
console.log(JSON.stringify({ states: lines.length, different: different.slice(0, 10), milliseconds }));
