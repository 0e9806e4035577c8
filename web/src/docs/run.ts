import { ApiError } from "../api/call";
import * as operations from "../api/operations";
import { auth } from "../login/auth.svelte";
import { CallError } from "./api";
import { tell } from "./descriptions.svelte";
import type { Draft } from "./draft.svelte";
import { isStream } from "./samples/request";
import { say } from "./texts";
import { trial } from "./trial.svelte";
import { MissingInput, sampleFile, workbench } from "./workbench";

/** The response to a request, as far as it was read. */
export interface Outcome {
  ok: boolean;
  /** Status and duration, or why there is no response. */
  summary: string;
  text: string;
  type: string;
}

/** Longer responses are cut off. */
const maxLength = 100_000;

/** Makes what a request needs, sends it and reports its outcome. That of a stream is reported after every chunk. */
export async function run(draft: Draft, report: (outcome: Outcome) => void, signal: AbortSignal): Promise<void> {
  try {
    const { secured, id } = draft.operation;
    const token = secured || id === "readShare" ? (auth.token ?? (await trial.start())) : auth.token;
    await workbench.prepare(draft, token);
    await exchange(draft, token, report, signal);
  } catch (error) {
    if (signal.aborted) return;
    report({ ok: false, text: "", type: "", summary: describe(error) });
  }
}

function describe(error: unknown): string {
  if (error instanceof MissingInput) return say("missing", { name: error.message });
  if (error instanceof CallError || error instanceof ApiError)
    return say("preparing", { message: tell(error.message) });
  return say("unreachable");
}

async function exchange(
  draft: Draft,
  token: string | null,
  report: (outcome: Outcome) => void,
  signal: AbortSignal,
): Promise<void> {
  const start = performance.now();
  const response = await fetch(draft.url, request(draft, token, signal));
  const type = response.headers.get("Content-Type")?.split(";")[0] ?? "";
  const outcome = (text: string): Outcome => {
    const ms = Math.round(performance.now() - start);
    return { ok: response.ok, summary: say("outcome", { status: response.status, ms }), text, type };
  };
  let text = "";
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  for (;;) {
    const chunk = await reader?.read();
    if (!chunk || chunk.done) break;
    if (text.length < maxLength) text += decoder.decode(chunk.value, { stream: true });
    if (isStream(draft.operation) && response.ok) report(outcome(text));
  }
  if (response.ok) await afterwards(draft, token);
  report(outcome(pretty(text)));
}

/** Follows up on operations that end a login or remove what was made. */
async function afterwards(draft: Draft, token: string | null): Promise<void> {
  workbench.after(draft);
  const { id } = draft.operation;
  if (id === "changePassword" && token === trial.token) trial.password = draft.values.new_password ?? "";
  if (id !== "logout" && id !== "deleteUser") return;
  if (token === trial.token) trial.forget();
  else await operations.userInfo().catch(() => {}); // the server refuses the token, and the login ends here too
}

function request(draft: Draft, token: string | null, signal: AbortSignal): RequestInit {
  const { operation } = draft;
  const headers = new Headers(draft.headers);
  if (operation.secured && token) headers.set("Authorization", `Bearer ${token}`);
  if (draft.body) headers.set("Content-Type", "application/json");
  return { method: operation.method, headers, body: bodyOf(draft), signal };
}

function bodyOf(draft: Draft): BodyInit | undefined {
  if (draft.operation.body?.kind !== "form") return draft.body || undefined;
  const form = new FormData();
  form.append("session_id", draft.values.session_id ?? "");
  form.append("file", draft.file ?? sampleFile(draft.operation.id));
  return form;
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
