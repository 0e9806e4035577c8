import { cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { afterEach, describe, expect, it, vi } from "vitest";
import { testUser } from "../shared/testing/user";
import SettingsSections from "./SettingsSections.svelte";
import { settings } from "./testing/examples";
import { Refusal, stubOverlays, stubServer } from "./testing/server";
import type { ServerSettings } from "./types";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

/** A server that stores settings, and refuses some. */
function settingsServer(stored: ServerSettings) {
  return stubServer({
    "GET /api/admin/settings": () => stored,
    "PATCH /api/admin/settings": ({ body }) => {
      const change = body as Partial<ServerSettings>;
      if (change.retention === "1h" && !(body as { confirm?: boolean }).confirm) {
        return new Refusal(2002, "confirm it", 409, { sessions: 6, users: 1 });
      }
      if (change.instructions === "refused") return new Refusal(1001, "not this", 400);
      stored = { ...stored, ...change, ...(change.quota === null && { quota: "none" }) };
      return stored;
    },
  });
}

const section = (name: string) => within(screen.getByRole("region", { name }));
const bodies = (requests: ReturnType<typeof stubServer>) =>
  requests.filter(({ method }) => method === "PATCH").map(({ body }) => body);

describe("the settings of a server", () => {
  it("are switched at once", async () => {
    const requests = settingsServer(settings());
    const { user, context } = testUser();
    render(SettingsSections, { context });
    const registration = await screen.findByRole("switch", { name: "Anyone can create an account" });
    expect(registration.getAttribute("aria-checked")).toBe("true");
    await fireEvent.click(registration);
    await waitFor(() => expect(registration.getAttribute("aria-checked")).toBe("false"));
    expect(bodies(requests)).toEqual([{ registration: false }]);
    expect(user.toasts.list.map(({ text }) => text)).toEqual(["Saved"]);
  });

  it("are saved one by one, and what is written elsewhere stays", async () => {
    const requests = settingsServer(settings());
    const { context } = testUser();
    render(SettingsSections, { context });
    await screen.findByRole("switch", { name: "Anyone can create an account" });
    const quota = section("Quota").getByRole<HTMLInputElement>("textbox");
    const retention = section("Retention").getByRole<HTMLInputElement>("textbox");
    const save = (name: string) => section(name).getByRole<HTMLButtonElement>("button", { name: "Save" });
    await fireEvent.input(retention, { target: { value: "30m" } });
    expect(save("Retention").disabled).toBe(true);
    await fireEvent.input(retention, { target: { value: "90d" } });
    await fireEvent.input(quota, { target: { value: "messages=3/d" } });
    await fireEvent.submit(quota.closest("form")!);
    const back = await section("Quota").findByRole("button", { name: "Back to the default" });
    expect(save("Quota").disabled).toBe(true);
    expect(retention.value).toBe("90d");
    await waitFor(() => expect((back as HTMLButtonElement).disabled).toBe(false));
    await fireEvent.click(back);
    await waitFor(() => expect(quota.value).toBe(""));
    expect(bodies(requests)).toEqual([{ quota: "messages=3/d" }, { quota: null }]);
  });

  it("ask before a retention deletes chats", async () => {
    stubOverlays();
    const requests = settingsServer(settings());
    const { user, context } = testUser();
    render(SettingsSections, { context });
    await screen.findByRole("switch", { name: "Anyone can create an account" });
    const retention = section("Retention").getByRole<HTMLInputElement>("textbox");
    await fireEvent.input(retention, { target: { value: "1h" } });
    await fireEvent.submit(retention.closest("form")!);
    expect(await screen.findByText(/deletes 6 chats of 1 user for good/)).toBeTruthy();
    await fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
    expect(screen.queryByText(/deletes 6 chats/)).toBeNull();
    await fireEvent.submit(retention.closest("form")!);
    await fireEvent.click(await screen.findByRole("button", { name: "Delete these chats" }));
    await waitFor(() => expect(screen.queryByText(/deletes 6 chats/)).toBeNull());
    expect(bodies(requests)).toEqual([{ retention: "1h" }, { retention: "1h" }, { retention: "1h", confirm: true }]);
    expect(user.toasts.list.map(({ text }) => text)).toEqual(["Saved"]);
  });

  it("say if the server refuses", async () => {
    settingsServer(settings());
    const { context } = testUser();
    render(SettingsSections, { context });
    await screen.findByRole("switch", { name: "Anyone can create an account" });
    const field = section("Instructions").getByRole("textbox");
    await fireEvent.input(field, { target: { value: "refused" } });
    await fireEvent.submit(field.closest("form")!);
    expect((await section("Instructions").findByRole("alert")).textContent).toContain("not this");
  });

  it("can't be changed if the environment has them", async () => {
    settingsServer(settings({ fixed: ["registration", "instructions"], instructions: "Be kind." }));
    const { context } = testUser();
    render(SettingsSections, { context });
    const registration = await screen.findByRole<HTMLButtonElement>("switch", { name: "Anyone can create an account" });
    expect(registration.disabled).toBe(true);
    expect(section("Registration").getByText(/Fixed by PARLEY_REGISTRATION/)).toBeTruthy();
    const field = section("Instructions").getByRole<HTMLTextAreaElement>("textbox");
    expect([field.value, field.disabled]).toEqual(["Be kind.", true]);
    expect(section("Instructions").getByText(/Fixed by PARLEY_SYSTEM_PROMPT/)).toBeTruthy();
    expect(section("Instructions").queryByRole("button")).toBeNull();
  });
});
