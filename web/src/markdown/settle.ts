import { isUnclosedDetails, openDetails } from "./details";
import { isUnclosedFormula, maxFormula } from "./math";
import type { Block } from "./parse";

/** How far the end of a link, a tag and a formula within a line is looked for. */
const reach = { text: 500, address: 2000, tag: 300, formula: 200, amount: 24 };

const maxDepth = 20;

/** The marks at the beginning of a line of a heading, a quote or an item of a list. */
const lineMarks = /^(?:[ \t]*(?:[-*+](?=\s)|\d{1,9}[.)](?=\s)|#{1,6}(?=\s)|>))*[ \t]*/;

/** A line that may become a mark, a rule or the second line of a table. */
const onlyMarks = /^[\s\-*+_=~`#|:>]*(?:\d{1,9}[.)]?)?\s*$/;

/** Returns the index of the first block whose end is still to come, or Infinity. */
export function unclosedAt(text: string, blocks: Block[]): number {
  let at = 0;
  for (const [index, block] of blocks.entries()) {
    const source = text.slice(at, at + 20);
    if (/^ {0,3}(?:\$\$|\\\[|<details)/i.test(source) && isUnclosed(text.slice(at))) return index;
    at += block.length;
  }
  return Infinity;
}

const isUnclosed = (source: string): boolean => isUnclosedFormula(source) || isUnclosedDetails(source);

/**
 * Returns the source of the last block of a text that grows as it can be shown: marks that
 * are not closed yet are closed or left out, so that the reader never sees them.
 */
export function settle(source: string): string {
  if (isUnclosedFormula(source)) return "";
  if (isUnclosedDetails(source)) return settleDetails(source);
  if (endsInCode(source)) return settleCode(source);
  const closesCode = endsInCode(source.slice(0, source.lastIndexOf("\n") + 1));
  return closesCode ? source : settleText(source);
}

function settleText(source: string): string {
  const text = dropMarks(source);
  const start = startOfRun(text);
  return text.slice(0, start) + settleInline(text.slice(start));
}

function settleDetails(source: string): string {
  const tag = source.lastIndexOf("<");
  const text = source.includes(">", tag) ? source : source.slice(0, tag);
  const end = "</details>".repeat(openDetails(text));
  if (/<summary>/i.test(text) && !/<\/summary>/i.test(text)) return `${text}</summary>\n${end}`;
  const closed = text.endsWith("</summary>") || endsInCode(text) ? text : settleText(text);
  return `${closed}\n\n${end}`;
}

/** Reports whether the last line belongs to code between fences, at any depth. */
function endsInCode(source: string): boolean {
  let fence = "";
  for (const [, mark] of source.matchAll(/^(?:[ \t>]|[-*+] |\d{1,9}[.)] )*(`{3,}|~{3,})/gm)) {
    if (!fence) fence = mark!;
    else if (mark!.startsWith(fence)) fence = "";
  }
  return fence !== "";
}

function settleCode(source: string): string {
  const line = source.lastIndexOf("\n") + 1;
  // The fence itself, whose language may be incomplete, or the beginning of the closing one.
  return /^[\s>]*(?:[-*+] |\d{1,9}[.)] )*(?:`+|~+)/.test(source.slice(line)) ? source.slice(0, line) : source;
}

/** Drops the last line if it consists of marks, and the first lines of a table until it is known to be one. */
function dropMarks(source: string): string {
  const lines = source.split("\n");
  const isOpen = lines.at(-1) !== "";
  if (!isOpen) lines.pop();
  let rows = 0;
  while (rows < 3 && /^ {0,3}\|/.test(lines.at(-1 - rows) ?? "")) rows++;
  let dropped = isOpen && onlyMarks.test(lines.at(-1)!) ? 1 : 0;
  if (rows === 1 || (rows === 2 && isOpen)) dropped = rows;
  return dropped === 0 ? source : lines.slice(0, lines.length - dropped).join("\n");
}

/** Returns where the last paragraph, heading, item or cell starts. */
function startOfRun(source: string): number {
  let start = source.length;
  do {
    start = source.lastIndexOf("\n", start - 2) + 1;
    const end = source.indexOf("\n", start);
    const line = source.slice(start, end < 0 ? source.length : end);
    const marks = lineMarks.exec(line)![0];
    if (marks.trim() || /^\s*\|/.test(line))
      return start + Math.max(marks.length, line.lastIndexOf("|", line.length - 2) + 1);
  } while (start > 0 && source[start - 2] !== "\n");
  return start;
}

/** Closes or drops what is not closed in a run of text. */
function settleInline(run: string): string {
  const open: { mark: string; at: number }[] = [];
  const finish = (text: string): string => {
    let end = text === run && open.length === 0 ? text : text.trimEnd();
    for (let last = open.at(-1); last && last.at + last.mark.length >= end.length; last = open.at(-1)) {
      end = end.slice(0, last.at).trimEnd();
      open.pop();
    }
    return (
      end +
      open
        .map(({ mark }) => mark)
        .reverse()
        .join("")
    );
  };
  for (let at = 0; at < run.length; at++) {
    const character = run[at]!;
    if (character === "\\" || character === "$") {
      const end = endOfFormula(run, at);
      if (end < 0) return finish(run.slice(0, at));
      at = end - 1;
    } else if (character === "`") {
      const mark = /^`+/.exec(run.slice(at))![0];
      const end = endOfCode(run, at, mark);
      if (end < 0) {
        const code = run.slice(at).replace(/`+$/, "").slice(mark.length);
        return finish(code.trim() ? `${run.slice(0, at)}${mark}${code}${mark}` : run.slice(0, at));
      }
      at = end - 1;
    } else if (character === "[") {
      const link = endOfLink(run, at);
      if (typeof link === "string") return finish(run.slice(0, run[at - 1] === "!" ? at - 1 : at) + link);
      at = link - 1;
    } else if (character === "<" || character === "&") {
      if (isOpenTag(run.slice(at, at + reach.tag + 1))) return finish(run.slice(0, at));
    } else if (character === "*" || character === "_" || character === "~") {
      const mark = run.slice(at, at + endOfMark(run, at));
      const isLast = at + mark.length === run.length;
      if (!closeEmphasis(run, at, mark, open)) {
        if (isLast) return finish(run.slice(0, at));
        if (opensEmphasis(run, at, mark)) open.push({ mark, at });
        if (open.length > maxDepth) return run;
      }
      at += mark.length - 1;
    }
  }
  return finish(run);
}

