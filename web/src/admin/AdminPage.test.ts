import { cleanup, render, screen } from "@testing-library/svelte";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { UserInfo } from "../api/types";
import { testUser } from "../shared/testing/user";
import type { AdminPlace } from "../shared/router.svelte";
import AdminPage from "./AdminPage.svelte";
import { overview } from "./testing/examples";
import { stubServer } from "./testing/server";

const account = { user_id: 1, email: "ada@example.com", nickname: "Ada", avatar: "", created_at: 1 } as UserInfo;
const at = (section: string | null): AdminPlace => ({ page: "admin", section, userId: 0 });

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

describe("the page of administrators", () => {
  it("has a link to each section", async () => {
    stubServer({ "GET /api/admin/overview": () => overview() });
    render(AdminPage, { props: { place: at(null) }, context: testUser({ ...account, admin: true }).context });
    const links = screen.getAllByRole("link").map((link) => [link.textContent, link.getAttribute("aria-current")]);
    expect(links).toEqual([
      ["Overview", "page"],
      ["Models", null],
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
    render(AdminPage, { props: { place }, context: testUser(user).context });
    expect(screen.getByText("There is nothing here.")).toBeTruthy();
    expect(screen.queryByRole("navigation")).toBeNull();
    expect(requests).toEqual([]);
  });

  it("asks for the code while there is no administrator", () => {
    stubServer({});
    render(AdminPage, { props: { place: at(null) }, context: testUser({ ...account, claimable: true }).context });
    expect(screen.getByLabelText(/Code/)).toBeTruthy();
  });
});
