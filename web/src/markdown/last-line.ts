const maxLength = 200;

/** Returns the last line of a text that has words, without Markdown's marks. */
export function lastLine(text: string): string {
  const line = text.trimEnd().split("\n").at(-1) ?? "";
  const plain = line
    .replace(/^\s*(?:#{1,6}|[-*+>]|\d+[.)])\s+/, "")
    .replace(/[*_`]+/g, "")
    .trim();
  return plain.length > maxLength ? `…${plain.slice(-maxLength)}` : plain;
}
