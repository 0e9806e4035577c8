import type { Match } from "../api/types";
import { splitAtPlace } from "./palette.svelte";

/**
 * Markdown as it is in a snippet: on one line, and cut off at the ends. Each pattern has four groups; the second and
 * the fourth are markup. Code comes first, since what is in it is no markup.
 */
const patterns = [
  /()(`{3,}\w+ |`+)([^`]+)(`+)/g, // code
  /()(`+)()()/g, // code that is cut off
  /()(!?\[)([^[\]]+)(\]\([^()\s]*(?: "[^"]*")?(?:\)|$))/g, // links and pictures
  /(^|[^\w*])(\*{2,3}|~~|__)(?=[^\s*])()()/g, // bold and struck-out text, its beginning
  /([^\s*])(\*{2,3}|~~|__)(?!\w)()()/g, // and its end
  /(^|[^\w*_])([*_])([^\s*_](?:[^*_]*[^\s*_])?)(\2)(?![\w*])/g, // italics
  /(^|[\s…])(#{1,6} )()()/g, // headings
  /()(\|(?: ?:?-{3,}:? ?\|)+)()()/g, // the line below the head of a table
];

interface Place {
  from: number;
  to: number;
}

const overlaps = (place: Place) => (other: Place) => place.from < other.to && other.from < place.to;

/** Returns the snippet of a message as plain text, and the place of the match in it. Markup in the match stays. */
export function plainSnippet(snippet: string, match: Match): { snippet: string; match: Match } {
  const [before, found] = splitAtPlace(snippet, match, Infinity);
  const kept: Place[] = [{ from: before.length, to: before.length + found.length }];
  const markup: Place[] = [];
  for (const [index, pattern] of patterns.entries()) {
    for (const { index: at, 1: first, 2: opening, 3: inner, 4: closing } of snippet.matchAll(pattern)) {
      const from = at + first!.length;
      const to = from + opening!.length + inner!.length;
      const places = [
        { from, to: from + opening!.length },
        { from: to, to: to + closing!.length },
      ];
      if (places.some((place) => kept.some(overlaps(place)))) continue;
      markup.push(...places);
      if (index === 0) kept.push({ from: from + opening!.length, to });
    }
  }
  const start = without(markup, snippet, 0, before.length);
  const rest = without(markup, snippet, before.length + found.length, snippet.length);
  return { snippet: start + found + rest, match: { start: [...start].length, length: match.length } };
}

/** Returns the part of a text between two offsets, without some places. */
function without(places: Place[], text: string, from: number, to: number): string {
  let kept = "";
  for (let at = from; at < to; at++) {
    if (!places.some((place) => place.from <= at && at < place.to)) kept += text[at];
  }
  return kept;
}
