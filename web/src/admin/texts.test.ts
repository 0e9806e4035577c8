import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { formsOf, type Text } from "../i18n/plural";
import { events } from "./events";
import { en } from "./texts.en";
import { zh } from "./texts.zh";

const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();

describe("the texts of the administration", () => {
  it("have the same keys and placeholders in both languages", () => {
    expect(Object.keys(zh)).toEqual(Object.keys(en));
    for (const [key, text] of Object.entries<Text>(en) as [keyof typeof en, Text][]) {
      const wanted = placeholders(formsOf(text)[0]!);
      for (const form of [...formsOf(text), ...formsOf(zh[key])]) expect(placeholders(form), key).toEqual(wanted);
    }
  });

  it("are all used", () => {
    const source = readdirSync("src/admin", { encoding: "utf8" })
      .filter((name) => /\.(svelte|ts)$/.test(name) && !name.startsWith("texts."))
      .map((name) => readFileSync(join("src/admin", name), "utf8"))
      .join("\n");
    for (const key of Object.keys(en)) {
      if (!key.startsWith("reason.")) expect(source.includes(`"${key}"`), key).toBe(true);
    }
  });

  it("name every event of the server", () => {
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
