import { describe, expect, it } from "vitest";
import { append, firstOf, pageOf, pageSize, prepend, windowSize } from "./history";

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
