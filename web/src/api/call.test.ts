import { afterEach, describe, expect, it, vi } from "vitest";
import { acceptLanguage, authorize, send } from "./call";

afterEach(() => vi.unstubAllGlobals());

function stubFetch(status = 200, envelope: unknown = {}) {
  const headers: Headers[] = [];
  vi.stubGlobal("fetch", (_url: string, options: RequestInit) => {
    headers.push(new Headers(options.headers));
    return Promise.resolve(Response.json(envelope, { status }));
  });
  return headers;
}

describe("send", () => {
  it("asks for messages in the current language", async () => {
    const seen = stubFetch();
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

  it("reports a refused token", async () => {
    stubFetch(401, { error: 1005, message: "log in again" });
    const refused = vi.fn();
    authorize("secret", refused);
    await expect(send("GET", "/api/models")).rejects.toMatchObject({ code: 1005 });
    expect(refused).toHaveBeenCalledOnce();
  });
});
