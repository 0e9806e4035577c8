import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import { afterEach, describe, expect, it, vi } from "vitest";
import { testUser } from "../shared/testing/user";
import AuditSection from "./AuditSection.svelte";
import { entry } from "./testing/examples";
import { Refusal, stubServer } from "./testing/server";
import { auditHash, router } from "../shared/router.svelte";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  router.replace("#/");
});

const rows = () => screen.getAllByRole("listitem").map(({ textContent }) => textContent.replace(/\s+/g, " ").trim());

describe("the audit log", () => {
  it("says in words what happened, who did it and when", async () => {
    const now = Math.floor(Date.now() / 1000);
    const entries = [
      entry("4", { at: now, event: "operator-quota", user_id: 2, actor_id: 1, object: "messages=3/d" }),
      entry("3", { event: "operator-disable", user_id: 2, actor_id: -1 }),
      entry("2", { event: "login-failed", user_id: 0, address: "192.0.2.1", code: 1002, request_id: "r-1" }),
      entry("1", { event: "brand-new" }),
    ];
    stubServer({ "GET /api/admin/audit": () => ({ entries, more: false }) });
    render(AuditSection, { context: testUser().context });
    await screen.findByText("brand-new");
    expect(rows()[0]).toBe("Quota set Account 2 · by administrator 1 · messages=3/d just now");
    expect(rows()[1]).toContain("Account disabled Account 2 · by a command on the server");
    expect(rows()[2]).toContain("Login refused No account · from 192.0.2.1 · error 1002 Request r-1");
    expect(screen.getByText("just now").title).toMatch(/20\d\d/);
    expect(screen.queryByRole("button", { name: "Load more" })).toBeNull();
  });

  it("reads on before the last entry", async () => {
    const requests = stubServer({
      "GET /api/admin/audit": ({ query }) =>
        query.get("before")
          ? { entries: [entry("1")], more: false }
          : { entries: [entry("3"), entry("2")], more: true },
    });
    render(AuditSection, { context: testUser().context });
    await fireEvent.click(await screen.findByRole("button", { name: "Load more" }));
    await waitFor(() => expect(rows().length).toBe(3));
    expect(requests.map(({ query }) => query.get("before"))).toEqual([null, "2"]);
  });

  it("is filtered by event, account and day", async () => {
    const requests = stubServer({ "GET /api/admin/audit": () => ({ entries: [], more: false }) });
    router.replace(auditHash(2));
    render(AuditSection, { context: testUser().context });
    expect(await screen.findByText("No entry fits the filter.")).toBeTruthy();
    expect(requests.at(-1)!.query.get("user_id")).toBe("2");

    await fireEvent.change(screen.getByLabelText("Event"), { target: { value: "login" } });
    await fireEvent.change(screen.getByLabelText("Address (IP)"), { target: { value: " 192.0.2.1 " } });
    expect(requests.at(-1)!.query.get("address")).toBe("192.0.2.1");
    const from = screen.getByLabelText("From");
    await fireEvent.input(from, { target: { value: "2026-01-31" } });
    await fireEvent.change(from);
    const to = screen.getByLabelText("To");
    await fireEvent.input(to, { target: { value: "2026-01-31" } });
    await fireEvent.change(to);
    const { query } = requests.at(-1)!;
    expect([query.get("event"), query.get("user_id")]).toEqual(["login", "2"]);
    expect(Number(query.get("from"))).toBe(new Date(2026, 0, 31).getTime() / 1000);
    expect(Number(query.get("to"))).toBe(new Date(2026, 1, 1).getTime() / 1000 - 1);

    await fireEvent.click(screen.getByRole("button", { name: "Show all" }));
    expect(await screen.findByText("The audit log is empty.")).toBeTruthy();
    expect([...requests.at(-1)!.query.keys()]).toEqual([]);
  });

  it("shows an error", async () => {
    stubServer({ "GET /api/admin/audit": () => new Refusal(5000, "no", 500) });
    render(AuditSection, { context: testUser().context });
    expect((await screen.findByRole("alert")).textContent).toContain("Something went wrong on the server.");
  });
});
