import type { Session } from "../api/types";

/** A group of the session list: a named one, or a month. */
export type Group = "today" | "yesterday" | "week" | "month" | { year: number; month: number };

export interface GroupedSessions {
  group: Group;
  sessions: Session[];
}

/** Groups sessions by the local day of their last message. */
export function groupByDay(sessions: Session[], now: Date): GroupedSessions[] {
  const groups: GroupedSessions[] = [];
  for (const session of sessions) {
    const group = groupOf(session.last_message_time, now);
    const last = groups.at(-1);
    if (last && JSON.stringify(last.group) === JSON.stringify(group)) last.sessions.push(session);
    else groups.push({ group, sessions: [session] });
  }
  return groups;
}

function groupOf(seconds: number, now: Date): Group {
  if (seconds === 0) return "today"; // no message yet
  const then = new Date(seconds * 1000);
  const days = Math.round((midnight(now) - midnight(then)) / 86_400_000);
  if (days <= 0) return "today";
  if (days === 1) return "yesterday";
  if (days <= 7) return "week";
  if (days <= 30) return "month";
  return { year: then.getFullYear(), month: then.getMonth() };
}

function midnight(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}
