import { afterEach, describe, expect, it, vi } from "vitest";
import { acceptLanguage, authorize, code, send, toError } from "./call";

describe("send", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("asks for messages in the current language", async () => {
    const seen: Headers[] = [];
    vi.stubGlobal("fetch", (_url: string, options: RequestInit) => {
      seen.push(new Headers(options.headers));
      return Promise.resolve(new Response("{}"));
    });
    await send("GET", "/api/models");
    expect([...seen[0]!.keys()]).toEqual([]);

    let current = "zh";
    acceptLanguage(() => current);
    authorize("secret", () => {});
    await send("GET", "/api/models");
    current = "en";
    await send("GET", "/api/models", { headers: { "Last-Event-ID": "1.0.0" } });
    expect(seen[1]!.get("Accept-Language")).toBe("zh");
    expect(seen[1]!.get("Authorization")).toBe("Bearer secret");
    expect(seen[2]!.get("Accept-Language")).toBe("en");
    expect(seen[2]!.get("Last-Event-ID")).toBe("1.0.0");
  });
});

describe("toError", () => {
  const envelope = (error: number, message: string) => JSON.stringify({ error, message, success: false });

  it("reads the envelope", () => {
    expect(toError(429, envelope(1006, "too many requests"), "12")).toMatchObject({
      code: code.tooMany,
      status: 429,
      retryAfter: 12,
      temporary: true,
    });
    expect(toError(400, envelope(1001, "title is too long"), null)).toMatchObject({
      code: code.invalid,
      message: "title is too long",
      retryAfter: 0,
      temporary: false,
    });
  });

  it("uses the status if a proxy responds", () => {
    expect(toError(429, "<html>slow down</html>", null).code).toBe(code.tooMany);
    expect(toError(503, "", "3")).toMatchObject({ code: code.internal, retryAfter: 3, temporary: true });
  });

  it("accepts a date in Retry-After, and ignores what is neither", () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 4, 20, 12) });
    expect(toError(503, "", "Wed, 20 May 2026 12:00:40 GMT").retryAfter).toBe(40);
    expect(toError(503, "", "Wed, 20 May 2026 11:00:00 GMT").retryAfter).toBe(0);
    expect(toError(503, "", "soon").retryAfter).toBe(0);
    vi.useRealTimers();
  });
});
