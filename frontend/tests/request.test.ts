import { describe, expect, it } from "vitest";

import type { Setup } from "../src/lib/api";
import { requestOf, type Settings } from "../src/lib/request";

const SETUP = {
  methods: [
    { name: "builtin", needs_model: false, available: true },
    { name: "standard", needs_model: true, available: true },
  ],
  engines: [],
  budget: { available: true },
  own_evidence: false,
  defaults: { method: "builtin" },
} as unknown as Setup;

const asked = (settings: Partial<Settings>) =>
  requestOf({ tab: "text", text: "It opened in 1931.", question: "", documents: [], contexts: [], settings }, SETUP);

describe("a request", () => {
  it("names the chosen model where something asks it, and not where nothing does", () => {
    const model = "openai/gpt-4.1-mini";
    expect(asked({ method: "standard", model }).model).toBe(model);
    expect(asked({ method: "builtin", search: "wikipedia", model }).model).toBe(model);
    expect(asked({ method: "builtin", model })).not.toHaveProperty("model");
  });

  it("names the language and country of a search only where the web is searched", () => {
    const chosen = { language: "de", region: "DE" };
    expect(asked({ search: "wikipedia", ...chosen })).toMatchObject(chosen);
    expect(Object.keys(asked(chosen))).not.toContain("language");
    expect(Object.keys(asked(chosen))).not.toContain("region");
  });
});
