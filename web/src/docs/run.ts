import type { Draft } from "./draft.svelte";
import { isStream } from "./samples";

/** The response to a request, as far as it was read. */
export interface Outcome {
  ok: boolean;
  /** Status and duration, or why there is no response. */
  summary: string;
  text: string;
}

/** Longer responses are cut off. */
const maxLength = 100_000;

/** Sends a request and reports its outcome. That of a stream is reported after every chunk. */
export async function run(
  draft: Draft,
  token: string | null,
  report: (outcome: Outcome) => void,
  signal: AbortSignal,
): Promise<void> {
  const start = performance.now();
  const summarize = (response: Response) => `HTTP ${response.status} after ${Math.round(performance.now() - start)} ms`;
  try {
    const response = await fetch(draft.url, request(draft, token, signal));
    const stream = isStream(draft.operation) && response.ok;
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      if (text.length < maxLength) text += decoder.decode(chunk, { stream: true });
      if (stream) report({ ok: true, summary: summarize(response), text });
    }
    report({ ok: response.ok, summary: summarize(response), text: pretty(text) });
  } catch (error) {
    if (signal.aborted) return;
    report({ ok: false, summary: "The server can't be reached.", text: String(error) });
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
