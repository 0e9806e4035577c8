import { cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { testUser } from "../shared/testing/user";
import { user } from "./testing/examples";
import { type Asked, Refusal, stubOverlays, stubServer } from "./testing/server";
import UsersSection from "./UsersSection.svelte";

const me = 1;
const ada = user(me, "ada@example.com", { nickname: "Ada", admin: true, totp: true });
const bob = user(2, "bob@example.com", { nickname: "Bob" });

beforeEach(() => {
  stubOverlays();
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const list = (...users: (typeof ada)[]) => ({ "GET /api/admin/users": () => ({ users, total: users.length }) });

const menuOf = (email: string) => within(screen.getByRole("menu", { name: `Actions for ${email}`, hidden: true }));

const names = (email: string) =>
  menuOf(email)
    .getAllByRole("menuitem", { hidden: true })
    .map(({ textContent }) => textContent.trim());

/** Renders the list and chooses an item of the menu of an account. */
async function choose(email: string, name: string) {
  render(UsersSection, { context: testUser({ user_id: me }).context });
  await screen.findByText(email);
  await fireEvent.click(menuOf(email).getByRole("menuitem", { name, hidden: true }));
  return within(screen.getByRole("dialog"));
}

const changes = (requests: Asked[]) =>
  requests.filter(({ method }) => method !== "GET").map(({ method, path, body }) => [method, path, body]);

describe("the list of users", () => {
  it("shows what is known of an account", async () => {
    const disabled = { ...bob, disabled: true, quota: "messages=3/d", last_seen_at: Date.now() / 1000 - 7300 };
    stubServer(list(ada, disabled));
    render(UsersSection, { context: testUser({ user_id: me }).context });
    const rows = (await screen.findAllByRole("listitem")).map(({ textContent }) => textContent.replace(/\s+/g, " "));
    expect(rows[0]).toContain("Ada Administrator Second factor");
    expect(rows[0]).toContain("Last seen Never");
    expect(rows[0]).toContain("2.5 MB");
    expect(rows[0]).toContain("2 replies, 1,500 tokens");
    expect(rows[0]).toContain("The server's quota");
    expect(rows[1]).toContain("Bob Disabled");
    expect(rows[1]).toContain("2 hours ago");
    expect(rows[1]).toContain("messages=3/d");
  });

  it("searches after a pause, and says if nothing is found", async () => {
    const requests = stubServer({
      "GET /api/admin/users": ({ query }) =>
        query.get("keyword") ? { users: [], total: 0 } : { users: [ada], total: 1 },
    });
    render(UsersSection, { context: testUser({ user_id: me }).context });
    await screen.findByText("Ada");
    await fireEvent.input(screen.getByRole("searchbox"), { target: { value: "ca" } });
    await fireEvent.input(screen.getByRole("searchbox"), { target: { value: "carl" } });
    expect(await screen.findByText("No account has “carl” in its address or name.")).toBeTruthy();
    expect(requests.map(({ query }) => query.get("keyword"))).toEqual([null, "carl"]);
  });

  it("loads more", async () => {
    const all = Array.from({ length: 25 }, (_, index) => user(index + 1, `user${index + 1}@example.com`));
    const requests = stubServer({
      "GET /api/admin/users": ({ query }) => {
        const page = Number(query.get("page"));
        return { users: all.slice((page - 1) * 20, page * 20), total: all.length };
      },
    });
    render(UsersSection, { context: testUser({ user_id: me }).context });
    await fireEvent.click(await screen.findByRole("button", { name: "Load more" }));
    await waitFor(() => expect(screen.getAllByRole("listitem").length).toBe(25));
    expect(screen.queryByRole("button", { name: "Load more" })).toBeNull();
    expect(requests.map(({ query }) => query.get("page"))).toEqual(["1", "2"]);
  });

  it("shows an error, and tries again", async () => {
    let fails = true;
    stubServer({
      "GET /api/admin/users": () => (fails ? new Refusal(5000, "no", 500) : { users: [ada], total: 1 }),
    });
    render(UsersSection, { context: testUser({ user_id: me }).context });
    fails = false;
    await fireEvent.click(await screen.findByRole("button", { name: "Try again" }));
    expect(await screen.findByText("Ada")).toBeTruthy();
  });

  it("has no link to anybody's chats", async () => {
    stubServer(list(ada, bob));
    render(UsersSection, { context: testUser({ user_id: me }).context });
    await screen.findByText("Bob");
    expect(screen.queryAllByRole("link")).toEqual([]);
  });
});

describe("adding people", () => {
  it("shows what became of each", async () => {
    const requests = stubServer({
      ...list(ada),
      "POST /api/admin/users": ({ body }) => {
        const { email } = body as { email: string };
        if (email === "ada@example.com") return new Refusal(1004, "taken", 409);
        return { user_id: 2, invite_url: `/#invite=${email}`, expires_at: 1, mailed: email === "bob@example.com" };
      },
    });
    render(UsersSection, { context: testUser({ user_id: me }).context });
    await screen.findByText("Ada");
    await fireEvent.click(screen.getByRole("button", { name: "Add people" }));
    const dialog = within(screen.getByRole("dialog"));
    const add = dialog.getByRole<HTMLButtonElement>("button", { name: "Add" });
    expect(add.disabled).toBe(true);
    const field = dialog.getByLabelText(/^E-mail addresses/);
    const many = Array.from({ length: 201 }, (_, number) => `${number}@example.com`).join();
    await fireEvent.input(field, { target: { value: many } });
    expect([add.disabled, dialog.queryByText("At most 200 at a time.") !== null]).toEqual([true, true]);
    const typed = "Bob <bob@example.com>\nada@example.com, carl@example.com";
    await fireEvent.input(field, { target: { value: typed } });
    await fireEvent.click(dialog.getByLabelText("They become administrators"));
    await fireEvent.submit(field.closest("form")!);

    const link = await dialog.findByLabelText<HTMLInputElement>("Link for bob@example.com");
    expect(link.value).toBe(`${location.origin}/#invite=bob@example.com`);
    expect(dialog.getByLabelText("Link for carl@example.com")).toBeTruthy();
    expect(dialog.queryByLabelText("Link for ada@example.com")).toBeNull();
    expect(dialog.getByText("An account with this e-mail address already exists.")).toBeTruthy();
    expect(dialog.getByText(/It is sent by mail too\.$/)).toBeTruthy();
    expect(dialog.getByRole("button", { name: "Copy all links" })).toBeTruthy();
    const path = "/api/admin/users";
    expect(changes(requests)).toEqual([
      ["POST", path, { email: "bob@example.com", admin: true, nickname: "Bob" }],
      ["POST", path, { email: "ada@example.com", admin: true }],
      ["POST", path, { email: "carl@example.com", admin: true }],
    ]);
    await fireEvent.click(dialog.getByRole("button", { name: "Close" }));
    await waitFor(() => expect(requests.at(-1)!.method).toBe("GET")); // the list is read again
  });

  it("makes a new link for who has not come", async () => {
    const answer = () => ({
      user_id: 2,
      invite_url: "https://chat.example.com/#invite=x",
      expires_at: 1,
      mailed: false,
    });
    const requests = stubServer({ ...list(ada, { ...bob, invited: true }), "POST /api/admin/users": answer });
    const dialog = await choose("bob@example.com", "New link…");
    expect(screen.getByText("Invited")).toBeTruthy();
    await fireEvent.click(dialog.getByRole("button", { name: "Make a link" }));
    const link = await screen.findByLabelText<HTMLInputElement>("Link for bob@example.com");
    expect(link.value).toBe("https://chat.example.com/#invite=x");
    expect(changes(requests)).toEqual([["POST", "/api/admin/users", { email: "bob@example.com", admin: false }]]);
  });
});

describe("the menu of an account", () => {
  it("has what can be done with it", async () => {
    stubServer(list(ada, bob, { ...bob, user_id: 3, email: "carl@example.com", admin: true, disabled: true }));
    render(UsersSection, { context: testUser({ user_id: me }).context });
    await screen.findByText("bob@example.com");
    expect(names("bob@example.com")).toEqual([
      "Quota…",
      "Audit log",
      "Reset password",
      "Make administrator",
      "Disable",
      "Delete…",
    ]);
    expect(names("carl@example.com")).toEqual([
      "Quota…",
      "Audit log",
      "Reset password",
      "Take the role away",
      "Enable",
      "Delete…",
    ]);
    expect(names("ada@example.com")).toEqual(["Quota…", "Audit log"]);
  });

  it.each([
    { item: "Make administrator", confirm: "Make administrator", path: "/api/admin/users/2/promote" },
    { item: "Disable", confirm: "Disable", path: "/api/admin/users/2/disable" },
  ])("asks before: $item", async ({ item, confirm, path }) => {
    const requests = stubServer({ ...list(ada, bob), [`POST ${path}`]: () => ({}) });
    const dialog = await choose("bob@example.com", item);
    expect(changes(requests)).toEqual([]);
    await fireEvent.click(dialog.getByRole("button", { name: confirm }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(changes(requests)).toEqual([["POST", path, undefined]]);
    await waitFor(() => expect(requests.at(-1)!.method).toBe("GET")); // the list is read again
  });

  it("says if the server refuses", async () => {
    const path = "POST /api/admin/users/2/disable";
    stubServer({ ...list(ada, bob), [path]: () => new Refusal(1001, "you can't do this", 400) });
    const dialog = await choose("bob@example.com", "Disable");
    await fireEvent.click(dialog.getByRole("button", { name: "Disable" }));
    expect((await dialog.findByRole("alert")).textContent).toContain("you can't do this");
  });

  it("shows a new password once", async () => {
    stubServer({ ...list(ada, bob), "POST /api/admin/users/2/reset-password": () => ({ password: "k7w2-mfq4" }) });
    const dialog = await choose("bob@example.com", "Reset password");
    await fireEvent.click(dialog.getByRole("button", { name: "Reset password" }));
    expect((await screen.findByLabelText<HTMLInputElement>("New password")).value).toBe("k7w2-mfq4");
    expect(screen.getByRole("button", { name: "Copy password" })).toBeTruthy();
  });

  it("checks a quota before it is sent", async () => {
    const requests = stubServer({ ...list(ada, bob), "POST /api/admin/users/2/quota": () => ({}) });
    const dialog = await choose("bob@example.com", "Quota…");
    await fireEvent.click(dialog.getByLabelText("Its own limits"));
    const field = dialog.getByLabelText(/Limits per day/);
    const save = dialog.getByRole<HTMLButtonElement>("button", { name: "Save" });
    await fireEvent.input(field, { target: { value: "messages=3" } });
    expect([save.disabled, field.getAttribute("aria-invalid")]).toEqual([true, "true"]);
    await fireEvent.input(field, { target: { value: "messages=3/d" } });
    expect([save.disabled, field.getAttribute("aria-invalid")]).toEqual([false, "false"]);
    await fireEvent.submit(field.closest("form")!);
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(changes(requests)).toEqual([["POST", "/api/admin/users/2/quota", { quota: "messages=3/d" }]]);
  });

  it("deletes after the address was typed", async () => {
    const users = [ada, bob];
    const requests = stubServer({
      "GET /api/admin/users": () => ({ users, total: users.length }),
      "DELETE /api/admin/users/2": () => {
        users.pop();
        return {};
      },
    });
    const dialog = await choose("bob@example.com", "Delete…");
    const field = dialog.getByLabelText("Type bob@example.com to confirm");
    await fireEvent.input(field, { target: { value: "ada@example.com" } });
    await fireEvent.submit(field.closest("form")!);
    expect(changes(requests)).toEqual([]);
    await fireEvent.input(field, { target: { value: "Bob@example.com " } });
    await fireEvent.submit(field.closest("form")!);
    await waitFor(() => expect(screen.getAllByRole("listitem").length).toBe(1));
    expect(changes(requests)).toEqual([["DELETE", "/api/admin/users/2", undefined]]);
  });
});
