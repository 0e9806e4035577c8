import { escapeHtml } from "./escape";

/** How long a part of a plain text is at most. */
const maxLines = 100;
const maxLength = 4000;

/**
 * Returns a text as a plain paragraph. A long one has parts, so that the browser lays out
 * only those on the screen.
 */
export function plain(text: string): string {
  const parts = split(text);
  if (parts.length === 1) return `<p class="plain">${escapeHtml(text)}</p>`;
  return `<p class="plain">${parts.map((part) => `<span class="part">${escapeHtml(part)}</span>`).join("")}</p>`;
}

/** Splits a text between lines, or within a line if it is too long. */
function split(text: string): string[] {
  const parts: string[] = [];
  let rest = text;
  for (let length = lengthOfPart(rest); length < rest.length; length = lengthOfPart(rest)) {
    parts.push(rest.slice(0, length));
    rest = rest.slice(rest[length] === "\n" ? length + 1 : length);
  }
  return [...parts, rest];
}

function lengthOfPart(text: string): number {
  const start = text.slice(0, maxLength + 1);
  let end = 0;
  for (let lines = 0; lines < maxLines; lines++) {
    const next = start.indexOf("\n", end + 1);
    if (next < 0) return text.length <= maxLength ? text.length : end || maxLength;
    end = next;
  }
  return end;
}
