import * as operations from "../api/operations";
import type { FileText } from "../api/types";

/** The largest file that is shown, in bytes. */
export const maxOriginal = 32 * 2 ** 20;

const pdf = "application/pdf";

/** The pictures that browsers show. An SVG may contain scripts, so it is none of them. */
const pictures = ["image/png", "image/jpeg", "image/webp", "image/gif"];

type Original = Pick<FileText, "file_id" | "file_type">;

/** Reports whether the web client can show a file as it is, and not only its text. */
export const hasOriginal = ({ file_type }: Original) => file_type === pdf || pictures.includes(file_type);

export const isPdf = ({ file_type }: Original) => file_type === pdf;

/** Returns the number of the page that an anchor such as "page 3" names, or 1. */
export const pageOf = (anchor = "") => Number(/^page (\d+)$/.exec(anchor)?.[1] ?? 1);

/**
 * Loads a PDF and returns a URL for it, which the caller revokes. The blob has the type of a PDF whatever the server
 * says, so that no browser takes it for a page.
 */
export async function loadPdf(fileId: string, signal: AbortSignal): Promise<string> {
  const blob = await (await operations.downloadFile(fileId, signal)).blob();
  signal.throwIfAborted();
  return URL.createObjectURL(blob.slice(0, blob.size, pdf));
}
