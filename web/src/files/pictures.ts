import * as operations from "../api/operations";
import type { StoredFile } from "../api/types";

export type PictureSize = "full" | "thumbnail";

/** Reports whether a file is a picture that the server can show. */
export const isPicture = (file: StoredFile) => file.file_type.startsWith("image/");

/**
 * Loads a picture and gives show a URL for it, or "" if it can't be loaded. A URL of the server can't carry the token.
 * Returns the function that gives up the picture.
 */
export function loadPicture(fileId: string, size: PictureSize, show: (url: string) => void): () => void {
  const gone = new AbortController();
  let url = "";
  const load = async () => {
    const blob = await (await operations.showPicture(fileId, size, gone.signal)).blob();
    if (gone.signal.aborted) return;
    url = URL.createObjectURL(blob);
    show(url);
  };
  load().catch(() => {
    if (!gone.signal.aborted) show("");
  });
  return () => {
    gone.abort();
    if (url) URL.revokeObjectURL(url);
  };
}
