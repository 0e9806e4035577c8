import * as operations from "../api/operations";
import type { StoredFile } from "../api/types";
import { uploadFile } from "../api/upload";

let nextKey = 1;

/** A file that is being uploaded. */
export class Upload {
  readonly key = nextKey++;
  progress = $state(0);
  error: unknown = $state(null);
  readonly controller = new AbortController();
  constructor(readonly file: File) {}
}

/** The files of a session and its uploads. */
export class Files {
  stored: StoredFile[] = $state([]);
  uploads: Upload[] = $state([]);
  error: unknown = $state(null);

  async load(sessionId: string): Promise<void> {
    this.error = null;
    try {
      this.stored = (await operations.listFiles(sessionId)).files;
    } catch (error) {
      this.error = error;
    }
  }

  get busy(): boolean {
    return this.uploads.some((upload) => !upload.error);
  }

  async add(files: Iterable<File>, session: () => Promise<string>): Promise<void> {
    for (const file of files) {
      this.uploads.push(new Upload(file));
      await this.run(this.uploads.at(-1)!, session);
    }
  }

  async run(upload: Upload, session: () => Promise<string>): Promise<void> {
    upload.error = null;
    upload.progress = 0;
    try {
      const id = await session();
      const stored = await uploadFile(id, upload.file, (part) => (upload.progress = part), upload.controller.signal);
      this.stored.push(stored);
      this.cancel(upload);
    } catch (error) {
      upload.error = error;
    }
  }

  cancel(upload: Upload): void {
    upload.controller.abort();
    this.uploads = this.uploads.filter((other) => other !== upload);
  }

  async remove(file: StoredFile): Promise<void> {
    await operations.deleteFile(file.file_id);
    this.stored = this.stored.filter((other) => other.file_id !== file.file_id);
  }
}
