export type Shortcut = "search" | "new" | "compose" | "sidebar" | "help" | "stop";

export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);
export const modifier = isMac ? "⌘" : "Ctrl";

/** Returns the shortcut of a keystroke, or null. Text typed into a field is not a shortcut. */
export function shortcut(event: KeyboardEvent): Shortcut | null {
  const key = event.key.toLowerCase();
  const command = isMac ? event.metaKey : event.ctrlKey;
  if (command && key === "k") return "search";
  if (command && event.shiftKey && key === "o") return "new";
  if (command && key === "b") return "sidebar";
  if (command || event.altKey || event.isComposing) return null;
  if (key === "escape") return "stop";
  if (isWriting(event.target)) return null;
  if (key === "/") return "compose";
  return key === "?" ? "help" : null;
}

function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}
