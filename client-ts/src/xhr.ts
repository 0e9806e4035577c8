import { connectionError } from "./error.js";

/** The part of fetch that the client uses. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/**
 * Returns a fetch for forms that reports the part that was sent, from 0 to 1. Browsers report that only to
 * XMLHttpRequest.
 */
export function fetchByXhr(onProgress: (part: number) => void): Fetch {
  return (url, init = {}) =>
    new Promise<Response>((resolve, reject) => {
      const signal = init.signal ?? undefined;
      signal?.throwIfAborted();
      const request = new XMLHttpRequest();
      request.open(init.method ?? "GET", url);
      new Headers(init.headers).forEach((value, name) => request.setRequestHeader(name, value));
      request.upload.onprogress = (event) => onProgress(event.total ? event.loaded / event.total : 0);
      const body = new ResponseBody(request);
      const abort = () => request.abort();
      const end = (ended: () => void) => () => {
        signal?.removeEventListener("abort", abort);
        ended();
      };
      const fail = (error: Error) => {
        body.fail(error);
        reject(error);
      };
      request.onprogress = () => resolve(body.read());
      request.onload = end(() => resolve(body.read(true)));
      request.onerror = end(() => fail(connectionError("the upload was cut off")));
      request.onabort = end(() =>
        fail((signal?.reason as Error | undefined) ?? connectionError("the upload was ended")),
      );
      signal?.addEventListener("abort", abort);
      request.send(init.body as FormData);
    });
}

/** The body of a response, of which XMLHttpRequest has the text so far. */
class ResponseBody {
  readonly #request: XMLHttpRequest;
  readonly #encoder = new TextEncoder();
  readonly #stream: ReadableStream<Uint8Array>;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #response: Response | undefined;
  #length = 0;

  constructor(request: XMLHttpRequest) {
    this.#request = request;
    this.#stream = new ReadableStream({
      start: (controller) => void (this.#controller = controller),
      cancel: () => request.abort(),
    });
  }

  /** Passes on what has arrived, and returns the response. */
  read(complete = false): Response {
    const { status, responseText } = this.#request;
    const piece = responseText.slice(this.#length);
    this.#length = responseText.length;
    if (piece) this.#controller.enqueue(this.#encoder.encode(piece));
    if (complete) this.#controller.close();
    const hasBody = ![204, 205, 304].includes(status);
    this.#response ??= new Response(hasBody ? this.#stream : null, { status, headers: this.#headers() });
    return this.#response;
  }

  fail(error: unknown): void {
    this.#controller.error(error);
  }

  #headers(): Headers {
    const headers = new Headers();
    for (const name of ["Content-Type", "Retry-After"]) {
      const value = this.#request.getResponseHeader(name);
      if (value) headers.set(name, value);
    }
    return headers;
  }
}
