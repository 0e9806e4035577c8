import { ApiError, code, commonHeaders, toError } from "./call";
import type { StoredFile } from "./types";

/** Uploads a file and reports its progress from 0 to 1, which fetch can't do. */
export function uploadFile(
  sessionId: string,
  file: File,
  progress: (part: number) => void,
  signal: AbortSignal,
): Promise<StoredFile> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", "/api/files/upload");
    for (const [name, value] of Object.entries(commonHeaders())) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => progress(event.total ? event.loaded / event.total : 0);
    request.onload = () => {
      if (request.status !== 200) {
        return reject(toError(request.status, request.responseText, request.getResponseHeader("Retry-After")));
      }
      resolve((JSON.parse(request.responseText) as { body: StoredFile }).body);
    };
    request.onerror = () => reject(new ApiError(code.offline, "the server can't be reached"));
    request.onabort = () => reject(signal.reason as Error);
    signal.addEventListener("abort", () => request.abort());
    const form = new FormData();
    form.append("session_id", sessionId);
    form.append("file", file);
    request.send(form);
  });
}
