import { afterEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "./call";
import { ask, follow, pause, type ReplyEvent } from "./reply";

interface Refusal {
  status: number;
  error: number;
  headers?: Record<string, string>;
}

/** Answers one request after the other; each is an SSE text, an envelope or a network failure. */
function server(...answers: (string | Refusal | "offline")[]) {
  const requests: { url: string; headers: Headers }[] = [];
  vi.stubGlobal("fetch", (url: string, options: RequestInit) => {
    requests.push({ url, headers: new Headers(options.headers) });
    const answer = answers.shift() ?? "offline";
    if (answer === "offline") return Promise.reject(new TypeError("network"));
    if (typeof answer === "object") return Promise.resolve(new Response(JSON.stringify({ error: answer.error, message: "no" }), answer));
    return Promise.resolve(new Response(answer));
  });
  return requests;
}

const event = (id: string, name: string, data: unknown) => `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const start = event("1.0.0", "start", { user_message_id: "q", message_id: "r" });
const done = event("1.0.2", "done", { user_message_id: "q", ai_response: { id: "r", content: "ab", timestamp: 1 } });
const never = new AbortController().signal;

afterEach(() => vi.unstubAllGlobals());

describe("ask", () => {
  it("goes on from the last event where the connection was lost", async () => {
    const requests = server(start + event("1.0.1", "delta", { text: "a" }), "offline", event("1.0.2", "delta", { text: "b" }) + done);
    const seen: ReplyEvent[] = [];
    await ask({ session_id: "s", content: "?" }, (happened) => seen.push(happened), never);
    expect(seen.map(({ name }) => name)).toEqual(["start", "delta", "delta", "done"]);
    expect(requests.map(({ url }) => url)).toEqual(["/api/chat/stream", "/api/chat/stream/r", "/api/chat/stream/r"]);
    expect(requests[2]!.headers.get("Last-Event-ID")).toBe("1.0.1");
  });

  it("asks again with the same key where the server was not reached", async () => {
    const requests = server("offline", start + done);
    await ask({ session_id: "s", content: "?" }, () => {}, never);
    const [first, second] = requests.map(({ headers }) => headers.get("Idempotency-Key"));
    expect(first).toBeTruthy();
    expect(second).toBe(first);
  });

  it("does not ask again where the server refuses", async () => {
    const requests = server({ status: 503, error: 5001 });
    await expect(ask({ session_id: "s", content: "?" }, () => {}, never)).rejects.toMatchObject({ code: 5001 } satisfies Partial<ApiError>);
    expect(requests).toHaveLength(1);
  });
});

describe("follow", () => {
  it("waits as long as a busy server asks for", async () => {
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

  it("ends where the reader leaves", async () => {
    server("offline");
    const left = new AbortController();
    const following = follow("r", () => {}, left.signal);
    left.abort(new Error("left"));
    await expect(following).rejects.toThrow();
  });
});

describe("pause", () => {
  it("grows, but not for ever", () => {
    expect(pause(0)).toBeLessThan(pause(1));
    expect(pause(50)).toBe(10_000);
  });
});
