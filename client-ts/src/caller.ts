import { Download } from "./download.js";
import { type CallOptions, type ClientOptions, type RequestOptions, Transport } from "./transport.js";
import { type ImportOptions, type NamedBlob, upload, type UploadOptions } from "./upload.js";

/** What the operations are made of. The classes that extend it have those of one noun each, and Client has them all. */
export abstract class Caller {
  readonly #transport: Transport;

  /**
   * @param baseUrl The address of the server, such as "http://127.0.0.1:8080". In a browser it may be empty: the
   * server of the page.
   */
  constructor(baseUrl: string, options: ClientOptions = {}) {
    this.#transport = new Transport(baseUrl, options);
  }

  /** The token in use: the one of the options or of the last login or register, or the one set here. */
  get token(): string | null {
    return this.#transport.token;
  }
  set token(token: string | null) {
    this.#transport.token = token;
  }

  /** Sends any request, for operations that this client does not have. Returns the response if it is a success. */
  request(method: string, path: string, options?: RequestOptions): Promise<Response> {
    return this.#transport.send(method, path, options);
  }

  /** The server and the options of this client, for another one. */
  protected get origin(): [baseUrl: string, options: ClientOptions] {
    return [this.#transport.base, this.#transport.options];
  }

  protected call<T>(method: string, url: string, options?: RequestOptions): Promise<T> {
    return this.#transport.call(method, url, options);
  }
  protected get<T>(url: string, options?: RequestOptions): Promise<T> {
    return this.call("GET", url, options);
  }
  protected post<T>(url: string, body: unknown, options?: CallOptions): Promise<T> {
    return this.call("POST", url, { ...options, body });
  }

  /** Opens what is not in an envelope. */
  protected async open(url: string, options?: RequestOptions): Promise<Download> {
    return new Download(await this.request("GET", url, options), options?.signal);
  }

  /** Sends a file. */
  protected sendFile<T>(
    url: string,
    fields: Record<string, string>,
    file: NamedBlob,
    options: UploadOptions | ImportOptions,
  ): Promise<T> {
    return upload(this.#transport, url, fields, file, options);
  }
}

/** Encodes the values of a path. */
export function path(parts: TemplateStringsArray, ...values: string[]): string {
  return String.raw({ raw: parts }, ...values.map(encodeURIComponent));
}

export const sessionPath = (id: string) => path`/api/chat/session/${id}`;
