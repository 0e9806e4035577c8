/** The longest question, in characters. */
const maxLength = 100_000;

/** The longest text that is pasted as text, in characters: a page or two. A longer one becomes a file. */
export const maxPaste = 4000;

/** Returns by how many characters a question is too long, or 0. */
export function excessOf(text: string): number {
  return text.length > maxLength ? Math.max(0, [...text].length - maxLength) : 0;
}
