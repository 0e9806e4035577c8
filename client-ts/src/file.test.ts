import { afterEach, describe, expect, it, vi } from "vitest";
import { Client } from "./client.js";
import { parseFilename } from "./download.js";
import { ErrorCode } from "./error.js";
import { stubServer, success } from "./testing/stub.js";

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
    onload = () => {};
    onerror = () => {};
    onabort = () => {};
    abort = () => this.onabort();

    constructor() {
      FakeRequest.last = this;
    }
    open(method: string, url: string) {
      this.opened = `${method} ${url}`;
    }
    setRequestHeader(name: string, value: string) {
      this.headers[name] = value;
    }
    getResponseHeader() {
      return "7";
    }
    send(form: FormData) {
      this.sent = form;
    }
    respond(status: number, envelope: unknown) {
      Object.assign(this, { status, responseText: JSON.stringify(envelope) }).onload();
    }
  }

  function begin(signal?: AbortSignal) {
    vi.stubGlobal("XMLHttpRequest", FakeRequest);
    const parts: number[] = [];
    const onTokenRefused = vi.fn();
    const client = new Client("http://server", { token: "secret", onTokenRefused });
    const result = client.upload("s", file, { signal, onProgress: (part) => parts.push(part) });
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
    const { result } = begin(controller.signal);
    controller.abort(new Error("left"));
    await expect(result).rejects.toThrow("left");
    await expect(begin(controller.signal).result).rejects.toThrow("left");
    expect(FakeRequest.last.sent).toBeUndefined();
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
