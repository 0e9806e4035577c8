import { afterEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "./call";
import { follow, randomKey, type ReplyEvent, retryDelay, sendMessage } from "./reply";

interface Refusal {
  status: number;
  error: number;
  headers?: Record<string, string>;
}

/** Stubs fetch with a list of responses: SSE text, an error envelope or a network failure. */
function server(...responses: (string | Refusal)[]) {
  const requests: { url: string; headers: Headers }[] = [];
  vi.stubGlobal("fetch", (url: string, options: RequestInit) => {
    requests.push({ url, headers: new Headers(options.headers) });
    const next = responses.shift() ?? "offline";
    if (next === "offline") return Promise.reject(new TypeError("network"));
    if (typeof next === "string") return Promise.resolve(new Response(next));
    return Promise.resolve(new Response(JSON.stringify({ error: next.error, message: "no" }), next));
  });
  return requests;
}

const event = (id: string, name: string, data: unknown) =>
  `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const start = event("1.0.0", "start", { user_message_id: "q", message_id: "r" });
const done = event("1.0.2", "done", { user_message_id: "q", ai_response: { id: "r", content: "ab", timestamp: 1 } });
const never = new AbortController().signal;

afterEach(() => vi.unstubAllGlobals());

describe("sendMessage", () => {
  it("resumes after the last event if the connection is lost", async () => {
    const first = event("1.0.1", "delta", { text: "a" });
    const second = event("1.0.2", "delta", { text: "b" });
    const requests = server(start + first, "offline", second + done);
    const seen: ReplyEvent[] = [];
    await sendMessage({ session_id: "s", content: "?" }, (received) => seen.push(received), never);
    expect(seen.map(({ name }) => name)).toEqual(["start", "delta", "delta", "done"]);
    expect(requests.map(({ url }) => url)).toEqual(["/api/chat/stream", "/api/chat/stream/r", "/api/chat/stream/r"]);
    expect(requests[2]!.headers.get("Last-Event-ID")).toBe("1.0.1");
  });

  it("retries with the same key if the server was not reached", async () => {
    const requests = server("offline", start + done);
    await sendMessage({ session_id: "s", content: "?" }, () => {}, never);
    const [first, second] = requests.map(({ headers }) => headers.get("Idempotency-Key"));
    expect(first).toBeTruthy();
    expect(second).toBe(first);
  });

  it("does not retry if the server refuses", async () => {
    const requests = server({ status: 503, error: 5001 });
    await expect(sendMessage({ session_id: "s", content: "?" }, () => {}, never)).rejects.toMatchObject({
      code: 5001,
    } satisfies Partial<ApiError>);
    expect(requests).toHaveLength(1);
  });
});

describe("follow", () => {
  it("waits for the Retry-After of a busy server", async () => {
    vi.useFakeTimers();
    const busy = { status: 429, error: 1006, headers: { "Retry-After": "30" } };
    const requests = server(start, busy, done);
    const following = follow("r", () => {}, never);
    await vi.advanceTimersByTimeAsync(29_000);
    expect(requests).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(2_000);
    await following;
    expect(requests).toHaveLength(3);
    vi.useRealTimers();
  });

  it("ends when its signal is aborted", async () => {
    server("offline");
    const controller = new AbortController();
    const following = follow("r", () => {}, controller.signal);
    controller.abort(new Error("closed"));
    await expect(following).rejects.toThrow();
  });
});

describe("retryDelay", () => {
  it("grows up to a limit", () => {
    expect(retryDelay(0)).toBeLessThan(retryDelay(1));
    expect(retryDelay(50)).toBe(10_000);
  });
});

describe("randomKey", () => {
  it("needs no secure context, and differs each time", () => {
    vi.stubGlobal("crypto", { getRandomValues: crypto.getRandomValues.bind(crypto) });
    expect(randomKey()).toMatch(/^[0-9a-f]{32}$/);
    expect(randomKey()).not.toBe(randomKey());
  });
});

describe("a lost connection", () => {
  it("is restored as soon as the browser is online", async () => {
    vi.useFakeTimers();
    const requests = server(start, "offline", "offline", "offline", "offline", done);
    const following = follow("r", () => {}, never);
    await vi.advanceTimersByTimeAsync(6_000); // the next try is seconds away
    const before = requests.length;
    dispatchEvent(new Event("online"));
    await vi.advanceTimersByTimeAsync(0);
    expect(requests).toHaveLength(before + 1);
    dispatchEvent(new Event("online"));
    await following;
    vi.useRealTimers();
  });

  it("does not end a reply that has started", async () => {
    vi.useFakeTimers();
    const requests = server(start, ...Array.from({ length: 20 }, () => "offline"), done);
    const following = follow("r", () => {}, never);
    await vi.advanceTimersByTimeAsync(300_000);
    await following;
    expect(requests).toHaveLength(22);
    vi.useRealTimers();
  });
});
