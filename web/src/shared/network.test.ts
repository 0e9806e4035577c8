import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { send } from "../api/call";
import { network, onReturn } from "./network.svelte";

let status: number | null;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", () =>
    status === null ? Promise.reject(new TypeError("cut")) : Promise.resolve(new Response("{}", { status })),
  );
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const ask = () => send("GET", "/api/models").catch(() => {});

it("knows after a request whether the server can be reached", async () => {
  status = null;
  await ask();
  expect(network.reachable).toBe(false);
  status = 500;
  await ask();
  expect(network.reachable).toBe(true);
});

it("tries a server that can't be reached until it responds, and then reads again", async () => {
  const returned = vi.fn();
  const end = onReturn(returned);
  status = null;
  await ask();
  await vi.advanceTimersByTimeAsync(10_000);
  expect([network.reachable, returned.mock.calls.length]).toEqual([false, 0]);
  status = 200;
  await vi.advanceTimersByTimeAsync(10_000);
  expect([network.reachable, returned.mock.calls.length]).toEqual([true, 1]);
  end();
});

it("does not count a request that was aborted", async () => {
  status = null;
  const controller = new AbortController();
  controller.abort();
  await send("GET", "/api/models", { signal: controller.signal }).catch(() => {});
  expect(network.reachable).toBe(true);
});
