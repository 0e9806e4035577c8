import { unexpectedResponse } from "./error.js";
import { reach } from "./transport.js";

/** The bytes of a file and its metadata. Read them once: as a stream, a Blob or a text. */
export class Download {
  readonly filename: string;
  readonly fileType: string;
  /** The number of bytes, or -1 if it is unknown. */
  readonly fileSize: number;
  readonly stream: ReadableStream<Uint8Array>;

  readonly #response: Response;
  readonly #signal: AbortSignal | undefined;

  constructor(response: Response, signal?: AbortSignal) {
    if (!response.body) throw unexpectedResponse(response.status, "no body");
    const length = response.headers.get("Content-Length");
    this.filename = parseFilename(response.headers.get("Content-Disposition") ?? "");
    this.fileType = response.headers.get("Content-Type")?.split(";")[0]?.trim() ?? "";
    this.fileSize = length === null ? -1 : Number(length);
    this.stream = response.body;
    this.#response = response;
    this.#signal = signal;
  }

  blob(): Promise<Blob> {
    return reach(this.#signal, () => this.#response.blob());
  }

  text(): Promise<string> {
    return reach(this.#signal, () => this.#response.text());
  }
}

/** Returns the filename of a Content-Disposition header. Names beyond ASCII are percent-encoded in filename*. */
export function parseFilename(header: string): string {
  const encoded = /filename\*=utf-8''([^;]+)/i.exec(header)?.[1];
  if (encoded) return decodeURIComponent(encoded);
  const [, quoted, plain] = /filename=(?:"((?:\\.|[^"\\])*)"|([^;]+))/i.exec(header) ?? [];
  return quoted?.replace(/\\(.)/g, "$1") ?? plain?.trim() ?? "";
}
