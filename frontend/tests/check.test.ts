import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Check } from "../src/lib/api";
import { openCheck, type CheckStore } from "../src/state/check.svelte";

const ID = "a-check";

/** An event stream whose events the test sends. */
class Stream extends EventTarget {
  static readonly all: Stream[] = [];
  closed = false;
  constructor(readonly address: string) {
    super();
    Stream.all.push(this);
  }
  send(type: string, data: unknown, id = ""): void {
    if (!this.closed) this.dispatchEvent(new MessageEvent(type, { data: JSON.stringify(data), lastEventId: id }));
  }
  close(): void {
    this.closed = true;
  }
}

/** A server that can cut short its next replies to requests for the check, or not reply at all. */
class Server {
  state: Check["state"] = "running";
  unreachable = 0;
  broken = 0;

  answer = (_: string, init?: RequestInit): Promise<Response> => {
    if (init?.method === "POST") return Promise.resolve(Response.json({ id: ID }));
    if (this.unreachable > 0) {
      this.unreachable -= 1;
      return Promise.reject(new TypeError("no connection"));
    }
    if (this.broken > 0) {
      this.broken -= 1;
      return Promise.resolve(new Response('{"id": '));
    }
    const check = { id: ID, revision: 0, state: this.state, last_event: 3, choices: {}, request: { text: "It has six arches." }, report: null };
    return Promise.resolve(Response.json(check));
  };
}

describe("a watched check", () => {
  let server: Server;
  let store: CheckStore;
  const stream = (): Stream => Stream.all.at(-1) as Stream;
  const advance = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

  beforeEach(async () => {
    vi.useFakeTimers();
    Stream.all.length = 0;
    server = new Server();
    vi.stubGlobal("fetch", (address: string, init?: RequestInit) => server.answer(address, init));
    vi.stubGlobal("EventSource", Stream);
    vi.stubGlobal("sessionStorage", { getItem: () => null, setItem: () => undefined, removeItem: () => undefined });
    store = openCheck(ID);
    await advance(0);
    expect(store.live).toBe(true);
  });
  afterEach(() => {
    store.close();
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  it.each(["unreachable", "broken"] as const)("is shown as stopped even if the server was %s when the end was reported", async (fault) => {
    server.state = "stopped";
    server[fault] = 2;
    stream().send("state", { state: "stopped" }, "4");
    stream().send("end", { state: "stopped" });
    await advance(0);
    expect(store.live).toBe(true);
    expect(store.connected).toBe(false);
    await advance(60_000);
    expect(store.live).toBe(false);
    expect(store.connected).toBe(true);
  });

  it("is requested again if it could not be loaded after being stopped", async () => {
    server.state = "stopped";
    server.unreachable = 1;
    await store.stop();
    await advance(60_000);
    expect(store.live).toBe(false);
  });

  it("is watched again if it was resumed before its end was shown", async () => {
    stream().send("end", { state: "stopped" });
    await advance(0);
    expect(Stream.all.length).toBe(2);
    server.state = "done";
    stream().send("end", { state: "done" });
    await advance(0);
    expect(store.live).toBe(false);
  });

  it("is not requested again after it was deleted", async () => {
    let requests = 0;
    server.answer = () => {
      requests += 1;
      return Promise.resolve(Response.json({ title: "Not Found", status: 404 }, { status: 404 }));
    };
    stream().send("end", { state: "deleted" });
    await advance(60_000);
    expect(requests).toBe(1);
  });

  it("is shown as gone and no longer watched if it was deleted while the connection was lost", async () => {
    server.answer = () => Promise.resolve(Response.json({ title: "Not Found", status: 404 }, { status: 404 }));
    (stream() as unknown as EventSource).onerror?.(new Event("error"));
    await advance(60_000);
    expect(Stream.all.length).toBe(1);
    expect(store.check).toBe(null);
    expect(store.problem?.status).toBe(404);
  });

  it("is not requested again if the server requires a token, because each request counts as a guess", async () => {
    let requests = 0;
    server.answer = () => {
      requests += 1;
      return Promise.resolve(Response.json({ title: "Unauthorized", status: 401 }, { status: 401 }));
    };
    stream().send("end", { state: "done" });
    await advance(60_000);
    expect(requests).toBe(1);
    expect(store.connected).toBe(false);
  });
});
