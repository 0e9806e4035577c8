import * as operations from "../api/operations";
import type { StoredFile } from "../api/types";
import { type ReadingProgress, uploadFile } from "../api/upload";
import { t } from "../i18n/index.svelte";
import type { UserState } from "../user-state.svelte";

/** A file that is being uploaded. */
export class Upload {
  readonly key = Symbol();
  /** The part that was sent, from 0 to 1. */
  progress = $state(0);
  /** The page that the server is reading, if the document takes long. */
  reading: ReadingProgress | null = $state.raw(null);
  error: unknown = $state(null);
  /** Whether there were other files when it failed. They could be removed to make room. */
  hasOthers = false;
  readonly controller = new AbortController();
  constructor(readonly file: File) {}
}

/** The files of a session and its uploads. */
export class Files {
  stored: StoredFile[] = $state([]);
  uploads: Upload[] = $state([]);
  error: unknown = $state(null);

  /** failed is called after an upload that was refused. */
  constructor(
    private readonly user: Pick<UserState, "changes" | "deletions" | "ended">,
    private readonly failed: () => void = () => {},
  ) {}

  async load(sessionId: string): Promise<void> {
    try {
      const { files } = await operations.listFiles(sessionId);
      this.stored = files.filter(({ file_id }) => !this.user.deletions.files.has(file_id));
      this.error = null;
    } catch (error) {
      this.error = error;
    }
  }

  /** Whether there are no files, and none are on their way. */
  get none(): boolean {
    return this.stored.length === 0 && !this.busy;
  }

  get busy(): boolean {
    return this.uploads.some((upload) => !upload.error);
  }

  async add(files: Iterable<File>, session: () => Promise<string>): Promise<void> {
    for (const file of files) {
      if (this.user.ended.aborted) return;
      this.uploads.push(new Upload(file));
      await this.run(this.uploads.at(-1)!, session);
    }
  }

  async run(upload: Upload, session: () => Promise<string>): Promise<void> {
    upload.error = null;
    upload.progress = 0;
    upload.reading = null;
    try {
      await this.user.deletions.files.flush(); // a removed file makes room
      const id = await session();
      const stored = await uploadFile(id, upload.file, {
        onProgress: (part) => (upload.progress = part),
        onReading: (at) => (upload.reading = at),
        signal: upload.controller.signal,
      });
      this.stored.push(stored);
      this.cancel(upload);
      this.user.changes.announce(id);
    } catch (error) {
      upload.hasOthers = this.stored.length > 0;
      upload.error = error;
      this.failed();
    }
  }

  cancel(upload: Upload): void {
    upload.controller.abort();
    this.uploads = this.uploads.filter((other) => other !== upload);
  }

  /** Takes the uploads that have failed off the page. */
  dropFailed(): void {
    this.uploads = this.uploads.filter((upload) => !upload.error);
  }

  /** Removes a file of a session. The toast offers to undo it. */
  remove(file: StoredFile, sessionId: string): void {
    const { changes, deletions } = this.user;
    deletions.add(deletions.files, file.file_id, {
      text: t("files.removed", { name: file.filename }),
      run: async (leaving) => {
        await operations.deleteFile(file.file_id, sessionId, leaving);
        changes.announce(sessionId);
      },
      restore: () => void this.load(sessionId),
    });
    this.stored = this.stored.filter(({ file_id }) => file_id !== file.file_id);
  }
}
