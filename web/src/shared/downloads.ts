import * as operations from "../api/operations";
import type { Session } from "../api/types";
import { titleOf } from "./session-title";

export async function exportSession(session: Session, format: operations.ExportFormat): Promise<void> {
  const response = await operations.exportSession(session.id, format);
  saveAs(await response.blob(), `${fileNameOf(session)}.${format === "html" ? "html" : "md"}`);
}

/** Returns the title of a session as the name of a file, without an extension. */
export const fileNameOf = (session: Session): string =>
  titleOf(session)
    .replace(/[\\/:*?"<>|\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, 80);

export async function exportAccount(): Promise<void> {
  saveAs(await (await operations.exportAccount()).blob(), "parley-export.zip");
}

export async function downloadFile(id: string, name: string): Promise<void> {
  saveAs(await (await operations.downloadFile(id)).blob(), name);
}

/** Saves a blob as a file. A plain link can't carry the token. */
export function saveAs(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
