import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Refusal, stubServer } from "./testing/server";
import UsageSection from "./UsageSection.svelte";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const used = { input_tokens: 1000, output_tokens: 500, thinking_tokens: 0, messages: 2, cost: 0, estimated: true };

describe("the usage of a server", () => {
  it("is shown by day, by model and by user", async () => {
    const today = new Date().toISOString().slice(0, 10);
    const usage = {
      day: [{ ...used, day: today }],
      model: [
        { ...used, model: "default", rated_up: 12 },
        { ...used, model: "增强模型", messages: 0, input_tokens: 0, output_tokens: 0, rated_down: 1 },
        { ...used, model: "基础模型", messages: 0, input_tokens: 0, output_tokens: 0 },
      ],
      user: [
        { ...used, user_id: 2, email: "bob@example.com" },
        { ...used, user_id: 7 },
      ],
    };
    const requests = stubServer({
      "GET /api/admin/usage": ({ query }) => ({ usage: usage[query.get("by") as keyof typeof usage] }),
    });
    const { container } = render(UsageSection);
    expect(await screen.findByText("Default model")).toBeTruthy();
    expect(screen.queryByText("Basic model")).toBeNull(); // nothing of it was used
    expect(screen.getByText("Replies rated good: 12 · bad: 0")).toBeTruthy();
    expect(screen.getByText("Replies rated good: 0 · bad: 1")).toBeTruthy();
    expect(screen.getByText("bob@example.com")).toBeTruthy();
    expect(screen.getByText("Account 7")).toBeTruthy(); // it was deleted
    expect(container.querySelectorAll(".bar").length).toBe(30);
    expect(screen.getByText("Some of the figures are estimates.")).toBeTruthy();

    await fireEvent.click(screen.getByLabelText("7 days"));
    await waitFor(() => expect(container.querySelectorAll(".bar").length).toBe(7));
    const { query } = requests.at(-1)!;
    expect(Number(query.get("to")) - Number(query.get("from"))).toBe(6 * 86_400);
  });

  it("says if there is none", async () => {
    stubServer({ "GET /api/admin/usage": () => ({ usage: [] }) });
    render(UsageSection);
    expect(await screen.findByText("Nothing was used in this time.")).toBeTruthy();
  });

  it("shows an error", async () => {
    stubServer({ "GET /api/admin/usage": () => new Refusal(5000, "no", 500) });
    render(UsageSection);
    expect((await screen.findByRole("alert")).textContent).toContain("Something went wrong on the server.");
  });
});
