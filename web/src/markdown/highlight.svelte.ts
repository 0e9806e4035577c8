import { escapeHtml } from "./escape";
import { turn } from "./turn";

type Highlighter = typeof import("highlight.js/lib/common").default;

/** How long code is highlighted without a pause, in milliseconds. */
const timeLimit = 100;

let highlighter: Highlighter | null = $state.raw(null);
let loading = false;

/**
 * Returns code as HTML, highlighted if the highlighter is loaded. The first call starts to
 * load it. Returns null if the code is too long or there is no time.
 */
export function highlight(code: string, language: string, maxLength = 4000): string | null {
  if (!highlighter) void load();
  if (!highlighter?.getLanguage(language)) return escapeHtml(code);
  if (code.length > maxLength || !turn.hasTime(timeLimit)) return null;
  return highlighter.highlight(code, { language, ignoreIllegals: true }).value;
}

async function load(): Promise<void> {
  if (loading) return;
  loading = true;
  try {
    highlighter = (await import("highlight.js/lib/common")).default;
  } catch {
    loading = false; // the next call tries again
  }
}
