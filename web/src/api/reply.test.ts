import { afterEach, describe, expect, it, vi } from "vitest";
import { continueReply, follow, isBeginning, type ReplyEvent, sendMessage } from "./reply";

/** Stubs fetch with a list of responses: the text of a stream, or a network failure. */
function server(...responses: string[]) {
  const requests: { url: string; headers: Headers }[] = [];
  vi.stubGlobal("fetch", (url: string, options: RequestInit) => {
    if (!url.startsWith("/api/chat/stream")) return Promise.reject(new TypeError("network")); // asked by the page itself
    requests.push({ url, headers: new Headers(options.headers) });
    const next = responses.shift() ?? "offline";
    if (next === "offline") return Promise.reject(new TypeError("network"));
    return Promise.resolve(new Response(next, { headers: { "Content-Type": "text/event-stream" } }));
  });
  return requests;
}

const event = (id: string, name: string, data: unknown) =>
  `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const start = event("2.0.0", "start", { user_message_id: "q", message_id: "r" });
const delta = event("2.0.1", "delta", { text: "a" });
const done = event("2.0.2", "done", { user_message_id: "q", ai_response: { id: "r", content: "a", timestamp: 1 } });
const never = new AbortController().signal;

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("sendMessage", () => {
  it("passes events on with their attempt, and resumes after the last one", async () => {
    const requests = server(start + delta, done);
    const seen: [string, number][] = [];
    await sendMessage({ session_id: "s", content: "?" }, ({ name }, attempt) => seen.push([name, attempt]), never);
    expect(seen).toEqual([
      ["start", 2],
      ["delta", 2],
      ["done", 2],
    ]);
    expect(requests.map(({ url }) => url)).toEqual(["/api/chat/stream", "/api/chat/stream/r"]);
    expect(requests[1]!.headers.get("Last-Event-ID")).toBe("2.0.1");
  });

  it("does not give up a reply that has started", async () => {
    vi.useFakeTimers();
    const requests = server(start + delta, ...Array<string>(30).fill("offline"), done);
    const seen: string[] = [];
    const sending = sendMessage({ session_id: "s", content: "?" }, ({ name }) => seen.push(name), never);
    await vi.advanceTimersByTimeAsync(600_000);
    await sending;
    expect(seen).toEqual(["start", "delta", "done"]);
    expect(requests.at(-1)!.headers.get("Last-Event-ID")).toBe("2.0.1");
  });

  it("gives up a message that does not reach the server", async () => {
    vi.useFakeTimers();
    server();
    const sending = expect(sendMessage({ session_id: "s", content: "?" }, () => {}, never)).rejects.toMatchObject({
      code: -1,
    });
    await vi.advanceTimersByTimeAsync(600_000);
    await sending;
  });

  it("passes on the error that ended a reply", async () => {
    const error = { error: 5001, message: "the model failed", reason: "key" };
    server(start + event("2.0.0", "error", error));
    const seen: ReplyEvent[] = [];
    await sendMessage({ session_id: "s", content: "?" }, (received) => seen.push(received), never);
    expect(seen.at(-1)).toEqual({ name: "error", data: error });
  });

  it("throws what its listener throws", async () => {
    const requests = server(start + done);
    const listener = () => {
      throw new Error("refused by the page");
    };
    await expect(sendMessage({ session_id: "s", content: "?" }, listener, never)).rejects.toThrow("by the page");
    expect(requests).toHaveLength(1);
  });
});

describe("continueReply", () => {
  const again = event("3.0.5", "start", { user_message_id: "q", message_id: "r" });

  it("resumes after the last event", async () => {
    const requests = server(again, done);
    await continueReply("s", "r", {}, () => {}, never);
    expect(requests.map(({ url }) => url)).toEqual(["/api/chat/stream", "/api/chat/stream/r"]);
    expect(requests[1]!.headers.get("Last-Event-ID")).toBe("3.0.5");
  });

  it("reads the whole reply if it is not known whether the server has begun", async () => {
    const requests = server("offline", start + done);
    const seen: string[] = [];
    await continueReply("s", "r", {}, ({ name }) => seen.push(name), never);
    expect(seen).toEqual(["start", "done"]);
    expect(requests.map(({ url }) => url)).toEqual(["/api/chat/stream", "/api/chat/stream/r"]);
    expect(requests[1]!.headers.has("Last-Event-ID")).toBe(false);
  });
});

describe("isBeginning", () => {
  it.each([
    ["1.0.0", true],
    ["2.0.5", false],
    ["2.3.0", false],
    ["", true],
  ])("of %j is %j", (id, expected) => expect(isBeginning(id)).toBe(expected));
});

describe("follow", () => {
  it("ends when its signal is aborted", async () => {
    server("offline");
    const controller = new AbortController();
    const following = follow("r", () => {}, controller.signal);
    controller.abort(new Error("closed"));
    await expect(following).rejects.toThrow("closed");
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
