import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { events } from "./events";

describe("the events of the audit log", () => {
  it("have a name for every event of the server", () => {
    const folder = "../internal/account";
    const source = readdirSync(folder, { encoding: "utf8" })
      .filter((name) => name.endsWith(".go") && !name.endsWith("_test.go"))
      .map((name) => readFileSync(join(folder, name), "utf8"))
      .join("\n");
    const names = [...source.matchAll(/ (?:event|Deletion) += "([a-z-]+)"/g)].map(([, name]) => name!);
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !(name in events))).toEqual([]);
  });
});
