import { afterEach, describe, expect, it, vi } from "vitest";
import { Client } from "./client.js";
import { parseFilename } from "./download.js";
import { ErrorCode } from "./error.js";
import type { ReadingProgress } from "./upload.js";
import { event, stubServer, success } from "./testing/stub.js";

const file = new File(["x".repeat(1000)], "渡船.md");
const stored = { file_id: "f", filename: "渡船.md" };

afterEach(() => vi.unstubAllGlobals());

describe("upload by fetch", () => {
  it("sends the form and reports its progress", async () => {
    let form: FormData | undefined;
    const fetch = async (url: unknown, init?: RequestInit) => {
      form = await new Request(String(url), init).formData();
      return success(stored);
    };
    const parts: number[] = [];
    const onProgress = (part: number) => parts.push(part);
    expect(await new Client("http://server", { fetch }).upload("s", file, { onProgress })).toEqual(stored);
    expect(form!.get("session_id")).toBe("s");
    expect(form!.get("file")).toMatchObject({ name: "渡船.md", size: 1000 });
    expect(parts.at(-1)).toBe(1);
    expect(parts).toEqual([...parts].sort((a, b) => a - b));
  });

  const reading = (page: number) => event("", "progress", { page, pages: 2 });

  it("reports the pages that are read", async () => {
    const { requests, fetch } = stubServer(`: still here\n\n${reading(1)}${reading(2)}${event("", "done", stored)}`);
    const onReading = vi.fn();
    expect(await new Client("http://server", { fetch }).upload("s", file, { onReading })).toEqual(stored);
    expect(onReading.mock.calls).toEqual([[{ page: 1, pages: 2 }], [{ page: 2, pages: 2 }]]);
    expect(requests[0]!.headers.get("Accept")).toBe("text/event-stream");
  });

  it("accepts a response without events", async () => {
    const { fetch } = stubServer(success(stored));
    expect(await new Client("http://server", { fetch }).upload("s", file, { onReading: vi.fn() })).toEqual(stored);
  });

  it.each([
    { name: "a refusal", end: event("", "error", { error: 2003, message: "no text" }), code: ErrorCode.uploadFailed },
    { name: "an ended login", end: event("", "error", { error: 1005, message: "log in" }), code: ErrorCode.badToken },
    { name: "a stream that is cut off", end: "", code: ErrorCode.offline },
    { name: "another form", end: "event: done\ndata: {\n\n", code: ErrorCode.internal },
  ])("throws the error of a reading: $name", async ({ end, code }) => {
    const { fetch } = stubServer(reading(1) + end);
    const onTokenRefused = vi.fn();
    const client = new Client("http://server", { fetch, token: "secret", onTokenRefused });
    await expect(client.upload("s", file, { onReading: vi.fn() })).rejects.toMatchObject({ code });
    expect(onTokenRefused).toHaveBeenCalledTimes(code === ErrorCode.badToken ? 1 : 0);
  });

  it("is aborted by its signal during the reading", async () => {
    const control = new AbortController();
    const { signal } = control;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode(reading(1)));
        signal.addEventListener("abort", () => controller.error(signal.reason)); // as the body of fetch does
      },
    });
    const { requests, fetch } = stubServer(new Response(body, { headers: { "Content-Type": "text/event-stream" } }));
    const onReading = () => control.abort(new Error("left"));
    const result = new Client("http://server", { fetch }).upload("s", file, { onReading, signal });
    await expect(result).rejects.toThrow("left");
    expect(requests[0]!.signal).toBe(signal);
  });
});

