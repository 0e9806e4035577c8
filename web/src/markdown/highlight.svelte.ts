import { escapeHtml } from "./escape";

type Highlighter = typeof import("highlight.js/lib/common").default;

/** Code longer than this is shown plain: colours are not worth a stall. */
const longest = 60_000;

let highlighter: Highlighter | null = $state.raw(null);
let loading = false;

/** Whether code is coloured by now. */
export const coloured = (): boolean => highlighter !== null;

/** The code as HTML, coloured once the highlighter, fetched on first use, is there. */
export function highlight(code: string, language: string): string {
  if (!highlighter) {
    void load();
    return escapeHtml(code);
  }
  if (code.length > longest || !highlighter.getLanguage(language)) return escapeHtml(code);
  return highlighter.highlight(code, { language, ignoreIllegals: true }).value;
}

async function load(): Promise<void> {
  if (loading) return;
  loading = true;
  try {
    highlighter = (await import("highlight.js/lib/common")).default;
  } catch {
    loading = false; // the next code block tries again
  }
}
