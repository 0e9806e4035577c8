import { cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Refusal, stubServer } from "../admin/testing/server";
import type { Hit } from "../api/types";
import { keys } from "../shared/keys";
import { router } from "../shared/router.svelte";
import { testUser } from "../shared/testing/user";
import SearchPage from "./SearchPage.svelte";

let nearEnd: () => void = () => {};

beforeEach(() => {
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      constructor(tell: (seen: { isIntersecting: boolean }[]) => void) {
        nearEnd = () => tell([{ isIntersecting: true }]);
      }
      observe() {}
      unobserve() {}
      disconnect() {}
    },
  );
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  router.replace("#/");
});

const match = { start: 4, length: 5 };
const message = (chat: string, number: number): Hit => ({
  kind: "message",
  session_id: chat,
  session_title: `Chat ${chat}`,
  message_id: `${chat}-${number}`,
  number,
  snippet: "The ferry leaves",
  match,
  timestamp: 1767225600,
});

/** A page of results with a hit of each chat, which has a number of them. */
const found = (chats: Record<string, number>, more: object = {}) => ({
  hits: Object.keys(chats).map((chat) => message(chat, 2)),
  groups: Object.entries(chats).map(([session_id, total]) => ({ session_id, total })),
  total: 132,
  sessions: 14,
  counts: { titles: 3, messages: 120, files: 9 },
  ...more,
});

function open(query: string) {
  router.replace(`#/search?${query}`);
  const { user, context } = testUser();
  const view = render(SearchPage, { props: { query }, context });
  return { user, context, go: (next: string) => view.rerender({ query: next }) };
}

const titles = () => screen.queryAllByRole("heading", { level: 2 }).map(({ textContent }) => textContent);
const press = (key: string) => keys.handle(new KeyboardEvent("keydown", { key, cancelable: true }));

