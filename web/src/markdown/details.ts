import type { Token, TokenizerAndRendererExtension } from "marked";
import { type BoundedLexer, maxBlockLength } from "./lexer";

const opening = /^ {0,3}<details(?: open(?:="")?)?>/i;

/** Returns where the details element at the start of a source ends, 0 if there is none, or -1 if it is not closed. */
function endOfDetails(source: string): number {
  if (!opening.test(source)) return 0;
  let depth = 0;
  const tags = /<(\/?)details\b[^>\n]*>/gi;
  const near = source.slice(0, maxBlockLength);
  for (let tag = tags.exec(near); tag; tag = tags.exec(near)) {
    depth += tag[1] ? -1 : 1;
    if (depth === 0) return tags.lastIndex;
  }
  return -1;
}

/** Returns how many details elements are open at the end of a source: few, because nobody nests many. */
export function openDetails(source: string): number {
  const opened = source.match(/<details\b/gi)?.length ?? 0;
  const closed = source.match(/<\/details>/gi)?.length ?? 0;
  return Math.min(opened - closed, 20);
}

export const isUnclosedDetails = (source: string): boolean => endOfDetails(source) < 0;

/** <details><summary>…</summary>…</details>, with Markdown inside. */
export const details: TokenizerAndRendererExtension = {
  name: "details",
  level: "block",
  tokenizer(source) {
    const start = opening.exec(source)?.[0];
    const lexer = this.lexer as BoundedLexer;
    if (start === undefined || !lexer.takeDetails()) return;
    const end = endOfDetails(source);
    if (end <= 0) return;
    const inner = source.slice(start.length, source.lastIndexOf("<", end - 1));
    const [head = "", summary = ""] = /^\s*<summary>([\s\S]*?)<\/summary>/i.exec(inner) ?? [];
    const token = { type: "details", raw: source.slice(0, end), summary: [] as Token[], tokens: [] as Token[] };
    lexer.inline(summary.trim(), token.summary);
    lexer.blockTokens(inner.slice(head.length), token.tokens);
    return token;
  },
  renderer(token) {
    const summary = this.parser.parseInline(token.summary as Token[]) || "…";
    return `<details><summary>${summary}</summary>${this.parser.parse(token.tokens ?? [])}</details>\n`;
  },
};
