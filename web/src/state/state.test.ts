import { describe, expect, it, vi } from "vitest";
import type { Session } from "../api/types";
import { titleOf } from "./actions";
import { groupByDay } from "./days";
import { append, firstOf, pageOf, pageSize, prepend, windowSize } from "./history";
import { preferences } from "./preferences.svelte";
import { chatHash, parse } from "./router.svelte";
import { sessions, updateSession } from "./sessions.svelte";

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);
const page = (number: number) => numbers(firstOf(number), pageSize);

describe("a stretch of history", () => {
  it("grows backwards without gaps or duplicates, and drops the end", () => {
    let stretch = { first: 501, items: numbers(501, 30) };
    while (stretch.first > 1) {
      const before = pageOf(stretch.first - 1);
      stretch = prepend(stretch, before, page(before), true);
      expect(stretch.items).toEqual(numbers(stretch.first, stretch.items.length));
    }
    expect(stretch.items).toHaveLength(windowSize);
  });

  it("grows forwards without gaps or duplicates, and drops the beginning", () => {
    let stretch = { first: 1, items: numbers(1, 25) };
    for (let next = 26; next <= 400; next = stretch.first + stretch.items.length) {
      stretch = append(stretch, pageOf(next), page(pageOf(next)));
      expect(stretch.items).toEqual(numbers(stretch.first, stretch.items.length));
    }
    expect(stretch.items).toHaveLength(windowSize);
  });

  it("keeps the end while a reply is pending", () => {
    const stretch = { first: 201, items: numbers(201, windowSize) };
    expect(prepend(stretch, 5, page(5), false).items.at(-1)).toBe(400);
  });
});

describe("groupByDay", () => {
  const now = new Date(2026, 4, 20, 12);
  const session = (id: string, time: Date | 0): Session => ({
    id,
    title: id,
    message_count: 0,
    last_message_time: time === 0 ? 0 : time.getTime() / 1000,
  });

  it("uses local days", () => {
    const grouped = groupByDay(
      [
        session("empty", 0),
        session("morning", new Date(2026, 4, 20, 0, 1)),
        session("last night", new Date(2026, 4, 19, 23, 59)),
        session("a week ago", new Date(2026, 4, 13, 12)),
        session("a month ago", new Date(2026, 3, 25)),
        session("last year", new Date(2025, 10, 2)),
      ],
      now,
    );
    expect(grouped.map(({ group, sessions }) => [group, sessions.map(({ id }) => id)])).toEqual([
      ["today", ["empty", "morning"]],
      ["yesterday", ["last night"]],
      ["week", ["a week ago"]],
      ["month", ["a month ago"]],
      [{ year: 2025, month: 10 }, ["last year"]],
    ]);
  });
});

describe("titleOf", () => {
  const session = (title: string, untitled?: boolean): Session => ({
    id: "s",
    title,
    untitled,
    message_count: 0,
    last_message_time: 0,
  });

  it("translates the placeholder of an untitled session, and leaves titles alone", () => {
    preferences.language = "zh";
    const list = [undefined, session("New chat", true), session("New chat"), session("Capri")];
    expect(list.map(titleOf)).toEqual(["新对话", "新对话", "New chat", "Capri"]);
    preferences.language = null;
  });

  it("is the new title after a rename, even if it is the default", async () => {
    preferences.language = "zh";
    vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ error: 0 })));
    sessions.list = [session("New chat", true)];
    await updateSession("s", { title: "New chat" });
    expect(sessions.list.map(titleOf)).toEqual(["New chat"]);
    vi.unstubAllGlobals();
    sessions.reset();
    preferences.language = null;
  });
});

describe("the address", () => {
  it("is parsed to a place", () => {
    expect(parse("")).toEqual({ page: "chat", sessionId: null, messageNumber: null });
    expect(parse(chatHash("abc", 7))).toEqual({ page: "chat", sessionId: "abc", messageNumber: 7 });
    expect(parse(chatHash("abc", 7, "a & b?"))).toEqual({
      page: "chat",
      sessionId: "abc",
      messageNumber: 7,
      find: "a & b?",
    });
    expect(parse("#/favorites")).toEqual({ page: "favorites" });
    expect(parse("#/archived")).toEqual({ page: "archived" });
    expect(parse("#/settings")).toEqual({ page: "settings", section: null });
    expect(parse("#/settings/devices")).toEqual({ page: "settings", section: "devices" });
    expect(parse("#/nowhere/at/all")).toEqual({ page: "chat", sessionId: null, messageNumber: null });
  });
});
