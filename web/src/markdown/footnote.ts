import type { TokenizerAndRendererExtension } from "marked";
import { escapeHtml } from "./escape";

/** [^1] in a text. */
export const footnoteReference: TokenizerAndRendererExtension = {
  name: "footnoteReference",
  level: "inline",
  start: (source) => {
    const index = source.indexOf("[^");
    return index < 0 ? undefined : index;
  },
  tokenizer(source) {
    const match = /^\[\^([\w-]{1,32})\]/.exec(source);
    return match ? { type: "footnoteReference", raw: match[0], label: match[1] } : undefined;
  },
  renderer: (token) => `<sup class="note-reference">${escapeHtml(token.label as string)}</sup>`,
};

/** [^1]: a note, whose further lines are indented. */
export const footnote: TokenizerAndRendererExtension = {
  name: "footnote",
  level: "block",
  tokenizer(source) {
    const match = /^\[\^([\w-]{1,32})\]:[ \t]*([^\n]*(?:\n(?: {2}|\t)[^\n]+)*)(?:\n|$)/.exec(source);
    if (!match) return;
    const token = { type: "footnote", raw: match[0], label: match[1], tokens: [] };
    this.lexer.inline(match[2]!, token.tokens);
    return token;
  },
  renderer(token) {
    const text = this.parser.parseInline(token.tokens ?? []);
    return `<p class="note"><sup>${escapeHtml(token.label as string)}</sup> ${text}</p>\n`;
  },
};
