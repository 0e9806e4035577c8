import { afterEach, expect, it, vi } from "vitest";
import * as operations from "../api/operations";
import { Auth } from "./auth.svelte";

afterEach(() => {
  vi.unstubAllGlobals();
  localStorage.clear();
});

const json = (status: number, body: unknown) => new Response(JSON.stringify(body), { status });

it("leaves nothing of a user who logs out, also if another request is refused meanwhile", async () => {
  localStorage.setItem("parley.token", "1.token");
  localStorage.setItem("parley.user", "7");
  localStorage.setItem("parley.email", "ada@example.com");
  localStorage.setItem("parley.draft.7.new", "words");
  let answer = () => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  vi.stubGlobal("fetch", async (address: string | URL | Request) => {
    const path = new URL(address instanceof Request ? address.url : address, location.href).pathname;
    if (path !== "/api/auth/logout") return json(401, { error: 1002, message: "log in", success: false });
    await answered;
    return json(200, { error: 0, message: "ok", success: true });
  });
  const auth = new Auth();
  const leaving = auth.logOut();
  await expect(operations.listModels()).rejects.toThrow();
  answer();
  await leaving;
  expect([auth.token, auth.expired, auth.email, Object.keys(localStorage)]).toEqual([null, false, "", []]);
});
