import { describe, expect, it } from "vitest";
import { MenuKeys } from "./menu";

const names = ["Rename", "Export", "Remove", "删除"];

describe("the keys of a menu", () => {
  it("move to the neighbours and around, to the first and to the last", () => {
    const keys = new MenuKeys();
    const next = (key: string, at: number) => keys.next(key, at, names, 0);
    expect([next("ArrowDown", 0), next("ArrowDown", 3), next("ArrowDown", -1)]).toEqual([1, 0, 0]);
    expect([next("ArrowUp", 1), next("ArrowUp", 0), next("ArrowUp", -1)]).toEqual([0, 3, 3]);
    expect([next("Home", 2), next("End", 0)]).toEqual([0, 3]);
    expect([next("Enter", 1), next("Tab", 1), next(" ", 1)]).toEqual([null, null, null]);
    expect(keys.next("End", -1, [], 0)).toBeNull();
  });

  it("find a name by its beginning", () => {
    const keys = new MenuKeys();
    expect(keys.next("r", 0, names, 0)).toBe(2); // the next one with this letter
    expect(keys.next("e", 2, names, 100)).toBe(2);
    expect(keys.next("n", 2, names, 200)).toBe(0);
    expect(keys.next("e", 0, names, 2000)).toBe(1); // after a pause
    expect(keys.next("删", 1, names, 4000)).toBe(3);
    expect(keys.next("x", 3, names, 6000)).toBeNull();
  });

  it("go through the names of one letter", () => {
    const keys = new MenuKeys();
    expect(keys.next("r", -1, names, 0)).toBe(0);
    expect(keys.next("r", 0, names, 100)).toBe(2);
    expect(keys.next("R", 2, names, 2000)).toBe(0);
  });
});
