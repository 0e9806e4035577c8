import { maxBlockLength } from "./lexer";

const opening = /^ {0,3}<details(?: open(?:="")?)?>/i;

/** Returns where the first details element of a source ends, 0 if there is none, or -1 if it is not closed. */
export function endOfDetails(source: string): number {
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

export const isUnclosedDetails = (source: string): boolean => endOfDetails(source) < 0;
