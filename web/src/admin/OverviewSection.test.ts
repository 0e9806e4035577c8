import { cleanup, render, screen } from "@testing-library/svelte";
import { afterEach, describe, expect, it, vi } from "vitest";
import { testUser } from "../shared/testing/user";
import OverviewSection from "./OverviewSection.svelte";
import { overview } from "./testing/examples";
import { Refusal, stubServer } from "./testing/server";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("the overview", () => {
  it("says what does not work and what to do", async () => {
    const models = [{ name: "default", model: "qwen3", reachable: false, reason: "overloaded" as const }];
    stubServer({ "GET /api/admin/overview": () => overview({ models }) });
    render(OverviewSection, { context: testUser().context });
    expect((await screen.findByRole("heading")).textContent).toBe("Something does not work.");
    const row = screen.getByText("Model: Default model").closest("li")!;
    expect(row.textContent).toContain("Down");
    expect(row.textContent).toContain("it is overloaded");
    expect(row.textContent).toContain("on the page Models");
    expect(row.querySelector("svg")).toBeTruthy();
  });

  it("is read again every 15 seconds, and keeps what it has if that fails", async () => {
    vi.useFakeTimers();
    const answers = [overview({ users: 12 }), overview({ users: 13 }), new Refusal(5000, "no", 500)];
    const requests = stubServer({ "GET /api/admin/overview": () => answers.shift() });
    render(OverviewSection, { context: testUser().context });
    await vi.advanceTimersByTimeAsync(0);
    expect(screen.getByText("12")).toBeTruthy();
    await vi.advanceTimersByTimeAsync(15_000);
    expect(screen.getByText("13")).toBeTruthy();
    await vi.advanceTimersByTimeAsync(15_000);
    expect(requests.length).toBe(3);
    expect(screen.getByRole("alert").textContent).toContain("Something went wrong on the server.");
    expect(screen.getByText("13")).toBeTruthy();
  });
});
