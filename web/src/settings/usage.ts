import type { QuotaPart, UsageSum } from "../api/types";

/** How many days the settings show. */
export const shownDays = 30;

const dayLength = 24 * 60 * 60;

/** The usage of a day, with or without replies. */
export interface Day {
  /** Such as 2026-01-31, of UTC. */
  day: string;
  tokens: number;
  messages: number;
}

/** What was used by anything: an account, a model, a user, on a day. */
export type Used = Pick<UsageSum, "input_tokens" | "output_tokens" | "messages" | "cost" | "currency" | "estimated">;

/** A sum of them. The currency is empty if nothing has a price. */
export type Sum = Required<Used>;

/** Returns the range of the last days up to a time, in Unix seconds. */
export function lastDays(now: number, days = shownDays): { from: number; to: number } {
  const to = Math.floor(now / 1000);
  return { from: to - (days - 1) * dayLength, to };
}

/** Returns all days of a range in order. The server leaves out days without usage. */
export function fillDays(usage: (Used & { day?: string })[], { from, to }: { from: number; to: number }): Day[] {
  const known = new Map(usage.map((sum) => [sum.day, sum]));
  const days: Day[] = [];
  for (let seconds = from; seconds <= to; seconds += dayLength) {
    const day = new Date(seconds * 1000).toISOString().slice(0, 10);
    const sum = known.get(day);
    days.push({ day, tokens: sum ? tokensOf(sum) : 0, messages: sum?.messages ?? 0 });
  }
  return days;
}

const tokensOf = (sum: Used) => sum.input_tokens + sum.output_tokens;

/** Sums up the usage of days, models or users. */
export function sumUp(usage: Used[]): Sum {
  const total: Sum = { input_tokens: 0, output_tokens: 0, messages: 0, cost: 0, currency: "", estimated: false };
  for (const sum of usage) {
    total.input_tokens += sum.input_tokens;
    total.output_tokens += sum.output_tokens;
    total.messages += sum.messages;
    total.cost += sum.cost;
    total.currency ||= sum.currency ?? "";
    total.estimated ||= sum.estimated;
  }
  return total;
}

/** Reports whether there is anything to show of what was used. */
export const isUsed = ({ messages, input_tokens, output_tokens, cost }: Used) =>
  messages > 0 || input_tokens > 0 || output_tokens > 0 || cost > 0;

/** Returns which part of a quota is used, from 0 to 1. */
export const usedPart = ({ used, limit }: QuotaPart) => Math.min(1, used / limit);
