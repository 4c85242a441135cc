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

const requestWith = (settings: Partial<Settings>) =>
  requestOf({ tab: "text", text: "It opened in 1931.", question: "", documents: [], contexts: [], settings }, SETUP);

describe("a request", () => {
  it("names the chosen model only if something uses it", () => {
    const model = "openai/gpt-4.1-mini";
    expect(requestWith({ method: "standard", model }).model).toBe(model);
    expect(requestWith({ method: "builtin", search: "wikipedia", model }).model).toBe(model);
    expect(requestWith({ method: "builtin", model })).not.toHaveProperty("model");
  });

  it("names the language and country of a search only if the web is searched", () => {
    const chosen = { language: "de", region: "DE" };
    expect(requestWith({ search: "wikipedia", ...chosen })).toMatchObject(chosen);
    expect(Object.keys(requestWith(chosen))).not.toContain("language");
    expect(Object.keys(requestWith(chosen))).not.toContain("region");
  });
});