function endOfMark(run: string, at: number): number {
  let length = 1;
  while (run[at + length] === run[at]) length++;
  return length;
}

/** Returns the end of a formula or an escaped character, or -1 if it is still to come. */
function endOfFormula(run: string, at: number): number {
  const mark = /^(?:\$\$|\\\(|\\\[|\$(?=\S|$))/.exec(run.slice(at, at + 3))?.[0];
  const rest = run.length - at;
  if (!mark) return run[at] === "\\" ? (rest === 1 ? -1 : at + 2) : at + 1;
  const closer = { "\\(": "\\)", "\\[": "\\]" }[mark] ?? mark;
  const close = run.indexOf(closer, at + mark.length + 1);
  const line = run.indexOf("\n", at);
  const isNear = close >= 0 && close - at < maxFormula && (mark !== "$" || line < 0 || close < line);
  if (isNear) return close + closer.length;
  if (mark !== "$") return rest < maxFormula ? -1 : at + mark.length;
  const limit = /\d/.test(run[at + 1] ?? "") ? reach.amount : reach.formula;
  return line < 0 && rest < limit ? -1 : at + 1;
}

/** Returns the end of the code that begins with a mark, or -1. */
function endOfCode(run: string, at: number, mark: string): number {
  const marks = /`+/g;
  marks.lastIndex = at + mark.length;
  for (let match = marks.exec(run); match; match = marks.exec(run)) {
    if (match[0] === mark) return marks.lastIndex;
  }
  return -1;
}

/** Returns the end of a link or of brackets. If it is still to come, returns what to show instead. */
function endOfLink(run: string, at: number): number | string {
  let depth = 0;
  let close = at;
  for (const limit = at + reach.text; close < run.length && close < limit; close++) {
    if (run[close] === "\\") close++;
    else if (run[close] === "[") depth++;
    else if (run[close] === "]" && --depth === 0) break;
  }
  if (close >= run.length - 1) return "";
  if (depth > 0 || run[close + 1] !== "(") return at + 1;
  const address = run.slice(close + 2, close + 2 + reach.address);
  const end = /[)\n]/.exec(address);
  if (end) return close + 2 + end.index + 1;
  return address.length < reach.address ? run.slice(at + 1, close) : at + 1;
}

function isOpenTag(rest: string): boolean {
  return /^(?:<(?:[a-z/!][^>\n]*)?|&#?\w{0,10})$/i.test(rest) && rest.length <= reach.tag;
}

/** Reports whether a mark closes emphasis, and removes what it closes from the open marks. */
function closeEmphasis(run: string, at: number, mark: string, open: { mark: string }[]): boolean {
  if (at === 0 || /\s/.test(run[at - 1]!)) return false;
  const index = open.findLastIndex((opener) => opener.mark === mark);
  if (index >= 0) {
    open.length = index;
    return true;
  }
  if (mark.length !== 3 || open.length < 2 || open.at(-1)!.mark.length + open.at(-2)!.mark.length !== 3) return false;
  open.length -= 2;
  return true;
}

/** Reports whether a mark may open emphasis. A single star within a word is rather a product. */
function opensEmphasis(run: string, at: number, mark: string): boolean {
  if (mark.length > 3 || /\s/.test(run[at + mark.length]!) || mark === "~") return false;
  const isWithinWord = /[\p{L}\p{N}]/u.test(run[at - 1] ?? " ");
  return !isWithinWord || (mark.length > 1 && mark[0] !== "_");
}
