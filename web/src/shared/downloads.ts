import * as operations from "../api/operations";
import type { Session } from "../api/types";
import { saveAs } from "./save-as";
import { titleOf } from "./session-title";

export { saveAs };

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
