import { describe, expect, it } from "vitest";

import { secondsLeft } from "../src/lib/pace";

describe("the time left", () => {
  it("follows the pace since the page began to watch", () => {
    expect(secondsLeft({ since: 1_000, judged: 0 }, 11_000, 5, 15)).toBe(20);
    expect(secondsLeft({ since: 1_000, judged: 10 }, 11_000, 12, 15)).toBe(15);
  });

  it("is null before the pace is known and when everything is done", () => {
    expect(secondsLeft({ since: 0, judged: 0 }, 60_000, 0, 5)).toBeNull();
    expect(secondsLeft({ since: 0, judged: 0 }, 2_000, 1, 5)).toBeNull();
    expect(secondsLeft({ since: 0, judged: 0 }, 60_000, 5, 5)).toBeNull();
  });
});