describe("the search page", () => {
  it("shows the chats with their hits, how many there are, and where the word is", async () => {
    stubServer({ "GET /api/search": () => found({ a: 1, b: 30 }) });
    open("q=Ferry");
    await screen.findByText("132 results in 14 chats");
    expect(titles()).toEqual(["Chat a", "Chat b"]);
    expect(screen.getAllByText("ferry", { selector: "mark" }).length).toBe(2);
    const [link] = screen.getAllByRole<HTMLAnchorElement>("link", { name: /The ferry leaves/ });
    expect(link!.getAttribute("href")).toBe("#/chat/a?message=2&find=Ferry");
    const kinds = screen.getAllByRole("radio").map(({ parentElement }) => parentElement!.textContent.trim());
    expect(kinds.map((text) => text.replace(/\s+/g, " "))).toEqual(["All 132", "Chats 3", "Messages 120", "Files 9"]);
    expect(screen.getByRole("button", { name: "Show 29 more in “Chat b”" })).toBeTruthy();
  });

  it("loads more chats near the end, and after a failure when asked", async () => {
    let works = true;
    const requests = stubServer({
      "GET /api/search": ({ query }) => {
        if (!works) return new Refusal(5000, "busy", 500);
        return query.get("after") ? found({ b: 1, c: 1 }) : found({ a: 1, b: 1 }, { next: "after-b" });
      },
    });
    open("q=ferry");
    await screen.findByText("Chat b");
    works = false;
    nearEnd();
    await screen.findByRole("alert");
    nearEnd();
    expect(titles()).toEqual(["Chat a", "Chat b"]);
    works = true;
    await fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    await screen.findByText("Chat c");
    expect(titles()).toEqual(["Chat a", "Chat b", "Chat c"]);
    expect(requests.map(({ query }) => query.get("after"))).toEqual([null, "after-b", "after-b"]);
    expect(requests.map(({ query }) => query.get("group"))).toEqual(["sessions", "sessions", "sessions"]);
    expect(screen.queryByRole("button", { name: "Load more chats" })).toBeNull();
  });

  it("loads the other hits of a chat", async () => {
    const requests = stubServer({
      "GET /api/search": ({ query }) => {
        if (!query.get("session_id")) return found({ a: 3 });
        return query.get("after")
          ? { hits: [message("a", 2)], total: 3 }
          : { hits: [message("a", 6), message("a", 4)], total: 3, next: "after-4" };
      },
    });
    open("q=ferry&in=messages");
    await fireEvent.click(await screen.findByRole("button", { name: /Show 2 more/ }));
    await fireEvent.click(await screen.findByRole("button", { name: /Show 1 more/ }));
    await waitFor(() => expect(screen.queryByRole("button", { name: /Show/ })).toBeNull());
    const shown = screen.getAllByRole<HTMLAnchorElement>("link", { name: /The ferry leaves/ });
    expect(shown.map((link) => link.getAttribute("href")!.match(/message=(\d+)/)![1])).toEqual(["6", "4", "2"]);
    expect(requests.at(-1)!.query.get("after")).toBe("after-4");
    expect(requests.at(-1)!.query.get("in")).toBe("messages");
    expect(requests.at(-1)!.query.get("group")).toBeNull();
  });

  it("is filtered by kind and day, in its address", async () => {
    const requests = stubServer({
      "GET /api/search": ({ query }) => (query.get("in") ? { hits: [], total: 0, sessions: 0 } : found({ a: 1 })),
    });
    const { go } = open("q=ferry");
    await screen.findByText("Chat a");
    await fireEvent.click(screen.getByRole("radio", { name: /Files/ }));
    expect(location.hash).toBe("#/search?q=ferry&in=files");
    await go("q=ferry&in=files");
    await screen.findByText("Nothing that fits the filters has “ferry” in its name or text.");
    expect(requests.at(-1)!.query.get("in")).toBe("files");
    expect(screen.getByRole("radio", { name: "Messages 120" })).toBeTruthy(); // of the same search
    expect(screen.getByRole("radio", { name: "Files 0" })).toBeTruthy();
    await fireEvent.change(screen.getByLabelText("From"), { target: { value: "2026-01-31" } });
    expect(location.hash).toBe("#/search?q=ferry&in=files&from=2026-01-31");
    await go("q=ferry&in=files&from=2026-01-31&to=2026-01-31");
    const { query } = requests.at(-1)!;
    expect(Number(query.get("to")) - Number(query.get("from"))).toBe(24 * 3600 - 1);
    await fireEvent.click(screen.getByRole("button", { name: "Clear filters" }));
    expect(location.hash).toBe("#/search?q=ferry");
  });

  it("says what it is for, that nothing was found, and what has failed", async () => {
    let works = false;
    stubServer({
      "GET /api/search": () => (works ? { hits: [], total: 0 } : new Refusal(5000, "busy", 500)),
    });
    const { go } = open("");
    expect(screen.getByText(/Type what you are looking for/)).toBeTruthy();
    await go("q=zeppelin");
    await screen.findByRole("alert");
    works = true;
    await fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    await screen.findByText("Nothing has “zeppelin” in its name or text.");
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("has keys", async () => {
    stubServer({ "GET /api/search": () => found({ a: 1, b: 1 }) });
    open("q=ferry");
    await screen.findByText("Chat b");
    const field = screen.getByRole<HTMLInputElement>("searchbox");
    expect(field.value).toBe("ferry");
    const links = screen.getAllByRole("link", { name: /The ferry leaves/ });
    await fireEvent.keyDown(field, { key: "ArrowDown" });
    expect(document.activeElement).toBe(links[0]);
    press("j");
    press("ArrowDown");
    expect(document.activeElement).toBe(links[1]);
    press("k");
    press("ArrowUp");
    expect(document.activeElement).toBe(field);
    links[1]!.focus();
    press("/");
    expect(document.activeElement).toBe(field);
    await fireEvent.keyDown(field, { key: "Escape" });
    expect([field.value, location.hash]).toEqual(["", "#/search"]);
  });

  it("keeps the results to come back to, until a chat changes", async () => {
    const requests = stubServer({ "GET /api/search": () => found({ a: 1, b: 1 }) });
    const { user, context } = open("q=ferry");
    const [, link] = await screen.findAllByRole("link", { name: /The ferry leaves/ });
    link!.addEventListener("click", (event) => event.preventDefault());
    await fireEvent.click(link!);
    cleanup();
    render(SearchPage, { props: { query: "q=ferry" }, context });
    await waitFor(() => expect(document.activeElement).toBe(screen.getAllByRole("link", { name: /The ferry/ })[1]));
    expect(requests.length).toBe(1);
    cleanup();
    user.changes.announce("a");
    render(SearchPage, { props: { query: "q=ferry" }, context });
    await waitFor(() => expect(requests.length).toBe(2));
    expect(within(document.body).getByRole<HTMLInputElement>("searchbox").value).toBe("ferry");
  });
});
