import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { formsOf, type Text } from "./plural";

/** A singular may do without its count. */
const placeholders = (text: string) => [...text.matchAll(/\{(?!count)\w+\}/g)].map(([name]) => name).sort();
const files = readdirSync("src", { recursive: true, encoding: "utf8" });
/** The texts that load with their room: admin/texts.en.ts has admin/texts.zh.ts. */
const rooms = files.filter((name) => name.endsWith(".en.ts")).map((name) => name.replace(".en.ts", ""));
const languages = import.meta.glob<Record<string, Record<string, Text>>>("../**/*.{en,zh}.ts", { eager: true });

const sources = files
  .filter((name) => /\.(svelte|ts)$/.test(name) && !/\.(en|zh|test)\.ts$/.test(name))
  .map((name) => {
    const source = readFileSync(join("src", name), "utf8");
    const imports = [...source.matchAll(/from "(\.[^"]+)"/g)].map(([, from]) => join(dirname(name), from!));
    return { module: name.replace(/\.ts$/, ""), source, imports };
  });

/** Returns the source of what says a room's texts: the modules that import the one with its translator. */
function speakers(room: string): string {
  const translators = sources.filter(({ imports }) => imports.includes(`${room}.en`));
  const users = sources.filter(({ imports }) => translators.some(({ module }) => imports.includes(module)));
  return [...translators, ...users].map(({ source }) => source).join("\n");
}

describe.each(rooms)("the texts of %s", (room) => {
  it("have the same keys and placeholders in both languages, and are all used", () => {
    const en = languages[`../${room}.en.ts`]!.en!;
    const zh = languages[`../${room}.zh.ts`]!.zh!;
    const source = speakers(room);
    expect(Object.keys(zh)).toEqual(Object.keys(en));
    for (const [key, text] of Object.entries(en)) {
      const wanted = placeholders(formsOf(text)[0]!);
      for (const form of [...formsOf(text), ...formsOf(zh[key]!)]) expect(placeholders(form), key).toEqual(wanted);
      if (!key.startsWith("reason.")) expect(source.includes(`"${key}"`), key).toBe(true);
    }
  });
});
