import { path, sessionPath } from "./caller.js";
import type { Download } from "./download.js";
import { Replies } from "./replies.js";
import type { CallOptions } from "./transport.js";
import type * as wire from "./types.js";
import type { ImportOptions, NamedBlob, UploadOptions } from "./upload.js";

/** The files of sessions, and imports. */
export abstract class Files extends Replies {
  /** Adds a document to a session. */
  upload(sessionId: string, file: NamedBlob, options: UploadOptions = {}): Promise<wire.StoredFile> {
    return this.sendFile("/api/files/upload", { session_id: sessionId }, file, options);
  }

  /** Lists a session's files, oldest first. */
  files(sessionId: string, options?: CallOptions): Promise<wire.FilesOutput> {
    return this.get(`${sessionPath(sessionId)}/files`, options);
  }

  /** Opens a file's bytes. */
  download(fileId: string, options?: CallOptions): Promise<Download> {
    return this.open(filePath(fileId), options);
  }

  /** Opens a picture of a session without its metadata: at most 2,048 pixels wide and high, or 480 as a thumbnail. */
  picture(fileId: string, size: "full" | "thumbnail" = "full", options?: CallOptions): Promise<Download> {
    return this.open(`${filePath(fileId)}/picture`, { ...options, query: { size } });
  }

  /** Returns a page of a file's text, as a model gets it: by its number, an offset, or a passage that it has. */
  fileText(fileId: string, query?: wire.FileTextQuery, options?: CallOptions): Promise<wire.FileText> {
    return this.get(`${filePath(fileId)}/text`, { ...options, query });
  }

  /** Deletes a file. */
  deleteFile(fileId: string, options?: CallOptions): Promise<void> {
    return this.call("DELETE", filePath(fileId), options);
  }

  /** Imports conversations from an export of ChatGPT, Open WebUI, LibreChat or this service. */
  startImport(file: NamedBlob, options: ImportOptions = {}): Promise<wire.StartImportOutput> {
    return this.sendFile("/api/import", {}, file, options);
  }

  /** Returns the progress of an import, or its result. */
  import(importId: string, options?: CallOptions): Promise<wire.Import> {
    return this.get(`/api/import/${encodeURIComponent(importId)}`, options);
  }
}

const filePath = (id: string) => path`/api/files/${id}`;
