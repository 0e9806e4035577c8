import { SvelteMap } from "svelte/reactivity";
import { keyOf, store } from "../composer/draft.svelte";

/** A changed question that the server does not have. */
interface Edit {
  text: string;
  /** Why it could not be sent. */
  error: unknown;
}

/** The questions of a session that are being changed. They are stored in this browser, like the draft. */
export class Edits {
  /** The question that the user has begun to change here. Its field takes the focus. */
  begun = "";
  #edits = new SvelteMap<string, Edit>();
  readonly #prefix: () => string;

  /** The user's id is 0 while it is not known. */
  constructor(sessionId: () => string | null, userId: () => number) {
    this.#prefix = () => (userId() && sessionId() ? `${keyOf(userId(), sessionId())}.` : "");
  }

  /** Reads what is stored, as soon as the user is known. */
  open(): void {
    const prefix = this.#prefix();
    if (!prefix) return;
    for (const key of Object.keys(localStorage)) {
      if (key.startsWith(prefix)) this.#read(key.slice(prefix.length), localStorage.getItem(key));
    }
  }

  /** Follows another tab that shows the same session. */
  follow({ key, newValue }: StorageEvent): void {
    const prefix = this.#prefix();
    if (prefix && key?.startsWith(prefix)) this.#read(key.slice(prefix.length), newValue);
  }

  find(messageId: string): Edit | undefined {
    return this.#edits.get(messageId);
  }

  begin(messageId: string, text: string): void {
    this.begun = messageId;
    this.write(messageId, text);
  }

  write(messageId: string, text: string): void {
    this.#edits.set(messageId, { text, error: null });
    // It is not stored as it is, because an empty text would remove it.
    this.#store(messageId, JSON.stringify(text));
  }

  /** Shows a change again that could not be sent. */
  fail(messageId: string, text: string, error: unknown): void {
    this.write(messageId, text);
    this.#edits.set(messageId, { text, error });
  }

  /** Removes a change that the server has, or that the user has canceled. */
  end(messageId: string): void {
    this.#edits.delete(messageId);
    this.#store(messageId, "");
  }

  #read(messageId: string, stored: string | null): void {
    if (stored) this.#edits.set(messageId, { text: parse(stored), error: null });
    else this.#edits.delete(messageId);
  }

  #store(messageId: string, content: string): void {
    const prefix = this.#prefix();
    if (prefix) store(prefix + messageId, content);
  }
}

function parse(stored: string): string {
  try {
    return String(JSON.parse(stored));
  } catch {
    return "";
  }
}
