import { marked, type Token, type Tokens } from "marked";
import type { Plugin } from "vite";

/** A guide: its name in addresses, its title, and texts that are each followed by a sample. */
export interface Guide {
  id: string;
  title: string;
  parts: { html: string; sample?: string }[];
}

/** The code of the samples, by name and language. */
export type Samples = Record<string, Record<string, string>>;

/** Compiles Markdown at build time: samples.md to Samples, other documents to a list of Guides. */
export function guides(): Plugin {
  return {
    name: "guides",
    enforce: "pre",
    transform(code, id) {
      if (!id.endsWith(".md")) return;
      const value = id.endsWith("samples.md") ? readSamples(code) : readGuides(code);
      return { code: `export default ${JSON.stringify(value)}`, map: null };
    },
  };
}

/** Reads a document in which a heading such as "## Log in {#log-in}" begins a guide. */
export function readGuides(markdown: string): Guide[] {
  return sections(markdown).map(({ title, tokens }) => {
    const [, name, id] = /^(.*) \{#([\w-]+)\}$/.exec(title) ?? [];
    if (!name || !id) throw new Error(`the guide "${title}" has no {#id}`);
    return { id, title: name, parts: split(tokens) };
  });
}

/** Reads a document in which a heading names a sample, and a block of code for each language follows. */
export function readSamples(markdown: string): Samples {
  return Object.fromEntries(
    sections(markdown).map(({ title, tokens }) => [
      title,
      Object.fromEntries(tokens.filter(isCode).map(({ lang, text }) => [lang, text])),
    ]),
  );
}

function sections(markdown: string): { title: string; tokens: Token[] }[] {
  const list: { title: string; tokens: Token[] }[] = [];
  for (const token of marked.lexer(markdown)) {
    if (token.type === "heading" && token.depth === 2) list.push({ title: (token as Tokens.Heading).text, tokens: [] });
    else list.at(-1)?.tokens.push(token);
  }
  return list;
}

const isCode = (token: Token): token is Tokens.Code => token.type === "code";

/** Splits a guide after each block of the language "sample", whose text is the name of a sample. */
function split(tokens: Token[]): Guide["parts"] {
  const parts: Guide["parts"] = [];
  let texts: Token[] = [];
  const close = (sample?: string) => {
    // Blocks of code scroll, so the keyboard has to reach them.
    parts.push({ html: marked.parser(texts).replaceAll("<pre>", '<pre tabindex="0">'), sample });
    texts = [];
  };
  for (const token of tokens) {
    if (isCode(token) && token.lang === "sample") close(token.text.trim());
    else texts.push(token);
  }
  if (texts.some(({ type }) => type !== "space")) close();
  return parts;
}
