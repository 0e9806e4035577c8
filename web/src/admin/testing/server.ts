import { vi } from "vitest";

/** A request that the page has made. */
export interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  body: unknown;
}

type Answer = (asked: Asked) => unknown;

/** Refuses a request with an error code. */
export class Refusal {
  constructor(
    readonly code: number,
    readonly message: string,
    readonly status = 400,
    readonly body?: unknown,
  ) {}
}

/**
 * Replaces fetch by a server that answers "GET /api/admin/users" and the like with a body, or with a Refusal. Returns
 * the requests.
 */
export function stubServer(answers: Record<string, Answer>): Asked[] {
  const requests: Asked[] = [];
  vi.stubGlobal("fetch", async (address: string, { method = "GET", body }: RequestInit = {}) => {
    const url = new URL(address, "http://parley.test");
    const asked = {
      method,
      path: url.pathname,
      query: url.searchParams,
      body: typeof body === "string" ? (JSON.parse(body) as unknown) : undefined,
    };
    requests.push(asked);
    const answer = answers[`${method} ${url.pathname}`];
    if (!answer) throw new Error(`nobody answers ${method} ${url.pathname}`);
    const result = await answer(asked);
    if (!(result instanceof Refusal)) return Response.json({ error: 0, success: true, message: "", body: result });
    const { code, message, status, body: refused = null } = result;
    return Response.json({ error: code, success: false, message, body: refused }, { status });
  });
  return requests;
}

/** jsdom has no dialogs and popovers. These are always open, or always closed. */
export function stubOverlays(): void {
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true;
  };
  HTMLElement.prototype.hidePopover = () => {};
}
