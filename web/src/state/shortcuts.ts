export type Shortcut = "search" | "new" | "compose" | "sidebar" | "help" | "stop";

export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);
export const modifier = isMac ? "⌘" : "Ctrl";

/** What a key stroke means, if anything. Keys that write belong to the field they are typed in. */
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
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}
