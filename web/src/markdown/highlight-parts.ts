import highlighter from "highlight.js/lib/common";
import type { HighlightRequest } from "./worker";

/** Longer code is not highlighted. */
const maxLength = 60_000;

/** Highlights code that consists of parts of whole lines. Returns null if it can't be highlighted. */
export function highlightParts({ parts, language, elements }: HighlightRequest): string[] | null {
  const code = parts.join("");
  if (code.length > maxLength || !highlighter.getLanguage(language)) return null;
  const { value } = highlighter.highlight(code, { language, ignoreIllegals: true });
  const lines = parts.map((part) => part.split("\n").length - 1);
  const html = splitHtml(value, lines);
  return html.join("").split("<span").length - 1 > elements ? null : html;
}

/** Splits HTML after numbers of lines. An element that goes on in the next piece is opened there again. */
export function splitHtml(html: string, lines: number[]): string[] {
  const pieces: string[] = [];
  const open: string[] = [];
  let from = 0;
  let start = "";
  let line = 0;
  for (const { 0: mark, index } of html.matchAll(/<\/?span[^>]*>|\n/g)) {
    if (mark.startsWith("</")) open.pop();
    else if (mark !== "\n") open.push(mark);
    else if (++line === lines[pieces.length]) {
      pieces.push(start + html.slice(from, index + 1) + "</span>".repeat(open.length));
      from = index + 1;
      start = open.join("");
      line = 0;
    }
  }
  if (from < html.length) pieces.push(start + html.slice(from));
  return pieces;
}
