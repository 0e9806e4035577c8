import type { UploadOptions } from "@parley/client";
import { client } from "./call";
import type { StoredFile } from "./types";

export type { ReadingProgress } from "@parley/client";

/** Uploads a file and reports its progress. If the signal is aborted, the server stops reading and keeps nothing. */
export function uploadFile(sessionId: string, file: File, options: UploadOptions): Promise<StoredFile> {
  return client.upload(sessionId, file, options);
}
