import type { StoredFile } from "../api/types";
import type { Entry } from "./entry.svelte";

export interface Attachments {
  /** The files that went with each question. */
  of: Map<Entry, StoredFile[]>;
  /** The files that go with the next question. */
  waiting: StoredFile[];
}

/**
 * Assigns files to the first question that was sent after their upload. Later ids sort later. If earlier messages are
 * not loaded, the first question may not be the one that a file went with. A stored question names its pictures.
 */
export function assignFiles(entries: Entry[], files: StoredFile[], all: boolean): Attachments {
  const questions = entries.filter(({ message, state }) => message.role === "user" && state !== "failed");
  const of = new Map<Entry, StoredFile[]>();
  const waiting: StoredFile[] = [];
  for (const file of files) {
    const owner = questions.find(({ message }) => message.images?.includes(file.file_id));
    const question = owner ?? questions.find(({ message }) => message.id === "" || message.id > file.file_id);
    if (!question) waiting.push(file);
    else if (owner || all || question !== questions[0]) of.set(question, [...(of.get(question) ?? []), file]);
  }
  return { of, waiting };
}
