import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Check, Choices } from "../src/lib/api";
import { choicesOf } from "../src/state/choices.svelte";

const ID = "a-check";
const NONE: Choices = {
  exclude: { copies: false, passages: [], documents: [], domains: [], categories: [] },
  bands: [0.3, 0.6],
  overrides: [],
  reason: null,
  accepted: [],
};
const stay = (): void => undefined;
const checkWith = (reason: string | null, revision: number): Check =>
  ({ id: ID, revision, choices: { ...NONE, reason } }) as unknown as Check;

/** A server with one check that rejects changes based on another revision. */
class Server {
  constructor(
    public reason: string | null = null,
    public revision = 0,
  ) {}
  changes = 0;
  reachable = true;

  answer = (_: string, init?: RequestInit): Promise<Response> => {
    if (!this.reachable) return Promise.reject(new TypeError("no connection"));
    if (init?.method !== "PUT") return Promise.resolve(Response.json(this.check));
    this.changes += 1;
    if (new Headers(init.headers).get("If-Match") !== `"${this.revision}"`)
      return Promise.resolve(Response.json({ title: "Precondition Failed", status: 412 }, { status: 412 }));
    this.reason = (JSON.parse(init.body as string) as Choices).reason;
    this.revision += 1;
    return Promise.resolve(Response.json(this.check));
  };
  get check(): Check {
    return checkWith(this.reason, this.revision);
  }
}

describe("choices", () => {
  let server: Server;
  beforeEach(() => {
    vi.useFakeTimers();
    server = new Server();
    const stored = new Map<string, string>();
    vi.stubGlobal("fetch", (address: string, init?: RequestInit) => server.answer(address, init));
    vi.stubGlobal("sessionStorage", {
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, value: string) => void stored.set(name, value),
      removeItem: (name: string) => void stored.delete(name),
    });
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  it("survive a reload of the page before the server has them", async () => {
    choicesOf(ID, checkWith(null, 0), stay).setReason("It copies another.");
    vi.clearAllTimers();
    const reloaded = choicesOf(ID, server.check, stay);
    expect(reloaded.reason).toBe("It copies another.");
    await vi.runAllTimersAsync();
    expect([reloaded.saving, server.reason]).toEqual(["saved", "It copies another."]);
    expect(choicesOf(ID, checkWith("later", 2), stay).reason).toBe("later");
  });

  it("are not saved again if they were sent before the page was left", async () => {
    choicesOf(ID, checkWith(null, 0), stay).setReason("It copies another.");
    vi.clearAllTimers();
    server = new Server("It copies another.", 1);
    expect(choicesOf(ID, server.check, stay).saving).toBe("saved");
    await vi.runAllTimersAsync();
    expect(server.changes).toBe(0);
  });

  it("do not conflict with themselves if they reach the server after a reload", async () => {
    choicesOf(ID, checkWith(null, 0), stay).setReason("It copies another.");
    vi.clearAllTimers();
    const reloaded = choicesOf(ID, checkWith(null, 0), stay);
    server = new Server("It copies another.", 1);
    await vi.runAllTimersAsync();
    expect([reloaded.saving, server.changes]).toEqual(["saved", 1]);
    reloaded.setReason("It quotes another.");
    await vi.runAllTimersAsync();
    expect([reloaded.saving, server.reason]).toEqual(["saved", "It quotes another."]);
  });

  it("replace choices that were being sent when the page was left", async () => {
    const before = choicesOf(ID, checkWith(null, 0), stay);
    before.setReason("It copies");
    server.reachable = false;
    await vi.advanceTimersByTimeAsync(1_000);
    before.setReason("It copies another.");
    vi.clearAllTimers();
    server = new Server("It copies", 1);
    const reloaded = choicesOf(ID, server.check, stay);
    await vi.runAllTimersAsync();
    expect([reloaded.saving, server.reason]).toEqual(["saved", "It copies another."]);
  });

  it("are given up if the check was deleted", async () => {
    let gone = 0;
    const choices = choicesOf(ID, server.check, () => (gone += 1));
    vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ title: "Not Found", status: 404 }, { status: 404 })));
    choices.setReason("It copies another.");
    await vi.advanceTimersByTimeAsync(60_000);
    expect([gone, choices.saving]).toEqual([1, "unsaved"]);
    expect(choicesOf(ID, server.check, stay).reason).toBe("");
  });

  it("report a conflict if another tab has changed them meanwhile", async () => {
    choicesOf(ID, checkWith(null, 0), stay).setReason("It copies another.");
    vi.clearAllTimers();
    server = new Server("Another tab's.", 1);
    const reloaded = choicesOf(ID, server.check, stay);
    expect([reloaded.saving, reloaded.reason]).toEqual(["conflict", "It copies another."]);
    await reloaded.settle(false);
    expect([reloaded.saving, reloaded.reason]).toEqual(["saved", "Another tab's."]);
    expect(choicesOf(ID, server.check, stay).saving).toBe("saved");
  });
});
