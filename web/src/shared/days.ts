/**
 * Returns the first second of a day such as 2026-01-31 in the user's time zone, or of the day that is some days later.
 */
export function startOf(day: string, later: number): number {
  const [year, month, date] = day.split("-").map(Number) as [number, number, number];
  return new Date(year, month - 1, date + later).getTime() / 1000;
}
