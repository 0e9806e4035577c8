import type { Match } from "../api/types";
import { splitAtPlace } from "../sidebar/palette.svelte";

/** A piece of a text, and whether it is to be marked. */
export interface Piece {
  text: string;
  marked: boolean;
}

/** Splits a text at all places of a word, and at the match that the server has found. */
export function markAll(text: string, word: string, match?: Match): Piece[] {
  if (!match) return markWord(text, word);
  const [before, found, after] = splitAtPlace(text, match, Infinity);
  return [...markWord(before, word), ...(found ? [{ text: found, marked: true }] : []), ...markWord(after, word)];
}

function markWord(text: string, word: string): Piece[] {
  const lower = text.toLowerCase();
  const wanted = word.toLowerCase();
  const pieces: Piece[] = [];
  let done = 0;
  // Some characters have more units in lower case, so that the places in it are others.
  for (let at = find(0); at >= 0; at = find(done)) {
    if (at > done) pieces.push({ text: text.slice(done, at), marked: false });
    done = at + wanted.length;
    pieces.push({ text: text.slice(at, done), marked: true });
  }
  if (done < text.length) pieces.push({ text: text.slice(done), marked: false });
  return pieces;

  function find(from: number): number {
    return wanted && lower.length === text.length ? lower.indexOf(wanted, from) : -1;
  }
}
