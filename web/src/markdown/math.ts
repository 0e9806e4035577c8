import type { TokenizerAndRendererExtension } from "marked";
import { escapeHtml } from "./escape";

/** A longer formula is shown as its source. The limit also makes the search for its end linear. */
export const maxFormula = 3000;

/** Marks a formula, which decorate.ts typesets later. */
function placeholder(tex: string, display: boolean): string {
  return `<span class="${display ? "math math-display" : "math"}">${escapeHtml(tex.trim())}</span>`;
}

const closers: Record<string, string> = { $$: "$$", "\\[": "\\]" };

/**
 * Finds closing marks. Positions must not decrease from call to call, so that no part of
 * the source is searched twice.
 */
class Closer {
  #found = -1;
  #searched = 0;

  constructor(
    readonly source: string,
    readonly mark: string,
  ) {}

  /** Returns the position of the first mark at or after `from`, or -1 if there is none near enough. */
  after(from: number): number {
    const limit = from + maxFormula;
    if (this.#found < from) {
      const start = Math.max(from, this.#searched);
      const index = start < limit ? this.source.slice(start, limit).indexOf(this.mark) : -1;
      if (index >= 0) this.#found = start + index;
      else this.#searched = Math.max(start, limit - this.mark.length + 1);
    }
    return this.#found >= from && this.#found < limit ? this.#found : -1;
  }
}

/** Returns the end of a display formula that opens at a position and ends its line, or -1. */
function endOfDisplay(source: string, open: number, closer: Closer): number {
  const close = closer.after(open + 3);
  if (close < 0) return -1;
  const end = /(?: *)(?:\n|$)/y;
  end.lastIndex = close + 2;
  return end.test(source) ? end.lastIndex : -1;
}

/** Returns the position of the first display formula of a paragraph, or undefined. */
function findDisplay(source: string): number | undefined {
  const marks = /\$\$|\\\[|\n[ \t]*\n/g;
  const found = new Map<string, Closer>();
  for (let match = marks.exec(source); match; match = marks.exec(source)) {
    const mark = closers[match[0]];
    if (mark === undefined) return undefined; // the paragraph ends
    let closer = found.get(mark);
    if (!closer) found.set(mark, (closer = new Closer(source, mark)));
    if (endOfDisplay(source, match.index, closer) >= 0) return match.index;
  }
  return undefined;
}

/** $$…$$ or \[…\], at the end of a line. */
export const mathBlock: TokenizerAndRendererExtension = {
  name: "mathBlock",
  level: "block",
  start: findDisplay,
  tokenizer(source) {
    const open = /^ {0,3}(\$\$|\\\[)/.exec(source);
    if (!open) return;
    const from = open[0].length - 2;
    const closer = new Closer(source, closers[open[1]!]!);
    const end = endOfDisplay(source, from, closer);
    if (end < 0) return;
    return { type: "mathBlock", raw: source.slice(0, end), text: source.slice(from + 2, closer.after(from + 3)) };
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
    const match = /^(?:\$\$([^\n$]+?)\$\$|\$(?!\s)([^\n$]*[^\s$\\])\$(?!\d)|\\\(([^\n]{1,3000}?)\\\))/.exec(source);
    if (!match) return;
    return { type: "mathInline", raw: match[0], text: match[1] ?? match[2] ?? match[3] ?? "" };
  },
  renderer: (token) => placeholder(token.text as string, false),
};

/** Reports whether a source begins with a display formula whose end may still come. */
export function isUnclosedFormula(source: string): boolean {
  const open = /^ {0,3}(\$\$|\\\[)/.exec(source);
  return open !== null && source.length < maxFormula && !source.includes(closers[open[1]!]!, open[0].length);
}
