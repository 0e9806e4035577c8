import * as operations from "../api/operations";
import type { FileText, FileTextQuery } from "../api/types";
import type { FilePassage, FilePlace } from "../shared/router.svelte";

/** How much of a passage is sent to find its page. */
const maxFind = 200;

/** How many pages are kept. */
const maxKept = 50;

/** The text of a file, of which one page is shown. */
export class FileReader {
  shown: FileText | null = $state.raw(null);
  error: unknown = $state(null);
  loading = $state(false);

  readonly #kept = new Map<string, FileText>();
  #request = new AbortController();

  /** Shows the page of a place. */
  async open(place: FilePlace): Promise<void> {
    this.#request.abort();
    this.#request = new AbortController();
    const { signal } = this.#request;
    if (this.shown?.file_id !== place.fileId) this.shown = null;
    this.loading = true;
    this.error = null;
    try {
      const page = await this.#read(place, signal);
      if (!signal.aborted) this.shown = page;
    } catch (error) {
      if (!signal.aborted) this.error = error;
    } finally {
      if (!signal.aborted) this.loading = false;
    }
  }

  async #read({ fileId, number, passage }: FilePlace, signal: AbortSignal): Promise<FileText> {
    const query = passage ? queryOf(passage) : { page: number };
    const key = `${fileId} ${JSON.stringify(query)}`;
    const page = this.#kept.get(key) ?? (await operations.readFile(fileId, query, signal));
    this.#kept.delete(key);
    this.#kept.set(key, page);
    if (this.#kept.size > maxKept) this.#kept.delete(this.#kept.keys().next().value!);
    return page;
  }

  close(): void {
    this.#request.abort();
  }
}

function queryOf({ text, offset }: FilePassage): FileTextQuery {
  const find = [...text].slice(0, maxFind).join("");
  return offset ? { at: offset, find } : { find };
}

/** Splits the text of a page around a passage, which may go on to the next page. */
export function splitAtPassage(page: FileText, passage: FilePassage): [before: string, match: string, after: string] {
  const { text, match } = page;
  const exact = text.indexOf(passage.text);
  let start = exact;
  let end = exact + passage.text.length;
  if (exact < 0 && match) {
    const points = [...text];
    start = points.slice(0, match.start).join("").length;
    end = start + points.slice(match.start, match.start + match.length).join("").length;
    if (sharedLength(text, start, passage.text) > end - start) end = start + sharedLength(text, start, passage.text);
  }
  return start < 0 ? [text, "", ""] : [text.slice(0, start), text.slice(start, end), text.slice(end)];
}

/** Returns how much of a passage stands at a place of a text. */
function sharedLength(text: string, start: number, passage: string): number {
  let length = 0;
  while (length < passage.length && text[start + length] === passage[length]) length++;
  return length;
}
