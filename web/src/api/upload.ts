import { client } from "./call";
import type { StoredFile } from "./types";

/** Uploads a file and reports its progress from 0 to 1. */
export function uploadFile(
  sessionId: string,
  file: File,
  onProgress: (part: number) => void,
  signal: AbortSignal,
): Promise<StoredFile> {
  return client.upload(sessionId, file, { onProgress, signal });
}
