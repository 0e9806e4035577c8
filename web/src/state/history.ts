/** How many messages are fetched at once, and how many are kept on the page at most. */
export const pageSize = 40;
export const windowSize = 200;

/** The page on which the message with this number stands. */
export const pageOf = (number: number): number => Math.max(1, Math.ceil(number / pageSize));

/** The number of a page's first message. */
export const firstOf = (page: number): number => (page - 1) * pageSize + 1;

/** A stretch of a session's messages, without gaps; the first has the number `first`. */
export interface Stretch<T> {
  first: number;
  items: T[];
}

/** Puts a page before a stretch, and lets go of what is then too much at the end. */
export function prepend<T>(stretch: Stretch<T>, page: number, items: T[], mayTrim: boolean): Stretch<T> {
  const missing = stretch.first - firstOf(page);
  const all = [...items.slice(0, missing), ...stretch.items];
  return { first: firstOf(page), items: mayTrim ? all.slice(0, windowSize) : all };
}

/** Puts a page behind a stretch, and lets go of what is then too much at the beginning. */
export function append<T>(stretch: Stretch<T>, page: number, items: T[]): Stretch<T> {
  const known = stretch.first + stretch.items.length - firstOf(page);
  const all = [...stretch.items, ...items.slice(Math.max(0, known))];
  const surplus = Math.max(0, all.length - windowSize);
  return { first: stretch.first + surplus, items: all.slice(surplus) };
}
