/** What is searched for, as the address of the page has it. */
export interface Filter {
  q: string;
  /** titles, messages or files; empty is all of them. */
  kind: Kind;
  /** Days such as 2026-01-31 in the user's time zone, or empty. */
  from: string;
  to: string;
}

export const kinds = ["", "titles", "messages", "files"] as const;
export type Kind = (typeof kinds)[number];

const isDay = (text: string | null): text is string =>
  /^\d{4}-\d\d-\d\d$/.test(text ?? "") && !isNaN(Date.parse(text!));

/** Parses the query of an address. What makes no sense is left out. */
export function parseFilter(query: string): Filter {
  const given = new URLSearchParams(query);
  const [kind, from, to] = [given.get("in"), given.get("from"), given.get("to")];
  return {
    q: given.get("q") ?? "",
    kind: kinds.find((known) => known === kind) ?? "",
    from: isDay(from) ? from : "",
    to: isDay(to) ? to : "",
  };
}

/** Returns the address of the page with what is searched for. */
export function searchHash({ q, kind = "", from = "", to = "" }: Partial<Filter> & { q: string }): string {
  const query = new URLSearchParams();
  if (q) query.set("q", q);
  if (kind) query.set("in", kind);
  if (from) query.set("from", from);
  if (to) query.set("to", to);
  return `#/search${query.size > 0 ? `?${query}` : ""}`;
}
