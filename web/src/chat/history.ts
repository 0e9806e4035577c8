/** How many messages are loaded at once, and how many are kept at most. */
export const pageSize = 40;
export const windowSize = 200;

/** Returns the page of the message with a number. */
export const pageOf = (number: number): number => Math.max(1, Math.ceil(number / pageSize));

/** Returns the number of a page's first message. */
export const firstOf = (page: number): number => (page - 1) * pageSize + 1;

/** Consecutive messages of a session. The first has the number `first`. */
export interface Stretch<T> {
  first: number;
  items: T[];
}

/** Adds a page before a stretch. If mayTrim, drops messages over windowSize from the end. */
export function prepend<T>(stretch: Stretch<T>, page: number, items: T[], mayTrim: boolean): Stretch<T> {
  const missing = stretch.first - firstOf(page);
  const all = [...items.slice(0, missing), ...stretch.items];
  return { first: firstOf(page), items: mayTrim ? all.slice(0, windowSize) : all };
}

/** Adds a page after a stretch. Drops messages over windowSize from the beginning. */
export function append<T>(stretch: Stretch<T>, page: number, items: T[]): Stretch<T> {
  const known = stretch.first + stretch.items.length - firstOf(page);
  const all = [...stretch.items, ...items.slice(Math.max(0, known))];
  const surplus = Math.max(0, all.length - windowSize);
  return { first: stretch.first + surplus, items: all.slice(surplus) };
}

/** Replaces the end of a stretch by what was read from a page on. */
export function replaceEnd<T>(stretch: Stretch<T>, page: number, items: T[]): Stretch<T> {
  const kept = firstOf(page) - stretch.first;
  if (kept < 0) return { first: stretch.first, items: items.slice(-kept) };
  return { first: stretch.first, items: [...stretch.items.slice(0, kept), ...items] };
}
