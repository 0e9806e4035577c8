/** What a stubbed server does: an SSE text, an error envelope, a response, or a network failure for "offline". */
export type Step = string | Refusal | Response;

export interface Refusal {
  status: number;
  error: number;
  headers?: Record<string, string>;
}

export interface StubRequest {
  method: string;
  url: string;
  headers: Headers;
  body: unknown;
  signal: AbortSignal | null | undefined;
}

/** Returns a fetch with a list of responses, and the requests it gets. Tests use it. */
export function stubServer(...steps: Step[]): { requests: StubRequest[]; fetch: typeof fetch } {
  const requests: StubRequest[] = [];
  const respond = (url: unknown, init: RequestInit = {}): Promise<Response> => {
    const { method = "GET", body, signal } = init;
    requests.push({ method, url: String(url), headers: new Headers(init.headers), body, signal });
    const step = steps.shift() ?? "offline";
    if (step === "offline") return Promise.reject(new TypeError("network"));
    if (step instanceof Response) return Promise.resolve(step);
    if (typeof step !== "string") {
      return Promise.resolve(new Response(JSON.stringify({ error: step.error, message: "no", success: false }), step));
    }
    return Promise.resolve(new Response(step, { headers: { "Content-Type": "text/event-stream" } }));
  };
  return { requests, fetch: respond };
}

/** Returns a successful response. */
export function success(body?: unknown): Response {
  return Response.json({ error: 0, body, message: "ok", success: true });
}

/** Returns the text of an event. */
export function event(id: string, name: string, data: unknown): string {
  return `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
