const key = "parley.models";

/** How many sessions are remembered. */
const most = 200;

/** The models that were picked for sessions, in this browser. The latest is last. */
function load(): [sessionId: string, model: string][] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(stored) ? (stored as [string, string][]) : [];
  } catch {
    return [];
  }
}

/** Returns the model that was picked for a session, or "". */
export function pickedFor(sessionId: string): string {
  return load().find(([id]) => id === sessionId)?.[1] ?? "";
}

/** Remembers the model of a session. The oldest ones are forgotten. */
export function remember(sessionId: string, model: string): void {
  const others = load().filter(([id]) => id !== sessionId);
  try {
    localStorage.setItem(key, JSON.stringify([...others, [sessionId, model]].slice(-most)));
  } catch (error) {
    console.warn("models", error); // the storage is full; the choice holds until the session is left
  }
}
