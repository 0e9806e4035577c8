import { afterEach, describe, expect, it, vi } from "vitest";
import { Client } from "./client.js";
import { ErrorCode } from "./error.js";
import type { ReplyEvent, ReplyStream } from "./stream.js";
import { event, type Step, stubServer } from "./testing/stub.js";

const start = event("1.0.0", "start", { user_message_id: "q", message_id: "r" });
const reply = { user_message_id: "q", ai_response: { id: "r", content: "ab", timestamp: 1 } };
const done = event("1.0.2", "done", reply);
const input = { session_id: "s", content: "?" };

function serve(...steps: Step[]) {
  const { requests, fetch } = stubServer(...steps);
  return { requests, client: new Client("http://server", { fetch }) };
}

async function read(stream: ReplyStream): Promise<ReplyEvent[]> {
  const events: ReplyEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

afterEach(() => vi.useRealTimers());

describe("stream", () => {
  it("continues after the last event if the connection is lost", async () => {
    const first = event("1.0.1", "delta", { text: "a" });
    const second = event("1.0.2", "delta", { text: "b" });
    const { requests, client } = serve(start + first, "offline", second + done);
    const stream = client.stream(input);
    const events = await read(stream);
    expect(events.map(({ name }) => name)).toEqual(["start", "delta", "delta", "done"]);
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "POST http://server/api/chat/stream",
      "GET http://server/api/chat/stream/r",
      "GET http://server/api/chat/stream/r",
    ]);
    expect(requests[2]!.headers.get("Last-Event-ID")).toBe("1.0.1");
    expect(stream.messageId).toBe("r");
    expect(stream.lastEventId).toBe("1.0.2");
  });

  it("sends the message again with the same key if the server was not reached", async () => {
    const { requests, client } = serve("offline", start + done);
    await read(client.stream(input));
    const [first, second] = requests.map(({ headers }) => headers.get("Idempotency-Key"));
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(second).toBe(first);
  });

  it("uses the caller's key", async () => {
    const { requests, client } = serve(start + done);
    await read(client.stream(input, { idempotencyKey: "mine" }));
    expect(requests[0]!.headers.get("Idempotency-Key")).toBe("mine");
  });

  it("does not retry if the server refuses", async () => {
    const { requests, client } = serve({ status: 503, error: 5001 });
    await expect(read(client.stream(input))).rejects.toMatchObject({ code: ErrorCode.aiUnavailable, status: 503 });
    expect(requests).toHaveLength(1);
  });

  it("throws the error of a reply that failed", async () => {
    const failed = event("1.0.0", "error", { error: 5001, message: "the model failed" });
    const { requests, client } = serve(start + failed);
    await expect(read(client.stream(input))).rejects.toMatchObject({
      code: ErrorCode.aiUnavailable,
      message: "the model failed",
      temporary: false,
    });
    expect(requests).toHaveLength(1);
  });

  it("skips events that it does not know", async () => {
    const { client } = serve(start + event("1.0.0", "mood", "{") + done);
    expect((await read(client.stream(input))).map(({ name }) => name)).toEqual(["start", "done"]);
  });

  it("refuses a response that is no stream", async () => {
    const { requests, client } = serve(new Response("<html>log in to the network</html>"));
    await expect(read(client.stream(input))).rejects.toMatchObject({ code: ErrorCode.internal, status: 200 });
    expect(requests).toHaveLength(1);
  });

  it("has a bound of failures in a row", async () => {
    const { requests, client } = serve("offline", start, "offline", done);
    await expect(read(client.stream(input, { retries: 1 }))).rejects.toMatchObject({ code: ErrorCode.offline });
    expect(requests).toHaveLength(3);
  });

  it("has the same bound for a server that closes at once", async () => {
    const { requests, client } = serve(start, "", "", done);
    await expect(read(client.stream(input, { retries: 1 }))).rejects.toMatchObject({ code: ErrorCode.offline });
    expect(requests).toHaveLength(2);
  });

  it("replaces a question", async () => {
    const { requests, client } = serve(start + done);
    await read(client.stream({ ...input, replaces: "old" }));
    expect(JSON.parse(requests[0]!.body as string)).toEqual({ ...input, replaces: "old" });
  });

  it("continues the last reply, without a key", async () => {
    const delta = event("2.0.6", "delta", { text: "b" });
    const { requests, client } = serve(
      event("2.0.5", "start", { user_message_id: "q", message_id: "r" }),
      delta + done,
    );
    const events = await read(client.stream({ session_id: "s", continue: true }));
    expect(events.map(({ name }) => name)).toEqual(["start", "delta", "done"]);
    expect(requests[0]!.headers.has("Idempotency-Key")).toBe(false);
    expect(requests[1]!.headers.get("Last-Event-ID")).toBe("2.0.5");
  });

  it("does not continue a reply twice", async () => {
    const { requests, client } = serve("offline", start + done);
    const stream = client.stream({ session_id: "s", continue: true });
    await expect(read(stream)).rejects.toMatchObject({ code: ErrorCode.offline });
    expect(requests).toHaveLength(1);
  });

  it("returns the reply", async () => {
    const { client } = serve(start + done);
    expect(await client.stream(input).wait()).toEqual(reply);
  });
});

describe("follow", () => {
  it("starts after the caller's last event", async () => {
    const { requests, client } = serve(done);
    await read(client.follow("r", { lastEventId: "1.0.1" }));
    expect(requests[0]).toMatchObject({ method: "GET", url: "http://server/api/chat/stream/r" });
    expect(requests[0]!.headers.get("Last-Event-ID")).toBe("1.0.1");
  });

  it("waits for the Retry-After of a busy server", async () => {
    vi.useFakeTimers();
    const busy = { status: 429, error: 1006, headers: { "Retry-After": "30" } };
    const { requests, client } = serve(start, busy, done);
    const following = read(client.follow("r"));
    await vi.advanceTimersByTimeAsync(29_000);
    expect(requests).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(2_000);
    await following;
    expect(requests).toHaveLength(3);
  });

  it("reconnects if the connection is silent for too long", async () => {
    vi.useFakeTimers();
    const headers = { "Content-Type": "text/event-stream" };
    const { requests, client } = serve(new Response(new ReadableStream(), { headers }), start + done);
    const following = read(client.follow("r"));
    await vi.advanceTimersByTimeAsync(44_000);
    expect(requests).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2_000);
    await following;
    expect(requests).toHaveLength(2);
  });

  it("throws the reason of an aborted signal", async () => {
    const { client } = serve("offline");
    const controller = new AbortController();
    const following = read(client.follow("r", { signal: controller.signal }));
    controller.abort(new Error("left"));
    await expect(following).rejects.toThrow("left");
    await expect(read(client.follow("r", { signal: controller.signal }))).rejects.toThrow("left");
  });

  it("ends its loop when it is closed", async () => {
    const { requests, client } = serve(start, done);
    const stream = client.follow("r");
    const events: string[] = [];
    for await (const { name } of stream) {
      events.push(name);
      stream.close();
    }
    expect(events).toEqual(["start"]);
    expect(requests[0]!.signal?.aborted).toBe(true);
  });

  it("cancels the connection if the loop is left", async () => {
    let canceled = false;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(start)),
      cancel: () => {
        canceled = true;
      },
    });
    const { client } = serve(new Response(body, { headers: { "Content-Type": "text/event-stream" } }));
    for await (const { name } of client.follow("r")) if (name === "start") break;
    expect(canceled).toBe(true);
  });
});
