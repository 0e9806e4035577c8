import { connectionError, toError } from "./error.js";
import { type CallOptions, readEnvelope, type Transport } from "./transport.js";

/** A File, of a browser or of Node, or another Blob with a name. */
export type NamedBlob = Blob & { readonly name: string };

export interface UploadOptions extends CallOptions {
  /** Called with the part of the file that was sent, from 0 to 1. */
  onProgress?: ((part: number) => void) | undefined;
}

/**
 * Sends a form with a file to a path. Browsers report progress only to XMLHttpRequest; elsewhere the bytes are counted.
 */
export async function upload<Output>(
  transport: Transport,
  path: string,
  fields: Record<string, string>,
  file: NamedBlob,
  options: UploadOptions,
): Promise<Output> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", file, file.name);
  const { onProgress } = options;
  if (!onProgress) return transport.call("POST", path, { ...options, body: form });
  if (typeof XMLHttpRequest !== "undefined" && !transport.options.fetch) {
    return uploadByXhr(transport, path, form, options, onProgress);
  }
  const encoded = new Response(form);
  const headers = { ...options.headers, "Content-Type": encoded.headers.get("Content-Type")! };
  const body = encoded.body!.pipeThrough(counter(file.size, onProgress));
  return transport.call("POST", path, { ...options, headers, body });
}

/** Passes bytes on and reports which part of a total they are. */
function counter(total: number, onProgress: (part: number) => void): TransformStream<Uint8Array, Uint8Array> {
  let sent = 0;
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk);
      sent += chunk.length;
      onProgress(Math.min(1, sent / Math.max(1, total)));
    },
  });
}

async function uploadByXhr<Output>(
  transport: Transport,
  path: string,
  form: FormData,
  options: UploadOptions,
  onProgress: (part: number) => void,
): Promise<Output> {
  const { token } = transport;
  const request = new XMLHttpRequest();
  request.open("POST", transport.url(path));
  transport.headers(options.headers).forEach((value, name) => request.setRequestHeader(name, value));
  request.upload.onprogress = (event) => onProgress(event.total ? event.loaded / event.total : 0);
  await finish(request, form, options.signal);
  const { status, responseText } = request;
  if (status === 200) return readEnvelope(status, responseText) as Output;
  throw transport.refused(toError(status, responseText, request.getResponseHeader("Retry-After")), token);
}

/** Sends a request and waits for its response. */
function finish(request: XMLHttpRequest, body: FormData, signal: AbortSignal | undefined): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => request.abort();
    const settle = (settled: () => void) => () => {
      signal?.removeEventListener("abort", abort);
      settled();
    };
    request.onload = settle(resolve);
    request.onerror = settle(() => reject(connectionError("the upload was cut off")));
    request.onabort = settle(() => reject(signal?.reason as Error));
    signal?.addEventListener("abort", abort);
    request.send(body);
  });
}
