import { cleanup, render, screen } from "@testing-library/svelte";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { UserInfo } from "../api/types";
import { auth } from "../login/auth.svelte";
import type { AdminPlace } from "../shared/router.svelte";
import AdminPage from "./AdminPage.svelte";
import { overview } from "./testing/examples";
import { stubServer } from "./testing/server";

const account = { user_id: 1, email: "ada@example.com", nickname: "Ada", avatar: "", created_at: 1 } as UserInfo;
const at = (section: string | null): AdminPlace => ({ page: "admin", section, userId: 0 });

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  auth.user = null;
});

describe("the page of administrators", () => {
  it("has a link to each section", async () => {
    stubServer({ "GET /api/admin/overview": () => overview() });
    auth.user = { ...account, admin: true };
    render(AdminPage, { place: at(null) });
    const links = screen.getAllByRole("link").map((link) => [link.textContent, link.getAttribute("aria-current")]);
    expect(links).toEqual([
      ["Overview", "page"],
      ["Users", null],
      ["Usage", null],
      ["Audit log", null],
      ["Settings", null],
    ]);
    expect(await screen.findByText("Everything works.")).toBeTruthy();
  });

  it.each([
    { who: "a user", user: account, place: at("users") },
    { who: "an administrator at an unknown section", user: { ...account, admin: true }, place: at("chats") },
  ])("has nothing for $who", ({ user, place }) => {
    const requests = stubServer({});
    auth.user = user;
    render(AdminPage, { place });
    expect(screen.getByText("There is nothing here.")).toBeTruthy();
    expect(screen.queryByRole("navigation")).toBeNull();
    expect(requests).toEqual([]);
  });

  it("asks for the code while there is no administrator", () => {
    stubServer({});
    auth.user = { ...account, claimable: true };
    render(AdminPage, { place: at(null) });
    expect(screen.getByLabelText(/Code/)).toBeTruthy();
  });
});
