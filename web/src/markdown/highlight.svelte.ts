import { escapeHtml } from "./escape";

type Highlighter = typeof import("highlight.js/lib/common").default;

/** Longer code is shown plain, so that the page stays responsive. */
const maxLength = 60_000;

let highlighter: Highlighter | null = $state.raw(null);
let loading = false;

/** Reports whether the highlighter is loaded. */
export const highlighterLoaded = (): boolean => highlighter !== null;

/** Returns code as safe HTML, highlighted if the highlighter is loaded. The first call starts to load it. */
export function highlight(code: string, language: string): string {
  if (!highlighter) {
    void load();
    return escapeHtml(code);
  }
  if (code.length > maxLength || !highlighter.getLanguage(language)) return escapeHtml(code);
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