describe("upload by XMLHttpRequest", () => {
  class FakeRequest {
    static last: FakeRequest;
    sent: FormData | undefined;
    opened = "";
    headers: Record<string, string> = {};
    status = 0;
    responseText = "";
    upload: { onprogress?: (event: { loaded: number; total: number }) => void } = {};
    contentType = "application/json";
    onprogress = () => {};
    onload = () => {};
    onerror = () => {};
    onabort = () => {};
    aborted = false;

    constructor() {
      FakeRequest.last = this;
    }
    open(method: string, url: string) {
      this.opened = `${method} ${url}`;
    }
    setRequestHeader(name: string, value: string) {
      this.headers[name] = value;
    }
    getResponseHeader(name: string) {
      return name === "Content-Type" ? this.contentType : "7";
    }
    abort() {
      this.aborted = true;
      this.onabort();
    }
    send(form: FormData) {
      this.sent = form;
    }
    respond(status: number, envelope: unknown) {
      Object.assign(this, { status, responseText: JSON.stringify(envelope) }).onload();
    }
    arrive(text: string) {
      Object.assign(this, { status: 200, contentType: "text/event-stream" });
      this.responseText += text;
      this.onprogress();
    }
  }

  function begin(signal?: AbortSignal, onReading?: (at: ReadingProgress) => void) {
    vi.stubGlobal("XMLHttpRequest", FakeRequest);
    const parts: number[] = [];
    const onTokenRefused = vi.fn();
    const client = new Client("http://server", { token: "secret", onTokenRefused });
    const result = client.upload("s", file, { signal, onReading, onProgress: (part) => parts.push(part) });
    return { request: FakeRequest.last, result, parts, onTokenRefused };
  }

  it("sends the form and reports its progress", async () => {
    const { request, result, parts } = begin();
    expect(request.opened).toBe("POST http://server/api/files/upload");
    expect(request.headers).toEqual({ authorization: "Bearer secret" });
    expect(request.sent!.get("session_id")).toBe("s");
    expect(request.sent!.get("file")).toMatchObject({ name: "渡船.md" });
    request.upload.onprogress!({ loaded: 1, total: 4 });
    request.upload.onprogress!({ loaded: 4, total: 4 });
    request.respond(200, { error: 0, body: stored });
    expect(await result).toEqual(stored);
    expect(parts).toEqual([0.25, 1]);
  });

  it("throws what the server says, and reports a refused token", async () => {
    const { request, result, onTokenRefused } = begin();
    request.respond(401, { error: 1005, message: "log in again" });
    await expect(result).rejects.toMatchObject({ code: ErrorCode.badToken, message: "log in again", retryAfter: 7 });
    expect(onTokenRefused).toHaveBeenCalledOnce();
  });

  it("refuses a response without the envelope", async () => {
    const { request, result } = begin();
    request.respond(200, "captive portal");
    await expect(result).rejects.toMatchObject({ code: ErrorCode.internal });
  });

  it("is offline if the connection is lost", async () => {
    const { request, result } = begin();
    request.onerror();
    await expect(result).rejects.toMatchObject({ code: ErrorCode.offline });
  });

  it("is aborted by its signal", async () => {
    const controller = new AbortController();
    const { request, result } = begin(controller.signal);
    controller.abort(new Error("left"));
    await expect(result).rejects.toThrow("left");
    await expect(begin(controller.signal).result).rejects.toThrow("left");
    expect(FakeRequest.last).toBe(request);
  });

  it("reports the pages that are read as their events arrive", async () => {
    const seen: number[] = [];
    const { request, result, parts } = begin(undefined, ({ page }) => seen.push(page));
    expect(request.headers).toMatchObject({ accept: "text/event-stream" });
    request.upload.onprogress!({ loaded: 4, total: 4 });
    request.arrive('event: progress\ndata: {"page"');
    request.arrive(':1,"pages":2}\n\n');
    await vi.waitFor(() => expect(seen).toEqual([1]));
    request.arrive('event: progress\ndata: {"page":2,"pages":2}\n\n');
    await vi.waitFor(() => expect(seen).toEqual([1, 2]));
    request.arrive(event("", "done", { ...stored, filename: "渡船🚢.md" }));
    request.onload();
    expect(await result).toEqual({ ...stored, filename: "渡船🚢.md" });
    expect(parts).toEqual([1]);
  });

  it.each([
    { name: "aborted by its signal", end: (_: FakeRequest, c: AbortController) => c.abort(new Error("left")) },
    { name: "cut off", end: (request: FakeRequest) => request.onerror() },
  ])("ends if it is $name during the reading", async ({ name, end }) => {
    const controller = new AbortController();
    const onReading = vi.fn();
    const { request, result } = begin(controller.signal, onReading);
    request.arrive(event("", "progress", { page: 1, pages: 2 }));
    await vi.waitFor(() => expect(onReading).toHaveBeenCalledOnce());
    end(request, controller);
    await expect(result).rejects.toMatchObject(name === "cut off" ? { code: ErrorCode.offline } : { message: "left" });
    expect(request.aborted).toBe(name !== "cut off");
  });
});

describe("download", () => {
  it("has the bytes and the metadata", async () => {
    const headers = {
      "Content-Type": "text/markdown; charset=utf-8",
      "Content-Disposition": "attachment; filename=timetable.md",
      "Content-Length": "4",
    };
    const { fetch } = stubServer(new Response("text", { headers }));
    const download = await new Client("http://server", { fetch }).download("f");
    expect(download).toMatchObject({ filename: "timetable.md", fileType: "text/markdown", fileSize: 4 });
    expect(await download.text()).toBe("text");
  });
});

describe("parseFilename", () => {
  it.each([
    ["attachment; filename=notes.md", "notes.md"],
    ['attachment; filename="a \\"b\\".md"; size=1', 'a "b".md'],
    ["attachment; filename*=utf-8''%E6%B8%A1%E8%88%B9.md", "渡船.md"],
    ["attachment", ""],
  ])("%s", (header, filename) => {
    expect(parseFilename(header)).toBe(filename);
  });
});
