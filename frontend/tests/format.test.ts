import { beforeAll, describe, expect, it } from "vitest";

import { coverageLine, headline, scoreName } from "../src/lib/headline";
import { de } from "../src/strings/de";
import { en } from "../src/strings/en";
import { day, decimals, money, percent, size, wholePercent } from "../src/state/words.svelte";

beforeAll(() => {
  Object.defineProperty(globalThis, "navigator", { value: { languages: ["en-GB"] }, configurable: true });
});

describe("numbers", () => {
  it("never round shares between 0 and 1 to either", () => {
    expect([decimals(0), decimals(0.0001), decimals(0.9999), decimals(1)]).toEqual(["0.00", "0.01", "0.99", "1.00"]);
    expect([percent(0.9999), percent(1), wholePercent(0.95)]).toEqual(["99.9%", "100%", "95%"]);
  });

  it("show more digits of small amounts", () => {
    expect([money(0.0042), money(0.5), money(12)]).toEqual(["0.0042", "0.50", "12.00"]);
  });

  it("show sizes in the plural", () => {
    expect([size(37), size(2_500), size(10_000_000)]).toEqual(["37 bytes", "2.5 kB", "10 MB"]);
  });

  it("show the same date in every time zone, and other text unchanged", () => {
    expect([day("2026-05-01"), day("spring"), day(null)]).toEqual(["1 May 2026", "spring", ""]);
  });
});

describe("headline", () => {
  it("counts failures first", () => {
    expect(headline({ failed: 4, undecided: 1 })).toBe("4 of 5 claims could not be checked; the evidence contradicts 0 and supports 0.");
    expect(headline({ failed: 1 })).toBe("The claim could not be checked.");
    expect(coverageLine({ failed: 4, undecided: 1, not_checkable: 3 })).toBe("1 of 5 claims judged, 4 failed");
  });

  it("counts claims that no judge could read as not checked", () => {
    expect(headline({ not_checkable: 2 }, false, 2)).toBe("None of the 2 claims could be checked.");
    expect(headline({ supported: 1, not_checkable: 3 }, false, 2)).toBe("2 of 3 claims could not be checked; the evidence contradicts 0 and supports 1.");
    expect(coverageLine({ supported: 1, not_checkable: 3 }, 2)).toBe("1 of 3 claims judged");
  });

  it("distinguishes claims with excluded evidence from a text without claims", () => {
    expect(headline({ excluded: 9, not_checkable: 1 })).toBe("All 9 claims rest on excluded evidence.");
    expect(headline({ excluded: 1 })).toBe("The one claim rests on excluded evidence.");
    expect(coverageLine({ excluded: 9 })).toBe("9 of 9 excluded");
    expect(coverageLine({ supported: 6, excluded: 3 })).toBe("6 of 6 claims judged, 3 of 9 excluded");
  });

  it("says that a text could not be checked if it could not be split into sentences", () => {
    expect(headline({})).toBe("This text could not be checked.");
    const zero = { supported: 0, contradicted: 0, undecided: 0, no_evidence: 0, not_checkable: 0, excluded: 0, failed: 0 };
    expect(headline(zero)).toBe("This text could not be checked.");
    expect(headline(zero, true)).toBe("This text could not be checked.");
  });

  it("states the result in full sentences", () => {
    expect(headline({ supported: 2 })).toBe("The evidence supports all 2 claims.");
    expect(headline({ contradicted: 1 })).toBe("The evidence contradicts the one claim.");
    expect(headline({ contradicted: 1, supported: 3 })).toBe("The evidence contradicts 1 of 4 claims and supports 3.");
    expect(headline({ undecided: 1 })).toBe("Nothing found that supports or contradicts the one claim.");
    expect(headline({ not_checkable: 1 })).toBe("This text contains no checkable claim.");
  });
});

describe("counts", () => {
  it("agree with the verb in number", () => {
    const { share } = en.panel;
    expect([share(0, 1), share(1, 8), share(0, 8), share(2, 8)]).toEqual([
      "0 of 1 passage supports it",
      "1 of 8 passages supports it",
      "0 of 8 passages support it",
      "2 of 8 passages support it",
    ]);
    expect([en.score.claims(1, 4), en.score.claims(0, 4)]).toEqual(["1 of 4 judged claims is supported", "0 of 4 judged claims are supported"]);
    expect([en.answers(1, 3), en.answers(2, 3)]).toEqual(["1 of 3 judges finds that it answers the request", "2 of 3 judges find that it answers the request"]);
    expect([de.panel.agree(2, 2), de.panel.agree(3, 3)]).toEqual(["Beide Prüfer sind einig", "Alle 3 Prüfer sind einig"]);
  });

  it("of zero are given in words", () => {
    expect(headline({ contradicted: 2, undecided: 2 })).toBe("The evidence contradicts 2 of 4 claims and supports none.");
  });
});

describe("a score's name", () => {
  it("comes with an explanation if it is not obvious", () => {
    expect(scoreName("factual_precision")).toEqual({ title: "Claims supported", about: null });
    expect(scoreName("hallucination(alpha=0.5)").title).toBe("Hallucination score (alpha=0.5)");
    expect(scoreName("hallucination(alpha=0.5)").about).toContain("Lower is better");
    expect(scoreName("mean_rank")).toEqual({ title: "Mean rank", about: null });
  });
});
