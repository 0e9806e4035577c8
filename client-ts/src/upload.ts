import { connectionError } from "./error.js";
import { eventError, isEventStream, maxSilence, parseData, readEvents } from "./sse.js";
import { type CallOptions, reach, readEnvelope, type SendRequestOptions, type Transport } from "./transport.js";
import { fetchByXhr } from "./xhr.js";

/** A File, of a browser or of Node, or another Blob with a name. */
export type NamedBlob = Blob & { readonly name: string };

export interface ImportOptions extends CallOptions {
  /** Called with the part of the file that was sent, from 0 to 1. */
  onProgress?: ((part: number) => void) | undefined;
}

export interface UploadOptions extends ImportOptions {
  /**
   * Called before the server reads a page that takes long, such as a scanned one. If the signal is aborted, the server
   * stops reading and keeps nothing.
   */
  onReading?: ((at: ReadingProgress) => void) | undefined;
}

/** The page of a document that is being read, from 1, and how many it has. */
export interface ReadingProgress {
  page: number;
  pages: number;
}

/** Sends a form with a file to a path, and reports the progress of both sides. */
export async function upload<Output>(
  transport: Transport,
  path: string,
  fields: Record<string, string>,
  file: NamedBlob,
  options: UploadOptions,
): Promise<Output> {
  const { onReading, signal } = options;
  const { token } = transport;
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", file, file.name);
  const request = withProgress(transport, form, file.size, options);
  if (onReading) request.headers = { ...request.headers, Accept: "text/event-stream" };
  const response = await transport.send("POST", path, request);
  if (!onReading || !isEventStream(response)) {
    return readEnvelope(response.status, await reach(signal, () => response.text())) as Output;
  }
  for await (const event of readEvents(response.body!, signal, maxSilence)) {
    if (event.name === "progress") onReading(parseData(event, response.status) as ReadingProgress);
    if (event.name === "done") return parseData(event, response.status) as Output;
    if (event.name === "error") throw transport.refused(eventError(event, response.status), token);
  }
  throw connectionError("the stream was cut off");
}

/**
 * Returns the request of a form. Browsers report progress only to XMLHttpRequest; elsewhere the bytes are counted.
 */
function withProgress(transport: Transport, form: FormData, size: number, options: UploadOptions): SendRequestOptions {
  const { onProgress, signal, keepalive, headers } = options;
  const request = { signal, keepalive, headers };
  if (!onProgress) return { ...request, body: form };
  if (typeof XMLHttpRequest !== "undefined" && !transport.options.fetch) {
    return { ...request, body: form, fetch: fetchByXhr(onProgress) };
  }
  const encoded = new Response(form);
  const body = encoded.body!.pipeThrough(counter(size, onProgress));
  return { ...request, body, headers: { ...headers, "Content-Type": encoded.headers.get("Content-Type")! } };
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
