import type { Draft } from "./draft.svelte";
import { isStream } from "./samples";

/** What came of a request, as far as it has come. */
export interface Outcome {
  ok: boolean;
  line: string;
  text: string;
}

/** Files are not shown, and no answer is shown beyond this many characters. */
const longest = 100_000;

/** Sends a request and tells of its answer; of a stream again and again. */
export async function run(draft: Draft, token: string | null, tell: (outcome: Outcome) => void, signal: AbortSignal): Promise<void> {
  const begun = performance.now();
  const lineOf = (response: Response) => `HTTP ${response.status} after ${Math.round(performance.now() - begun)} ms`;
  try {
    const response = await fetch(draft.url, request(draft, token, signal));
    const stream = isStream(draft.operation) && response.ok;
    let text = "";
    const decoder = new TextDecoder();
    for await (const piece of response.body ?? []) {
      if (text.length < longest) text += decoder.decode(piece, { stream: true });
      if (stream) tell({ ok: true, line: lineOf(response), text });
    }
    tell({ ok: response.ok, line: lineOf(response), text: pretty(text) });
  } catch (error) {
    if (signal.aborted) return;
    tell({ ok: false, line: "The server can't be reached.", text: String(error) });
  }
}

function request(draft: Draft, token: string | null, signal: AbortSignal): RequestInit {
  const { operation } = draft;
  const headers = new Headers(draft.headers);
  if (operation.secured && token) headers.set("Authorization", `Bearer ${token}`);
  if (operation.body?.kind === "json") headers.set("Content-Type", "application/json");
  return { method: operation.method, headers, body: bodyOf(draft), signal };
}

function bodyOf(draft: Draft): BodyInit | undefined {
  if (draft.operation.body?.kind === "json") return draft.body;
  if (draft.operation.body?.kind !== "form") return undefined;
  const form = new FormData();
  form.append("session_id", draft.parameters.session_id ?? "");
  if (draft.file) form.append("file", draft.file);
  return form;
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
