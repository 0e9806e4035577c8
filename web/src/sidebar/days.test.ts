import { describe, expect, it } from "vitest";
import type { Session } from "../api/types";
import { groupByDay } from "./days";

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
