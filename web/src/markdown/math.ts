import type { TokenizerAndRendererExtension } from "marked";
import { escapeHtml } from "./escape";

/** Marks a formula, which decorate.ts typesets later. */
function placeholder(tex: string, display: boolean): string {
  return `<span class="${display ? "math math-display" : "math"}">${escapeHtml(tex.trim())}</span>`;
}

/** $$…$$ or \[…\] on separate lines. */
export const mathBlock: TokenizerAndRendererExtension = {
  name: "mathBlock",
  level: "block",
  start: (source) => source.match(/\$\$|\\\[/)?.index,
  tokenizer(source) {
    const match = /^ {0,3}(?:\$\$([\s\S]+?)\$\$|\\\[([\s\S]+?)\\\]) *(?:\n|$)/.exec(source);
    if (!match) return;
    return { type: "mathBlock", raw: match[0], text: match[1] ?? match[2] ?? "" };
  },
  renderer: (token) => `<p>${placeholder(token.text as string, true)}</p>`,
};

/**
 * $…$ or \(…\) within a line. A dollar sign before a space does not open a formula, and
 * one before a digit does not close it: those are amounts of money.
 */
export const mathInline: TokenizerAndRendererExtension = {
  name: "mathInline",
  level: "inline",
  start: (source) => source.match(/\$|\\\(/)?.index,
  tokenizer(source) {
    const match = /^(?:\$\$([^\n$]+?)\$\$|\$(?!\s)([^\n$]*[^\s$\\])\$(?!\d)|\\\(([^\n]+?)\\\))/.exec(source);
    if (!match) return;
    return { type: "mathInline", raw: match[0], text: match[1] ?? match[2] ?? match[3] ?? "" };
  },
  renderer: (token) => placeholder(token.text as string, false),
};
