import { expect, it } from "vitest";
import { handlingOf } from "./policy";

const shell = ["/", "/theme.js", "/favicon.svg", "/assets/app-1.js"];
const get = (path: string, mode = "cors", method = "GET") =>
  handlingOf({ method, mode, url: new URL(path, location.origin).href }, shell);

it("stores the files of the client, and nothing else", () => {
  expect(get("/", "navigate")).toBe("page");
  expect(get("/theme.js", "no-cors")).toBe("network first");
  expect(get("/assets/katex-2.js")).toBe("cache first");
  for (const path of [
    "/api/chat/sessions",
    "/api/files/1",
    "/api/assets/1",
    "/openapi.json",
    "/metrics",
    "/other.js",
  ]) {
    expect(get(path), path).toBe("pass");
  }
  expect(get("/docs", "navigate")).toBe("pass");
  expect(get("/?token=secret", "navigate")).toBe("pass");
  expect(get("/assets/app-1.js", "cors", "POST")).toBe("pass");
  expect(get("https://example.com/assets/app-1.js")).toBe("pass");
});
