import { describe, expect, it } from "vitest";
import type { UsageSum } from "../api/types";
import { fillDays, isUsed, lastDays, sumUp, usedPart } from "./usage";

const used = (more: Partial<UsageSum>): UsageSum => ({
  input_tokens: 100,
  output_tokens: 20,
  thinking_tokens: 0,
  messages: 2,
  cost: 0,
  estimated: false,
  ...more,
});

describe("the last days", () => {
  it("are thirty of UTC, also those without usage", () => {
    const days = fillDays(
      [used({ day: "2026-02-27" }), used({ day: "2026-03-01" })],
      lastDays(Date.UTC(2026, 2, 1, 23, 59)),
    );
    expect(days).toHaveLength(30);
    expect(days[0]!.day).toBe("2026-01-31");
    expect(days.slice(-3)).toEqual([
      { day: "2026-02-27", tokens: 120, messages: 2 },
      { day: "2026-02-28", tokens: 0, messages: 0 },
      { day: "2026-03-01", tokens: 120, messages: 2 },
    ]);
  });
});

describe("the sum", () => {
  it("has a currency if something has a price, and is estimated if something is", () => {
    expect(sumUp([used({}), used({ cost: 0.5, currency: "EUR" }), used({ estimated: true })])).toEqual({
      input_tokens: 300,
      output_tokens: 60,
      messages: 6,
      cost: 0.5,
      currency: "EUR",
      estimated: true,
    });
    expect(sumUp([used({})])).toMatchObject({ currency: "", estimated: false });
  });
});

it("a quota is used as a whole at most", () => {
  expect(usedPart({ limit: 10, used: 8, left: 2 })).toBe(0.8);
  expect(usedPart({ limit: 10, used: 12, left: 0 })).toBe(1);
});

it("is not shown if there is nothing of it", () => {
  const nothing = { messages: 0, input_tokens: 0, output_tokens: 0 };
  expect(isUsed(used(nothing))).toBe(false);
  for (const some of [{ messages: 1 }, { input_tokens: 1 }, { output_tokens: 1 }, { cost: 0.01 }]) {
    expect(isUsed(used({ ...nothing, ...some }))).toBe(true);
  }
});
