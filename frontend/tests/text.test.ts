import { describe, expect, it } from "vitest";

import { changedWords } from "../src/lib/diff";
import { atQuote, webAddress, webHost } from "../src/lib/links";
import { bare, clip, codePoints, direction, inert, isTable, slicer, withoutMarkdown } from "../src/lib/text";

describe("offsets", () => {
  it("are in code points, not UTF-16 units", () => {
    expect(slicer("a🌉bc")(1, 3)).toBe("🌉b");
    expect(slicer("abc")(1, 2)).toBe("b");
    expect(codePoints("a🌉b")).toBe(3);
  });
});

describe("external text", () => {
  it("shows control characters as visible characters", () => {
    expect(inert("a\u0007b\u202ec\u007f")).toBe("a\u2407b[U+202E]c\u2421");
    expect(inert("a\r\nb\u2028c")).toBe("a\nb\nc");
  });

  it("is a table if each line has cells", () => {
    expect(isTable("| Island | Area |\n|---|---|\n| Corra | 84 |")).toBe(true);
    expect(isTable("Net profit\t188\t193\nTotal income\t528\t516")).toBe(true);
    expect(isTable("Rent       980 euros\nHeating    190 euros")).toBe(true);
    expect(isTable("| Corra | 84 |")).toBe(false);
    expect(isTable("The bridge has\nfour arches.")).toBe(false);
  });

  it("is clipped after a whole word", () => {
    expect(clip("The bridge has four arches.", 20)).toBe("The bridge has…");
    expect(clip("short", 20)).toBe("short");
  });

  it("has the direction of its first letter", () => {
    expect(direction("1931 افتتح")).toBe("rtl");
    expect(direction("(Arches) افتتح")).toBe("ltr");
    expect(direction("1931")).toBe("ltr");
  });

  it("is shown without Markdown marks", () => {
    expect(withoutMarkdown("## The harbour\n**Come** for # 1 of 2 ** 3.")).toBe("The harbour\nCome for # 1 of 2 ** 3.");
  });

  it("is compared by its words only", () => {
    expect(bare("It has  FOUR arches!")).toBe(bare("it has four arches"));
  });
});

describe("links", () => {
  it("lead only to http and https addresses", () => {
    expect(webAddress("https://a.example/x")).toBe("https://a.example/x");
    for (const url of ["javascript:alert(1)", "data:text/html,x", "https://", "https://a.example/\nb", "ftp://a.example/", null]) expect(webAddress(url)).toBeNull();
  });

  it("have a host name without a final dot", () => {
    expect(webHost("https://WWW.A.example./x")).toBe("www.a.example");
    expect(webHost("/home/me/a.txt")).toBeNull();
  });

  it("point at the quote, or at both ends of a long quote", () => {
    expect(atQuote("https://a.example/x#top", "four arches, well-made")).toBe("https://a.example/x#top:~:text=four%20arches%2C%20well%2Dmade");
    expect(atQuote("https://a.example/x", "a b c d e f g h i j k l")).toBe("https://a.example/x#:~:text=a%20b%20c%20d%20e,h%20i%20j%20k%20l");
    expect(atQuote("https://a.example/x", null)).toBe("https://a.example/x");
  });
});

describe("changedWords", () => {
  it("marks new words", () => {
    expect(changedWords("It has four arches.", "The bridge has four arches.")).toEqual([
      { text: "The bridge ", fresh: true },
      { text: "has four arches.", fresh: false },
    ]);
  });

  it("marks nothing if less than half is the same", () => {
    expect(changedWords("It rained.", "The bridge has four arches.")).toEqual([{ text: "The bridge has four arches.", fresh: false }]);
  });
});
