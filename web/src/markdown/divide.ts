import type { Token, Tokens } from "marked";

/** A part of a token that can be rendered alone. */
export interface Part {
  token: Token;
  /** The length of its source. */
  length: number;
  /** What must stand before the source of the next part, so that it can be parsed alone. */
  prefix?: string;
}

/** Blocks with longer prefixes are not divided. */
export const maxPrefix = 2000;

/** How long a part of code is, unless its last line is longer. */
const maxLines = 100;
const maxLength = 4000;

/**
 * Divides a list into its items, a table into its rows and code into parts of some lines.
 * So a long block that grows is parsed and shown part by part.
 */
export function divide(token: Token): Part[] {
  switch (token.type) {
    case "list":
      return divideList(token as Tokens.List);
    case "table":
      return divideTable(token as Tokens.Table);
    case "code":
      return divideCode(token as Tokens.Code);
  }
  return [whole(token)];
}

function whole(token: Token): Part {
  return { token, length: token.raw.length };
}

/** Returns a token as one part. */
export function undivided(token: Token): Part {
  const parts = divide(token);
  return parts.length === 1 ? parts[0]! : whole(token);
}

function divideList(list: Tokens.List): Part[] {
  const parts: Part[] = [];
  let at = 0;
  list.items.forEach((item, index) => {
    const isLast = index === list.items.length - 1;
    const length = isLast ? list.raw.length - at : item.raw.length;
    const start: Tokens.List["start"] = list.start === "" ? "" : list.start + index;
    const token = { ...list, raw: list.raw.slice(at, at + length), start, items: [separate(item)] };
    parts.push({ token, length, prefix: "" });
    at += length;
  });
  return parts.every((part, index) => part.token.raw.startsWith(list.items[index]!.raw)) ? parts : [whole(list)];
}

/** Returns an item whose look does not depend on blank lines between other items. */
function separate(item: Tokens.ListItem): Tokens.ListItem {
  if (!item.loose || item.text.trimEnd().includes("\n\n")) return item;
  const tokens = item.tokens.map((token) => (token.type === "paragraph" ? { ...token, type: "text" } : token));
  return { ...item, loose: false, tokens };
}

function divideTable(table: Tokens.Table): Part[] {
  const lines = linesOf(table.raw);
  if (table.rows.length === 0 || lines.length !== table.rows.length + 2) return [whole(table)];
  const prefix = lines[0]! + lines[1]!;
  if (prefix.length > maxPrefix) return [whole(table)];
  return table.rows.map((row, index) => {
    const raw = (index === 0 ? prefix : "") + lines[index + 2]!;
    return { token: { ...table, raw, rows: [row] }, length: raw.length, prefix };
  });
}

function divideCode(code: Tokens.Code): Part[] {
  const lines = linesOf(code.raw);
  const prefix = lines.shift();
  if (!prefix?.endsWith("\n") || !/^[`~]/.test(prefix) || prefix.length > maxPrefix) return [whole(code)];
  if (!code.raw.startsWith(code.text, prefix.length)) return [whole(code)];
  const parts: Part[] = [];
  let at = prefix.length;
  let from = at;
  let count = 0;
  const textEnd = prefix.length + code.text.length;
  for (const line of lines) {
    at += line.length;
    if ((++count < maxLines && at - from < maxLength) || at >= textEnd) continue;
    parts.push({ token: { ...code, text: code.raw.slice(from, at - 1) }, length: at - from, prefix });
    from = at;
    count = 0;
  }
  parts.push({ token: { ...code, text: code.raw.slice(from, textEnd) }, length: code.raw.length - from, prefix });
  parts[0]!.length += prefix.length;
  return parts;
}

/** Returns the lines of a text with their line breaks. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}
